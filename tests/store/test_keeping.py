"""What is done to a store as a whole: checked, pruned, upgraded, copied."""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.store.samples import batch, definition, facts, instance, started
from weft.store.batch import Batch, Committed
from weft.store.checking import Finding, Meaning, check
from weft.store.interface import Ended, Filter, Store
from weft.store.migrations import Migration
from weft.store.opening import back_up_store, open_store, open_visitor, upgrade_store
from weft.store.problems import CannotOpen, Damaged
from weft.store.pruning import steps
from weft.store.rows import DefinitionRow, FactRow, InstanceRow, KeyRow, SnapshotRow, TimerRow

# Check.


def hash_of(row: DefinitionRow) -> str:
    return row.payload.decode()


def last_is_right(instance: InstanceRow, snapshot: SnapshotRow | None, rows: Iterator[FactRow]) -> Iterable[str]:
    """Facts here are words, and a snapshot is all words up to its own."""
    if snapshot is None:
        return
    words = [row.payload for row in rows if row.sequence <= snapshot.sequence]
    if b" ".join(words) != snapshot.payload:
        yield "its snapshot is not what its facts say"


MEANING = Meaning(hash_of, last_is_right)
DEFINED = {"definitions": [definition(hash="abc", payload=b"abc")]}


def found(store: Store) -> list[Finding]:
    return list(check(store, MEANING))


def test_a_sound_store_has_no_findings(store: Store) -> None:
    snapshot = SnapshotRow(1, 2, 1.0, 1, b"one two")
    rows = [facts(1, 1, payload=b"one"), facts(1, 2, payload=b"two"), facts(1, 3, 4), facts(1, 7)]
    store.commit(batch(instances={1: instance(1)}, facts=rows, snapshots={1: snapshot}, **DEFINED))
    store.commit(started(*map(instance, range(2, 1100))))
    assert found(store) == []


def test_missing_facts_are_found(store: Store) -> None:
    rows = [facts(1, 1, 2), facts(1, 5), facts(2, 2)]
    store.commit(batch(instances={id: instance(id) for id in (1, 2, 3)}, facts=rows, **DEFINED))
    assert found(store) == [
        Finding("it has no facts", 3),
        Finding("its facts from 1 to 1 are missing", 2),
        Finding("its facts from 3 to 4 are missing", 1),
    ]


def test_a_definition_that_is_not_what_it_was_is_found(store: Store) -> None:
    store.commit(batch(definitions=[definition(hash="abc", payload=b"xyz")]))
    assert found(store) == [Finding("definition buy 1: it was deployed with hash abc, and now has xyz")]


def test_an_instance_without_its_definition_is_found(store: Store) -> None:
    store.commit(started(instance(1)))
    assert found(store) == [Finding("its definition, with hash abc, is not there", 1)]


def test_a_wrong_snapshot_is_found(store: Store) -> None:
    snapshots: dict[int, SnapshotRow | None] = {
        1: SnapshotRow(1, 1, 1.0, 1, b"two"),
        2: SnapshotRow(2, 9, 1.0, 1, b"one"),
    }
    rows = [facts(id, 1, payload=b"one") for id in (1, 2)]
    store.commit(batch(instances={id: instance(id) for id in (1, 2)}, facts=rows, snapshots=snapshots, **DEFINED))
    assert found(store) == [
        Finding("its snapshot is of fact 9, but its last fact is 1", 2),
        Finding("its snapshot is not what its facts say", 1),
    ]


def test_a_log_that_cannot_be_read_is_found(store: Store) -> None:
    def unreadable(instance: InstanceRow, snapshot: SnapshotRow | None, rows: Iterator[FactRow]) -> Iterable[str]:
        raise Damaged("the payload is torn")

    store.commit(batch(instances={1: instance(1)}, facts=[facts(1, 1)], **DEFINED))
    assert list(check(store, Meaning(hash_of, unreadable))) == [Finding("the payload is torn", 1)]


def test_rows_without_their_instance_and_damaged_pages_are_found(tmp_path: Path) -> None:
    path = tmp_path / "weft.db"
    store = open_store(f"sqlite:///{path}")
    store.commit(batch(timers={(7, "t"): TimerRow(7, "t", 1.0)}))
    store.commit(started(*map(instance, range(10, 500))))
    assert found(store)[0] == Finding("table timer has rows of instance 7, which is not there")
    store.close()
    other = sqlite3.connect(path)
    other.execute("pragma writable_schema = on")
    other.execute("delete from sqlite_master where name = 'fact_instance'")
    other.commit()
    other.close()
    visitor = open_visitor(f"sqlite:///{path}")
    assert "never used" in visitor.flaws()[0]
    visitor.close()


