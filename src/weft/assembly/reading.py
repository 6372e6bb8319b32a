"""Instances read back for those who look: their history as decisions, and their state by replaying it."""

from dataclasses import dataclass

from weft.engine.loading import decisions_in, whole_history
from weft.kernel.facts import AnyFact
from weft.store.interface import Reads


@dataclass(frozen=True, slots=True)
class Decision:
    """What one command brought: its facts, numbered from `number`."""

    number: int
    time: float
    actor: str
    command: str
    facts: tuple[AnyFact, ...]


def facts_of(reads: Reads, instance: int) -> tuple[AnyFact, ...]:
    """All facts of an instance."""
    return tuple(fact for _, told in decisions_in(reads, whole_history(reads, instance)) for fact in told)


def history_of(reads: Reads, instance: int, after: int = 0, at_most: int = 1000) -> list[Decision]:
    rows = decisions_in(reads, reads.history(instance, after, at_most))
    return [Decision(row.sequence, row.time, row.actor, row.command, tuple(told)) for row, told in rows]
