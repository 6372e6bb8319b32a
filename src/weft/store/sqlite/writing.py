"""Writes a batch in an open SQLite transaction."""

import json
from collections.abc import Collection, Iterable
from sqlite3 import Connection
from typing import Final

from weft.store import sql_writes
from weft.store.batch import SWEPT_MAX, Batch, Committed, KeyName, Refused, Value
from weft.store.codec import Codec
from weft.store.rows import KeyRow, Row
from weft.store.sqlite.transaction import SqliteTransaction
from weft.store.tables import INSTANCE, KEY, SIGNAL, TABLES, Table

HOLDERS: Final = "select process, key, instance from key where instance <> 0 and (process, key) in ({keys})"
CLAIM: Final = (
    "insert into key (process, key, instance, until) values {rows} on conflict (process, key) do update "
    "set instance = excluded.instance, until = excluded.until where key.instance in (0, excluded.instance)"
)
ASK: Final = "insert into key (process, key, instance, until) values {rows} on conflict (process, key) do nothing"
ANSWERED: Final = "delete from command where id in ({keys})"
GONE: Final = "delete from {table} where {condition}{column} in (select value from json_each(?))"
SWEEP: Final = (
    "delete from key where (process, key) in (select process, key from key where until < ? order by until limit ?)",
    "delete from answer where id in (select id from answer where time < ? order by time limit ?)",
)


def write(connection: Connection, batch: Batch, codec: Codec) -> Committed | Refused:
    """All but the fence; what it raises leaves the transaction to be rolled back."""
    holders: dict[KeyName, int] = {}
    if batch.keys:
        taken, holders = _claim(connection, batch.keys)
        if taken:
            return Refused("keys", "the keys of some starts belong to other instances", taken)
    for table in TABLES:
        change = getattr(batch, table.field)
        if change and table is not KEY:
            _write(connection, table, change, codec)
    if batch.answers:
        _in_pieces(connection, ANSWERED, batch.answers)
    for room in batch.rooms:
        room(SqliteTransaction(connection))
    if batch.removed:
        _remove(connection, batch.removed)
    if batch.sweep_before is not None:
        for statement in SWEEP:
            connection.execute(statement, (batch.sweep_before, SWEPT_MAX))
    return Committed(holders)


def _write(connection: Connection, table: Table, change: list[Row] | dict[object, Row | None], codec: Codec) -> None:
    if isinstance(change, list):
        _put(connection, table, change, codec)
        return
    rows = [row for row in change.values() if row is not None]
    _put(connection, table, rows, codec)
    if len(rows) < len(change):
        gone = [key for key, row in change.items() if row is None]
        start = 0
        for size in sql_writes.pieces(len(gone)):
            connection.execute(sql_writes.delete(table, size), sql_writes.flat(gone[start : start + size]))
            start += size


def _put(connection: Connection, table: Table, rows: list[Row], codec: Codec) -> None:
    statement = sql_writes.insert if table.is_list else sql_writes.upsert
    start = 0
    for size in sql_writes.pieces(len(rows)):
        values, is_plain = sql_writes.parameters(table, rows[start : start + size], codec)
        connection.execute(statement(table, size, is_plain), values)
        start += size


def _claim(connection: Connection, keys: dict[KeyName, KeyRow]) -> tuple[dict[KeyName, int], dict[KeyName, int]]:
    """Claims and asks: the keys that others have although they are claimed, and those that were asked about."""
    claims = [row for row in keys.values() if row.instance]
    asks = [row for row in keys.values() if not row.instance]
    taken: dict[KeyName, int] = {}
    if _key_rows(connection, CLAIM, claims) < len(claims):
        found = _holders(connection, [(row.process, row.key) for row in claims])
        taken = {name: instance for name, instance in found.items() if instance != keys[name].instance}
    _key_rows(connection, ASK, asks)
    return taken, _holders(connection, [(row.process, row.key) for row in asks])


def _key_rows(connection: Connection, statement: str, rows: list[KeyRow]) -> int:
    """How many rows were written."""
    written = start = 0
    for size in sql_writes.pieces(len(rows)):
        values: list[Value] = []
        for row in rows[start : start + size]:
            values += (row.process, row.key, row.instance, row.until)
        places = ",".join(["(?,?,?,?)"] * size)
        written += connection.execute(statement.format(rows=places), values).rowcount
        start += size
    return written


def _holders(connection: Connection, names: list[KeyName]) -> dict[KeyName, int]:
    found: dict[KeyName, int] = {}
    for process, key, instance in _in_pieces(connection, HOLDERS, names, columns=2):
        found[process, key] = instance
    return found


def _in_pieces(
    connection: Connection, statement: str, keys: Collection[object], columns: int = 1
) -> Iterable[tuple[str, str, int]]:
    """Runs a statement for some keys at a time."""
    wanted, found = list(keys), []
    start = 0
    for size in sql_writes.pieces(len(wanted)):
        text = statement.format(keys=sql_writes.keys(size, columns))
        found += connection.execute(text, sql_writes.flat(wanted[start : start + size])).fetchall()
        start += size
    return found


def _remove(connection: Connection, instances: list[int]) -> None:
    ids = json.dumps(instances)
    for table in TABLES:
        if table.of_instance:
            condition = "instance <> 0 and " if table is SIGNAL else ""
            connection.execute(GONE.format(table=table.name, condition=condition, column="instance"), (ids,))
    connection.execute(GONE.format(table=INSTANCE.name, condition="", column="id"), (ids,))
