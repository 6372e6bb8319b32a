"""The text that a user wrote, and places in it. It knows of no language."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from weft.model.faults import Fault, Invalid


class Span(NamedTuple):
    """From one offset in the text to the one behind its last character."""

    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        return Span(self.start, max(self.end, other.end))


START = Span(0, 0)


@dataclass(frozen=True, slots=True)
class TextLimits:
    """How much of a text is read before it is refused; the operator may set them."""

    characters: int = 4_000_000
    signs: int = 500_000
    """Words and signs; only the languages that people write have such."""
    nesting: int = 100
    faults: int = 50


TEXT_LIMITS = TextLimits()


class Source:
    """A named text."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text

    @cached_property
    def _starts(self) -> list[int]:
        found, at = [0], self.text.find("\n")
        while at >= 0:
            found.append(at + 1)
            at = self.text.find("\n", at + 1)
        return found

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def start_of(self, line: int) -> int:
        """The offset of a line's first character."""
        return self._starts[line - 1]

    def line(self, number: int) -> str:
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")


def source_of(content: bytes, name: str, limits: TextLimits = TEXT_LIMITS) -> Source:
    """The text of a file. Raises `Invalid` if it is too large or not UTF-8."""
    if len(content) > limits.characters:
        raise _refused(
            name, "too-large", f"it has {len(content)} bytes, and {limits.characters} are read", "split it into files"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _refused(name, "syntax", f"line {line} is not UTF-8 ({error.reason})", "save it as UTF-8") from None
    return Source(name, text)


def _refused(name: str, code: str, message: str, advice: str) -> Invalid:
    return Invalid(name, [Fault("error", code, "", name, message, advice)])
