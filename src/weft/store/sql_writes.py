"""The SQL by which a batch writes its tables: statements for many rows at once, their texts made once for each size.

A statement for each row would give the interpreter to other threads each time, and `executemany` does just that. So
rows go by up to 256 in a statement, in sizes of which there are few: a text that was met before is not parsed again.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Final

from msgspec.structs import astuple

from weft.store.batch import Value
from weft.store.codec import Codec
from weft.store.rows import Row
from weft.store.tables import INSTANCE, Table

ROWS_MAX: Final = 256
STEP: Final = 16
NEVER_CHANGED: Final = {INSTANCE.name: ("process", "key", "started")}
"""Columns that are written with a row once: so what is indexed by them is not touched again."""


def pieces(number: int) -> Iterator[int]:
    """How many rows each statement takes.

    >>> list(pieces(1000))
    [256, 256, 256, 224, 8]
    """
    while number >= ROWS_MAX:
        yield ROWS_MAX
        number -= ROWS_MAX
    if number > STEP:
        yield number - number % STEP
        number %= STEP
    if number:
        yield number


def columns(table: Table) -> tuple[str, ...]:
    return (*table.columns, "codec") if table.has_payload else table.columns


@cache
def insert(table: Table, rows: int, is_plain: bool) -> str:
    """Adds rows. `is_plain`: the codec of all is 0 and not among the parameters."""
    bound = len(table.columns) if is_plain else len(columns(table))
    places = ",".join("?" * bound) + (",0" if bound < len(columns(table)) else "")
    return f"insert into {table.name} ({','.join(columns(table))}) values " + ",".join([f"({places})"] * rows)


@cache
def upsert(table: Table, rows: int, is_plain: bool) -> str:
    """Adds rows or puts them in the place of those with the same keys."""
    fixed = (*table.key, *NEVER_CHANGED.get(table.name, ()))
    changed = ", ".join(f"{name} = excluded.{name}" for name in columns(table) if name not in fixed)
    return f"{insert(table, rows, is_plain)} on conflict ({', '.join(table.key)}) do update set {changed}"


@cache
def delete(table: Table, rows: int) -> str:
    """Deletes rows by their keys."""
    key = f"({', '.join(table.key)})" if len(table.key) > 1 else table.key[0]
    return f"delete from {table.name} where {key} in ({keys(rows, len(table.key))})"


@cache
def keys(rows: int, columns: int = 1) -> str:
    """Places for some keys after `in`: `?, ?`, or `values (?, ?), (?, ?)`."""
    if columns == 1:
        return ",".join("?" * rows)
    return "values " + ",".join([f"({','.join('?' * columns)})"] * rows)


def parameters(table: Table, rows: Sequence[Row], codec: Codec) -> tuple[list[Value], bool]:
    """The values of all rows in one list, and whether they are plain."""
    if not table.has_payload or codec.is_plain([row.payload for row in rows]):  # type: ignore[attr-defined]
        return list(chain.from_iterable(map(astuple, rows))), True
    found: list[Value] = []
    for row in rows:
        *values, payload = astuple(row)
        found += values
        found += codec.encode(payload)
    return found, False


def flat(keys: Iterable[object]) -> list[Value]:
    """The values of all keys, be they tuples or single values, in one list."""
    found: list[Value] = []
    for key in keys:
        found += key if isinstance(key, tuple) else (key,)
    return found
