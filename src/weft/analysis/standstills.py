"""Where a whole flow stands between two things that its children do, and how it ends. Values only."""

from typing import NamedTuple

from weft.analysis.standings import Standing


class Still(NamedTuple):
    """A standstill: nothing happens until a child does something. `asking` are parked, in order; `grant` has leave."""

    children: tuple[Standing, ...]
    answers: tuple[int, ...]
    marks: frozenset[str] = frozenset()
    asking: tuple[int, ...] = ()
    grant: int = -1
    has_failed: bool = False

    @property
    def begun(self) -> tuple[int, ...]:
        return tuple(number for number, one in enumerate(self.children) if one.was_ready)


class End(NamedTuple):
    """The flow ends by an outcome, and stops what is `running`; or it is "stuck", while something may still run.

    `begun` are the children that were ready before that.
    """

    kind: str
    outcome: str
    running: tuple[int, ...] = ()
    marks: frozenset[str] = frozenset()
    waiting: tuple[int, ...] = ()
    answers: tuple[int, ...] = ()
    begun: tuple[int, ...] = ()
