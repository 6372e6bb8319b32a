"""Coroutine functions of a run in memory, on one event loop of their own, which turns only while the runner waits."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from weft.engine.problems import Problem


class Coroutines:
    def __init__(self) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            raise Problem(
                "a process with coroutine tasks can't run inside a running event loop; "
                "give it a thread: await asyncio.to_thread(weft.run, process, …)"
            )
        self._loop = asyncio.new_event_loop()
        self._running: dict[str, asyncio.Task[object]] = {}

    def __len__(self) -> int:
        return len(self._running)

    def start(self, path: str, coroutine: Coroutine[Any, Any, object]) -> None:
        self._running[path] = self._loop.create_task(coroutine, name=path)

    def cancel(self, path: str) -> bool:
        running = self._running.get(path)
        return running is not None and running.cancel()

    def wait(self, seconds: float | None) -> list[tuple[str, Callable[[], object]]]:
        """Those that have ended, in order of their start, once there is one or the time is over.

        Each with a function that gives its result, or raises.
        """
        waited = asyncio.wait(self._running.values(), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        self._loop.run_until_complete(waited)
        ended = [(path, one.result) for path, one in self._running.items() if one.done()]
        for path, _ in ended:
            del self._running[path]
        return ended

    def close(self) -> None:
        """Cancels what still runs, and ends the loop."""
        for running in self._running.values():
            running.cancel()
        if self._running:
            self._loop.run_until_complete(asyncio.gather(*self._running.values(), return_exceptions=True))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()
