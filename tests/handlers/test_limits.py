"""Limits of time: what is late when, what it has failed with, and that late work is stopped or given up."""

from collections.abc import Iterator
from threading import Event

import pytest

from tests.handlers.inbox import SECONDS, Inbox, definition_of, find, job, until
from weft import Context, task
from weft.handlers.desk import Desk, functions
from weft.handlers.jobs import Answer, Beat, Begun, Done, Failed, Job, Lost, Saved
from weft.handlers.limits import Late, Limits
from weft.handlers.threads import Threads
from weft.handlers.watch import Watch
from weft.model.definition import Task as Definition
from weft.model.definition import TimeLimits


def limited(**seconds: float) -> Job:
    return Job(Definition(name="work", handler=definition_of(wait).handler, limits=TimeLimits(**seconds)), 1, "work")


@task
def wait(ctx: Context) -> None:
    while True:
        GO.wait(0.005)
        ctx.heartbeat()


GO = Event()


def test_work_that_does_not_begin_in_time_is_late() -> None:
    limits, one = Limits(stop_seconds=10), limited(start_seconds=5)
    limits.given(one, 100)
    assert limits.next_due == 105
    assert limits.late(104.9) == []
    assert limits.late(105) == [Late(one, "handler.activate.late")]
    assert limits.late(200) == [Late(one)]
    assert limits.late(300) == []


def test_work_that_began_in_time_may_run_for_as_long_as_it_may() -> None:
    limits, one = Limits(stop_seconds=10), limited(start_seconds=5, run_seconds=60)
    limits.given(one, 100)
    assert limits.hear(Begun(one), 104)
    assert limits.late(105) == []
    assert limits.late(164) == [Late(one, "handler.execute.late")]
    assert limits.hear(Failed(one, "handler.execute.late"), 170)
    assert limits.late(174) == []
    assert limits.next_due is None


@pytest.mark.parametrize("sign", [Beat, Saved])
def test_each_sign_of_life_gives_it_time_again(sign: type[Answer]) -> None:
    limits, one = Limits(stop_seconds=10), limited(heartbeat_seconds=5)
    limits.given(one, 0)
    limits.hear(Begun(one), 100)
    limits.hear(sign(one), 104)  # type: ignore[call-arg]
    assert limits.late(105) == []
    assert limits.next_due == 109
    assert limits.late(109) == [Late(one, "handler.execute.silent")]


def test_work_is_told_once_whatever_else_becomes_late() -> None:
    limits, one = Limits(stop_seconds=100), limited(run_seconds=5, heartbeat_seconds=3)
    limits.given(one, 0)
    limits.hear(Begun(one), 0)
    assert limits.late(50) == [Late(one, "handler.execute.silent")]
    assert limits.late(60) == []


def test_what_was_given_up_is_not_heard_any_more() -> None:
    limits, one = Limits(stop_seconds=1), limited(run_seconds=5)
    limits.given(one, 0)
    limits.hear(Begun(one), 0)
    limits.late(5)
    assert limits.late(6) == [Late(one)]
    assert not limits.hear(Done(one), 7)


# With real pools.


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watch(inbox: Inbox, clock: Clock) -> Watch:
    return Watch(inbox, stop_seconds=10, clock=clock)


@pytest.fixture
def desk(watch: Watch) -> Iterator[Desk]:
    desk = Desk([functions(Threads(find, watch.hear, threads=1), find)], watch.hear, watch=watch)
    yield desk
    desk.close()


def test_late_work_is_stopped_and_has_failed_with_its_limit(
    desk: Desk, watch: Watch, inbox: Inbox, clock: Clock
) -> None:
    running, waiting = limited(run_seconds=5), limited(start_seconds=3)
    desk.give([running])
    assert isinstance(inbox.next(), Begun)
    desk.give([Job(waiting.task, 2, "work")])
    clock.now = 3
    watch.stop_late(desk.stop)
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert (failed.job.instance, failed.error) == (2, "handler.activate.late")
    clock.now = 5
    watch.stop_late(desk.stop)
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert (failed.job, failed.error) == (running, "handler.execute.late")


def test_work_that_does_not_stop_is_given_up_and_what_it_says_later_is_not_heard(
    desk: Desk, watch: Watch, inbox: Inbox, clock: Clock
) -> None:
    go = Event()

    @task
    def deaf() -> None:
        go.wait(SECONDS)

    one = job(definition_of(deaf, limits=TimeLimits(run_seconds=5)))
    desk.give([one])
    assert isinstance(inbox.next(), Begun)
    for clock.now in (5.0, 15.0):
        watch.stop_late(desk.stop)
    lost = inbox.end()
    assert isinstance(lost, Lost)
    go.set()
    until(lambda: desk.rooms()[desk.lane(one.task)] == 1, Event().wait)
    assert inbox.is_empty()


def test_the_watch_wakes_by_itself(inbox: Inbox) -> None:
    watch = Watch(inbox)
    desk = Desk([functions(Threads(find, watch.hear, threads=1), find)], watch.hear, watch=watch)
    desk.give([limited(run_seconds=0.02)])
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "handler.execute.late"
    desk.close()


def test_work_without_limits_is_not_watched(desk: Desk, watch: Watch, inbox: Inbox) -> None:
    @task
    def quick() -> None: ...

    desk.give([job(quick)])
    assert isinstance(inbox.next(), Done)
