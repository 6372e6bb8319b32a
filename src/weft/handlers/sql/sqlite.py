"""SQLite files as resources, by the standard library."""

import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from weft.handlers.settings import Resource
from weft.handlers.sql.connection import CannotConnect, Rows, TooManyRows, TransactionEnded
from weft.handlers.sql.statements import Statement

REFUSED: Final = {
    sqlite3.SQLITE_TRANSACTION,
    sqlite3.SQLITE_ATTACH,
    sqlite3.SQLITE_DETACH,
    sqlite3.SQLITE_PRAGMA,
}
"""What a task may not do on its connection; savepoints it may have."""

PREFIX: Final = "sqlite:///"


class SqliteConnection:
    def __init__(self, path: str, resource: Resource) -> None:
        try:
            self.given = sqlite3.connect(
                path, timeout=resource.lock_seconds, isolation_level=None, check_same_thread=False
            )
            self._run("pragma foreign_keys = on")
        except sqlite3.Error as fault:
            raise CannotConnect(f"{path}: {fault}") from fault

    def begin(self, *, only_reads: bool = False) -> None:
        self._run(f"pragma query_only = {'on' if only_reads else 'off'}")
        self._run("begin" if only_reads else "begin immediate")
        self.given.set_authorizer(_authorize)

    def execute(self, statement: Statement, values: Mapping[str, object], rows_max: int = 10_000) -> Rows:
        text = "".join(part + name for part, name in zip(statement.texts, _marks(statement), strict=True))
        cursor = self.given.execute(text, values)
        if cursor.description is None:
            return Rows((), (), max(0, cursor.rowcount))
        rows = cursor.fetchmany(rows_max + 1)
        if len(rows) > rows_max:
            raise TooManyRows(f"the statement gives more than the {rows_max:,} rows allowed")
        return Rows(tuple(column[0] for column in cursor.description), rows, max(0, cursor.rowcount))

    def commit(self) -> None:
        self.given.set_authorizer(None)
        if not self.given.in_transaction:
            raise TransactionEnded("the task ended the transaction in which it ran")
        self._run("commit")

    def rollback(self) -> None:
        self.given.set_authorizer(None)
        if self.given.in_transaction:
            self._run("rollback")

    def interrupt(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # it is closed
            self.given.interrupt()

    def close(self) -> None:
        self.given.close()

    def is_duplicate(self, fault: BaseException) -> bool:
        return isinstance(fault, sqlite3.IntegrityError) and fault.sqlite_errorcode in (
            sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
            sqlite3.SQLITE_CONSTRAINT_UNIQUE,
        )

    def _run(self, text: str) -> None:
        self.given.execute(text).close()


def _authorize(action: int, *_: object) -> int:
    return sqlite3.SQLITE_DENY if action in REFUSED else sqlite3.SQLITE_OK


def _marks(statement: Statement) -> list[str]:
    return [*(f":{name}" for name in statement.names), ""]


def connect(url: str, resource: Resource) -> SqliteConnection:
    return SqliteConnection(url.removeprefix(PREFIX), resource)
