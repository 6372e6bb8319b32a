"""What the store has for an engine's next turn: timers that are due, commands of others, what a crash has left."""

import math
from collections.abc import Callable
from typing import Final

from weft.engine.core import Core
from weft.engine.owning import Owning
from weft.engine.requests import AnyRequest, Fire, Revive, Sweep, Unreadable
from weft.engine.settings import Settings
from weft.engine.turn import Input
from weft.engine.visiting import request_in
from weft.store.interface import SharedStore, Store
from weft.store.problems import Damaged, TakenOver
from weft.store.rows import CommandRow

REVIVED_AT_ONCE: Final = 100
"""Instances that a starting engine takes up in one turn, so that what is new need not wait for all of them."""

SWEEP_SECONDS: Final = 60.0
RENEW_SECONDS: Final = 1.0


class Feed:
    """For the engine's thread alone. Each question may raise `Unavailable`, and nothing is lost then."""

    def __init__(self, core: Core, store: Store, settings: Settings, now: float, revives: bool = True) -> None:
        self._core = core
        self._store = store
        self._settings = settings
        self._owning = Owning(core, store, settings.lease_seconds) if isinstance(store, SharedStore) else None
        self._revives = revives
        self._reviving: list[int] = []
        self._revived_to: int | None = 0 if revives else None
        """Up to which instance the active ones were looked for; None when all were."""
        self._next_due: float | None = None
        self._asked: set[int] = set()
        """Command rows that were put before the core, and had no answer when rows were last read."""
        self._has_more_commands = False
        self._swept = self._renewed = now

    def begin(self, now: float, wake: Callable[[], None]) -> None:
        """Finds out what is this node's; `wake` is called from then on when there may be news."""
        if self._owning is not None:
            self._owning.tend(now, has_news=True)
            self._owning.store.watch(wake)
        self.look_again()

    def look_again(self) -> None:
        """After the store was away, or slots have come."""
        self._next_due = self._store.next_due()

    @property
    def leaves(self) -> bool:
        """Was this node asked to leave?"""
        return self._owning is not None and self._owning.leaves

    def part(self) -> bool:
        """Gives what this node has to others; whether all has been given that others can have."""
        if self._owning is None:
            return True
        self._owning.leave()
        return self._owning.has_parted

    def set_timers(self, due: float) -> None:
        """A timer was written that is due then."""
        if self._next_due is None or due < self._next_due:
            self._next_due = due

    def seconds_to_wait(self, now: float) -> float:
        """Until there is something to take without any news."""
        if self._revived_to is not None or self._reviving or self._has_more_commands:
            return 0.0
        longest = self._settings.news_seconds if self._owning is None else self._owning.seconds_to_wait(now)
        return longest if self._next_due is None else min(longest, max(0.0, self._next_due - now))

    def add(self, inputs: list[Input], now: float) -> None:
        """Adds to the inputs what there is."""
        has_news = self._store.has_news() or self._has_more_commands
        if self._owning is not None:
            self._owning.tend(now, has_news)
            if self._owning.has_gained:
                self._revived_to, self._reviving = 0 if self._revives else None, []
                self.look_again()
                self._owning.has_gained, has_news = False, True
        if self._next_due is not None and self._next_due <= now:
            due = self._store.due(now, self._settings.inputs_max)
            inputs += [Fire(row) for row in due]
            self._next_due = now if due else self._store.next_due()  # those just read are still there
        if has_news:
            inputs += [asked(row) for row in self._commands()]
        self._add_revived(inputs)
        if now - self._swept >= SWEEP_SECONDS:
            self._swept = now
            inputs.append(Sweep(now - self._settings.answer_seconds))
        if self._owning is None and not inputs and now - self._renewed >= RENEW_SECONDS:
            self._renewed = now
            if not self._store.renew():
                raise TakenOver("another node has taken over what this one served")

    def _add_revived(self, inputs: list[Input]) -> None:
        if self._revived_to is not None and not self._reviving:
            self._reviving = self._store.active(self._revived_to, 1_000)
            self._revived_to = self._reviving[-1] if self._reviving else None
        inputs += [Revive(id) for id in self._reviving[:REVIVED_AT_ONCE]]
        del self._reviving[:REVIVED_AT_ONCE]

    def _commands(self) -> list[CommandRow]:
        """Rows that are new here. They are read from the first one on, since a lower id may come to light later."""
        rows: list[CommandRow] = []
        most, after = self._settings.inputs_max, 0
        while True:
            page = self._store.commands(after, most)
            rows += page
            fresh = [row for row in rows if row.id not in self._asked]
            self._has_more_commands = len(page) == most
            if not self._has_more_commands or len(fresh) >= most:
                break
            after = page[-1].id
        waiting = {row.id for row in rows}
        read_to = rows[-1].id if self._has_more_commands else math.inf
        self._asked = {id for id in self._asked if id in waiting or id > read_to} | {row.id for row in fresh}
        return fresh


def asked(row: CommandRow) -> AnyRequest:
    """What a command row asks for."""
    try:
        return request_in(row)
    except Damaged as damage:
        return Unreadable(token=row.id, message=str(damage))
