"""Handler processes: the same answers as threads give, what their death means, and that they end with the node."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.handlers import chores
from tests.handlers.inbox import SECONDS, Inbox, definition_of, find, job, until
from tests.tidy.tree import ROOT
from weft.handlers.desk import Desk, functions
from weft.handlers.jobs import Beat, Begun, Done, Failed, Job, Lost, Marked, Saved
from weft.handlers.processes import Processes
from weft.handlers.settings import WorkerSettings
from weft.model.definition import TimeLimits

COMMAND = [sys.executable, "-m", "weft.assembly.worker", "2", "tests.handlers.chores"]


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def processes(inbox: Inbox) -> Iterator[Processes]:
    pool = Processes(COMMAND, inbox, WorkerSettings(processes=2, threads=2, stop_seconds=0.05))
    ready(pool)
    yield pool
    pool.close()


def ready(pool: Processes, room: int = 4) -> None:
    until(lambda: pool.room >= room, time.sleep)


def test_answers_are_those_of_threads(processes: Processes, inbox: Inbox) -> None:
    big, text = 10**30, "\ud800 é"
    given = [job(chores.add, 1, number=big), job(chores.add_later, 2, number=1), job(chores.add, 3, number=text)]
    processes.give(given)
    ends = {end.job.instance: end for end in inbox.ends(3)}
    assert isinstance(done := ends[1], Done)
    assert done.job is given[0]
    assert done.values == {"result": big + 1}
    assert isinstance(done := ends[2], Done)
    assert done.values == {"result": 3}
    assert isinstance(failed := ends[3], Failed)
    assert failed.error == "handler.input"


def test_the_context_and_declared_errors_come_across(processes: Processes, inbox: Inbox) -> None:
    task = definition_of(chores.count, limits=TimeLimits(run_seconds=9))
    processes.give([Job(task, 5, "all/count", 2, 3, "5/all/count@2", {"upto": 8}, {"at": 4})])
    done = inbox.end()
    begun, beat, marked, saved = inbox.news
    assert isinstance(begun, Begun)
    assert isinstance(beat, Beat)
    assert isinstance(marked, Marked)
    assert (marked.name, marked.values) == ("half", {"result": 4})
    assert isinstance(saved, Saved)
    assert saved.checkpoint == {"at": 8}
    assert isinstance(done, Done)
    assert done.values == {"result": "5/all/count@2 3 {'at': 8}"}
    processes.give([job(chores.count, 6, upto=-1)])
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert (failed.error, failed.message) == ("task.disk", "no such count")


def test_one_route_leads_both_kinds_of_functions_there(processes: Processes, inbox: Inbox) -> None:
    desk = Desk([functions(processes, find, coroutines=None)], inbox)
    desk.give([job(chores.add, 1, number=1), job(chores.add_later, 2, number=1)])
    assert all(isinstance(one, Done) for one in inbox.ends(2))


def test_many_jobs_are_shared_out_and_all_are_answered(processes: Processes, inbox: Inbox) -> None:
    for batch in range(10):
        processes.give([job(chores.add, 100 * batch + number, number=number) for number in range(100)])
    answered = [end.job.instance for end in inbox.ends(1_000)]
    assert sorted(answered) == list(range(1_000))
    assert processes.room > 100  # they have learned that these are short
    assert all(isinstance(one, int) for one in answered)


def test_a_process_that_dies_loses_its_jobs_and_is_replaced(processes: Processes, inbox: Inbox) -> None:
    first = pids(processes)
    processes.give([job(chores.die, 1)])
    lost = inbox.end()
    assert isinstance(lost, Lost)
    assert "ended with 7" in lost.message
    ready(processes)
    assert len(pids(processes) - first) == 1
    processes.give([job(chores.add, number, number=1) for number in range(4)])
    assert all(isinstance(one, Done) for one in inbox.ends(4))


def pids(processes: Processes) -> set[int]:
    return {worker._process.pid for worker in processes._workers}


def test_a_stop_reaches_the_function(processes: Processes, inbox: Inbox) -> None:
    given = job(chores.wait_for_stop)
    processes.give([given])
    assert isinstance(inbox.next(), Beat)
    processes.stop(given.about, "handler.execute.late")
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "handler.execute.late"


def test_a_function_that_does_not_stop_is_ended_with_its_process_when_it_is_alone(inbox: Inbox) -> None:
    pool = Processes(COMMAND, inbox, WorkerSettings(processes=1, threads=2, stop_seconds=0.0))
    ready(pool, 2)
    stuck, other = job(chores.never_stop, 1), job(chores.wait_for_stop, 2)
    pool.give([stuck, other])
    assert isinstance(inbox.next(), Beat)
    pool.stop(stuck.about)
    until(lambda: pool.room == 0, time.sleep)
    worker = pool._workers[0]
    worker.end_what_does_not_stop()
    assert isinstance(inbox.next(), Beat)  # the other one still runs, so it was left alone
    pool.stop(other.about)
    ends = {end.job.instance: end for end in inbox.ends(2)}
    assert isinstance(ends[1], Lost)
    assert isinstance(ends[2], Failed)
    ready(pool, 2)
    pool.close()


def test_what_was_given_to_a_process_that_never_got_ready_is_done_by_the_next(inbox: Inbox, tmp_path: Path) -> None:
    once = (
        f"import os, sys; os.path.exists({str(tmp_path / 'x')!r}) or (open({str(tmp_path / 'x')!r}, 'w'), sys.exit(3))"
    )
    code = f"{once}; from weft.assembly.worker import main; main(1, ['tests.handlers.chores'])"
    pool = Processes([sys.executable, "-c", code], inbox, WorkerSettings(processes=1, threads=1))
    pool.give([job(chores.add, number=1)])
    done = inbox.end()
    assert isinstance(done, Done)
    pool.close()


NODE = """
import sys, threading
from tests.handlers.test_processes import COMMAND, WorkerSettings, Processes, chores, job, ready
pool = Processes(COMMAND, print, WorkerSettings(processes=1, threads=2))
ready(pool, 2)
pool.give([job(chores.never_stop)])
print(pool._workers[0]._process.pid, flush=True)
threading.Event().wait()
"""


def test_processes_end_with_the_node_however_it_ends() -> None:
    with subprocess.Popen([sys.executable, "-c", NODE], stdout=subprocess.PIPE, cwd=ROOT, text=True) as node:
        assert node.stdout is not None
        child = int(node.stdout.readline())
        os.kill(child, 0)
        os.kill(node.pid, signal.SIGKILL)
    until(lambda: not Path(f"/proc/{child}").exists() or is_zombie(child), Event().wait)


def is_zombie(number: int) -> bool:
    try:
        return "State:\tZ" in Path(f"/proc/{number}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_one_that_burns_leaves_the_others_at_least_a_third_of_their_rate(processes: Processes, inbox: Inbox) -> None:
    def seconds_for(jobs: list[Job]) -> float:
        begun = time.perf_counter()
        processes.give(jobs)
        inbox.ends(len(jobs))
        return time.perf_counter() - begun

    def some(first: int) -> list[Any]:
        return [job(chores.add, first + number, number=1) for number in range(2_000)]

    seconds_for(some(10_000))
    alone = min(seconds_for(some(first)) for first in (20_000, 30_000))
    burning = job(chores.burn, 1, seconds=SECONDS)
    processes.give([burning])
    beside = min(seconds_for(some(first)) for first in (40_000, 50_000))
    for worker in processes._workers:
        worker._kill()
    assert isinstance(inbox.end(), Lost)
    assert alone / beside > 0.3
