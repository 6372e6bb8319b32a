"""Functions on an executor, tried with the processes of the standard library."""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from threading import Event

import pytest

from tests.handlers import chores
from tests.handlers.inbox import SECONDS, Inbox, definition_of, find, job, until
from weft import task
from weft.assembly.code import by_import
from weft.handlers.desk import Desk, functions
from weft.handlers.executors import Executors
from weft.handlers.jobs import Done, Failed, Job, Lost, Marked, Saved
from weft.model.definition import Function
from weft.model.definition import Task as Definition


def processes() -> Executor:
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture(scope="module")
def shared() -> Iterator[Executor]:
    with processes() as executor:
        yield executor


@pytest.fixture
def pool(inbox: Inbox, shared: Executor) -> Executors:
    return Executors(lambda: shared, by_import, inbox, most=3)


def test_answers_are_those_of_threads(pool: Executors, inbox: Inbox) -> None:
    assert pool.room == 3
    pool.give([job(chores.add, 1, number=1), job(chores.add, 2, number="one")])
    ends = {end.job.instance: end for end in inbox.ends(2)}
    assert isinstance(done := ends[1], Done)
    assert done.values == {"result": 2}
    assert isinstance(failed := ends[2], Failed)
    assert failed.error == "handler.input"
    assert pool.room == 3


def test_marks_and_checkpoints_come_with_the_end_also_of_what_failed(pool: Executors, inbox: Inbox) -> None:
    pool.give([Job(definition_of(chores.count), 5, "all/count", inputs={"upto": -1}, checkpoint={"at": 4})])
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert (failed.error, failed.message) == ("task.disk", "no such count")
    assert [type(one) for one in inbox.news][1:] == [Marked, Saved]


def test_a_function_that_is_not_there_is_not_activated(pool: Executors, inbox: Inbox) -> None:
    pool.give([job(Definition(name="x", handler=Function("tests.handlers.chores:nothing")))])
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "handler.activate"


def test_a_broken_executor_loses_its_work_and_is_replaced(inbox: Inbox) -> None:
    made: list[Executor] = []

    def make() -> Executor:
        made.append(processes())
        return made[-1]

    pool = Executors(make, by_import, inbox, most=3)
    pool.give([job(chores.die)])
    lost = inbox.end()
    assert isinstance(lost, Lost)
    assert "BrokenProcessPool" in lost.message
    pool.give([job(chores.add, number=1)])
    assert isinstance(inbox.end(), Done)
    assert len(made) == 2
    pool.close()


def test_only_what_has_not_begun_is_stopped(inbox: Inbox) -> None:
    begun, go = Event(), Event()

    @task
    def wait() -> str:
        begun.set()
        go.wait(SECONDS)
        return "done anyway"

    pool = Executors(lambda: ThreadPoolExecutor(1), find, inbox, most=3)
    desk = Desk([functions(pool, find)], inbox)
    first, second = job(wait, 1), job(wait, 2)
    desk.give([first, second])
    assert begun.wait(SECONDS)
    desk.stop([second.about, first.about], "handler.execute.late")
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert (failed.job, failed.error) == (second, "handler.execute.late")
    go.set()
    assert isinstance(inbox.end(), Done)
    until(lambda: pool.room == 3, Event().wait)
    desk.close()
