"""The nets of a PNML text as it says them: nodes, references and arcs, whatever page they stand on."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from weft.languages.text.source import Span

NodeKind = Literal["place", "transition", "referencePlace", "referenceTransition"]
ArcType = Literal["take", "read", "inhibit", "reset"]


@dataclass(frozen=True, slots=True)
class Node:
    """A place or transition, or with `ref` one that only stands for another."""

    kind: NodeKind
    id: str
    label: str
    span: Span
    tokens: int = 0
    capacity: int = 0
    """How many tokens a place may have; 0 is as many as come."""
    priority: int = 0
    ref: str = ""

    @property
    def is_place(self) -> bool:
        return self.kind in ("place", "referencePlace")


@dataclass(frozen=True, slots=True)
class Arc:
    source: str
    target: str
    weight: int
    type: ArcType
    span: Span


@dataclass(slots=True)
class NetText:
    id: str
    label: str
    span: Span
    nodes: dict[str, Node] = field(default_factory=dict)
    arcs: list[Arc] = field(default_factory=list)
    final: dict[str, Span] = field(default_factory=dict)
    """The places that have a token in the end, if the text says one way to end."""

    def real(self) -> Iterator[Node]:
        return (one for one in self.nodes.values() if not one.ref)

    def meant(self, id: str) -> Node | None:
        """The place or transition that a reference leads to in the end."""
        seen: set[str] = set()
        while (found := self.nodes.get(id)) is not None and found.ref and id not in seen:
            seen.add(id)
            id = found.ref
        return None if found is None or found.ref else found
