"""The one statement that writes a batch: its fence first, then a part for each table that the batch touches.

Every part takes its rows from `fence`, which is empty when the node was taken over; so then nothing is written. Which
parts a batch has is its *shape*; a connection prepares each shape once.
"""

from functools import lru_cache
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from weft.store.postgres.arrays import ARRAYS, FLOAT8, INT8, TEXT, kinds
from weft.store.sql_writes import NEVER_CHANGED, columns
from weft.store.tables import ANSWER, KEY, TABLES, Table

Part: TypeAlias = tuple[Literal["put", "drop"], str]
Shape: TypeAlias = tuple[Part, ...]

# Says that this node lives and which batch this is, if the node is still the one of this epoch.
FENCE: Final = """fence as (
    update node set batch = $1, until = extract(epoch from clock_timestamp()) + $2
    where name = $3 and epoch = $4 returning name
)"""
FENCE_TYPES: Final = [INT8, FLOAT8, TEXT, INT8]

# Claims keys and asks for keys. A key that another instance has gets null, which its column refuses.
KEYS: Final = """ on conflict (process, key) do update set
    instance = case when excluded.instance = 0 then key.instance
                    when key.instance in (0, excluded.instance) then excluded.instance end,
    until = case when excluded.instance = 0 then key.until else excluded.until end
    returning process, key, instance"""

# The number of fences passed, and the keys with their instances if there are any.
TOLD: Final = "select count(*), null, null, null from fence"
TOLD_KEYS: Final = """select passed.fences, put_key.process, put_key.key, put_key.instance
    from (select count(*) as fences from fence) as passed left join put_key on true"""

BY_NAME: Final = {table.name: table for table in TABLES}
KINDS: Final = {table.name: kinds(table.row) for table in TABLES}


class Statement(Struct, frozen=True):
    sql: bytes
    types: list[int]


@lru_cache(1000)
def statement(shape: Shape) -> Statement:
    parts, types = [FENCE], list(FENCE_TYPES)
    for kind, name in shape:
        table = BY_NAME[name]
        column_types = put_types(table) if kind == "put" else drop_types(table)
        marks = ", ".join(f"${len(types) + place}" for place in range(1, len(column_types) + 1))
        parts.append(put(table, marks) if kind == "put" else drop(table, marks))
        types += [ARRAYS[one] for one in column_types]
    told = TOLD_KEYS if ("put", KEY.name) in shape else TOLD
    return Statement(f"with {', '.join(parts)}\n{told}".encode(), types)


def put_types(table: Table) -> list[int]:
    types = list(KINDS[table.name].values())
    return [*types, INT8] if table.has_payload else types


def drop_types(table: Table) -> list[int]:
    return [KINDS[table.name][name] for name in table.key]


def put(table: Table, marks: str) -> str:
    names = ", ".join(columns(table))
    return (
        f"put_{table.name} as (insert into {table.name} ({names})"
        f" select given.* from fence, unnest({marks}) as given{conflict(table)})"
    )


def conflict(table: Table) -> str:
    """What happens to a row that is there: it is replaced; in a list it refuses the batch."""
    if table is KEY:
        return KEYS
    if table.is_list:
        return ""
    fixed = (*table.key, *NEVER_CHANGED.get(table.name, ()))
    changed = ", ".join(f"{name} = excluded.{name}" for name in columns(table) if name not in fixed)
    return f" on conflict ({', '.join(table.key)}) do update set {changed}"


def drop(table: Table, marks: str) -> str:
    """Drops rows by key; of answers, the commands that have them."""
    name = "command" if table is ANSWER else table.name
    same = " and ".join(f"there.{column} = given.{column}" for column in table.key)
    return (
        f"drop_{name} as (delete from {name} as there using fence, unnest({marks})"
        f" as given ({', '.join(table.key)}) where {same})"
    )
