"""What is particular to a store in a SQLite file: who may open it, its settings, its indexes."""

import os
import sqlite3
from pathlib import Path

import pytest

from tests.store.samples import batch, facts, instance, started
from tests.store.test_reads import FILTERS
from weft.store import sql_filter
from weft.store.batch import Committed, Refused, Value
from weft.store.interface import Filter, Store
from weft.store.migrations import Migration
from weft.store.opening import open_store, open_visitor
from weft.store.problems import CannotOpen, Unavailable
from weft.store.rows import CommandRow, TimerRow
from weft.store.sqlite.file import settle

ROOM = Migration(900, "people: items", ("create table item (id {int} primary key, name {text}, photo {bytes})",))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "weft.db"


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def test_a_second_engine_is_refused_and_told_who_serves_the_file(path: Path) -> None:
    first = open_store(url(path))
    with pytest.raises(CannotOpen, match=rf"is served by process {os.getpid()} on .* \(node main\); end that one"):
        open_store(url(path), "other")
    first.close()
    open_store(url(path)).close()


def test_a_failed_opening_leaves_no_lock(path: Path) -> None:
    path.write_text("this is not a database, only a text that is long enough to be looked at as one" * 20)
    with pytest.raises(CannotOpen, match="can't be opened as a store"):
        open_store(url(path))
    path.unlink()
    open_store(url(path)).close()


@pytest.mark.parametrize(
    "name", ["sqlite:///", "sqlite:///no/such/directory/weft.db", "sqlite:////tmp", "mysql://x", ""]
)
def test_a_url_that_names_no_file_is_refused(name: str) -> None:
    for opened in (open_store, open_visitor):
        with pytest.raises(CannotOpen, match="write"):
            opened(name)


def test_a_visitor_makes_no_store(path: Path) -> None:
    with pytest.raises(CannotOpen, match="there is no store"):
        open_visitor(url(path))
    sqlite3.connect(path).close()
    with pytest.raises(CannotOpen, match="write-ahead log"):
        open_visitor(url(path))


def test_a_store_with_steps_that_are_unknown_here_is_newer_and_refused(path: Path) -> None:
    open_store(url(path), rooms=[ROOM]).close()
    for opened in (open_store, open_visitor):
        with pytest.raises(CannotOpen, match=r"newer Weft: it has step 900 \(people: items\)"):
            opened(url(path))


def test_a_store_that_lacks_steps_is_older_and_needs_an_upgrade(path: Path) -> None:
    open_store(url(path)).close()
    with pytest.raises(CannotOpen, match=r"lacks step 900 \(people: items\); .* `weft store upgrade`"):
        open_store(url(path), rooms=[ROOM])
    with pytest.raises(CannotOpen, match="older"):
        open_visitor(url(path), rooms=[ROOM])


def test_the_tables_of_a_room_are_made_with_the_store(path: Path) -> None:
    store = open_store(url(path), rooms=[ROOM])
    store.commit(batch(rooms=[lambda t: t.execute("insert into item values (?, ?, ?)", (1, "chair", b"\x01"))]))
    assert store.ask(lambda t: t.execute("select * from item")) == [(1, "chair", b"\x01")]
    store.close()


def test_two_steps_with_one_number_are_refused(path: Path) -> None:
    with pytest.raises(ValueError, match="both migration 900"):
        open_store(url(path), rooms=[ROOM, ROOM])


def test_weak_settings_are_found_by_reading_them_back(path: Path) -> None:
    class Stubborn(sqlite3.Connection):
        def execute(self, statement: str, *rest: object) -> sqlite3.Cursor:
            return super().execute(statement.replace("synchronous = full", "synchronous = normal"))

    with pytest.raises(CannotOpen, match="synchronous is 1"):
        settle(sqlite3.connect(path, factory=Stubborn), path, "rwc")
    with pytest.raises(CannotOpen, match="its journal is 'memory'"):
        settle(sqlite3.connect(":memory:"), path, "rwc")


