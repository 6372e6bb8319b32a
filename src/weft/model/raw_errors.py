"""The keys under which a task says what raw errors mean: by class, by code, by a part of the message.

A key is what is matched, and after a `~`, if there is one, what the message must hold besides:

| key | means |
| --- | --- |
| `OSError` | an exception of that class or one below it |
| `2`, `2-9` | an exit code or a status, or one of a range |
| `4xx` | a status from 400 to 499 |
| `~disk full` | a message with these words, in capitals or not; `*` stands for anything between |
| `OperationalError ~ locked` | both |

Matching takes no longer than the message is long, whatever the key: no regular expression comes from a definition.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

_CODES: Final = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?|([1-9])xx")
_CLASS: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


class KeyFault(ValueError):
    """A key can't be read; the message says what keys there are."""


@dataclass(frozen=True, slots=True)
class Raw:
    """What went wrong, as it was met: the classes of an exception, nearest first, or a code; and what it said."""

    classes: tuple[str, ...] = ()
    code: int | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Key:
    """One key, read: a class or a range of codes or neither, and the parts of the message in their order."""

    exception: str = ""
    codes: tuple[int, int] | None = None
    parts: tuple[str, ...] = field(default=())

    def distance(self, raw: Raw) -> int | None:
        """How far the key is from what went wrong: 0 is nearest, None does not match."""
        if not holds_in_order(raw.message.casefold(), self.parts):
            return None
        if self.codes is not None:
            first, last = self.codes
            return last - first if raw.code is not None and first <= raw.code <= last else None
        if not self.exception:
            return _ANY
        return raw.classes.index(self.exception) if self.exception in raw.classes else None


_ANY: Final = 1_000_000


def read_key(text: str) -> Key:
    """Reads a key, or raises `KeyFault`."""
    what, tilde, words = text.partition("~")
    what = what.strip()
    parts = tuple(part for part in (part.strip() for part in words.casefold().split("*")) if part)
    if tilde and not parts:
        raise KeyFault(f"{text!r} asks for a message after the ~ and says none: write {what or ''}~disk full")
    codes = _CODES.fullmatch(what)
    if codes is not None:
        first, last, hundred = codes.groups()
        span = (int(hundred) * 100, int(hundred) * 100 + 99) if hundred else (int(first), int(last or first))
        if span[0] > span[1]:
            raise KeyFault(f"{text!r} is a range that ends before it begins: write {span[1]}-{span[0]}")
        return Key(codes=span, parts=parts)
    if _CLASS.fullmatch(what):
        return Key(exception=what.rpartition(".")[2], parts=parts)
    if not what and parts:
        return Key(parts=parts)
    raise KeyFault(
        f"{text!r} is no raw error: write a class (OSError), a code (2), a range (2-9, 4xx), "
        "words of the message (~disk full), or both (OSError ~ disk full)"
    )


def declared_for(errors: Mapping[str, str], raw: Raw) -> str | None:
    """The declared error that a raw one means; None when no key matches.

    A key with words wins over one without, more words over fewer, then the nearest class or the smallest range.
    """
    if not errors:
        return None
    found: list[tuple[int, int, str, str]] = []
    for text, error in errors.items():
        key = read_key(text)
        distance = key.distance(raw)
        if distance is not None:
            found.append((-sum(map(len, key.parts)), distance, text, error))
    return min(found)[3] if found else None


def is_among(code: int, keys: Iterable[str]) -> bool:
    """Whether a code is one of those that keys such as `2-9` or `4xx` mean."""
    spans = [read_key(key).codes for key in keys]
    return any(span is not None and span[0] <= code <= span[1] for span in spans)


def holds_in_order(message: str, parts: Iterable[str]) -> bool:
    place = 0
    for part in parts:
        found = message.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True
