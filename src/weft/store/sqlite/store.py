"""A store in a SQLite file, as the engine that serves it has it."""

import sqlite3
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Final

from weft.store.batch import Batch, Committed, Outcome, Refused, Unknown
from weft.store.codec import Codec
from weft.store.migrations import Migration, missing, older
from weft.store.problems import CannotOpen
from weft.store.rows import CommandRow, OutboxRow, TimerRow
from weft.store.sqlite.file import FileLock, connect, is_passing, problem_of, refusal_of
from weft.store.sqlite.reads import SqliteReads, steps_taken, take
from weft.store.sqlite.writing import write
from weft.store.tables import COMMAND, OUTBOX, TIMER

FENCE: Final = "update node set batch = ? where name = ? and epoch = ?"
ENTER: Final = (
    "insert into node (name, epoch, batch) values (?, 1, 0) "
    "on conflict (name) do update set epoch = epoch + 1 returning epoch, batch"
)


class SqliteStore(SqliteReads):
    """For one thread at a time."""

    def __init__(self, path: Path, node: str, codec: Codec, migrations: Sequence[Migration]) -> None:
        super().__init__(path, codec)
        self.node = node
        self._lock = FileLock(path, node)
        try:
            self._connection = _opened(path, migrations)
            self.epoch, self.batch = self._enter()
        except BaseException:
            self._lock.release()
            raise
        self._version = -1

    def _enter(self) -> tuple[int, int]:
        """Raises the node's epoch; the last batch that is written."""
        epoch, batch = self._query(ENTER, (self.node,))[0]
        assert isinstance(epoch, int)
        assert isinstance(batch, int)
        return epoch, batch

    def reopen(self) -> int:
        with suppress(sqlite3.Error):
            self._connection.close()
        try:
            self._connection = connect(self.path, "rw")
        except sqlite3.Error as error:
            raise problem_of(error, self.path) from error
        self.epoch, self.batch = self._enter()
        self._version = -1
        return self.batch

    def renew(self) -> bool:
        return self._query("select epoch from node where name = ?", (self.node,)) == [(self.epoch,)]

    def close(self) -> None:
        super().close()
        self._lock.release()

    def _at_once(self) -> AbstractContextManager[None]:
        return nullcontext()  # what visitors write is not read together with anything

    # Writing.

    def commit(self, batch: Batch) -> Outcome:
        try:
            outcome = self._write(batch)
        except BaseException as error:
            self._roll_back()
            refusal = refusal_of(error)
            if refusal is None:
                raise
            return refusal
        if type(outcome) is not Committed:
            self._roll_back()
            return outcome
        return self._end(batch, outcome)

    def _write(self, batch: Batch) -> Committed | Refused:
        self._connection.execute("begin immediate")
        if not self._connection.execute(FENCE, (batch.number, self.node, self.epoch)).rowcount:
            return Refused("fenced", f"node {self.node} was taken over: its epoch is not {self.epoch} any more")
        return write(self._connection, batch, self._codec)

    def _end(self, batch: Batch, outcome: Committed) -> Outcome:
        """Commits. What fails here may have reached the disk all the same."""
        try:
            self._connection.execute("commit")
        except sqlite3.Error as error:
            self._roll_back()
            if not is_passing(error):
                raise
            return Unknown(f"{error} ({error.sqlite_errorname})")
        self.batch = batch.number
        return outcome

    def _roll_back(self) -> None:
        """SQLite has done it already after some errors, and can't after others; nothing is written anyway."""
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("rollback")

    # What only the engine asks.

    def active(self, after: int = 0, at_most: int = 1000) -> list[int]:
        statement = "select id from instance where is_active and id > ? order by id limit ?"
        return [one[0] for one in self._query(statement, (after, at_most))]  # type: ignore[misc]

    def due(self, until: float, at_most: int = 1000) -> list[TimerRow]:
        rest = "where due <= ? order by due, instance, name limit ?"
        return self._rows(TimerRow, TIMER, rest, (until, at_most))

    def next_due(self) -> float | None:
        return self._query("select min(due) from timer")[0][0]  # type: ignore[return-value]

    def has_news(self) -> bool:
        """SQLite counts the commits of other connections. The first time there may always be something."""
        before = self._version
        self._version = self._query("pragma data_version")[0][0]  # type: ignore[assignment]
        return self._version != before

    def commands(self, after: int = 0, at_most: int = 1000) -> list[CommandRow]:
        return self._rows(CommandRow, COMMAND, "where id > ? order by id limit ?", (after, at_most))

    def outbox(self, until: float, at_most: int = 1000) -> list[OutboxRow]:
        rest = "where due <= ? order by due, receiver, instance, path, number limit ?"
        return self._rows(OutboxRow, OUTBOX, rest, (until, at_most))


def _opened(path: Path, migrations: Sequence[Migration]) -> sqlite3.Connection:
    """A connection to the file, made if it isn't there; its tables are made if it has none of ours."""
    try:
        connection = connect(path)
    except sqlite3.Error as error:
        raise CannotOpen(f"{path} can't be opened as a store: {error}") from error
    try:
        taken = steps_taken(connection)
        lacking = missing(str(path), taken, migrations)
        if taken and lacking:
            raise older(str(path), lacking)
        for step in lacking:
            take(connection, step)
    except sqlite3.Error as error:
        connection.close()
        raise CannotOpen(f"the tables of a store can't be made in {path}: {error}") from error
    except BaseException:
        connection.close()
        raise
    return connection
