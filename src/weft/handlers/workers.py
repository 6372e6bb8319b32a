"""Threads of our own over one queue: they do the work that is made of each job, whatever it is, and answer.

They take work ahead, so that short work flows in large batches, but only as much as they can begin soon: what has
been given counts as started, and must not wait long behind slow work while another node could do it.
"""

from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Thread
from time import perf_counter
from typing import Final, Protocol

from weft.handlers.jobs import About, Answers, Begun, Confirmed, Done, Failed, Job, Lost

AHEAD_SECONDS: Final = 0.05
"""What is taken ahead can be begun in about this time, as long as recent work is a guide."""

RECENT: Final = 16
"""The mean duration is that of about so many works; a slow one counts at once, its end is forgotten after some."""


class Work(Protocol):
    """One job on its way."""

    @property
    def job(self) -> Job: ...

    def run(self) -> Done | Failed | Lost | Confirmed:
        """Does the work, in the thread of who calls. Never raises."""
        ...

    def stop(self, error: str = "") -> None:
        """Asks it to stop, from another thread, at any time; one that is stopped before it runs, runs to no effect."""
        ...


class Workers:
    """`make` says what a job is as work, or why it can't be. `most` jobs may be here, those that wait included."""

    def __init__(
        self, make: Callable[[Job], Work | Failed], answer: Answers, *, threads: int, most: int, name: str
    ) -> None:
        self._make = make
        self._answer = answer
        self._most = most
        self._queue: SimpleQueue[Work | None] = SimpleQueue()
        self._waiting: dict[About, Work] = {}
        self._running: dict[About, Work] = {}
        self._mean_seconds = AHEAD_SECONDS
        self._begun_at = perf_counter()
        self._threads = [Thread(target=self._go, name=f"weft-{name}-{one}", daemon=True) for one in range(threads)]
        for thread in self._threads:
            thread.start()

    @property
    def capacity(self) -> int:
        """How many jobs may be here at a time, so that each can begin soon."""
        soon = len(self._threads) * max(1.0, AHEAD_SECONDS / max(self._mean_seconds, 1e-9))
        return int(min(self._most, soon))

    @property
    def room(self) -> int:
        given = len(self._waiting) + len(self._running)
        if given > len(self._threads) and perf_counter() - self._begun_at > AHEAD_SECONDS:
            return 0  # all threads are busy, and for long
        return max(0, self.capacity - given)

    def give(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            work = self._make(job)
            if isinstance(work, Failed):
                self._answer(work)
                continue
            self.put(work)

    def put(self, work: Work) -> None:
        self._waiting[work.job.about] = work
        self._queue.put(work)

    def stop(self, about: About, error: str = "") -> None:
        """What has not begun is answered at once, here; who takes a work out of those that wait has it alone."""
        work = self._waiting.pop(about, None)
        if work is not None:
            work.stop(error)
            self._answer(work.run())
        elif (running := self._running.get(about)) is not None:
            running.stop(error)

    def close(self, seconds: float = 1.0) -> None:
        """Waits so long for each thread; one that still works then is left to itself, and dies with the program."""
        for about in [*self._waiting, *self._running]:
            self.stop(about)
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(seconds)

    def _go(self) -> None:
        while (work := self._queue.get()) is not None:
            job = work.job
            about = job.about
            self._running[about] = work
            if self._waiting.pop(about, None) is None:  # it was stopped
                del self._running[about]
                continue
            self._begun_at = begun = perf_counter()
            if job.task.limits is not None:
                self._answer(Begun(job))
            answer = work.run()
            # Threads may overwrite each other's mean here: it is a guess, and a lost one does no harm.
            self._mean_seconds += (perf_counter() - begun - self._mean_seconds) / RECENT
            del self._running[about]
            self._answer(answer)
            del work, job, answer  # what a result holds is not kept while the thread waits
