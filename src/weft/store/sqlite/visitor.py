"""A store in a SQLite file, as other processes have it beside the engine that serves it."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Final

from weft.store.batch import Record, Value
from weft.store.codec import Codec
from weft.store.migrations import Migration, missing, older
from weft.store.problems import CannotOpen
from weft.store.rows import CommandRow
from weft.store.sqlite.file import connect
from weft.store.sqlite.reads import SqliteReads, steps_taken

SEND: Final = "insert into command (instance, name, time, actor, payload, codec) values (?, ?, ?, ?, ?, ?) returning id"


class SqliteVisitor(SqliteReads):
    """It reads, and writes nothing but command rows."""

    def __init__(self, path: Path, codec: Codec, migrations: Sequence[Migration]) -> None:
        super().__init__(path, codec)
        self._lock = RLock()
        self._connection = _opened(path, migrations)
        self._connection.execute("pragma query_only = on")

    def _query(self, statement: str, parameters: Sequence[Value] = ()) -> list[Record]:
        with self._lock:
            return super()._query(statement, parameters)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, super()._transaction():
            yield

    def send(self, command: CommandRow) -> int:
        payload, how = self._codec.encode(command.payload)
        values = (command.instance, command.name, command.time, command.actor, payload, how)
        with self._lock:
            self._query("pragma query_only = off")
            try:
                return self._query(SEND, values)[0][0]  # type: ignore[return-value]
            finally:
                self._query("pragma query_only = on")


def _opened(path: Path, migrations: Sequence[Migration]) -> sqlite3.Connection:
    if not path.exists():
        raise CannotOpen(f"there is no store {path}; the first engine that serves it makes it")
    try:
        connection = connect(path, "rw")
        taken = steps_taken(connection)
    except sqlite3.Error as error:
        raise CannotOpen(f"{path} can't be read as a store: {error}") from error
    lacking = missing(str(path), taken, migrations)
    if lacking:
        connection.close()
        raise older(str(path), lacking)
    return connection
