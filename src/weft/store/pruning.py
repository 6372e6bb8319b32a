"""Removes ended instances, a bounded number at a time. Their business keys stay until their time is over."""

from collections.abc import Iterator
from typing import Final

from weft.store.interface import Ended, Reads

STEP: Final = 100


def steps(reads: Reads, which: Ended, at_most: int = STEP) -> Iterator[list[int]]:
    """The instances to be removed, the longest ended first; who asks removes them by its batches."""
    after = (0.0, 0)
    while page := reads.ended(which, after, at_most):
        after = (page[-1].ended or 0.0, page[-1].id)
        yield [row.id for row in page]
