"""The reference page has every table with its key and its columns."""

import re
import sqlite3
from pathlib import Path

from weft.store.migrations import register
from weft.store.schema import SCHEMA

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "store.md"


def tables() -> dict[str, tuple[set[str], set[str]]]:
    """The keys and the other columns of each table. A unique index is a key too."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    with sqlite3.connect(":memory:") as database:
        for statement in (register("sqlite"), *(one for step in SCHEMA for one in step.statements_in("sqlite"))):
            database.execute(statement)
        names = database.execute("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
        for (name,) in names.fetchall():
            columns = database.execute(f"select name, pk from pragma_table_info('{name}')").fetchall()
            key = {column for column, place in columns if place}
            unique = database.execute(f"select name from pragma_index_list('{name}') where origin = 'c' and [unique]")
            for (index,) in unique.fetchall():
                key = {column for (column,) in database.execute(f"select name from pragma_index_info('{index}')")}
            found[name] = key, {column for column, _ in columns} - key
    return found


def test_every_table_is_described() -> None:
    told: dict[str, tuple[set[str], set[str]]] = {}
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[0].startswith("`"):
            key, rest = (set(re.findall(r"`(\w+)`", cell)) for cell in cells[2:])
            told[cells[0].strip("`")] = key, rest
    assert told.pop("slot")
    assert told == tables()
