"""A GWorkflowDL text as it says itself: places, transitions, edges and operations, with what stands around them."""

from dataclasses import dataclass, field
from typing import Literal

from weft.languages.text.source import Span

EdgeKind = Literal["input", "read", "write", "output", "inhibit", "reset"]


@dataclass(slots=True)
class Said:
    """What may be said of anything: what it is for, properties, and extensions, kept as they were written."""

    description: str = ""
    properties: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class PlaceText:
    id: str
    span: Span
    said: Said
    tokens: list[object] = field(default_factory=list)
    capacity: int | None = None
    type: str = "any"


@dataclass(frozen=True, slots=True)
class Edge:
    kind: EdgeKind
    place: str
    expression: str
    span: Span


@dataclass(frozen=True, slots=True)
class Condition:
    """`language` is python, xpath, or empty where the text does not say."""

    text: str
    language: str
    span: Span


@dataclass(slots=True)
class OperationText:
    """One of: a sub-net, expressions in Python, a chosen candidate, or the name of an operation to be resolved."""

    span: Span
    workflow: "WorkflowText | None" = None
    python: str = ""
    name: str = ""
    candidate: str = ""
    type: str = ""
    said: Said = field(default_factory=Said)


@dataclass(slots=True)
class TransitionText:
    id: str
    span: Span
    said: Said
    edges: list[Edge] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    operation: OperationText | None = None


@dataclass(slots=True)
class WorkflowText:
    id: str
    span: Span
    said: Said
    places: dict[str, PlaceText] = field(default_factory=dict)
    transitions: dict[str, TransitionText] = field(default_factory=dict)
