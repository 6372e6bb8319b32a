"""What a language makes of a text: processes, where each activity stands in it, and what could not be taken over."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from weft.languages.text.faults import located
from weft.languages.text.source import TEXT_LIMITS, Source, Span, TextLimits
from weft.model.definition import Activity, Call, Process, parts
from weft.model.faults import Fault
from weft.model.wellformed import check

Places = Mapping[str, Span]
"""Of one process: activity → the part of the text that speaks of it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The processes of a text. `notes` are warnings: what is unknown, kept or left out."""

    processes: tuple[Process, ...]
    source: Source | None = None
    places: Mapping[str, Places] = field(default_factory=dict)
    notes: Sequence[Fault] = ()
    unkept: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of one process: what its text says, and no definition keeps, as nothing happens by it; a conversion loses it."""

    @property
    def main(self) -> str:
        """The process that is meant when none is named: the only one, or the only one that no other calls."""
        called = {one.process for process in self.processes for one in activities(process) if isinstance(one, Call)}
        uncalled = [one.name for one in self.processes if one.name not in called]
        return uncalled[0] if len(uncalled) == 1 else ""

    def faults(self, process: Process) -> list[Fault]:
        """What the model finds wrong with a process, at its places in the text, and the notes."""
        return [*self.notes, *self.placed(process.name, check(process))]

    def placed(self, process: str, faults: list[Fault]) -> list[Fault]:
        """Faults, which name activities of a process, at their places in the text."""
        return faults if self.source is None else located(self.source, self.places.get(process, {}), faults)


def activities(process: Process) -> Iterator[Activity]:
    """All of a process, at every depth."""
    rest: list[Activity] = [process.body]
    while rest:
        activity = rest.pop()
        rest += parts(activity)
        yield activity


class Reader(Protocol):
    """A language's function `read`. It raises `Invalid`, with everything that is wrong, and never anything else."""

    def __call__(self, content: bytes, name: str, limits: TextLimits = TEXT_LIMITS) -> Reading: ...
