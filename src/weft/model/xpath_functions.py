"""The functions of XPath 1.0, and how its four kinds of value become one another."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """An element, attribute (`@name`) or text (`#text`) of a value; `order` is its place in the document."""

    order: tuple[int, ...]
    name: str
    value: object
    parent: "Node | None"


Result = bool | float | str | list[Node]


@dataclass(frozen=True, slots=True)
class Context:
    """Where one stands: a node, the how-manieth, of how many."""

    node: Node
    position: int
    size: int


# From one kind to another.


def text_of(value: object) -> str:
    """The text of everything inside, attributes apart."""
    parts: list[str] = []
    rest = [value]
    while rest:
        match rest.pop():
            case None:
                pass
            case bool() as truth:
                parts.append("true" if truth else "false")
            case int() | float() as found:
                parts.append(string(float(found)) if abs(found) < 1e15 else str(found))
            case str() as text:
                parts.append(text)
            case list() as items:
                rest += reversed(items)
            case dict() as entries:
                rest += [one for key, one in reversed(entries.items()) if not str(key).startswith("@")]
            case _:
                pass
    return "".join(parts)


def string(value: Result) -> str:
    if isinstance(value, list):
        return text_of(value[0].value) if value else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def number(value: Result) -> float:
    if isinstance(value, bool | float):
        return float(value)
    text = string(value).strip(" \t\r\n")
    is_plain = text.isascii() and len(text) < 400 and text.removeprefix("-").replace(".", "", 1).isdigit()
    return float(text) if is_plain else math.nan


def boolean(value: Result) -> bool:
    return not math.isnan(value) and value != 0 if isinstance(value, float) else bool(value)


# The functions.


def _text(here: Context, values: list[Result]) -> str:
    return string(values[0]) if values else text_of(here.node.value)


def _nodes(values: list[Result]) -> list[Node]:
    return values[0] if values and isinstance(values[0], list) else []


def _name(here: Context, values: list[Result]) -> str:
    found = _nodes(values) if values else [here.node]
    return found[0].name.removeprefix("@") if found and found[0].name != "#text" else ""


def _rounded(here: Context, values: list[Result]) -> float:
    found = number(values[0])
    return float(math.floor(found + 0.5)) if math.isfinite(found) else found


def _whole(to: Callable[[float], int]) -> Callable[[Context, list[Result]], float]:
    def whole(here: Context, values: list[Result]) -> float:
        found = number(values[0])
        return float(to(found)) if math.isfinite(found) else found

    return whole


def _substring(here: Context, values: list[Result]) -> str:
    """Positions count from 1, and are rounded."""
    text = string(values[0])
    start = _rounded(here, [values[1]])
    length = _rounded(here, [values[2]]) if len(values) > 2 else math.inf
    return "".join(one for at, one in enumerate(text, 1) if start <= at < start + length)


def _translate(here: Context, values: list[Result]) -> str:
    text, source, target = map(string, values)
    table = {ord(one): target[at] if at < len(target) else None for at, one in reversed([*enumerate(source)])}
    return text.translate(table)


def _sum(here: Context, values: list[Result]) -> float:
    return sum((number(text_of(node.value)) for node in _nodes(values)), 0.0)


def _part(before: bool) -> Callable[[Context, list[Result]], str]:
    def part(here: Context, values: list[Result]) -> str:
        first, found, last = string(values[0]).partition(string(values[1])) if string(values[1]) else ("", "", "")
        return (first if before else last) if found else "" if before or string(values[1]) else string(values[0])

    return part


FUNCTIONS: Final[dict[str, Callable[[Context, list[Result]], Result]]] = {
    "boolean": lambda here, values: boolean(values[0]),
    "ceiling": _whole(math.ceil),
    "concat": lambda here, values: "".join(map(string, values)),
    "contains": lambda here, values: string(values[1]) in string(values[0]),
    "count": lambda here, values: float(len(_nodes(values))),
    "false": lambda here, values: False,
    "floor": _whole(math.floor),
    "last": lambda here, values: float(here.size),
    "local-name": _name,
    "name": _name,
    "normalize-space": lambda here, values: " ".join(_text(here, values).split()),
    "not": lambda here, values: not boolean(values[0]),
    "number": lambda here, values: number(values[0]) if values else number(text_of(here.node.value)),
    "position": lambda here, values: float(here.position),
    "round": _rounded,
    "starts-with": lambda here, values: string(values[0]).startswith(string(values[1])),
    "string": _text,
    "string-length": lambda here, values: float(len(_text(here, values))),
    "substring": _substring,
    "substring-after": _part(before=False),
    "substring-before": _part(before=True),
    "sum": _sum,
    "translate": _translate,
    "true": lambda here, values: True,
}
