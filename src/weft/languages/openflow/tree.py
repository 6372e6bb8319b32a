"""What an OPENflow script says, part by part, as it stands there. Nothing is judged here."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from weft.languages.text.errors import Errors
from weft.languages.text.source import Span
from weft.languages.text.words import Word
from weft.model.definition import Value


class Literally(NamedTuple):
    """A value that is written out; the name that stands for none is kept."""

    value: Value
    span: Span
    unknown: str = ""


class FieldText(NamedTuple):
    name: Word
    type: Span
    is_optional: bool
    default: Literally | None


@dataclass(frozen=True, slots=True)
class ClassText:
    """An object class."""

    name: Word
    extends: Word | None
    fields: tuple[FieldText, ...]


class ObjectText(NamedTuple):
    name: Word
    type: Span


WayKind = Literal["input", "commit", "abort", "repeat", "mark"]


@dataclass(frozen=True, slots=True)
class Way:
    """An input set or an outcome of a task class."""

    kind: WayKind
    name: Word
    objects: tuple[ObjectText, ...]


@dataclass(frozen=True, slots=True)
class TaskClassText:
    name: Word
    ways: tuple[Way, ...]


class Event(NamedTuple):
    """A task, and how it must have started or ended: by an outcome's name, by an input set, by an error, or anyhow."""

    task: Word
    how: Literal["", "outcome", "input", "error"] = ""
    name: Word | None = None


class ObjectOf(NamedTuple):
    name: Word
    event: Event


Alternative = ObjectOf | Literally


class SourceText(NamedTuple):
    name: Word
    alternatives: tuple[Alternative, ...]


class Notification(NamedTuple):
    span: Span
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class SetText:
    """An input set of a task, or an outcome of a compound."""

    name: Word
    sources: tuple[SourceText, ...]
    notifications: tuple[Notification, ...]


class Work(NamedTuple):
    """`kind` is the rule of the grammar."""

    kind: str
    word: Word
    names: tuple[Word, ...] = ()
    seconds: float = 0.0


class Setting(NamedTuple):
    word: Word
    value: Value


class Side(NamedTuple):
    task: "TaskText"


@dataclass(frozen=True, slots=True)
class TaskText:
    kind: Literal["task", "compound", "genesis"]
    name: Word
    task_class: Word
    is_atomic: bool
    inputs: tuple[SetText, ...]
    outputs: tuple[SetText, ...]
    children: tuple["TaskText", ...]
    works: tuple[Work, ...]
    settings: tuple[Setting, ...]
    sides: tuple[Side, ...]
    errors: tuple[Errors, ...]
    definition: Word | None
    is_whole: bool
