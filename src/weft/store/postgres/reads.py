"""Questions to a PostgreSQL database, and the steps of its tables."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar, cast

import psycopg

from weft.store.batch import Record, Transaction, Value
from weft.store.codec import Codec
from weft.store.migrations import Migration, missing, older, register
from weft.store.postgres.connecting import Address, Connection
from weft.store.postgres.faults import problem
from weft.store.postgres.transaction import PostgresTransaction, marked
from weft.store.sql_reads import SqlReads

T = TypeVar("T")

HAS_SCHEMA: Final = "select 1 from pg_namespace where nspname = %s"
HAS_TABLES: Final = "select 1 where to_regclass('migration') is not null"
STEPS: Final = "select number, name from migration"
TAKEN: Final = "insert into migration (number, name) values (%s, %s)"
ONE_AT_A_TIME: Final = "select pg_advisory_xact_lock(hashtext('weft steps'), hashtext(%s))"


class PostgresReads(SqlReads):
    """Who has it says from which threads it may be called."""

    _connection: Connection

    def __init__(self, address: Address, codec: Codec) -> None:
        self.address = address
        self._codec = codec

    def _query(self, statement: str, parameters: Sequence[Value] = ()) -> list[Record]:
        try:
            with self._connection.cursor(binary=True) as cursor:
                cursor.execute(marked(statement).encode(), parameters)
                return cursor.fetchall() if cursor.description is not None else []
        except psycopg.Error as error:
            raise problem(error) from error

    def _among(self, column: str, ids: Sequence[int]) -> tuple[str, Value]:
        return f"{column} = any(?)", cast("Value", list(ids))

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        self._query("begin isolation level repeatable read read only")
        try:
            yield
        finally:
            if not self._connection.broken:
                self._query("rollback")

    def ask(self, question: Callable[[Transaction], T]) -> T:
        try:
            with self._at_once():
                return question(PostgresTransaction(self._connection))
        except psycopg.OperationalError as error:
            raise problem(error) from error

    def close(self) -> None:
        self._connection.close()


def steps_taken(connection: Connection) -> dict[int, str]:
    """The numbers and names of the steps that made the tables; none in a new schema."""
    if not connection.execute(HAS_TABLES).fetchall():
        return {}
    return dict(connection.execute(STEPS).fetchall())


def make(connection: Connection, address: Address, migrations: Sequence[Migration]) -> None:
    """Makes the schema and its tables where there are none; what was made by another version is refused."""
    taken = steps_taken(connection)
    if not taken:
        with connection.transaction():
            connection.execute(ONE_AT_A_TIME, (address.schema,))
            if not connection.execute(HAS_SCHEMA, (address.schema,)).fetchall():
                connection.execute(f'create schema "{address.schema}"'.encode())
            if not steps_taken(connection):
                take(connection, migrations)
        taken = steps_taken(connection)
    lacking = missing(str(address), taken, migrations)
    if lacking:
        raise older(str(address), lacking)


def take(connection: Connection, steps: Sequence[Migration]) -> None:
    """Takes steps in the open transaction."""
    connection.execute(register("postgres").encode())
    for step in steps:
        for statement in step.statements_in("postgres"):
            connection.execute(statement.encode())
        connection.execute(TAKEN, (step.number, step.name))
