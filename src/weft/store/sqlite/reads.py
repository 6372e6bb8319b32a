"""Questions to a SQLite file, and the steps of its tables."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeVar

from weft.store.batch import Record, Transaction, Value
from weft.store.codec import Codec
from weft.store.migrations import Migration, register
from weft.store.sql_reads import SqlReads
from weft.store.sqlite.file import problem_of
from weft.store.sqlite.transaction import SqliteTransaction

T = TypeVar("T")


class SqliteReads(SqlReads):
    """Who has it says from which threads it may be called."""

    _connection: sqlite3.Connection

    def __init__(self, path: Path, codec: Codec) -> None:
        self.path = path
        self._codec = codec

    def _query(self, statement: str, parameters: Sequence[Value] = ()) -> list[Record]:
        try:
            return self._connection.execute(statement, parameters).fetchall()
        except sqlite3.Error as error:
            raise problem_of(error, self.path) from error

    def _among(self, column: str, ids: Sequence[int]) -> tuple[str, Value]:
        return f"{column} in (select value from json_each(?))", json.dumps(ids)

    def _at_once(self) -> AbstractContextManager[None]:
        return self._transaction()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """For reading: what is written inside is taken back."""
        self._query("begin")
        try:
            yield
        finally:
            if self._connection.in_transaction:
                self._query("rollback")

    def ask(self, question: Callable[[Transaction], T]) -> T:
        with self._transaction():
            return question(SqliteTransaction(self._connection))

    def flaws(self) -> list[str]:
        pages = [str(one[0]) for one in self._query("pragma integrity_check")]
        return [*(line for line in pages if line != "ok"), *super().flaws()]

    def close(self) -> None:
        self._connection.close()


def steps_taken(connection: sqlite3.Connection) -> dict[int, str]:
    """The numbers and names of the steps that made the tables; none in a new file."""
    if not connection.execute("select 1 from sqlite_master where name = 'migration'").fetchall():
        return {}
    return dict(connection.execute("select number, name from migration"))


def take(connection: sqlite3.Connection, step: Migration) -> None:
    """Takes one step: whole, or not at all."""
    connection.execute("begin immediate")
    try:
        connection.execute(register("sqlite"))
        for statement in step.statements_in("sqlite"):
            connection.execute(statement)
        connection.execute("insert into migration (number, name) values (?, ?)", (step.number, step.name))
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise
