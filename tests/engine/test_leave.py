"""Transactions that wait for leave: they commit on the grant, are rolled back without one, and survive their node."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from tests.handlers.inbox import SECONDS, until
from weft import Context, Engine, all_of, process, signal, task
from weft.kernel import facts

DONE = Event()


@task(transaction="transactional", resource="shop")
def sell(cents: int, ctx: Context) -> int:
    ctx.connection.execute("insert into sale values (?)", (cents,))
    DONE.set()
    return cents


@task(transaction="transactional", resource="shop")
def give(cents: int, ctx: Context) -> int:
    ctx.connection.execute("insert into sale values (?)", (-cents,))
    return cents


go = signal("go")
waits = process("waits", cents=int)(all_of(sell.outcome("done", go.on("done")).into("sold"), go))
either = process("either", cents=int)(sell ^ give)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    DONE.clear()
    with closing(sqlite3.connect(tmp_path / "shop.db")) as shop:
        shop.execute("create table sale (cents integer)")
        shop.commit()
    return tmp_path / "shop.db"


@pytest.fixture
def engine(shop: Path) -> Iterator[Engine]:
    with opened(shop) as engine:
        yield engine


def opened(shop: Path) -> Engine:
    allow = {"resources": {"shop": {"url": f"sqlite:///{shop}", "lock_seconds": 5}}}
    return Engine(f"sqlite:///{shop.parent}/weft.db", allow=allow)


def sales(shop: Path) -> list[int]:
    """Waits for nobody: what is not committed is not there."""
    with closing(sqlite3.connect(shop, timeout=0.0)) as connection:
        return [cents for (cents,) in connection.execute("select cents from sale")]


def is_parked(engine: Engine, instance: int) -> bool:
    return any(isinstance(fact, facts.Parked) for decision in engine.history(instance) for fact in decision.facts)


def parked(engine: Engine) -> int:
    instance = engine.start(waits, cents=5)
    assert DONE.wait(SECONDS)
    until(lambda: is_parked(engine, instance), Event().wait)
    return instance


def test_what_is_done_commits_when_its_guard_holds(engine: Engine, shop: Path) -> None:
    instance = parked(engine)
    assert sales(shop) == []
    engine.signal(instance, "go")
    result = engine.result(instance)
    assert (result.outcome, result.values["sold"]) == ("done", 5)
    assert sales(shop) == [5]


def test_what_is_cancelled_while_it_waits_is_rolled_back(engine: Engine, shop: Path) -> None:
    instance = parked(engine)
    engine.cancel(instance)
    assert engine.result(instance).outcome == "aborted"
    with closing(sqlite3.connect(shop, timeout=SECONDS)) as connection:  # its locks are gone
        connection.execute("insert into sale values (1)")
        connection.commit()
    assert sales(shop) == [1]


def test_what_its_node_took_along_has_failed_when_it_gets_leave(shop: Path) -> None:
    with opened(shop) as engine:
        instance = parked(engine)
    with opened(shop) as engine:
        engine.signal(instance, "go")
        result = engine.result(instance)
    assert (result.outcome, result.error) == ("aborted", "engine.schedule")  # handler.recover, which no rule settled
    assert sales(shop) == []


def test_of_those_that_exclude_each_other_one_commits(engine: Engine, shop: Path) -> None:
    assert engine.run(either, cents=5).outcome == "done"
    until(lambda: len(sales(shop)) == 1, Event().wait)
