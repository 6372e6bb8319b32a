"""Python functions in processes of their own, so that one that computes long takes nothing from the node.

A process that dies is replaced, and of what it worked on nobody knows how much was done. One whose function does not
stop gets no more work, and is ended when it has nothing else to do.
"""

import os
from collections.abc import Sequence
from functools import partial
from logging import getLogger
from threading import Event, Lock, Thread
from typing import Final

from weft.handlers.jobs import About, Answers, Job
from weft.handlers.settings import WorkerSettings
from weft.handlers.worker_process import WorkerProcess

PAUSE_SECONDS_MAX: Final = 30.0
LOOK_SECONDS: Final = 1.0

_log = getLogger(__name__)


class Processes:
    """`command` begins one process, which speaks to the node by its standard input and output."""

    def __init__(self, command: Sequence[str], answer: Answers, settings: WorkerSettings) -> None:
        self._command = command
        self._answer = answer
        self._settings = settings
        self._lock = Lock()
        self._is_closing = Event()
        self._waiting: list[Job] = []
        """What was given while no process was there to take it."""
        self._workers: list[WorkerProcess] = []
        for _ in range(settings.processes or os.cpu_count() or 1):
            self._begin(0)
        Thread(target=self._look, name="weft-workers", daemon=True).start()

    @property
    def room(self) -> int:
        return sum(worker.room for worker in self._workers)

    def give(self, jobs: Sequence[Job]) -> None:
        """To those that have least to do, each its part; no more than it has room for, as long as others have."""
        rest = list(jobs)
        workers = sorted(self._workers, key=lambda worker: worker.load)
        for number, worker in enumerate(workers):
            part = -(-len(rest) // (len(workers) - number))
            count = min(part, worker.room)
            if count and worker.give(rest[:count]):
                rest = rest[count:]
        for worker in workers:
            if rest and worker.is_ready and worker.give(rest):
                return
        with self._lock:
            self._waiting += rest

    def stop(self, about: About, error: str = "") -> None:
        for worker in self._workers:
            worker.stop(about, error)

    def close(self, seconds: float = 1.0) -> None:
        self._is_closing.set()
        for worker in self._workers:
            worker.close()
        for worker in self._workers:
            worker.end(seconds)

    def _begin(self, failures: int) -> None:
        worker = WorkerProcess(self._command, self._answer, self._settings)
        worker.listen(self._ready, partial(self._replace, failures))
        with self._lock:
            self._workers = [*self._workers, worker]

    def _ready(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, []
        if waiting:
            self.give(waiting)

    def _replace(self, failures: int, worker: WorkerProcess, never_begun: list[Job]) -> None:
        """Called in the thread that listened to it. One that never got ready is tried again after a while."""
        with self._lock:
            self._workers = [one for one in self._workers if one is not worker]
            self._waiting += never_begun
        if self._is_closing.is_set():
            return
        _log.warning("a handler process ended with %s and is replaced", worker.code)
        failures = 0 if worker.is_ready else failures + 1
        pause = min(PAUSE_SECONDS_MAX, 0.1 * 2**failures) if failures else 0.0
        if not self._is_closing.wait(pause):
            self._begin(failures)

    def _look(self) -> None:
        while not self._is_closing.wait(LOOK_SECONDS):
            for worker in self._workers:
                worker.end_what_does_not_stop()
