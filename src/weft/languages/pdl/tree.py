"""What a PDL text says, part by part, as it stands there. Nothing is judged here."""

from dataclasses import dataclass

from weft.languages.text.errors import Errors
from weft.languages.text.words import Word


@dataclass(frozen=True, slots=True)
class Term:
    """A task that reaches a state: `T -> SUCCEEDED`."""

    task: Word
    state: Word
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Gate:
    """`AND(…)` or `OR(…)`."""

    operator: Word
    rules: tuple["Term | Gate", ...]
    depth: int


Rule = Term | Gate


@dataclass(frozen=True, slots=True)
class Clause:
    keyword: Word
    words: tuple[Word, ...] = ()
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """`KIND NAME { … }`; a task of a process says the model that it is made after."""

    kind: str
    name: Word
    clauses: tuple[Clause, ...] = ()
    blocks: tuple["Block", ...] = ()
    model: Word | None = None
    errors: tuple[Errors, ...] = ()
    is_whole: bool = True
    """Nothing in it had to be skipped, so what is not there was not said."""
