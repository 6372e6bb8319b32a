"""Coroutine functions, many at a time, on one event loop in one thread of its own."""

import asyncio
from collections.abc import Awaitable, Sequence
from functools import partial
from threading import Thread

from weft.handlers.functions import Attempt, FindCode, attempt_of, not_begun
from weft.handlers.jobs import INPUT, About, Answers, Begun, Done, Failed, Job


class Coroutines:
    """Runs coroutine functions; `most` at a time. A stop cancels the coroutine where it waits."""

    def __init__(self, find: FindCode, answer: Answers, *, most: int = 10_000) -> None:
        self._find = find
        self._answer = answer
        self._most = most
        self._attempts: dict[About, Attempt] = {}
        self._running: dict[About, asyncio.Task[Done | Failed]] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="weft-coroutines", daemon=True)
        self._thread.start()

    @property
    def room(self) -> int:
        return max(0, self._most - len(self._attempts))

    def give(self, jobs: Sequence[Job]) -> None:
        given = []
        for job in jobs:
            attempt = attempt_of(job, self._find, self._answer)
            if isinstance(attempt, Failed):
                self._answer(attempt)
            else:
                self._attempts[job.about] = attempt
                given.append(attempt)
        self._loop.call_soon_threadsafe(self._start, given)

    def stop(self, about: About, error: str = "") -> None:
        attempt = self._attempts.get(about)
        if attempt is not None:
            attempt.stop(error)
            self._loop.call_soon_threadsafe(self._cancel, about)

    def close(self, seconds: float = 1.0) -> None:
        """Cancels what runs and waits so long for its end."""
        ended = asyncio.run_coroutine_threadsafe(self._end(seconds), self._loop)
        try:
            ended.result(2 * seconds)
        except TimeoutError:  # a coroutine blocks the loop; the thread dies with the program
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(seconds)
        if not self._thread.is_alive():
            self._loop.close()

    # In the loop's thread.

    def _start(self, attempts: list[Attempt]) -> None:
        for attempt in attempts:
            running = self._loop.create_task(self._run(attempt), name=attempt.path)
            self._running[attempt.job.about] = running
            running.add_done_callback(partial(self._ended, attempt))

    def _cancel(self, about: About) -> None:
        running = self._running.get(about)
        if running is not None:
            running.cancel()

    async def _run(self, attempt: Attempt) -> Done | Failed:
        if attempt.job.task.limits is not None:
            self._answer(Begun(attempt.job))
        return await answer_of(attempt)

    def _ended(self, attempt: Attempt, running: asyncio.Task[Done | Failed]) -> None:
        about = attempt.job.about
        self._attempts.pop(about, None)
        self._running.pop(about, None)
        self._answer(not_begun(attempt) if running.cancelled() else running.result())

    async def _end(self, seconds: float) -> None:
        for about, running in list(self._running.items()):
            self._attempts[about].stop()
            running.cancel()
        if self._running:
            await asyncio.wait(list(self._running.values()), timeout=seconds)
        await self._loop.shutdown_asyncgens()


async def answer_of(attempt: Attempt) -> Done | Failed:
    """Runs one; what it raises is its error."""
    if attempt.is_stopped:
        return not_begun(attempt)
    try:
        arguments = attempt.arguments()
    except Exception as fault:
        return Failed(attempt.job, INPUT, str(fault))
    try:
        coroutine = attempt.code.function(**arguments)
        assert isinstance(coroutine, Awaitable)
        value = await coroutine
    except BaseException as exception:
        return attempt.failed(exception)
    return attempt.done(value)