# Prune.

ENDED = {
    id: instance(id, state="done" if id % 2 else "failed", ended=50.0 - id // 2, is_active=False) for id in range(1, 30)
}


@pytest.fixture
def ended(store: Store) -> Store:
    keys = {("buy", str(id)): KeyRow("buy", str(id), id, 99.0) for id in ENDED}
    rows = {**ENDED, 90: instance(90), 91: instance(91, state="failed", ended=1.0)}
    store.commit(Batch(1, instances=dict(rows), facts=[facts(id, 1) for id in rows], keys=keys))
    return store


def pruned(store: Store, which: Ended, at_most: int) -> list[int]:
    """How many went in each step."""
    gone = []
    for instances in steps(store, which, at_most):
        assert store.commit(Batch(store.batch + 1, removed=instances)) == Committed()
        gone.append(len(instances))
    return gone


def test_ended_instances_go_in_steps_the_longest_ended_first(ended: Store) -> None:
    assert list(steps(ended, Ended(before=38.0), at_most=3)) == [[28, 29, 26], [27]]
    assert pruned(ended, Ended(before=38.0), at_most=3) == [3, 1]
    assert ended.count() == 27
    assert ended.history(28) == []
    assert ended.history(24) == [facts(24, 1)]
    assert len(ended.keys([("buy", "28")])) == 1


def test_only_the_states_that_were_named_go(ended: Store) -> None:
    assert pruned(ended, Ended(before=99.0, states=("failed",)), at_most=10) == [10, 4]
    assert [row.id for row in ended.instances(Filter(states=("failed",)))] == [91], "which is still active"
    assert ended.count(Filter(states=("done",))) == 15


# Upgrade.

ROOM = Migration(900, "people: items", ("create table item (id {int} primary key)", "insert into item values (7)"))
WRONG = Migration(901, "people: wrong", ("create table other (id {int})", "no statement at all"))


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path / 'weft.db'}"


def test_an_older_store_is_upgraded_and_every_epoch_raised(url: str) -> None:
    store = open_store(url)
    store.commit(started(instance(1)))
    before = store.epoch
    store.close()
    assert upgrade_store(url, [ROOM]) == [ROOM]
    assert upgrade_store(url, [ROOM]) == []
    visitor = open_visitor(url, rooms=[ROOM])
    assert visitor.nodes()[0].epoch == before + 1
    assert visitor.ask(lambda t: t.execute("select id from item")) == [(7,)]
    assert visitor.count() == 1
    visitor.close()


def test_a_newer_store_and_none_at_all_are_not_upgraded(url: str) -> None:
    with pytest.raises(CannotOpen, match="there is no store"):
        upgrade_store(url)
    open_store(url, rooms=[ROOM]).close()
    with pytest.raises(CannotOpen, match="newer Weft"):
        upgrade_store(url)


def test_a_step_that_fails_leaves_nothing_of_itself(url: str) -> None:
    open_store(url).close()
    with pytest.raises(Exception, match="syntax error"):
        upgrade_store(url, [WRONG])
    open_store(url).close()
    assert upgrade_store(url, [ROOM]) == [ROOM]


def test_a_file_that_is_served_is_not_upgraded(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'weft.db'}"
    store = open_store(url)
    with pytest.raises(CannotOpen, match="is served by"):
        upgrade_store(url, [ROOM])
    store.close()


# Backup.


def test_a_copy_is_made_while_the_store_is_used(tmp_path: Path) -> None:
    url, target = f"sqlite:///{tmp_path / 'weft.db'}", tmp_path / "copy.db"
    store = open_store(url)
    store.commit(started(instance(1), instance(2)))
    back_up_store(url, target)
    store.commit(started(instance(3)))
    with pytest.raises(CannotOpen, match="is there already"):
        back_up_store(url, target)
    visitor = open_visitor(f"sqlite:///{target}")
    assert [row.id for row in visitor.instances()] == [2, 1]
    assert visitor.flaws() == []
    visitor.close()
    copy = open_store(f"sqlite:///{target}")
    assert copy.batch < store.batch
    assert copy.load([1])[1] == store.load([1])[1]
    copy.close()
    store.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db", "copy.db.lock", "weft.db", "weft.db.lock"]


@pytest.mark.parametrize("url", ["memory:", "postgresql://localhost/shop", "sqlite:////tmp/no-store-is-here.db"])
def test_what_has_no_file_is_not_copied(url: str, tmp_path: Path) -> None:
    with pytest.raises(CannotOpen):
        back_up_store(url, tmp_path / "copy.db")
    assert list(tmp_path.iterdir()) == []
