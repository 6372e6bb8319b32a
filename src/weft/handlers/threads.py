"""Python functions on threads of our own, over one queue: the fastest way to run what is short or waits.

Not for what computes long: Python runs one thread at a time, and `weft.handlers.processes` is for that.
"""

from collections.abc import Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Final

from weft.handlers.functions import Attempt, FindCode, code_for
from weft.handlers.jobs import About, Answers, Failed, Job

SWITCH_SECONDS: Final = 0.000_5
"""For `sys.setswitchinterval` in a process where an engine and functions share the interpreter.

An engine gives the interpreter away with every statement; with Python's 5 ms it would wait so long for each.
"""


class Threads:
    """Runs functions, `threads` at a time; `most` jobs may be with it, those that wait for a thread included."""

    def __init__(self, find: FindCode, answer: Answers, *, threads: int = 8, most: int = 1_000) -> None:
        self._find = find
        self._answer = answer
        self._most = most
        self._queue: SimpleQueue[Attempt | None] = SimpleQueue()
        self._attempts: dict[About, Attempt] = {}
        self._threads = [
            Thread(target=self._work, name=f"weft-task-{number}", daemon=True) for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def room(self) -> int:
        return max(0, self._most - len(self._attempts))

    def give(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            code = code_for(job, self._find)
            if isinstance(code, Failed):
                self._answer(code)
                continue
            attempt = self._attempts[job.about] = Attempt(job, code, self._answer)
            self._queue.put(attempt)

    def stop(self, about: About) -> None:
        attempt = self._attempts.get(about)
        if attempt is not None:
            attempt.is_stopped = True

    def close(self, seconds: float = 1.0) -> None:
        """Waits so long for each thread; one that still works then is left to itself, and dies with the program."""
        for attempt in list(self._attempts.values()):
            attempt.is_stopped = True
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(seconds)

    def _work(self) -> None:
        while (attempt := self._queue.get()) is not None:
            answer = attempt.run()
            self._attempts.pop(attempt.job.about, None)
            self._answer(answer)
            del attempt, answer  # what a result holds is not kept while the thread waits
