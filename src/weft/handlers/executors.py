"""Functions on any `concurrent.futures.Executor`: processes of the standard library, Dask, or what a site has.

What an executor does can't be heard before it has ended: marks and checkpoints come with the end, and only what it has
not begun can be stopped.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from functools import partial
from pickle import PicklingError
from threading import Lock

from msgspec.structs import replace

from weft.handlers.channel import WireAnswer, answer_of, wire_answer
from weft.handlers.functions import FindCode, attempt_of
from weft.handlers.jobs import ACTIVATE, CANCELLED, About, Answer, Answers, Failed, Job, Lost

CANT_SEND = (PicklingError, TypeError, AttributeError)


class Executors:
    """`make` gives the executor, and another when that one is broken. `there` finds functions where it works.

    `there` and what is found by it travel by `pickle`, so it is a function of a module that both sides have.
    """

    def __init__(self, make: Callable[[], Executor], there: FindCode, answer: Answers, *, most: int) -> None:
        self._make = make
        self._there = there
        self._answer = answer
        self._most = most
        self._lock = Lock()
        self._executor = make()
        self._futures: dict[About, Future[list[WireAnswer]]] = {}
        self._errors: dict[About, str] = {}

    @property
    def room(self) -> int:
        return max(0, self._most - len(self._futures))

    def give(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            self._submit(job)

    def stop(self, about: About, error: str = "") -> None:
        future = self._futures.get(about)
        if future is not None:
            self._errors[about] = error or CANCELLED
            future.cancel()

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _submit(self, job: Job) -> None:
        executor = self._executor
        try:
            future = executor.submit(run_there, self._there, replace(job, process=None))
        except (BrokenExecutor, RuntimeError):  # it broke, or was shut down, since the last job
            self._replace(executor)
            try:
                future = self._executor.submit(run_there, self._there, replace(job, process=None))
            except Exception as fault:
                self._answer(Failed(job, ACTIVATE, f"the executor takes nothing: {fault}"))
                return
        self._futures[job.about] = future
        future.add_done_callback(partial(self._ended, job, executor))

    def _ended(self, job: Job, executor: Executor, future: "Future[list[WireAnswer]]") -> None:
        self._futures.pop(job.about, None)
        error = self._errors.pop(job.about, CANCELLED)
        if future.cancelled():
            self._answer(Failed(job, error, f"{job.path} was told to stop before it began"))
            return
        fault = future.exception()
        if isinstance(fault, BrokenExecutor):
            self._replace(executor)
        if isinstance(fault, CANT_SEND):
            self._answer(Failed(job, ACTIVATE, f"{job.path} can't be sent to the executor: {fault}"))
        elif fault is not None:
            self._answer(Lost(job, f"the executor lost it: {type(fault).__name__} {fault}"))
        else:
            for _, kind, first, second in future.result():
                self._answer(answer_of(job, kind, first, second))

    def _replace(self, broken: Executor) -> None:
        with self._lock:
            if self._executor is broken:
                broken.shutdown(wait=False)
                self._executor = self._make()


def run_there(there: FindCode, job: Job) -> list[WireAnswer]:
    """Runs a job where the executor works; its marks and checkpoints, and last its end."""
    answers: list[Answer] = []
    attempt = attempt_of(job, there, answers.append)
    answers.append(attempt if isinstance(attempt, Failed) else attempt.run())
    return [wire_answer(0, answer) for answer in answers]
