"""What a simulation assumes of a process: how long work takes, how it ends, what it gives, how many people there are.

The form of a file of figures (docs/how-to/simulate.md). All of it may be left out.
"""

from random import Random
from typing import Final

from msgspec import DecodeError, Struct, ValidationError, json

from weft.model.type_language import DictOf, ListOf, Literal, Named, Simple, Union
from weft.model.types import ObjectClass, Type, parse

NESTING_MAX: Final = 8

Seconds = float | tuple[float, float] | dict[str, float]
"""Always so many; anything between two, equally likely; or `{"mean": m}`, most often short and seldom long."""


class TaskFigures(Struct, forbid_unknown_fields=True):
    seconds: Seconds | None = None
    outcomes: dict[str, float] = {}
    """Weights. Without any it always ends by its first outcome that commits."""
    values: dict[str, list[object]] = {}
    """For an object the values that it may have, each as likely."""
    error: str = "task"


class Figures(Struct, forbid_unknown_fields=True):
    seconds: Seconds = 60.0
    tasks: dict[str, TaskFigures] = {}
    conditions: dict[str, float] = {}
    """The text of a condition → how likely it is true. Others are evaluated."""
    roles: dict[str, int] = {}
    """How many people have a role; of others there are always enough."""
    every_seconds: float | None = None
    """A new instance begins so often, and all share the people; without it each runs alone."""


class BadFigures(Exception):
    """The file of figures can't be read; the message says why."""


def read_figures(content: bytes, name: str) -> Figures:
    try:
        return json.decode(content, type=Figures)
    except (ValidationError, DecodeError) as error:
        raise BadFigures(f"{name} is no file of figures: {error}") from None


def seconds_of(given: Seconds, random: Random) -> float:
    if isinstance(given, tuple):
        return random.uniform(*given)
    if isinstance(given, dict):
        mean = given.get("mean", 0.0)
        return random.expovariate(1 / mean) if mean > 0 else 0.0
    return given


def sample(text: str, classes: dict[str, ObjectClass], random: Random) -> object:
    """Some value of a type."""
    return _sample(parse(text, classes), classes, random, NESTING_MAX)


def _sample(of: Type, classes: dict[str, ObjectClass], random: Random, depth: int) -> object:
    match of:
        case Simple(name=name):
            return _simple(name, random)
        case Literal(value=value):
            return value
        case ListOf(item=item):
            return [_sample(item, classes, random, depth - 1) for _ in range(2)] if depth else []
        case DictOf():
            return {}
        case Union(members=members):
            return _sample(random.choice(members), classes, random, depth)
        case Named(name=name) if name in classes and depth:
            fields = classes[name].fields
            return {
                key: _sample(parse(field.type, classes), classes, random, depth - 1) for key, field in fields.items()
            }
    return None


def _simple(name: str, random: Random) -> object:
    if name == "bool":
        return random.random() < 0.5
    if name == "int":
        return random.randint(0, 9)
    if name == "float":
        return round(random.random() * 10, 2)
    return "text" if name == "str" else None
