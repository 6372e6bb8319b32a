"""Writes a batch: in one statement if it can, else in one transaction, and tells which of the three outcomes it had."""

from collections.abc import Sequence
from struct import pack
from typing import Final

import psycopg
from msgspec import Struct
from msgspec.structs import astuple
from psycopg import pq

from weft.store.batch import SWEPT_MAX, Batch, Committed, KeyName, Outcome, Refused
from weft.store.codec import Codec
from weft.store.postgres.arrays import Column, Unfit, array
from weft.store.postgres.connecting import Connection
from weft.store.postgres.faults import is_lost, lost, may_succeed_again, refused
from weft.store.postgres.statements import Shape, drop_types, put_types, statement
from weft.store.postgres.transaction import PostgresTransaction
from weft.store.rows import KeyRow, Row
from weft.store.sql_writes import columns
from weft.store.tables import ANSWER, FACT, KEY, TABLES, Table

COPY_ABOVE: Final = 2000
"""So many facts in one batch are written faster by COPY, although that needs a transaction of several statements."""

ATTEMPTS: Final = 5
"""How often a batch is tried that the server gives up for a deadlock with another node's."""

SHAPES_MAX: Final = 200
BINARY: Final = 1

SWEEP_KEYS: Final = """delete from key where (process, key) in
    (select process, key from key where until < %s order by until, process, key limit %s)"""
SWEEP_ANSWERS: Final = (
    "delete from answer where id in (select id from answer where time < %s order by time, id limit %s)"
)
TAKEN: Final = """select process, key, instance from key where instance <> 0
    and (process, key) in (select * from unnest(%s::text[], %s::text[]))"""


class Parts(Struct):
    """What of a batch goes into the one statement."""

    shape: Shape
    values: list[bytes]


class Fenced(Exception):
    """The node's row has another epoch."""


class Writer:
    """Writes the batches of one node on one connection."""

    def __init__(self, connection: Connection, codec: Codec, node: str, epoch: int, lease_seconds: float) -> None:
        self._connection = connection
        self._codec = codec
        self._fence = [pack(">d", lease_seconds), node.encode(), pack(">q", epoch)]
        self._prepared: dict[Shape, bytes] = {}
        self._shapes_max = SHAPES_MAX

    def write(self, batch: Batch) -> Outcome:
        for _ in range(ATTEMPTS):
            outcome = self._attempt(batch)
            if outcome is not None:
                return outcome
        return Refused("store", "other nodes were in the way again and again; try later")

    def _attempt(self, batch: Batch) -> Outcome | None:
        """None when the same may be tried at once."""
        is_long = len(batch.facts) > COPY_ABOVE
        simple = not (is_long or batch.rooms or batch.removed or batch.sweep_before is not None)
        try:
            parts = parts_of(batch, self._codec, without_facts=is_long)
            if simple:
                return self._told(batch, self._run(batch, parts))
            return self._transaction(batch, parts, is_long)
        except Unfit as fault:
            return Refused("rows", f"a value does not fit into its column: {fault}")
        except Fenced:
            return Refused("fenced", "this node was taken over: its row has another epoch")
        except psycopg.Error as error:
            if is_lost(self._connection):
                return lost(error, committing=simple)
            return self._sorted(batch, error)

    def _sorted(self, batch: Batch, error: psycopg.Error) -> Refused | None:
        if may_succeed_again(error):
            return None
        if isinstance(error, psycopg.errors.NotNullViolation) and error.diag.table_name == KEY.name:
            taken = self._taken(batch)
            return Refused("keys", "the keys of some starts belong to other instances", taken) if taken else None
        return refused(error)

    def _taken(self, batch: Batch) -> dict[KeyName, int]:
        claimed = {name: row.instance for name, row in batch.keys.items() if row.instance}
        found = self._connection.execute(TAKEN, [list(part) for part in zip(*claimed, strict=True)])
        holders = {(process, key): instance for process, key, instance in found}
        return {name: instance for name, instance in holders.items() if instance != claimed[name]}

    # One statement.

    def _run(self, batch: Batch, parts: Parts) -> pq.abc.PGresult:
        values = [pack(">q", batch.number), *self._fence, *parts.values]
        name = self._prepared.get(parts.shape) or self._prepare(parts.shape)
        result = self._connection.pgconn.exec_prepared(name, values, [BINARY] * len(values), BINARY)
        checked(result)
        fences = result.get_value(0, 0)
        if not fences or not int.from_bytes(fences, "big"):
            raise Fenced
        return result

    def _prepare(self, shape: Shape) -> bytes:
        if len(self._prepared) >= self._shapes_max:
            checked(
                self._connection.pgconn.exec_(b"; ".join(b"deallocate " + name for name in self._prepared.values()))
            )
            self._prepared.clear()
        made, name = statement(shape), f"weft_{len(self._prepared)}".encode()
        checked(self._connection.pgconn.prepare(name, made.sql, made.types))
        self._prepared[shape] = name
        return name

    def _told(self, batch: Batch, result: pq.abc.PGresult) -> Committed:
        asked = [name for name, row in batch.keys.items() if not row.instance]
        if not asked:
            return Committed()
        holders = {}
        for row in range(result.ntuples):
            process, key, instance = (result.get_value(row, column) or b"" for column in (1, 2, 3))
            holders[process.decode(), key.decode()] = int.from_bytes(instance, "big")
        return Committed({name: holders[name] for name in asked if holders.get(name)})

    # A transaction.

    def _transaction(self, batch: Batch, parts: Parts, is_long: bool) -> Outcome:
        connection = self._connection
        checked(connection.pgconn.exec_(b"begin"))
        try:
            result = self._run(batch, parts)
            if is_long:
                self._copy_facts(batch)
            for write in batch.rooms:
                write(PostgresTransaction(connection))
            if batch.removed:
                self._remove(batch.removed)
            if batch.sweep_before is not None:
                connection.execute(SWEEP_KEYS, (batch.sweep_before, SWEPT_MAX))
                connection.execute(SWEEP_ANSWERS, (batch.sweep_before, SWEPT_MAX))
        except BaseException:
            if not is_lost(connection):
                connection.pgconn.exec_(b"rollback")
            raise
        try:
            checked(connection.pgconn.exec_(b"commit"))
        except psycopg.Error as error:
            if is_lost(connection):
                return lost(error, committing=True)
            raise
        return self._told(batch, result)

    def _copy_facts(self, batch: Batch) -> None:
        names = ", ".join(columns(FACT))
        rows = zip(*columns_of(FACT, batch.facts, self._codec), strict=True)
        with self._connection.cursor().copy(f"copy fact ({names}) from stdin (format binary)".encode()) as copy:
            copy.set_types(put_types(FACT))
            for row in rows:
                copy.write_row(row)

    def _remove(self, instances: list[int]) -> None:
        for table in TABLES:
            if table.of_instance:
                self._connection.execute(f"delete from {table.name} where instance = any(%s)".encode(), (instances,))
        self._connection.execute("delete from instance where id = any(%s)", (instances,))