def test_a_batch_of_many_rows_is_written_whole(path: Path) -> None:
    store = open_store(url(path))
    ids = range(1, 1500)
    timers: dict[tuple[int, str], TimerRow | None] = {(id, "t"): TimerRow(id, "t", float(id)) for id in ids}
    assert store.commit(started(*map(instance, ids))) == Committed()
    assert store.commit(batch(timers=timers)) == Committed()
    assert store.commit(batch(timers=dict.fromkeys(list(timers)[:700]))) == Committed()
    assert len(store.load(ids)) == 1499
    assert [row.instance for row in store.due(9e9)] == list(range(701, 1500))[:1000]
    store.close()


@pytest.mark.parametrize("bad", [facts(1 << 63, 1), facts(1, 1, 1 << 64)])
def test_a_row_that_sqlite_cannot_hold_refuses_the_batch(path: Path, bad: object) -> None:
    store = open_store(url(path))
    refused = store.commit(batch(facts=[facts(2, 1), bad]))
    assert isinstance(refused, Refused)
    assert refused.reason == "rows"
    assert store.history(2) == []
    assert store.commit(batch(instances={1: instance(1, key="\ud800")})) != Committed()
    store.close()


def plan_of(store: Store, statement: str, values: list[Value]) -> list[str]:
    return [str(row[3]) for row in store.ask(lambda t: t.execute(f"explain query plan {statement}", values))]


def test_what_may_be_asked_has_an_index(path: Path) -> None:
    """No filter reads all instances, and no page is sorted that could be read in order."""
    store = open_store(url(path))
    for which, _ in FILTERS:
        for statement, values in (sql_filter.page(which, 9, 10), sql_filter.number(which)):
            plan = plan_of(store, statement, values)
            scans = [line for line in plan if line.startswith("SCAN ") and " INDEX " not in line and "part" not in line]
            assert not scans, (which, plan)
    store.close()


def test_pages_are_read_in_the_order_of_their_index(path: Path) -> None:
    store = open_store(url(path))
    variables = (("city", '"Rome"'),)
    for which in (
        Filter(process="buy"),
        Filter(states=("a",), process="buy"),
        Filter(key="k"),
        Filter(variables=variables),
    ):
        statement, values = sql_filter.page(which, 9, 10)
        plan = plan_of(store, statement, values)
        assert not [line for line in plan if "TEMP B-TREE" in line], (which, plan)
    store.close()


def test_a_node_whose_epoch_was_raised_writes_nothing(path: Path) -> None:
    store = open_store(url(path))
    other = sqlite3.connect(path)
    other.execute("update node set epoch = epoch + 1")
    other.commit()
    refused = store.commit(started(instance(1)))
    assert isinstance(refused, Refused)
    assert refused.reason == "fenced"
    assert not store.renew()
    store.reopen()
    assert store.instances() == []
    assert store.commit(started(instance(1))) == Committed()
    other.close()
    store.close()


def test_news_are_only_what_others_wrote(path: Path) -> None:
    store, visitor = open_store(url(path)), open_visitor(url(path))
    store.has_news()
    store.commit(started(instance(1)))
    assert not store.has_news()
    visitor.send(CommandRow(0, 1, "Signal", 1.0, "ann", b"one"))
    assert store.has_news()
    assert not store.has_news()
    store.close()
    visitor.close()


def test_a_visitor_writes_nothing_but_commands(path: Path) -> None:
    store, visitor = open_store(url(path)), open_visitor(url(path))
    visitor.send(CommandRow(0, 1, "Signal", 1.0, "ann", b"one"))
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        visitor.ask(lambda t: t.execute("delete from node"))
    store.close()
    visitor.close()


def test_reopening_a_file_that_went_away_is_told(path: Path) -> None:
    store = open_store(url(path))
    moved = path.rename(path.with_name("moved.db"))
    with pytest.raises(Unavailable, match="may be tried again"):
        store.reopen()
    moved.rename(path)
    store.reopen()
    assert store.commit(started(instance(1))) == Committed()
    store.close()
