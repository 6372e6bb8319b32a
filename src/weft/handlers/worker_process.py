"""One handler process, from its beginning to its end, as the node sees it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import BinaryIO, Final, cast

import msgspec

from weft.handlers.channel import FromChild, ToChild, WireJob, answer_of, is_end, receive, send
from weft.handlers.jobs import About, Answers, Job, Lost
from weft.handlers.settings import WorkerSettings
from weft.handlers.workers import AHEAD_SECONDS
from weft.model.definition import Task

STUCK_SECONDS: Final = 4 * AHEAD_SECONDS
"""A process that has more than it can run at once, and has answered nothing for so long, gets no more for now."""

Replace = Callable[["WorkerProcess", list[Job]], None]
"""Told that a process has ended, and which of its jobs it surely did not begin."""


class WorkerProcess:
    """Jobs come from the engine's thread; two threads of its own write to it and listen to it."""

    def __init__(self, command: Sequence[str], answer: Answers, settings: WorkerSettings) -> None:
        self._answer = answer
        self._settings = settings
        self._lock = Lock()
        self._jobs: dict[int, Job] = {}
        self._numbers: dict[About, int] = {}
        self._tasks: dict[int, tuple[Task, int]] = {}
        """By identity, a task and its number there; the task is kept so that its identity stays its own."""
        self._given = 0
        self._stops: dict[int, float] = {}
        self._capacity = 0
        self._heard_at = 0.0
        self._is_gone = False
        self.is_ready = False
        self.code: int | None = None
        self._outgoing: SimpleQueue[ToChild | None] = SimpleQueue()
        path = os.pathsep.join(one or os.getcwd() for one in sys.path)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )

    @property
    def load(self) -> int:
        return len(self._jobs)

    @property
    def room(self) -> int:
        given = len(self._jobs)
        if self._stops or (given > self._settings.threads and time.monotonic() - self._heard_at > STUCK_SECONDS):
            return 0
        return max(0, self._capacity - given)

    def listen(self, ready: Callable[[], None], ended: Replace) -> None:
        Thread(target=self._write, name="weft-worker-out", daemon=True).start()
        Thread(target=self._listen, args=(ready, ended), name="weft-worker-in", daemon=True).start()

    def give(self, jobs: Sequence[Job]) -> bool:
        """One message; False when the process is gone, and then it has none of them."""
        with self._lock:
            if self._is_gone:
                return False
            tasks: list[tuple[int, bytes]] = []
            wired: list[WireJob] = []
            for job in jobs:
                self._given = number = self._given + 1
                self._jobs[number] = job
                self._numbers[job.about] = number
                wired.append((
                    number, self._task(job.task, tasks), job.instance, job.path, job.round, job.attempt, job.key,
                    dict(job.inputs), job.checkpoint,
                ))  # fmt: skip
            self._outgoing.put((tasks, wired, []))
        return True

    def stop(self, about: About, error: str) -> None:
        with self._lock:
            number = self._numbers.get(about)
            if number is not None:
                self._stops.setdefault(number, time.monotonic() + self._settings.stop_seconds)
                self._outgoing.put(([], [], [(number, error)]))

    def end_what_does_not_stop(self) -> None:
        """Ends the process when only work is left in it that was told to stop and has had its time."""
        now = time.monotonic()
        with self._lock:
            is_alone = bool(self._stops) and all(self._stops.get(number, now + 1) < now for number in self._jobs)
        if is_alone:
            self._kill()

    def close(self) -> None:
        for about in list(self._numbers):
            self.stop(about, "")
        self._outgoing.put(None)

    def end(self, seconds: float) -> None:
        """Waits so long for its end, and then makes it."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        self._kill()

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _task(self, task: Task, new: list[tuple[int, bytes]]) -> int:
        known = self._tasks.get(id(task))
        if known is None:
            known = self._tasks[id(task)] = task, len(self._tasks)
            new.append((known[1], msgspec.msgpack.encode(task)))
        return known[1]

    def _write(self) -> None:
        stream = cast("BinaryIO", self._process.stdin)
        with suppress(OSError):  # it is gone; who listens to it tells
            while (message := self._outgoing.get()) is not None:
                send(stream, message)
        with suppress(OSError):
            stream.close()

    def _listen(self, ready: Callable[[], None], ended: Replace) -> None:
        stream = cast("BinaryIO", self._process.stdout)
        while (message := receive(stream)) is not None:
            self._capacity, answers = cast("FromChild", message)
            self._heard_at = time.monotonic()
            if not self.is_ready:
                self.is_ready = True
                ready()
            for number, kind, first, second in answers:
                job = self._jobs[number]
                if is_end(kind):
                    self._forget(number, job)
                self._answer(answer_of(job, kind, first, second))
        self._kill()
        self.code = self._process.wait()
        stream.close()
        self._outgoing.put(None)
        with self._lock:
            self._is_gone = True
            left, self._jobs = list(self._jobs.values()), {}
        if self.is_ready:
            for job in left:
                self._answer(Lost(job, f"the process that worked on it ended with {self.code}"))
        ended(self, [] if self.is_ready else left)

    def _forget(self, number: int, job: Job) -> None:
        with self._lock:
            del self._jobs[number]
            self._numbers.pop(job.about, None)
            self._stops.pop(number, None)
