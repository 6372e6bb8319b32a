"""Transactional tasks on real databases: exactly once, whatever is repeated, and never ended by the task."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.handlers.databases import KINDS, cents, made
from tests.handlers.inbox import SECONDS, Inbox, definition_of, find
from weft import Context, task
from weft.handlers.desk import Desk
from weft.handlers.jobs import Confirmed, Done, Failed, Job, Lost
from weft.handlers.settings import Databases
from weft.handlers.sql.connection import CommitUnknown
from weft.handlers.sql.markers import Before, key_of, short, void
from weft.handlers.sql.resources import Resources
from weft.handlers.transactions import Transactions, transactions
from weft.languages.python.tasks import sql


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture(params=KINDS)
def resources(request: pytest.FixtureRequest, tmp_path: Path) -> Resources:
    return Resources({"shop": made(request.param, request, tmp_path, lock_seconds=5)})


@pytest.fixture
def pool(resources: Resources, inbox: Inbox) -> Iterator[Transactions]:
    pool = Transactions(find, "here", resources, Databases(at_once=4), inbox)
    yield pool
    pool.close()


def run(connection: Any, statement: str) -> Any:
    """The same on each kind of connection."""
    return (
        connection.exec_driver_sql(statement)
        if hasattr(connection, "exec_driver_sql")
        else connection.execute(statement)
    )


@task(transaction="transactional", resource="shop", errors={"IntegrityError": "task.poor"})
def pay(ctx: Context, amount: int) -> int:
    run(ctx.connection, f"update account set cents = cents - {amount} where name = 'ann'")
    run(ctx.connection, f"update account set cents = cents + {amount} where name = 'bob'")
    return amount


def job(attempt: int = 1, /, held: bool = False, round: int = 0, of: Any = pay, **inputs: object) -> Job:
    return Job(definition_of(of), 7, "all/pay", round, attempt, "7/all/pay", inputs, holds=("done",) if held else ())


def test_what_it_does_is_done_once_however_often_it_is_attempted(
    pool: Transactions, inbox: Inbox, resources: Resources
) -> None:
    for attempt in (1, 2, 2):
        pool.give([job(attempt, amount=30 if attempt == 1 else 99)])
        done = inbox.end()
        assert isinstance(done, Done)
        assert done.values == {"result": 30}
    assert cents(resources) == {"ann": 70, "bob": 80}
    pool.give([job(1, round=1, amount=30)])
    assert isinstance(inbox.end(), Done)
    assert cents(resources) == {"ann": 40, "bob": 110}


def test_attempts_side_by_side_do_it_once(pool: Transactions, inbox: Inbox, resources: Resources) -> None:
    pool.give([job(attempt, amount=30) for attempt in range(1, 5)])
    assert all(isinstance(one, Done) for one in inbox.ends(4))
    assert cents(resources) == {"ann": 70, "bob": 80}


def test_what_fails_leaves_nothing_and_may_be_tried_again(
    pool: Transactions, inbox: Inbox, resources: Resources
) -> None:
    pool.give([job(1, amount=300)])
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "task.poor"
    assert cents(resources) == {"ann": 100, "bob": 50}
    pool.give([job(2, amount=30)])
    assert isinstance(inbox.end(), Done)
    assert cents(resources) == {"ann": 70, "bob": 80}


@pytest.mark.parametrize("way", ["commit", "rollback", "text"])
def test_the_task_does_not_end_its_transaction(
    pool: Transactions, inbox: Inbox, resources: Resources, way: str
) -> None:
    @task(transaction="transactional", resource="shop")
    def ends(ctx: Context) -> None:
        run(ctx.connection, "update account set cents = 0")
        if way == "text":
            run(ctx.connection, "commit")
        else:
            getattr(ctx.connection, way)()

    pool.give([job(of=ends)])
    assert isinstance(inbox.end(), Failed)
    assert cents(resources) == {"ann": 100, "bob": 50}


def test_a_statement_is_transactional_too(pool: Transactions, inbox: Inbox, resources: Resources) -> None:
    take = sql("take", "shop", "update account set cents = cents - :amount where name = 'ann'", gives=int)
    for attempt in (1, 2):
        pool.give([Job(definition_of(take, transaction="transactional"), 7, "take", 0, attempt, inputs={"amount": 5})])
        done = inbox.end()
        assert isinstance(done, Done)
        assert done.values == {"result": 1}
    assert cents(resources) == {"ann": 95, "bob": 50}


def test_what_was_given_up_is_never_done(pool: Transactions, inbox: Inbox, resources: Resources) -> None:
    one = job(1, amount=30)
    assert void(resources, "shop", key_of("here", one)) is None
    pool.give([one])
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "handler.recover"
    assert cents(resources) == {"ann": 100, "bob": 50}


def test_who_gives_up_what_is_done_is_told_so(pool: Transactions, inbox: Inbox, resources: Resources) -> None:
    one = job(1, amount=30)
    pool.give([one])
    inbox.end()
    assert void(resources, "shop", key_of("here", one)) == Before(False, "done", {"result": 30})


def test_a_stop_rolls_back_what_runs(pool: Transactions, inbox: Inbox, resources: Resources) -> None:
    begun, go = Event(), Event()

    @task(transaction="transactional", resource="shop")
    def slow(ctx: Context) -> None:
        run(ctx.connection, "update account set cents = 0")
        begun.set()
        go.wait(SECONDS)
        ctx.heartbeat()

    one = job(of=slow)
    pool.give([one])
    assert begun.wait(SECONDS)
    pool.stop(one.about, "handler.execute.late")
    go.set()
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "handler.execute.late"
    assert cents(resources) == {"ann": 100, "bob": 50}


# Leave.


def test_what_is_held_commits_when_it_has_leave(pool: Transactions, inbox: Inbox, resources: Resources) -> None:
    one = job(1, held=True, amount=30)
    pool.give([one])
    assert isinstance(inbox.end(), Done)
    assert cents(resources) == {"ann": 100, "bob": 50}
    pool.commit([one])
    assert isinstance(inbox.next(), Confirmed)
    assert cents(resources) == {"ann": 70, "bob": 80}


def test_what_is_held_and_stopped_is_rolled_back(pool: Transactions, inbox: Inbox, resources: Resources) -> None:
    one = job(1, held=True, amount=30)
    pool.give([one])
    assert isinstance(inbox.end(), Done)
    pool.stop(one.about)
    assert inbox.is_empty()
    pool.give([job(2, amount=20)])
    assert isinstance(inbox.end(), Done)
    assert cents(resources) == {"ann": 80, "bob": 70}


def test_leave_for_what_a_dead_node_held_is_answered_by_its_marker(
    pool: Transactions, inbox: Inbox, resources: Resources
) -> None:
    pool.give([job(1, amount=30)])
    inbox.end()
    pool.commit([job(1, held=True, amount=30)])
    assert isinstance(inbox.next(), Confirmed)
    pool.commit([job(1, held=True, round=5, amount=30)])
    failed = inbox.next()
    assert isinstance(failed, Failed)
    assert failed.error == "handler.recover"


# Commits of which nobody knows.


class Breaking(Resources):
    """Their commits break: after them, before them, or always before."""

    broken = 0
    after = False

    def begun(self, name: str, *, only_reads: bool = False) -> Any:
        connection = super().begun(name, only_reads=only_reads)
        return connection if only_reads else _Breaking(connection, self)


class _Breaking:
    def __init__(self, inner: Any, resources: Breaking) -> None:
        self._inner = inner
        self._resources = resources

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def commit(self) -> None:
        self._resources.broken -= 1
        if self._resources.broken < 0:
            self._inner.commit()
            return
        if self._resources.after:
            self._inner.commit()
        raise CommitUnknown("the line is cut")


@pytest.mark.parametrize("after", [True, False])
def test_a_commit_of_which_nobody_knows_is_looked_up(
    request: pytest.FixtureRequest, tmp_path: Path, inbox: Inbox, after: bool
) -> None:
    resources = Breaking({"shop": made("sqlite", request, tmp_path, lock_seconds=5)})
    pool = Transactions(find, "here", resources, Databases(at_once=1), inbox)
    pool.give([job(1, round=9, amount=0)])  # the table of markers is made
    inbox.end()
    resources.broken, resources.after = 2, after
    pool.give([job(1, amount=30)])
    assert isinstance(inbox.end(), Done)
    assert cents(resources) == {"ann": 70, "bob": 80}
    resources.broken, resources.after = 99, False
    pool.give([job(1, round=1, amount=30)])
    assert isinstance(inbox.end(), Lost)
    pool.close()


# Who may.


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, ""),
        ({"transaction": "none"}, "pay has no transaction that one connection could commit"),
        ({"resource": "bank"}, "this node allows no resource 'bank': it needs [resources.bank] in weft.toml"),
    ],
)
def test_only_transactional_tasks_of_known_resources_go_there(
    pool: Transactions, inbox: Inbox, resources: Resources, fields: dict[str, str], reason: str
) -> None:
    desk = Desk([transactions(pool, find, resources)], inbox)
    assert desk.why_not(definition_of(pay, **fields)) == reason


def test_long_paths_have_short_keys_of_their_own() -> None:
    one, other = "a/" * 400 + "x", "a/" * 400 + "y"
    assert short("a/b") == "a/b"
    assert len(short(one)) <= 500
    assert short(one) != short(other)
