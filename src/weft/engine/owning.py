"""Which slots this node has where several serve one store: what comes, what it takes over, and what it gives away."""

import logging
from collections import defaultdict
from typing import Final

from weft.engine.core import Core
from weft.store.batch import Refused, Unknown
from weft.store.interface import SharedStore
from weft.store.problems import TakenOver, Unavailable
from weft.store.rows import NodeRow
from weft.store.sharing import parting, surplus

log = logging.getLogger("weft.engine")

PATIENCE_SECONDS: Final = 1.0
"""How long a slot that another should have begins no work until what runs in it has ended."""
LEAVE: Final = "leave"


class Owning:
    """For the engine's thread alone, between two turns. The core knows no slot that this has not told it of."""

    def __init__(self, core: Core, store: SharedStore, lease_seconds: float) -> None:
        self._core = core
        self.store = store
        self._lease_seconds = lease_seconds
        self._mine: frozenset[int] = frozenset()
        self._takers: dict[int, str] = {}
        """Slots that are to be given away, and to whom."""
        self._patient_until = 0.0
        self._tends_at = 0.0
        self._leaves = False
        self._has_planned = False
        self.has_gained = False
        """Did slots come since whoever asks put this back?"""
        core.ids.own(())

    def leave(self) -> None:
        """All slots are to be other nodes'."""
        if not self._leaves:
            self._leaves, self._has_planned, self._tends_at = True, False, 0.0

    @property
    def leaves(self) -> bool:
        return self._leaves

    @property
    def has_parted(self) -> bool:
        """Has all been given that others can have?"""
        return self._leaves and self._has_planned and not self._takers

    def seconds_to_wait(self, now: float) -> float:
        """Until there is something to do here without any news."""
        if self._takers and not self._leaves:
            return max(0.0, min(self._tends_at, self._patient_until) - now)
        return max(0.0, self._tends_at - now)

    def tend(self, now: float, has_news: bool) -> None:
        """Does what is due. Raises `TakenOver`, and `Unavailable`."""
        if has_news:
            self.store.gained()
        self._take_up()
        if now >= self._tends_at or (has_news and self._is_asked_to_leave()):
            self._tends_at = now + self._lease_seconds / 3
            self._look_around()
            self._plan(now)
        if self._takers:
            self._give(now)

    def _take_up(self) -> None:
        """Slots that came are read anew."""
        has = self.store.slots
        if has == self._mine:
            return
        if self._mine - has:
            raise TakenOver(f"node {self.store.node} was taken over; this one must stop")
        came, self._mine = has - self._mine, has
        self.has_gained = True
        self._core.reread(came)
        self._tell()

    def _tell(self) -> None:
        self._core.ids.own(self._mine, self._takers)

    def _look_around(self) -> None:
        """Says that this node lives, and takes over those that don't."""
        if not self.store.renew():
            raise TakenOver(f"node {self.store.node} was taken over; this one must stop")
        for node in self.store.lapsed():
            taken = self.store.take_over(node)
            if taken:
                log.warning("node %s is gone; node %s has %d slots of it", node, self.store.node, len(taken))
        self._take_up()

    def _is_asked_to_leave(self) -> bool:
        return not self._leaves and any(row.wanted for row in self.store.nodes() if row.name == self.store.node)

    def _plan(self, now: float) -> None:
        """Finds out which slots others should have."""
        me, rows = self.store.node, self.store.nodes()
        if any(row.wanted == LEAVE for row in rows if row.name == me):
            self._leaves = True
        staying = self._staying(rows)
        if self._leaves:
            given = parting(me, self.store.owners(), staying - {me})
        else:
            given = surplus(me, self.store.owners(), staying | {me})
        self._intend({slot: node for node, slots in given.items() for slot in slots if slot in self._mine})
        self._patient_until = now + PATIENCE_SECONDS
        self._has_planned = True

    def _intend(self, takers: dict[int, str]) -> None:
        """These are to be given; what others were to have is kept, and what was not begun in it is looked for."""
        kept = self._takers.keys() - takers.keys()
        self._takers = takers
        self._tell()
        if kept:
            self._core.reread(kept)
            self.has_gained = True

    def _staying(self, rows: list[NodeRow]) -> set[str]:
        """Who lives and was not asked to leave. This node's lease has just begun, which tells the database's time."""
        begun = max(row.until or 0.0 for row in rows if row.name == self.store.node) - self._lease_seconds
        return {row.name for row in rows if row.until is not None and row.until > begun and not row.wanted}

    def _give(self, now: float) -> None:
        """Gives what nothing is done in; what is not free in time is kept until the next plan."""
        free: dict[str, list[int]] = defaultdict(list)
        working = self._core.working
        for slot, node in self._takers.items():
            if slot not in working:
                free[node].append(slot)
        for node, slots in free.items():
            self._hand(slots, node)
        if free:
            self._tell()
        self._take_up()
        if self._takers and not self._leaves and now >= self._patient_until:
            self._intend({})

    def _hand(self, slots: list[int], node: str) -> None:
        """What was known of them is forgotten first. Those that were not given after all come again."""
        for slot in slots:
            del self._takers[slot]
        self._mine -= set(slots)
        self._tell()
        self._core.forget(frozenset(slots))
        outcome = self.store.give(slots, node)
        if isinstance(outcome, Unknown) or (isinstance(outcome, Refused) and outcome.reason == "store"):
            raise Unavailable(outcome.detail)
        if isinstance(outcome, Refused) and outcome.reason == "fenced":
            raise TakenOver(outcome.detail)
