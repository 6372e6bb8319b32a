"""What exploring a net gives: the markings that can be reached, as integers, and how each was first reached."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter

from weft.analysis.plain import PlainNet

SLICE = 2048
"""How many markings are explored between two looks at the budget."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be spent before the answer is "unknown"."""

    states: int = 1_000_000
    seconds: float = 10.0
    clock: Callable[[], float] = perf_counter


def replaced(budget: Budget, share: float) -> Budget:
    """The same with only a part of the time."""
    return Budget(budget.states, budget.seconds * share, budget.clock)


class NotSafe(Exception):
    """A step would put a second token into a place, so markings are no sets; `marking` is where, `rule` the step."""


@dataclass(slots=True)
class Space:
    """Markings in the order in which they were found, each with the one before it on a shortest way.

    `successors` gives (transition, marking) for one; `decode` the tokens of each place. What is incomplete ran out of
    its budget. `pumped` is a marking that covers one before it on its way: then there is no bound.
    """

    net: PlainNet
    states: list[int]
    before: dict[int, int]
    successors: Callable[[int], Iterator[tuple[int, int]]]
    decode: Callable[[int], tuple[int, ...]]
    is_complete: bool
    dead: list[int] = field(default_factory=list)
    pumped: int | None = None
    tokens_max: int = 1

    def trace(self, marking: int) -> list[str]:
        """The transitions on a shortest way to a marking."""
        names: list[str] = []
        while (previous := self.before[marking]) != marking:
            step = next(number for number, after in self.successors(previous) if after == marking)
            names.append(self.net.transitions[step].name)
            marking = previous
        return names[::-1]

    def shown(self, marking: int) -> dict[str, int]:
        """Place → tokens, for those that are marked."""
        return {name: count for name, count in zip(self.net.places, self.decode(marking), strict=True) if count}
