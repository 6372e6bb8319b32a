"""The numbered steps that made a store's tables, one sequence for both dialects and for the store and its rooms.

A step is never changed after a release; what must differ comes as a new one. Its statements are SQL in which the words
in braces stand for what the dialects call differently:

>>> WORDS["sqlite"]["bytes"], WORDS["postgres"]["bytes"]
('blob', 'bytea')
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from weft.store.problems import CannotOpen

Dialect: TypeAlias = Literal["sqlite", "postgres"]

WORDS: Final[Mapping[Dialect, Mapping[str, str]]] = {
    "sqlite": {
        "int": "integer",
        "real": "real",
        "text": "text",
        "bytes": "blob",
        "bool": "integer",
        "id": "integer primary key",
        "serial": "integer primary key autoincrement",
        "clustered": " without rowid",
    },
    "postgres": {
        "int": "bigint",
        "real": "double precision",
        "text": 'text collate "C"',
        "bytes": "bytea",
        "bool": "boolean",
        "id": "bigint generated always as identity",
        "serial": "bigint generated always as identity primary key",
        "clustered": "",
    },
}


class Migration(Struct, frozen=True):
    """One step. `number` is its place in the sequence, `name` says whose it is and what it brings."""

    number: int
    name: str
    statements: tuple[str, ...]
    sqlite: tuple[str, ...] = ()
    """Statements that only SQLite needs, after the others."""
    postgres: tuple[str, ...] = ()
    """Statements that only PostgreSQL needs, after the others."""

    def statements_in(self, dialect: Dialect) -> list[str]:
        own = self.sqlite if dialect == "sqlite" else self.postgres
        return [statement.format_map(WORDS[dialect]) for statement in (*self.statements, *own)]


REGISTER: Final = "create table if not exists migration (number {int} primary key, name {text} not null)"
"""The table in which a store remembers its steps."""


def register(dialect: Dialect) -> str:
    return REGISTER.format_map(WORDS[dialect])


def in_order(migrations: Iterable[Migration]) -> list[Migration]:
    """By number; two with one number are a mistake of those who wrote them."""
    ordered = sorted(migrations, key=lambda one: one.number)
    for one, other in pairwise(ordered):
        if one.number == other.number:
            raise ValueError(
                f"{one.name!r} and {other.name!r} are both migration {one.number}; give one the next number"
            )
    return ordered


def missing(store: str, applied: Mapping[int, str], known: Sequence[Migration]) -> list[Migration]:
    """The steps that a store lacks. One that it has and we don't know makes it newer than we are."""
    newer = sorted(set(applied) - {one.number for one in known})
    if newer:
        raise CannotOpen(
            f"{store} was made or upgraded by a newer Weft: it has step {newer[0]} ({applied[newer[0]]}), which "
            "this one doesn't know; use the Weft that made it, or a later one"
        )
    return [one for one in known if one.number not in applied]


def older(store: str, lacking: Sequence[Migration]) -> CannotOpen:
    """What to say of a store that lacks steps."""
    names = ", ".join(f"{one.number} ({one.name})" for one in lacking)
    return CannotOpen(
        f"{store} is of an older Weft: it lacks step {names}; stop its engines, then run `weft store upgrade`"
    )
