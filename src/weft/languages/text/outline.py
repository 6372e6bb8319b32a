"""The names that a text declares, where each is known and what an editor says of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from weft.languages.text.source import Span

Kind = Literal["process", "activity", "definition", "variable", "class", "data"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """A declared name; it is known in `scope`. `detail` is its declaration in one line."""

    name: str
    kind: Kind
    span: Span
    detail: str
    scope: Span


@dataclass(frozen=True, slots=True)
class Outline:
    """What is declared in a text, and what the words of its language mean, in capitals."""

    symbols: Sequence[Symbol]
    words: Mapping[str, str] = field(default_factory=dict)

    def meant(self, name: str, offset: int) -> Symbol | None:
        """What a name stands for at a place: what is declared nearest around it."""
        known = [one for one in self.known(offset) if one.name == name]
        return min(known, key=lambda one: one.scope.end - one.scope.start, default=None)

    def known(self, offset: int) -> Iterable[Symbol]:
        """What can be named at a place."""
        return (one for one in self.symbols if one.scope.start <= offset <= one.scope.end)
