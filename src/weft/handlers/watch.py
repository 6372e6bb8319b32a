"""Watches over limits of time: stands between pools and engine, and stops what is late when nobody else is awake.

Work without limits passes through untouched.
"""

import time
from collections.abc import Callable, Iterable
from threading import Condition, Thread

from weft.handlers.jobs import About, Answer, Answers, Job, Lost
from weft.handlers.limits import Late, Limits

Stop = Callable[[Iterable[About], str], None]


class Watch:
    """`answer` gets what the pools answer; `stop_seconds` is how long late work may take to stop."""

    def __init__(
        self, answer: Answers, *, stop_seconds: float = 30.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._answer = answer
        self._clock = clock
        self._limits = Limits(stop_seconds)
        self._changed = Condition()
        self._is_closing = False
        self._thread: Thread | None = None

    def begin(self, stop: Stop) -> None:
        """From now on late work is stopped by this."""
        self._thread = Thread(target=self._go, args=(stop,), name="weft-watch", daemon=True)
        self._thread.start()

    def given(self, jobs: Iterable[Job]) -> None:
        """Told of work before it is given away."""
        limited = [job for job in jobs if job.task.limits is not None]
        if limited:
            with self._changed:
                for job in limited:
                    self._limits.given(job, self._clock())
                self._changed.notify()

    def hear(self, answer: Answer) -> None:
        """The pools answer here."""
        if answer.job.task.limits is None:
            self._answer(answer)
            return
        with self._changed:
            before = self._limits.next_due
            is_heard = self._limits.hear(answer, self._clock())
            if self._limits.next_due != before:
                self._changed.notify()
        if is_heard:
            self._answer(answer)

    def close(self) -> None:
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def stop_late(self, stop: Stop) -> None:
        """Stops what is late now, and answers for what does not stop."""
        with self._changed:
            late = self._limits.late(self._clock())
        for one in late:
            self._end(one, stop)

    def _end(self, late: Late, stop: Stop) -> None:
        if late.error:
            stop([late.job.about], late.error)
        else:
            self._answer(Lost(late.job, f"{late.job.path} was late and does not stop"))

    def _go(self, stop: Stop) -> None:
        while not self._is_closing:
            self.stop_late(stop)
            with self._changed:
                due = self._limits.next_due
                if not self._is_closing:
                    self._changed.wait(None if due is None else max(0.0, due - self._clock()))
