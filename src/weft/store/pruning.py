"""Removes ended instances, a bounded number at a time. Their business keys stay until their time is over."""

from collections.abc import Iterator
from typing import Final

from weft.store.batch import Batch, Committed
from weft.store.interface import Ended, Reads, Store
from weft.store.problems import Unavailable

STEP: Final = 100


def steps(reads: Reads, which: Ended, at_most: int = STEP) -> Iterator[list[int]]:
    """The instances to be removed, the longest ended first; who asks removes them by its batches."""
    after = (0.0, 0)
    while page := reads.ended(which, after, at_most):
        after = (page[-1].ended or 0.0, page[-1].id)
        yield [row.id for row in page]


def prune(store: Store, which: Ended, at_most: int = STEP) -> Iterator[int]:
    """Removes them where no engine runs, and tells after each step how many went."""
    for instances in steps(store, which, at_most):
        outcome = store.commit(Batch(store.batch + 1, removed=instances))
        if not isinstance(outcome, Committed):
            raise Unavailable(f"nothing more can be removed at present ({outcome.detail}); what was told of has gone")
        yield len(instances)
