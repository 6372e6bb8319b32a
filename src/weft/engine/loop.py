"""The engine's thread: it gathers what there is, has it decided and committed, and waits when there is nothing.

Callers and handlers put their inputs into a queue from any thread; what needs the store happens here alone.
"""

import logging
from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Final

from weft.engine.core import Core
from weft.engine.feed import Feed
from weft.engine.server import Server
from weft.engine.settings import Settings
from weft.engine.turn import Input
from weft.store.interface import Store
from weft.store.problems import Damaged, TakenOver, Unavailable

log = logging.getLogger("weft.engine")

BACKOFF_SECONDS: Final = (0.05, 1.0)
"""How long to wait for a store that can't be used: at first, and at most."""


class Loop:
    """`fail` tells a caller that no answer will come, and why."""

    def __init__(
        self,
        server: Server,
        store: Store,
        settings: Settings,
        now: Callable[[], float],
        fail: Callable[[object, Exception], None],
        inbox: "SimpleQueue[Input | None]",
        revives: bool = True,
    ) -> None:
        self.down = ""
        """Why the store can't be used at present; empty when it can."""
        self._server = server
        self._core: Core = server.core
        self._store = store
        self._settings = settings
        self._now = now
        self._fail = fail
        self._inbox = inbox
        self._feed = Feed(self._core, store, settings, now(), revives)
        self.problem: Exception | None = None
        """Why the engine stopped by itself."""
        self._is_closing = False
        self._closes_at = 0.0
        self._wake = Event()
        self._thread = Thread(target=self._run, name="weft-engine", daemon=True)

    def start(self) -> None:
        self._feed.begin(self._now(), partial(self._inbox.put, None))
        self._thread.start()

    def close(self, seconds: float) -> None:
        """Begins nothing more, waits so long for what runs, and ends."""
        self._closes_at = self._now() + seconds
        self._is_closing = True
        self._wake.set()
        self._inbox.put(None)
        self._thread.join()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    # In the thread.

    def _run(self) -> None:
        problem: Exception = Unavailable("the engine is closed")
        try:
            while not self._is_over():
                self._turn()
        except TakenOver as taken:
            problem = self.problem = taken
            log.error("this engine stops: %s", taken)
        except Exception as fault:
            problem = self.problem = fault
            log.exception("this engine stops because of a fault of its own")
        finally:
            self.down = str(problem) or type(problem).__name__
            self._give_up(problem)

    def _is_over(self) -> bool:
        self._core.is_closing = self._is_closing or self._feed.leaves
        if not self._core.is_closing:
            return False
        if self._is_closing and self._now() >= self._closes_at:
            return True
        has_parted = self._feed.part()
        return has_parted and not self._core.jobs

    def _turn(self) -> None:
        inputs = self._gather()
        if not inputs and not self._core.has_more():
            return
        try:
            turn = self._server.step(inputs, self._now())
        except (Unavailable, Damaged) as problem:
            self._wait_for_store(problem)
            return
        for row in turn.batch.timers.values():
            if row is not None:
                self._feed.set_timers(row.due)
        for fault in self._core.faults:
            log.error("an input could not be decided", exc_info=fault)
        self._core.faults.clear()

    def _gather(self) -> list[Input]:
        """What there is to take; waits for it if there is nothing."""
        inputs = self._queued()
        try:
            self._feed.add(inputs, self._now())
        except Unavailable as problem:
            self._wait_for_store(problem)
        return inputs

    def _queued(self) -> list[Input]:
        inputs: list[Input] = []
        inbox, most = self._inbox, self._settings.inputs_max
        wait = 0.0 if self._core.has_more() else self._feed.seconds_to_wait(self._now())
        try:
            one = inbox.get(timeout=wait) if wait > 0 else inbox.get_nowait()
            while True:
                if one is not None:
                    inputs.append(one)
                if len(inputs) >= most:
                    break
                one = inbox.get_nowait()
        except Empty:
            pass
        return inputs

    def _wait_for_store(self, problem: Exception) -> None:
        """The store can't be used. Nothing is lost: inputs are kept, and new requests are refused until it can."""
        pause, longest = BACKOFF_SECONDS
        self.down = str(problem) or "the store can't be used"
        log.warning("the store can't be used, trying again: %s", self.down)
        while not (self._is_closing and self._now() >= self._closes_at):
            try:
                self._server.recover()
                self._feed.look_again()
            except Unavailable as still:
                self.down = str(still) or self.down
                self._wake.wait(pause)
                pause = min(longest, 2 * pause)
            else:
                self.down = ""
                log.warning("the store can be used again")
                return

    def _give_up(self, problem: Exception) -> None:
        """Nobody waits for ever: who has no answer hears that none will come."""
        tokens = self._core.tokens()
        while True:
            try:
                one = self._inbox.get_nowait()
            except Empty:
                break
            tokens.append(getattr(one, "token", None))
        for token in tokens:
            if token is not None and not isinstance(token, int):
                self._fail(token, problem)
