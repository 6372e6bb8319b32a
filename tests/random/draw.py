"""Where choices come from: a seed, for long runs that repeat exactly, or Hypothesis, which makes a failing one small.

Everything is made of `number`, and smaller numbers mean simpler things.
"""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

Chosen = TypeVar("Chosen")


class Draw:
    def number(self, low: int, high: int) -> int:
        raise NotImplementedError

    def chance(self, percent: int) -> bool:
        return self.number(0, 99) >= 100 - percent

    def one(self, of: Sequence[Chosen]) -> Chosen:
        return of[self.number(0, len(of) - 1)]

    def some(self, of: Sequence[Chosen], least: int = 0) -> list[Chosen]:
        """So many at least, in their order."""
        left = list(range(len(of)))
        chosen = [left.pop(self.number(0, len(left) - 1)) for _ in range(self.number(least, len(of)))]
        return [of[index] for index in sorted(chosen)]

    def shuffled(self, of: Sequence[Chosen]) -> list[Chosen]:
        left = list(of)
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(len(of))]

    def weighted(self, of: dict[Chosen, int]) -> Chosen:
        """The first are the simplest."""
        at = self.number(0, sum(of.values()) - 1)
        for one, weight in of.items():
            at -= weight
            if at < 0:
                return one
        raise AssertionError(of)


class Seeded(Draw):
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def number(self, low: int, high: int) -> int:
        return low + int(self.random.random() * (high - low + 1))


class Drawn(Draw):
    def __init__(self, data: st.DataObject) -> None:
        self.data = data

    def number(self, low: int, high: int) -> int:
        return low if low == high else self.data.draw(st.integers(low, high))