def checked(result: pq.abc.PGresult) -> None:
    if result.status not in (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK):
        raise psycopg.errors.error_from_result(result)


def parts_of(batch: Batch, codec: Codec, without_facts: bool = False) -> Parts:
    parts = Parts((), [])
    for table in TABLES:
        change = getattr(batch, table.field)
        if change and not (table is FACT and without_facts):
            _add(parts, table, change, codec)
    return parts


def _add(parts: Parts, table: Table, change: list[Row] | dict[object, Row | None], codec: Codec) -> None:
    if isinstance(change, list):
        rows, dropped = change, []
    else:
        rows = [row for row in change.values() if row is not None]
        dropped = [key for key, row in change.items() if row is None] if len(rows) < len(change) else []
    if table is KEY:
        rows = sorted(rows, key=_name_of)  # so that two nodes never wait for one another
    if table is ANSWER:
        dropped = list(change)
    if rows:
        parts.shape += (("put", table.name),)
        given = columns_of(table, rows, codec)
        parts.values += [array(kind, column) for kind, column in zip(put_types(table), given, strict=True)]
    if dropped:
        parts.shape += (("drop", table.name),)
        keys = list(zip(*dropped, strict=True)) if len(table.key) > 1 else [dropped]
        parts.values += [array(kind, column) for kind, column in zip(drop_types(table), keys, strict=True)]


def _name_of(row: Row) -> KeyName:
    assert isinstance(row, KeyRow)
    return row.process, row.key


def columns_of(table: Table, rows: Sequence[Row], codec: Codec) -> list[Column]:
    """The rows column by column, with their payloads as they are stored and how they are."""
    found: list[Column] = list(zip(*map(astuple, rows), strict=True))
    if table.has_payload:
        payloads = found[-1]
        if codec.is_plain(payloads):
            found.append([0] * len(rows))
        else:
            found[-1:] = zip(*map(codec.encode, payloads), strict=True)
    return found
