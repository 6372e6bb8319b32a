"""Ids: time-ordered numbers of 63 bits with their slot in the low bits, made without a clock of their own."""

from collections.abc import Sequence

from weft.store.rows import SLOTS

COUNTED = 8192
"""Ids of one slot in one millisecond; the next ones borrow from the millisecond after."""


class Ids:
    """Makes ids for the slots that a node owns, each slot in its turn.

    A `salt` that is random keeps the ids of two stores apart that begin something in the same millisecond.
    """

    def __init__(self, slots: Sequence[int] = tuple(range(SLOTS)), salt: int = 0) -> None:
        self.slots = tuple(slots)
        self._last = 0
        self._turn = salt
        self._first = salt // SLOTS % (COUNTED // 2)

    def next(self, now: float) -> int:
        """Larger than every id before, whatever the clock does.

        >>> Ids([7]).next(1.0) % 256
        7
        """
        self._last = max(self._last + 1, int(now * 1000) * COUNTED + self._first)
        self._turn += 1
        return self._last * SLOTS + self.slots[self._turn % len(self.slots)]


def time_of(id: int) -> float:
    """When an id was made, to the millisecond."""
    return id // SLOTS // COUNTED / 1000
