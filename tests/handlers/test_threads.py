"""Python functions on threads: inputs, results, errors, the context, room, and how work is stopped."""

from collections.abc import Iterator
from datetime import timedelta
from threading import Barrier, Event, get_ident
from typing import Any

import pytest

from tests.handlers.inbox import SECONDS, Inbox, definition_of, find, job, until
from weft import Context, task
from weft.handlers.jobs import Beat, Begun, Done, Failed, Job, Marked, Saved, Stopped
from weft.handlers.threads import Threads
from weft.model.definition import Function, TimeLimits
from weft.model.definition import Task as Definition


class GatewayDown(Exception):
    pass


class Slow(GatewayDown):
    pass


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def threads(inbox: Inbox) -> Iterator[Threads]:
    pool = Threads(find, inbox, threads=2)
    yield pool
    pool.close()


@task
def later(after: timedelta, names: set[str]) -> str:
    return f"{after.total_seconds():.0f} {sorted(names)}"


@task(errors={GatewayDown: "task.gateway"})
def charge(kind: str) -> int:
    kinds: dict[str, type[BaseException]] = {"down": GatewayDown, "slow": Slow, "exit": SystemExit}
    if kind in kinds:
        raise kinds[kind]("no answer")
    return "many"  # type: ignore[return-value]


def test_inputs_are_converted_and_the_result_is_plain(threads: Threads, inbox: Inbox) -> None:
    given = job(later, after="PT60S", names=["b", "a"])
    threads.give([given])
    done = inbox.end()
    assert isinstance(done, Done)
    assert done.job is given
    assert (done.outcome, done.values) == ("done", {"result": "60 ['a', 'b']"})


def test_an_input_that_does_not_convert_fails_before_the_function_is_called(threads: Threads, inbox: Inbox) -> None:
    threads.give([job(later, after="soon", names=[])])
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "handler.input"


@pytest.mark.parametrize(
    ("kind", "error"), [("down", "task.gateway"), ("slow", "task.gateway"), ("exit", "task.SystemExit")]
)
def test_an_exception_is_its_declared_error_and_kept(threads: Threads, inbox: Inbox, kind: str, error: str) -> None:
    threads.give([job(charge, kind=kind)])
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert (failed.error, failed.message) == (error, "no answer")
    assert isinstance(failed.exception, GatewayDown | SystemExit)


def test_a_function_that_is_not_known_here_fails_as_not_activated(threads: Threads, inbox: Inbox) -> None:
    threads.give([job(Definition(name="x", handler=Function("nowhere:at_all")))])
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "handler.activate"
    assert "nowhere" in failed.message


def test_functions_run_side_by_side_on_threads_that_are_not_the_callers(threads: Threads, inbox: Inbox) -> None:
    met = Barrier(2)

    @task
    def meet() -> int:
        return met.wait(SECONDS)

    threads.give([job(meet, 1), job(meet, 2)])
    assert all(isinstance(one, Done) for one in inbox.ends(2))
    assert len(inbox.threads) == 2
    assert get_ident() not in inbox.threads


def test_room_is_what_can_begin_soon(threads: Threads, inbox: Inbox) -> None:
    go = Event()

    @task
    def wait() -> None:
        go.wait(SECONDS)

    assert threads.room == 2
    threads.give([job(wait, number) for number in range(3)])
    assert threads.room == 0
    go.set()
    assert len(inbox.ends(3)) == 3
    assert threads.room > 0


def test_short_work_is_taken_ahead_and_no_more_of_it_when_it_gets_slow(threads: Threads, inbox: Inbox) -> None:
    go = Event()

    @task
    def quick() -> None: ...

    @task
    def wait() -> None:
        go.wait(SECONDS)

    threads.give([job(quick, number) for number in range(300)])
    inbox.ends(300)
    ahead = threads.room
    assert ahead > 20  # a thread begins more than ten of them in 50 ms
    threads.give([job(wait, number) for number in range(4)])
    until(lambda: threads.room == 0, go.wait)  # both threads have been busy for longer than that
    go.set()
    inbox.ends(4)


