"""Ids: time-ordered numbers of 63 bits with their slot in the low bits, made without a clock of their own."""

from collections.abc import Collection

from weft.store.rows import SLOTS, slot_of

COUNTED = 8192
"""Ids of one slot in one millisecond; the next ones borrow from the millisecond after."""


class Ids:
    """Knows the slots that a node owns, and makes ids for them, each slot in its turn.

    A `salt` that is random keeps the ids of two stores apart that begin something in the same millisecond.
    """

    def __init__(self, slots: Collection[int] = tuple(range(SLOTS)), salt: int = 0) -> None:
        self.own(slots)
        self._last = 0
        self._turn = salt
        self._first = salt // SLOTS % (COUNTED // 2)

    def own(self, slots: Collection[int], leaving: Collection[int] = ()) -> None:
        """These are the node's from now on; of those that are `leaving` it makes no new ids, and begins no work."""
        self._owned = frozenset(slots)
        self._leaving = self._owned.intersection(leaving)
        self.slots = tuple(sorted(self._owned - self._leaving))
        self._makes = self.slots or tuple(sorted(self._owned)) or (0,)

    def owns(self, instance: int) -> bool:
        return slot_of(instance) in self._owned

    def is_leaving(self, instance: int) -> bool:
        """Is the instance's slot about to be another node's?"""
        return slot_of(instance) in self._leaving

    def next(self, now: float) -> int:
        """Larger than every id before, whatever the clock does.

        >>> Ids([7]).next(1.0) % 256
        7
        """
        self._last = max(self._last + 1, int(now * 1000) * COUNTED + self._first)
        self._turn += 1
        return self._last * SLOTS + self._makes[self._turn % len(self._makes)]


def time_of(id: int) -> float:
    """When an id was made, to the millisecond."""
    return id // SLOTS // COUNTED / 1000
