"""Texts with `{name}` in them: arguments of commands, paths of endpoints. Nothing is evaluated.

`{{` and `}}` are the braces themselves.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import msgspec

_PART: Final = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


class FillFault(ValueError):
    """A text names what is not there, or its braces don't fit."""


def fill(text: str, values: Mapping[str, object], quote: Callable[[str], str] = str) -> str:
    """The text with the values in it, each quoted.

    >>> fill("--since={day}", {"day": "2031-05-01"})
    '--since=2031-05-01'
    """

    def part(match: re.Match[str]) -> str:
        found = match.group()
        if found in ("{{", "}}"):
            return found[0]
        if match.group(1) is None:
            raise FillFault(f"{text!r} has a {found} on its own: write {found}{found} for the sign itself")
        return quote(in_words(_value(text, match.group(1), values)))

    return _PART.sub(part, text)


def fill_all(texts: tuple[str, ...], values: Mapping[str, object]) -> Iterator[str]:
    """Each text filled; one that is just `{name}` of a list gives one for each element."""
    for text in texts:
        match = _PART.fullmatch(text)
        value = _value(text, match.group(1), values) if match is not None and match.group(1) else None
        if isinstance(value, list):
            yield from map(in_words, value)
        else:
            yield fill(text, values)


def names_in(text: str) -> set[str]:
    """The values that a text wants."""
    return {match.group(1) for match in _PART.finditer(text) if match.group(1) is not None}


def in_words(value: object) -> str:
    """Plain data as a program reads it: text as it is, nothing as nothing, `true`, `false`, numbers, else JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


def _value(text: str, name: str, values: Mapping[str, object]) -> object:
    if name not in values:
        known = ", ".join(values) or "none"
        raise FillFault(f"{text!r} wants the parameter {name!r}; there are: {known}")
    return values[name]
