"""The check of a store that an engine has written: sound, and then harmed in several ways."""

import sqlite3
from pathlib import Path

import pytest

from weft import Engine, all_of, call, each, process, signal, task, var
from weft.engine.settings import Settings
from weft.engine.verifying import meaning
from weft.store.checking import Finding, check
from weft.store.interface import Filter
from weft.store.opening import open_visitor


@task
def double(number: int) -> int:
    return 2 * number


many = each("number", var("numbers"), double, into="doubled")
asked = process("asked", number=int)(double.into("number") >> signal("go", gives=str).into("word"))
outer = process("outer", numbers=list[int], variables={"doubled": [], "called": 0})(
    all_of(many, call(asked).using(number=3).named("inner")) >> signal("on").named("last")
)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with instances in all sorts of states, and a snapshot of each that goes on."""
    path = tmp_path_factory.mktemp("written") / "weft.db"
    with Engine(f"sqlite:///{path}", settings=Settings(snapshot_bytes_min=1)) as engine:
        engine.deploy(asked)
        engine.run(process("short", number=int)(double.into("number")), number=1)
        for _ in range(3):
            engine.start(outer, numbers=[1, 2, 3, 4])
        while len(engine.instances(Filter(states=("waiting",)))) < 3:
            pass
    return path


@pytest.fixture
def harmed(written: Path, tmp_path: Path) -> sqlite3.Connection:
    """A copy, to be harmed."""
    connection = sqlite3.connect(tmp_path / "weft.db", isolation_level=None)
    with sqlite3.connect(written) as source:
        source.backup(connection)
    return connection


def found(connection: sqlite3.Connection) -> list[Finding]:
    path = connection.execute("pragma database_list").fetchone()[2]
    visitor = open_visitor(f"sqlite:///{path}")
    findings = list(check(visitor, meaning(visitor)))
    visitor.close()
    return findings


def test_what_an_engine_wrote_is_sound(harmed: sqlite3.Connection) -> None:
    assert harmed.execute("select count(*) from snapshot").fetchone()[0] == 3
    assert found(harmed) == []


def change(connection: sqlite3.Connection, table: str, old: str, new: str) -> int:
    """Puts other words into payloads; how many were changed."""
    changed = "cast(replace(cast(payload as text), :old, :new) as blob)"
    where = "instr(cast(payload as text), :old)"
    return connection.execute(
        f"update {table} set payload = {changed} where {where}", {"old": old, "new": new}
    ).rowcount


def test_a_fact_that_was_changed_is_found_by_the_snapshot(harmed: sqlite3.Connection) -> None:
    assert change(harmed, "fact", '"inputs":{"number":3}', '"inputs":{"number":5}') > 0
    assert {"its snapshot" in one.what for one in found(harmed)} == {True}


def test_a_fact_that_is_gone_is_found(harmed: sqlite3.Connection) -> None:
    harmed.execute("delete from fact where id = (select max(id) from fact where sequence > 3) - 2")
    assert ["has no fact" in one.what for one in found(harmed)] == [True]


def test_facts_that_make_no_sense_are_found(harmed: sqlite3.Connection) -> None:
    assert change(harmed, "fact", '"path":"each:double', '"path":"each:triple') > 0
    assert len({one.what for one in found(harmed) if "can't be replayed" in one.what}) > 0


def test_a_definition_that_was_changed_is_found(harmed: sqlite3.Connection) -> None:
    assert change(harmed, "definition", '"go"', '"went"') == 1
    assert "definition asked 1: it was deployed with hash" in found(harmed)[0].what
    assert change(harmed, "definition", "{", "[") == 3
    assert "definition asked 1: it can't be read" in found(harmed)[0].what
