"""Instances read back for those who look: their history as decisions, and their state by replaying it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec

from weft.assembly.operations import result_of
from weft.engine.definitions import Definitions
from weft.engine.live import Live
from weft.engine.loading import decisions_in, load, whole_history
from weft.engine.result import Result
from weft.engine.standing import standing_of
from weft.engine.waking import ending
from weft.engine.whereabouts import whereabouts
from weft.kernel.facts import AnyFact
from weft.kernel.refusals import NotFound
from weft.model.definition import Process
from weft.store.interface import Reads
from weft.store.rows import InstanceRow


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


def live_in(reads: Reads, instance: int) -> Live:
    """An instance as its facts have it. Raises `NotFound`."""
    live = load(reads, Definitions(0.0), [instance], 0.0).get(instance)
    if live is None:
        raise NotFound(f"there is no instance {instance}")
    return live


def result_in(reads: Reads, instance: int) -> Result:
    """How an instance ended, or what it waits for."""
    live = live_in(reads, instance)
    found = result_of(ending(live)) if live.row.ended is not None else standing_of(live)
    return replace(found, told=lambda: facts_of(reads, instance))


@dataclass(frozen=True, slots=True)
class Place:
    """An activity of an instance: where it stands, and if it waits, why."""

    path: str
    depth: int
    standing: str
    why: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def matters(self) -> bool:
        """Does it run, or wait for something that people can see?"""
        return self.depth == 0 or self.standing not in ("waiting", "skipped", "committed")


@dataclass(frozen=True, slots=True)
class Standing:
    row: InstanceRow
    process: Process
    """As it stands in the store now, after changes."""
    places: tuple[Place, ...]
    variables: Mapping[str, object]
    waits: tuple[str, ...]

    def plain(self) -> dict[str, object]:
        activities = [{"path": one.path, "standing": one.standing, "why": one.why} for one in self.places]
        row = {**msgspec.to_builtins(self.row), "id": str(self.row.id)}
        return {"instance": row, "activities": activities, "variables": self.variables, "waits": self.waits}


def standing_in(reads: Reads, instance: int) -> Standing:
    """Where every activity stands that has a place."""
    live = live_in(reads, instance)
    waits = () if live.row.ended is not None else standing_of(live).waits
    root = live.state.root
    body = root.execution[0].body if root is not None and root.execution[0] is not None else None
    places = tuple(Place(*one) for one in whereabouts(live))
    return Standing(live.row, live.current.process, places, {} if body is None else body.variables, waits)
