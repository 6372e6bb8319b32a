"""The engine's thread: it gathers what there is, has it decided and committed, and waits when there is nothing.

Callers and handlers put their inputs into a queue from any thread; what needs the store happens here alone.
"""

import logging
import math
from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Final

from weft.engine.core import Core
from weft.engine.owning import Owning
from weft.engine.requests import AnyRequest, Fire, Revive, Sweep, Unreadable
from weft.engine.server import Server
from weft.engine.settings import Settings
from weft.engine.turn import Input
from weft.engine.visiting import request_in
from weft.store.interface import SharedStore, Store
from weft.store.problems import Damaged, TakenOver, Unavailable
from weft.store.rows import CommandRow

log = logging.getLogger("weft.engine")

REVIVED_AT_ONCE: Final = 100
"""Instances that a starting engine takes up in one turn, so that what is new need not wait for all of them."""

SWEEP_SECONDS: Final = 60.0
RENEW_SECONDS: Final = 1.0
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
        self._reviving: list[int] = []
        self._revived_to: int | None = 0 if revives else None
        """Up to which instance the active ones were looked for; None when all were."""
        self._next_due: float | None = None
        self._revives = revives
        self._owning = Owning(self._core, store, settings.lease_seconds) if isinstance(store, SharedStore) else None
        self._asked_ids: set[int] = set()
        """Command rows that were put before the core, and had no answer when rows were last read."""
        self._has_more_commands = False
        self.problem: Exception | None = None
        """Why the engine stopped by itself."""
        self._swept = self._renewed = now()
        self._is_closing = False
        self._closes_at = 0.0
        self._wake = Event()
        self._thread = Thread(target=self._run, name="weft-engine", daemon=True)

    def start(self) -> None:
        if self._owning is not None:
            self._owning.tend(self._now(), has_news=True)
            if isinstance(self._store, SharedStore):
                self._store.watch(partial(self._inbox.put, None))
        self._next_due = self._store.next_due()
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
        owning = self._owning
        self._core.is_closing = self._is_closing or (owning is not None and owning.leaves)
        if not self._core.is_closing:
            return False
        if self._is_closing and self._now() >= self._closes_at:
            return True
        if owning is not None:
            owning.leave()
        return not self._core.jobs and (owning is None or owning.has_parted)

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
            if row is not None and (self._next_due is None or row.due < self._next_due):
                self._next_due = row.due
        for fault in self._core.faults:
            log.error("an input could not be decided", exc_info=fault)
        self._core.faults.clear()

    def _gather(self) -> list[Input]:
        """What there is to take; waits for it if there is nothing."""
        inputs = self._queued()
        try:
            self._from_store(inputs)
        except Unavailable as problem:
            self._wait_for_store(problem)
        return inputs

    def _queued(self) -> list[Input]:
        inputs: list[Input] = []
        inbox, most = self._inbox, self._settings.inputs_max
        wait = self._seconds_to_wait()
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

    def _seconds_to_wait(self) -> float:
        if self._revived_to is not None or self._reviving or self._core.has_more():
            return 0.0
        now = self._now()
        longest = self._settings.news_seconds if self._owning is None else self._owning.seconds_to_wait(now)
        if self._next_due is None:
            return longest
        return min(longest, max(0.0, self._next_due - now))

    def _from_store(self, inputs: list[Input]) -> None:
        """Timers that are due, commands of others, what a crash has left, and what is old."""
        now = self._now()
        has_news = self._store.has_news()
        if self._owning is not None and self._owning.tend(now, has_news):
            has_news = True
            self._next_due = self._store.next_due()
            self._revived_to, self._reviving = 0 if self._revives else None, []
        if self._next_due is not None and self._next_due <= now:
            due = self._store.due(now, self._settings.inputs_max)
            inputs += [Fire(row) for row in due]
            self._next_due = now if due else self._store.next_due()  # those just read are still there
        if has_news or self._has_more_commands:
            inputs += [self._asked(row) for row in self._commands()]
        if self._revived_to is not None and not self._reviving:
            self._reviving = self._store.active(self._revived_to, 1_000)
            self._revived_to = self._reviving[-1] if self._reviving else None
        inputs += [Revive(id) for id in self._reviving[:REVIVED_AT_ONCE]]
        del self._reviving[:REVIVED_AT_ONCE]
        if now - self._swept >= SWEEP_SECONDS:
            self._swept = now
            inputs.append(Sweep(now - self._settings.answer_seconds))
        if self._owning is None and not inputs and now - self._renewed >= RENEW_SECONDS:
            self._renewed = now
            if not self._store.renew():
                raise TakenOver("another node has taken over what this one served")

    def _commands(self) -> list[CommandRow]:
        """Rows that are new here. They are read from the first one on, since a lower id may come to light later."""
        rows: list[CommandRow] = []
        most, after = self._settings.inputs_max, 0
        while True:
            page = self._store.commands(after, most)
            rows += page
            fresh = [row for row in rows if row.id not in self._asked_ids]
            self._has_more_commands = len(page) == most
            if not self._has_more_commands or len(fresh) >= most:
                break
            after = page[-1].id
        waiting = {row.id for row in rows}
        read_to = rows[-1].id if self._has_more_commands else math.inf
        self._asked_ids = {id for id in self._asked_ids if id in waiting or id > read_to} | {row.id for row in fresh}
        return fresh

    def _asked(self, row: CommandRow) -> AnyRequest:
        try:
            return request_in(row)
        except Damaged as damage:
            return Unreadable(token=row.id, message=str(damage))

    def _wait_for_store(self, problem: Exception) -> None:
        """The store can't be used. Nothing is lost: inputs are kept, and new requests are refused until it can."""
        pause, longest = BACKOFF_SECONDS
        self.down = str(problem) or "the store can't be used"
        log.warning("the store can't be used, trying again: %s", self.down)
        while not (self._is_closing and self._now() >= self._closes_at):
            try:
                self._server.recover()
                self._next_due = self._store.next_due()
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
