"""A classad as it is written: records, lists, texts, numbers, references, and expressions that nobody reads here."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from weft.languages.text.source import Span


@dataclass(frozen=True, slots=True)
class Text:
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Number:
    value: float
    span: Span


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Reference:
    """`root.nodes.A.description.OutputSandbox[0]`; a number is an index."""

    parts: tuple[str | int, ...]
    span: Span

    @property
    def text(self) -> str:
        return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.parts).removeprefix(".")


@dataclass(frozen=True, slots=True)
class Raw:
    """An expression, such as `other.GlueCEPolicyMaxCPUTime > 60`."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Items:
    items: tuple["Value", ...]
    span: Span


@dataclass(slots=True)
class Record:
    """Entries by name; names mean the same in any case."""

    span: Span
    entries: dict[str, "Entry"] = field(default_factory=dict)

    def get(self, *names: str) -> "Value | None":
        found = next((self.entries[name] for name in names if name in self.entries), None)
        return found.value if found is not None else None

    def __iter__(self) -> Iterator["Entry"]:
        return iter(self.entries.values())


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    value: "Value"
    span: Span


Value = Text | Number | Truth | Reference | Raw | Items | Record


def shown(value: Value, source: str) -> str:
    return source[value.span.start : value.span.end]
