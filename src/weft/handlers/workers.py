"""Threads of our own over one queue: they do the work that is made of each job, whatever it is, and answer."""

from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Protocol

from weft.handlers.jobs import About, Answers, Begins, Done, Failed, Job, Lost


class Work(Protocol):
    """One job on its way."""

    @property
    def job(self) -> Job: ...

    def run(self) -> Done | Failed | Lost:
        """Does the work, in the thread of who calls. Never raises."""
        ...

    def stop(self) -> None:
        """Asks it to stop, from another thread, at any time."""
        ...


class Workers:
    """`make` says what a job is as work, or why it can't be. `most` jobs may be here, those that wait included."""

    def __init__(
        self,
        make: Callable[[Job], Work | Failed],
        answer: Answers,
        *,
        threads: int,
        most: int,
        name: str,
        begins: Begins | None = None,
    ) -> None:
        self._make = make
        self._answer = answer
        self._begins = begins
        self._most = most
        self._queue: SimpleQueue[Work | None] = SimpleQueue()
        self._works: dict[About, Work] = {}
        self._threads = [Thread(target=self._go, name=f"weft-{name}-{one}", daemon=True) for one in range(threads)]
        for thread in self._threads:
            thread.start()

    @property
    def room(self) -> int:
        return max(0, self._most - len(self._works))

    def give(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            work = self._make(job)
            if isinstance(work, Failed):
                self._answer(work)
                continue
            self._works[job.about] = work
            self._queue.put(work)

    def stop(self, about: About) -> None:
        work = self._works.get(about)
        if work is not None:
            work.stop()

    def close(self, seconds: float = 1.0) -> None:
        """Waits so long for each thread; one that still works then is left to itself, and dies with the program."""
        for about in list(self._works):
            self.stop(about)
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(seconds)

    def _go(self) -> None:
        begins = self._begins
        while (work := self._queue.get()) is not None:
            if begins is not None:
                begins(work.job)
            answer = work.run()
            self._works.pop(work.job.about, None)
            self._answer(answer)
            del work, answer  # what a result holds is not kept while the thread waits
