"""What the parser makes of a text in MFDL: its parts with their places, not yet judged."""

from dataclasses import dataclass
from typing import NamedTuple

from weft.languages.text.errors import Errors, Retry
from weft.languages.text.source import Span
from weft.languages.text.words import Word


class Variable(NamedTuple):
    """A declared name: `size` is None for one value, else the array's size, `""` if it says none."""

    name: Word
    size: Word | None
    value: Span | None = None


class Parameter(NamedTuple):
    direction: str
    type: Word
    name: Word
    size: Word | None


# What is said of an activity.


class Attribute(NamedTuple):
    """A word alone: CRITICAL, NON_VITAL, CRITICAL_NON_VITAL, IDEMPOTENT or CHECKPOINT."""

    word: Word


class Named(NamedTuple):
    """A word with a name: PARTICIPANT or RESOURCE."""

    word: Word
    name: Word


class Invocation(NamedTuple):
    name: Word
    arguments: tuple[Span, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Side:
    """COMPENSATED_BY or UNDONE_BY: what takes back, and when."""

    word: Word
    activity: "Invocation | Block"
    when: Span | None = None


Clause = Attribute | Named | Retry | Side | Errors


# Statements.


@dataclass(frozen=True, slots=True)
class Call:
    invocation: Invocation
    clauses: tuple[Clause, ...]
    label: Word | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    variable: Word
    value: Span
    label: Word | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """`kind` is SERIAL, AND_PARALLEL, OR_PARALLEL, XOR_PARALLEL or CONTINGENCY."""

    kind: Word
    statements: tuple["Statement", ...]
    clauses: tuple[Clause, ...]
    label: Word | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    word: Word
    condition: Span
    then: "Statement | None"
    otherwise: "Statement | None"
    label: Word | None = None


@dataclass(frozen=True, slots=True)
class Loop:
    word: Word
    condition: Span
    body: "Statement | None"
    label: Word | None = None


Statement = Call | Assignment | Block | Choice | Loop


# What stands in a text.


@dataclass(frozen=True, slots=True)
class Definition:
    kind: Word
    name: Word
    parameters: tuple[Parameter, ...]
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Declaration:
    """ACTIVITY: activities of a process, each of which is used once, by the name of what they are."""

    what: Word
    names: tuple[Word, ...]
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Variables:
    type: Word
    variables: tuple[Variable, ...]


Entry = Declaration | Variables | Statement


@dataclass(frozen=True, slots=True)
class ProcessText:
    name: Word
    parameters: tuple[Parameter, ...]
    entries: tuple[Entry, ...]


Item = Definition | ProcessText
