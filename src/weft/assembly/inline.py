"""Hands for a run in one thread: functions are called by who turns the run, coroutines wait on a side loop."""

from collections import deque
from collections.abc import Iterable
from typing import Final

from weft.assembly.given import NO_ANSWER, Given, ended
from weft.handlers.coroutines import Coroutines
from weft.handlers.desk import Desk
from weft.handlers.functions import Attempt, FindCode, attempt_of, no_code
from weft.handlers.jobs import ACTIVATE, About, Answers, Confirmed, Done, Failed, Job
from weft.kernel.commands import Complete
from weft.model.definition import Function, Named, Process, Task

HERE: Final = "here"
LOOP: Final = "loop"


class Inline:
    """Answers that were given take the place of work. `answer` may be called while a function runs."""

    def __init__(self, find: FindCode, given: Given, answer: Answers, desk: Desk | None = None) -> None:
        self._find = find
        self._desk = desk
        """Who does what is no function, where that is allowed."""
        self._given = given
        self._answer = answer
        self._jobs: deque[Job] = deque()
        self._running: dict[About, Attempt] = {}
        self._coroutines: Coroutines | None = None

    def lane(self, task: Task, process: Process | None = None) -> str:
        if task.name in self._given.names:
            return HERE
        if not isinstance(task.handler, Function | Named):
            return self._desk.lane(task, process) if self._desk is not None else ""
        code = self._find(task.handler)
        return "" if code is None else LOOP if code.is_coroutine else HERE

    def why_not(self, task: Task, process: Process | None = None) -> str:
        if isinstance(task.handler, Function | Named) or self._desk is None:
            return no_code(task)
        return self._desk.why_not(task, process)

    def rooms(self) -> dict[str, int]:
        rooms = {HERE: 0 if self._jobs or self._running else 1, LOOP: 10_000}
        return rooms if self._desk is None else {**self._desk.rooms(), **rooms}

    def give(self, jobs: Iterable[Job]) -> None:
        for job in jobs:
            handler = job.task.handler
            is_answered = self._given.look(job.task, job.path) is not NO_ANSWER
            code = self._find(handler) if isinstance(handler, Function | Named) else None
            if not is_answered and code is not None and code.is_coroutine:
                if self._coroutines is None:
                    self._coroutines = Coroutines(self._find, self._answer)
                self._coroutines.give([job])
            elif is_answered or self._desk is None or isinstance(handler, Function | Named):
                self._jobs.append(job)
            else:
                self._desk.give([job])

    def is_running(self, about: About) -> bool:
        """Is it a function that is being called just now?"""
        return about in self._running

    def run_one(self) -> bool:
        """Does the next job in this thread; False when there is none."""
        if not self._jobs:
            return False
        job = self._jobs.popleft()
        given = self._given.take(job.task, job.path)
        if given is not NO_ANSWER:
            self._answer(_answered(job, given))
            return True
        attempt = attempt_of(job, self._find, self._answer)
        if isinstance(attempt, Failed):
            self._answer(attempt if attempt.error != ACTIVATE else Failed(job, ACTIVATE, no_code(job.task)))
            return True
        self._running[job.about] = attempt
        try:
            answer = attempt.run()
        finally:
            del self._running[job.about]
        if isinstance(answer, Failed) and isinstance(answer.exception, KeyboardInterrupt):
            raise answer.exception
        self._answer(answer)
        return True

    def stop(self, abouts: Iterable[About], error: str = "") -> None:
        for about in abouts:
            if about in self._running:
                self._running[about].stop(error)
            if self._coroutines is not None:
                self._coroutines.stop(about, error)
            if self._desk is not None:
                self._desk.stop([about], error)

    def commit(self, jobs: Iterable[Job]) -> None:
        """What functions do here is no transaction of a resource, so what has leave has committed."""
        for job in jobs:
            if self._desk is not None and not isinstance(job.task.handler, Function | Named):
                self._desk.commit([job])
            else:
                self._answer(Confirmed(job))

    def close(self) -> None:
        if self._desk is not None:
            self._desk.close()
        if self._coroutines is not None:
            self._coroutines.close()
            self._coroutines = None


def _answered(job: Job, given: object) -> Done | Failed:
    end = ended(job.task, (job.path, job.round, job.attempt), job.inputs, given)
    if isinstance(end, Complete):
        return Done(job, end.outcome, end.values)
    return Failed(job, end.error, end.message)
