"""Coroutine functions on a loop of their own: side by side, cancelled where they wait."""

import asyncio
from collections.abc import Iterator
from threading import Event, get_ident

import pytest

from tests.handlers.inbox import SECONDS, Inbox, find, job
from weft import Context, task
from weft.handlers.coroutines import Coroutines
from weft.handlers.jobs import Done, Failed, Marked
from weft.model.definition import Function
from weft.model.definition import Task as Definition


class GatewayDown(Exception):
    pass


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def coroutines(inbox: Inbox) -> Iterator[Coroutines]:
    pool = Coroutines(find, inbox, most=3)
    yield pool
    pool.close()


@task(errors={GatewayDown: "task.gateway"}, marks={"asked": int})
async def ask(number: int, ctx: Context) -> int:
    ctx.mark("asked", number)
    await asyncio.wait_for(asyncio.get_running_loop().run_in_executor(None, int), SECONDS)
    if number < 0:
        raise GatewayDown("no answer")
    return number + 1


def test_results_errors_and_marks_are_those_of_any_function(coroutines: Coroutines, inbox: Inbox) -> None:
    coroutines.give([job(ask, 1, number=1), job(ask, 2, number=-1), job(ask, 3, number="one")])
    ends = {end.job.instance: end for end in inbox.ends(3)}
    assert isinstance(done := ends[1], Done)
    assert done.values == {"result": 2}
    assert isinstance(failed := ends[2], Failed)
    assert (failed.error, failed.message) == ("task.gateway", "no answer")
    assert isinstance(failed := ends[3], Failed)
    assert failed.error == "handler.input"
    assert [one.values for one in inbox.news if isinstance(one, Marked)] == [{"result": 1}, {"result": -1}]


def test_they_run_side_by_side_on_one_thread_which_is_not_the_callers(coroutines: Coroutines, inbox: Inbox) -> None:
    met = asyncio.Event()
    threads = set()

    @task
    async def first() -> None:
        threads.add(get_ident())
        await met.wait()

    @task
    async def second() -> None:
        threads.add(get_ident())
        met.set()

    coroutines.give([job(first), job(second)])
    assert all(isinstance(one, Done) for one in inbox.ends(2))
    assert len(threads) == 1
    assert get_ident() not in threads


def test_a_stop_cancels_a_coroutine_where_it_waits(coroutines: Coroutines, inbox: Inbox) -> None:
    begun = Event()
    cleaned: list[str] = []

    @task
    async def wait() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append("yes")

    given = job(wait)
    coroutines.give([given])
    assert begun.wait(SECONDS)
    coroutines.stop(given.about)
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "engine.cancelled"
    assert cleaned == ["yes"]
    assert coroutines.room == 3


def test_one_that_was_stopped_at_once_is_answered_too(coroutines: Coroutines, inbox: Inbox) -> None:
    @task
    async def never() -> None:
        await asyncio.Event().wait()

    given = job(never)
    coroutines.give([given])
    coroutines.stop(given.about)
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "engine.cancelled"


def test_one_that_nobody_stopped_but_that_cancels_itself_has_failed(coroutines: Coroutines, inbox: Inbox) -> None:
    @task
    async def give_up() -> None:
        raise asyncio.CancelledError

    coroutines.give([job(give_up)])
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "task.CancelledError"


def test_unknown_code_is_not_activated(coroutines: Coroutines, inbox: Inbox) -> None:
    coroutines.give([job(Definition(name="x", handler=Function("nowhere:at_all")))])
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "handler.activate"


def test_closing_cancels_what_runs_and_answers(inbox: Inbox) -> None:
    @task
    async def never() -> None:
        await asyncio.Event().wait()

    pool = Coroutines(find, inbox)
    pool.give([job(never)])
    pool.close()
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "engine.cancelled"
