"""PostgreSQL databases as resources, by psycopg (extra `postgres`)."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import psycopg
from psycopg import errors, pq
from psycopg.abc import Params
from psycopg.sql import Composed

from weft.handlers.settings import Resource
from weft.handlers.sql.connection import CannotConnect, CommitUnknown, Rows, TooManyRows, TransactionEnded
from weft.handlers.sql.statements import Statement, is_control


class GuardedCursor(psycopg.Cursor[tuple[Any, ...]]):
    """The cursor of a task: it does not end the transaction."""

    def execute(
        self, query: Any, params: Params | None = None, *, prepare: bool | None = None, binary: bool | None = None
    ) -> "GuardedCursor":
        text = (
            query if isinstance(query, str) else query.decode() if isinstance(query, bytes) else query.as_string(self)
        )
        if is_control(text):
            raise TransactionEnded(f"{text.strip()[:40]!r} is not for a task: the engine begins and ends transactions")
        super().execute(query, params, prepare=prepare, binary=binary)
        return self


class GuardedConnection(psycopg.Connection[tuple[Any, ...]]):
    """The connection of a task: `commit` and `rollback` are not the task's."""

    is_guarded = False

    def commit(self) -> None:
        if self.is_guarded:
            raise TransactionEnded("commit() is not for a task: the engine ends the transaction when it returns")
        super().commit()

    def rollback(self) -> None:
        if self.is_guarded:
            raise TransactionEnded("rollback() is not for a task: raise an exception, and nothing of it is kept")
        super().rollback()


class PostgresConnection:
    def __init__(self, url: str, resource: Resource) -> None:
        milliseconds = int(1000 * resource.lock_seconds)
        try:
            self.given = GuardedConnection.connect(url, cursor_factory=GuardedCursor, connect_timeout=10)
            self.given.execute(f"set lock_timeout = {milliseconds}")
            self.given.commit()
        except psycopg.Error as fault:
            raise CannotConnect(str(fault).strip()) from fault
        self._number = ""

    def begin(self, *, only_reads: bool = False) -> None:
        self.given.read_only = only_reads
        self._number = "" if only_reads else self._transaction()
        self.given.is_guarded = True

    def execute(self, statement: Statement, values: Mapping[str, object], rows_max: int = 10_000) -> Rows:
        marks = [*(f"%({name})s" for name in statement.names), ""]
        text = "".join(
            part.replace("%", "%%") + mark for part, mark in zip(statement.texts, marks, strict=True)
        )  # with parameters, even none, a % is doubled
        with psycopg.Cursor(self.given) as cursor:
            cursor.execute(text.encode(), values)
            if cursor.description is None:
                return Rows((), (), max(0, cursor.rowcount))
            rows = cursor.fetchmany(rows_max + 1)
            if len(rows) > rows_max:
                raise TooManyRows(f"the statement gives more than the {rows_max:,} rows allowed")
            return Rows(tuple(column.name for column in cursor.description), rows, max(0, cursor.rowcount))

    def commit(self) -> None:
        self.given.is_guarded = False
        status = self.given.info.transaction_status
        if status == pq.TransactionStatus.IDLE or (self._number and self._number != self._transaction()):
            raise TransactionEnded("the task ended the transaction in which it ran")
        try:
            self.given.commit()
        except psycopg.OperationalError as fault:
            if self.given.closed:
                raise CommitUnknown(str(fault).strip()) from fault
            raise

    def rollback(self) -> None:
        self.given.is_guarded = False
        self.given.rollback()

    def end_with(self, statement: Composed) -> None:
        """Ends the transaction by this statement in place of a commit."""
        self.given.is_guarded = False
        with psycopg.Cursor(self.given) as cursor:
            cursor.execute(statement)
        self.given.rollback()  # psycopg is told so too; there is nothing left to roll back

    def run_alone(self, statement: Composed) -> list[tuple[Any, ...]]:
        """Runs a statement that may stand in no transaction."""
        self.given.autocommit = True
        try:
            with psycopg.Cursor(self.given) as cursor:
                cursor.execute(statement)
                return cursor.fetchall() if cursor.description is not None else []
        finally:
            self.given.autocommit = False

    def interrupt(self) -> None:
        with suppress(psycopg.Error):
            self.given.cancel_safe(timeout=5)

    def close(self) -> None:
        self.given.close()

    def is_duplicate(self, fault: BaseException) -> bool:
        return isinstance(fault, errors.UniqueViolation)

    def _transaction(self) -> str:
        row = self.given.execute("select pg_current_xact_id()::text").fetchone()
        assert row is not None
        return str(row[0])


def connect(url: str, resource: Resource) -> PostgresConnection:
    return PostgresConnection(url, resource)
