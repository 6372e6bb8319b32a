"""The store of each release is opened, checked, replayed and continued."""

import gzip
import sqlite3
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.stores.processes import waits
from weft import Engine, Start
from weft.engine.verifying import meaning
from weft.store.checking import check
from weft.store.interface import Filter
from weft.store.opening import open_visitor, upgrade_store
from weft.store.schema import SCHEMA

HERE = Path(__file__).parent
KEPT = sorted(HERE.glob("*.db.gz"))


@pytest.fixture(params=KEPT, ids=lambda path: path.name.removesuffix(".db.gz"))
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
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
