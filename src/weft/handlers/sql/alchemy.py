"""Other databases as resources, by SQLAlchemy 2 (extra `sql`) with the driver that its URL names."""

from collections.abc import Mapping
from contextlib import suppress

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from weft.handlers.settings import Resource
from weft.handlers.sql.connection import CannotConnect, CommitUnknown, Rows, TooManyRows, TransactionEnded
from weft.handlers.sql.statements import Statement, is_control


class AlchemyConnection:
    def __init__(self, url: str, resource: Resource) -> None:
        try:
            self._engine: Engine = create_engine(url, poolclass=NullPool)
            self.given: Connection = self._engine.connect()
        except (SQLAlchemyError, ArgumentError, NoSuchModuleError, ImportError) as fault:
            raise CannotConnect(str(fault)) from fault
        self._is_guarded = False
        event.listen(self.given, "commit", self._refuse)
        event.listen(self.given, "rollback", self._refuse)
        event.listen(self.given, "before_cursor_execute", self._look)

    def begin(self, *, only_reads: bool = False) -> None:
        self.given.begin()
        self._is_guarded = True

    def execute(self, statement: Statement, values: Mapping[str, object], rows_max: int = 10_000) -> Rows:
        marks = [*(f":{name}" for name in statement.names), ""]
        parts = zip(statement.texts, marks, strict=True)
        result = self.given.execute(
            text("".join(part.replace(":", r"\:") + mark for part, mark in parts)), dict(values)
        )
        if not result.returns_rows:
            return Rows((), (), max(0, result.rowcount))
        rows = [tuple(row) for row in result.fetchmany(rows_max + 1)]
        if len(rows) > rows_max:
            raise TooManyRows(f"the statement gives more than the {rows_max:,} rows allowed")
        return Rows(tuple(result.keys()), rows, max(0, result.rowcount))

    def commit(self) -> None:
        self._is_guarded = False
        if not self.given.in_transaction():
            raise TransactionEnded("the task ended the transaction in which it ran")
        try:
            self.given.commit()
        except DBAPIError as fault:
            if fault.connection_invalidated:
                raise CommitUnknown(str(fault)) from fault
            raise

    def rollback(self) -> None:
        self._is_guarded = False
        self.given.rollback()
        self.given.connection.rollback()  # what SQLAlchemy forgot when the task was refused its own end

    def interrupt(self) -> None:
        raw = self.given.connection.dbapi_connection
        for name in ("interrupt", "cancel"):
            end = getattr(raw, name, None)
            if end is not None:
                with suppress(Exception):  # what it may raise is the driver's own
                    end()
                return

    def close(self) -> None:
        self.given.close()
        self._engine.dispose()

    def is_duplicate(self, fault: BaseException) -> bool:
        return isinstance(fault, IntegrityError)

    def _look(self, connection: Connection, cursor: object, statement: str, *_: object) -> None:
        if is_control(statement):
            self._refuse()

    def _refuse(self, *_: object) -> None:
        if self._is_guarded:
            raise TransactionEnded("ending the transaction is not for a task: the engine ends it when the task returns")


def connect(url: str, resource: Resource) -> AlchemyConnection:
    return AlchemyConnection(url, resource)