def test_work_with_time_limits_tells_when_it_begins(threads: Threads, inbox: Inbox) -> None:
    given = job(definition_of(charge, limits=TimeLimits(run_seconds=5)), kind="fine")
    threads.give([given])
    inbox.end()
    assert [type(one) for one in inbox.news] == [Begun]


def test_the_context_tells_keeps_and_marks(threads: Threads, inbox: Inbox) -> None:
    @task(checkpoint=True, marks={"packed": str})
    def pack(ctx: Context) -> list[Any]:
        ctx.heartbeat()
        ctx.save({"box": (1, 2)})
        ctx.mark("packed", "in a box")
        return [ctx.key, ctx.path, ctx.round, ctx.attempt, ctx.checkpoint]

    given = Job(definition_of(pack), 7, "all/pack", 2, 3, "7/all/pack@2", checkpoint="old")
    threads.give([given])
    done = inbox.end()
    beat, saved, marked = inbox.news
    assert isinstance(beat, Beat)
    assert isinstance(saved, Saved)
    assert isinstance(marked, Marked)
    assert saved.checkpoint == {"box": [1, 2]}
    assert (marked.name, marked.values) == ("packed", {"result": "in a box"})
    assert isinstance(done, Done)
    assert done.values == {"result": ["7/all/pack@2", "all/pack", 2, 3, {"box": [1, 2]}]}


@pytest.mark.parametrize("error", ["", "handler.execute.late"])
def test_a_stop_reaches_the_function_when_it_next_uses_its_context(threads: Threads, inbox: Inbox, error: str) -> None:
    told = Event()
    seen: list[bool] = []

    @task(checkpoint=True, marks={"half": None})
    def work(ctx: Context) -> None:
        seen.append(ctx.cancelled)
        told.wait(SECONDS)
        seen.append(ctx.cancelled)
        for use in (ctx.heartbeat, lambda: ctx.mark("half"), lambda: ctx.save("half")):
            with pytest.raises(Stopped):
                use()
        ctx.heartbeat()

    given = job(work)
    threads.give([given])
    until(lambda: bool(seen), told.wait)
    threads.stop(given.about, error)
    told.set()
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == (error or "engine.cancelled")
    assert seen == [False, True]
    assert [type(one) for one in inbox.news] == [Saved]  # a checkpoint is kept all the same


def test_a_function_that_ends_well_although_it_was_stopped_has_done_its_work(threads: Threads, inbox: Inbox) -> None:
    begun, told = Event(), Event()

    @task
    def work() -> str:
        begun.set()
        told.wait(SECONDS)
        return "done anyway"

    given = job(work)
    threads.give([given])
    begun.wait(SECONDS)
    threads.stop(given.about)
    told.set()
    assert isinstance(inbox.end(), Done)


def test_what_is_stopped_before_its_turn_never_begins(inbox: Inbox) -> None:
    begun, go = Event(), Event()
    ran: list[int] = []

    @task
    def first() -> None:
        begun.set()
        go.wait(SECONDS)

    @task
    def second() -> None:
        ran.append(2)

    pool = Threads(find, inbox, threads=1)
    waiting = job(second)
    pool.give([job(first), waiting])
    begun.wait(SECONDS)
    pool.stop(waiting.about)
    failed = inbox.end()  # at once, not when its turn comes
    assert isinstance(failed, Failed)
    go.set()
    assert isinstance(inbox.end(), Done)
    pool.close()
    assert failed.error == "engine.cancelled"
    assert ran == []


def test_a_stop_for_what_is_not_there_does_nothing(threads: Threads, inbox: Inbox) -> None:
    threads.stop((9, "nothing", 0, 1))
    assert inbox.is_empty()


def test_one_that_raises_stopped_by_itself_was_not_stopped(threads: Threads, inbox: Inbox) -> None:
    @task
    def work() -> None:
        raise Stopped("not by anybody")

    threads.give([job(work)])
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "task.Stopped"
