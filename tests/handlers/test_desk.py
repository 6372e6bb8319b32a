"""The desk: who can do a task, in which order pools are tried, and how much could begin in each lane."""

from collections.abc import Iterator
from threading import Event

import pytest

from tests.handlers.inbox import SECONDS, Inbox, definition_of, find, job
from weft import Context, task
from weft.handlers.coroutines import Coroutines
from weft.handlers.desk import Desk, Route, functions
from weft.handlers.jobs import Done, Failed, Job, Pool
from weft.handlers.threads import Threads
from weft.model.definition import Command, Function, Http
from weft.model.definition import Task as Definition


@task
def add(number: int) -> int:
    return number + 1


@task
async def add_later(number: int) -> int:
    return number + 2


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def threads(inbox: Inbox) -> Iterator[Threads]:
    pool = Threads(find, inbox, threads=1)
    yield pool
    pool.close()


@pytest.fixture
def others(inbox: Inbox) -> Iterator[Threads]:
    pool = Threads(find, inbox, threads=1)
    yield pool
    pool.close()


NOBODY = "no pool of this node does x: it needs [endpoints.shop] in weft.toml"


def desk_of(inbox: Inbox, *pools: Pool, queues: tuple[str, ...] = ()) -> Desk:
    return Desk([functions(pool, find) for pool in pools], inbox, queues=queues)


def test_functions_go_to_threads_and_coroutine_functions_to_their_loop(threads: Threads, inbox: Inbox) -> None:
    coroutines = Coroutines(find, inbox)
    desk = Desk([functions(threads, find), functions(coroutines, find, coroutines=True)], inbox)
    desk.give([job(add, 1, number=1), job(add_later, 2, number=1)])
    ends = {end.job.instance: end for end in inbox.ends(2)}
    desk.close()
    assert [one.values for one in (ends[1], ends[2]) if isinstance(one, Done)] == [{"result": 2}, {"result": 3}]


def test_tasks_of_the_same_pools_have_one_lane_and_it_has_their_room(
    threads: Threads, others: Threads, inbox: Inbox
) -> None:
    go = Event()

    @task
    def wait() -> None:
        go.wait(SECONDS)

    desk = desk_of(inbox, threads, others)
    given = [job(wait, number) for number in range(3)]
    lane = desk.lane(given[0].task)
    assert lane
    assert lane == desk.lane(definition_of(add))
    assert desk.rooms() == {lane: 2}
    desk.give(given[:2])
    assert desk.rooms() == {lane: 0}
    assert (threads.room, others.room) == (0, 0)
    desk.give(given[2:])
    go.set()
    assert len(inbox.ends(3)) == 3


def test_what_is_more_than_all_can_begin_waits_in_the_first_pool(
    threads: Threads, others: Threads, inbox: Inbox
) -> None:
    desk = desk_of(inbox, threads, others)
    desk.give([job(add, number, number=number) for number in range(50)])
    assert len(inbox.ends(50)) == 50


def test_queues_of_a_task_are_tried_in_their_order(threads: Threads, others: Threads, inbox: Inbox) -> None:
    begun, go = Event(), Event()

    @task
    def wait() -> None:
        begun.set()
        go.wait(SECONDS)

    desk = Desk([functions(threads, find, queues=("fast",)), functions(others, find)], inbox)
    slow_first = definition_of(wait, queues=("slow", "fast"))
    desk.give([job(slow_first)])
    assert begun.wait(SECONDS)
    assert (threads.room, others.room) == (1, 0)
    desk.give([job(slow_first, 2)])
    assert (threads.room, others.room) == (0, 0)
    go.set()
    inbox.ends(2)
    fast_first = definition_of(wait, queues=("fast", "slow"))
    assert desk.lane(fast_first) != desk.lane(slow_first)


def test_another_attempt_begins_with_the_next_alternate(threads: Threads, others: Threads, inbox: Inbox) -> None:
    begun, go = Event(), Event()

    @task
    def wait() -> None:
        begun.set()
        go.wait(SECONDS)

    routes = [functions(threads, find, queues=("atlas",)), functions(others, find, queues=("titan",))]
    desk = Desk(routes, inbox)
    wanted = definition_of(wait, queues=("atlas", "titan"))
    desk.give([Job(wanted, 1, "wait", attempt=2)])
    assert begun.wait(SECONDS)
    assert (threads.room, others.room) == (1, 0)
    go.set()
    inbox.end()


def test_a_queue_that_has_its_own_pool_is_done_nowhere_else(threads: Threads, others: Threads, inbox: Inbox) -> None:
    desk = Desk([functions(threads, find, queues=("fast",)), functions(others, find)], inbox)
    fast, plain = desk.lane(definition_of(add, queues=("fast",))), desk.lane(definition_of(add))
    assert fast != plain
    assert desk.rooms() == {fast: 1, plain: 1}


def test_a_node_takes_only_queues_that_it_serves(threads: Threads, inbox: Inbox) -> None:
    desk = desk_of(inbox, threads, queues=("gpu",))
    plain = definition_of(add)
    assert desk.lane(plain) == ""
    assert desk.why_not(plain) == "add is for default; this node serves only gpu"
    assert desk.why_not(definition_of(add, queues=("cpu", "gpu"))) == ""


def test_why_nobody_can_do_a_task_is_told(threads: Threads, inbox: Inbox) -> None:
    desk = desk_of(inbox, threads)
    unknown = Definition(name="x", handler=Function("nowhere.at:all"))
    assert desk.why_not(unknown) == "this node has no task nowhere.at:all: give it the module nowhere.at"
    assert "coroutine" in desk.why_not(definition_of(add_later))
    assert desk.why_not(Definition(name="x", handler=Http("shop"))) == NOBODY


def test_what_nobody_can_do_is_answered_when_it_is_given_all_the_same(threads: Threads, inbox: Inbox) -> None:
    desk = desk_of(inbox, threads)
    desk.give([job(Definition(name="x", handler=Http("shop")))])
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert (failed.error, failed.message) == (
        "handler.activate",
        NOBODY,
    )


def test_code_that_comes_later_is_found(threads: Threads, inbox: Inbox) -> None:
    known: dict[str, Function] = {}
    desk = Desk([functions(threads, lambda handler: find(handler) if known else None)], inbox)
    wanted = definition_of(add)
    assert desk.lane(wanted) == ""
    known["add"] = Function("add")
    assert desk.lane(wanted) != ""


def test_a_pool_behind_two_routes_has_its_room_once(threads: Threads, inbox: Inbox) -> None:
    desk = Desk([functions(threads, find), Route(threads, (Command,))], inbox)
    lanes = {desk.lane(definition_of(add)), desk.lane(Definition(name="zip", handler=Command("zip")))}
    assert desk.rooms() == dict.fromkeys(lanes, 1)


def test_a_stop_reaches_the_pool_that_has_the_work(threads: Threads, others: Threads, inbox: Inbox) -> None:
    go = Event()

    @task
    def wait(ctx: Context) -> None:
        go.wait(SECONDS)
        ctx.heartbeat()

    desk = desk_of(inbox, threads, others)
    first, second = job(wait, 1), job(wait, 2)
    desk.give([first, second])
    desk.stop([second.about])
    go.set()
    ends = {end.job.instance: end for end in inbox.ends(2)}
    assert isinstance(ends[1], Done)
    assert isinstance(failed := ends[2], Failed)
    assert failed.error == "engine.cancelled"
