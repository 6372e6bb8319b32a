"""The store of each release is opened, checked, replayed and continued."""

import gzip
import os
import sqlite3
from importlib.metadata import version
from itertools import count
from pathlib import Path

import psycopg
import pytest

from postgres_server import Server
from tests.stores.processes import waits
from weft import Engine, Start
from weft.engine.verifying import meaning
from weft.store.checking import check
from weft.store.interface import Filter
from weft.store.opening import open_store, open_visitor, upgrade_store
from weft.store.postgres.connecting import address_of
from weft.store.schema import SCHEMA

HERE = Path(__file__).parent
KEPT = [*sorted(HERE.glob("*.db.gz")), *sorted(HERE.glob("*.sql.gz"))]
databases = count(1)


@pytest.fixture(params=KEPT, ids=lambda path: path.name.removesuffix(".gz"))
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param.name.endswith(".sql.gz"):
        return restored(request.getfixturevalue("postgres_server_of_run"), request.param)
    (tmp_path / "weft.db").write_bytes(gzip.decompress(request.param.read_bytes()))
    return f"sqlite:///{tmp_path / 'weft.db'}"


def test_the_store_of_this_release_is_kept(tmp_path: Path) -> None:
    """If the tables differ and this version is not released yet: `python tools/keep_store.py`."""
    kept = tmp_path / "weft.db"
    kept.write_bytes(gzip.decompress((HERE / f"{version('weftwork')}.db.gz").read_bytes()))
    made = sqlite3.connect(":memory:")
    for step in SCHEMA:
        for statement in step.statements_in("sqlite"):
            made.execute(statement)
    assert tables(sqlite3.connect(kept)) == tables(made) | {"migration"}


def restored(server: Server, kept: Path) -> str:
    """The URL of a database of its own with what was kept."""
    name = f"kept_{os.getpid()}_{next(databases)}"
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"create database {name}".encode())
    with psycopg.connect(server.url(name), autocommit=True) as connection:
        connection.execute(gzip.decompress(kept.read_bytes()))
    return server.url(name)


def test_the_dump_of_this_release_has_the_tables_of_this_release(
    postgres_server_of_run: Server, postgres_url: str
) -> None:
    """If not, and this version is not released yet: `python tools/keep_store.py`."""
    open_store(postgres_url).close()
    kept = restored(postgres_server_of_run, HERE / f"{version('weftwork')}.sql.gz")
    assert columns_and_indexes(kept) == columns_and_indexes(postgres_url)


def columns_and_indexes(url: str) -> list[tuple[str, ...]]:
    address = address_of(url)
    columns = "select table_name, column_name, data_type, is_nullable from information_schema.columns"
    with psycopg.connect(address.conninfo) as connection:
        found = connection.execute(f"{columns} where table_schema = %s".encode(), (address.schema,)).fetchall()
        made = connection.execute("select indexdef from pg_indexes where schemaname = %s", (address.schema,)).fetchall()
    return sorted(found) + sorted((text.replace(f"{address.schema}.", ""),) for (text,) in made)


def tables(database: sqlite3.Connection) -> set[str]:
    """What makes them; of `migration` only its name, since it is made for itself."""
    rows = database.execute("select name, sql from sqlite_master where sql is not null and name not like 'sqlite_%'")
    found = {name if name == "migration" else sql for name, sql in rows.fetchall()}
    database.close()
    return found


def test_a_kept_store_is_sound(url: str) -> None:
    upgrade_store(url)
    visitor = open_visitor(url)
    assert list(check(visitor, meaning(visitor))) == []
    assert {one.state for one in visitor.counts()} == {"committed", "aborted", "waiting", "suspended"}
    visitor.close()


def test_a_kept_store_goes_on(url: str) -> None:
    upgrade_store(url)
    with Engine(url) as engine:
        assert [row.key for row in engine.instances(Filter(process="short"))] == ["ended"]
        assert engine.result(("short", "ended")).values == {"number": 2}
        assert engine.result(("asks", "asks")).error == "engine.cancelled"
        engine.resume(("waits", "order-2"))
        for number in range(3):
            engine.signal(("waits", f"order-{number}"), "go", "now")
            assert engine.result(("waits", f"order-{number}")).values["number"] == 4 * number
        engine.signal(("whole", "whole"), "inside", "here")
        engine.signal(("whole", "whole"), "go")
        assert engine.result(("whole", "whole")).values["first"] == 12
        engine.signal(("large", "large"), "go")
        assert len(engine.result(("large", "large")).values["long"]) == 600_000
        assert engine.run(waits, Start(key="to-come"), number=1).values["word"] == "early"
        assert engine.instances(Filter(variables=(("word", '"early"'),)))[0].key == "to-come"
