"""What is wrong with a text: faults that show the line and point at the place, all of them at once."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from weft.languages.text.source import TEXT_LIMITS, Source, Span, TextLimits
from weft.model.faults import ERRORS, Fault, Invalid, shown
from weft.model.types import near

SHOWN_MAX = 100
"""Characters of a source line that are shown."""
NAMES_MAX = 2_000


class TextFault(Fault, frozen=True):
    """A fault with its place: line and columns count from 1; `source` is the line, `expected` what may stand there."""

    file: str = ""
    line: int = 0
    column: int = 0
    end_column: int = 0
    source: str = ""
    expected: tuple[str, ...] = ()

    def __str__(self) -> str:
        advice = f"; {self.advice}" if self.advice else ""
        place = f"{self.file}:{self.line}:{self.column}"
        line, marks = _pointed(self.source, self.column, self.end_column)
        number = str(self.line)
        return (
            f"{place}: {self.severity} {self.code}: {self.message}{advice}\n"
            f"    {number} | {line}\n    {' ' * len(number)} | {marks}{shown(self.trace)}"
        )


def _pointed(line: str, column: int, end_column: int) -> tuple[str, str]:
    """The line, cut around the place if it is long, and the carets below it; tabs stay tabs in both."""
    first = column - 1
    cut = max(0, first - SHOWN_MAX // 2) if len(line) > SHOWN_MAX else 0
    shown = "".join(one if one.isprintable() or one == "\t" else "·" for one in line[cut : cut + SHOWN_MAX])
    before = "".join("\t" if one == "\t" else " " for one in shown[: first - cut])
    width = max(1, min(end_column, cut + len(shown) + 1) - column)
    return shown.rstrip(), before + "^" * width


class TextReport:
    """Collects the faults of one text, each once."""

    def __init__(self, source: Source, limits: TextLimits = TEXT_LIMITS) -> None:
        self.source = source
        self.limits = limits
        self.faults: list[Fault] = []
        self._seen: set[tuple[str, int, str]] = set()
        self._broken_lines: frozenset[int] = frozenset()

    @property
    def is_full(self) -> bool:
        return len(self.faults) >= self.limits.faults

    @property
    def has_errors(self) -> bool:
        return any(fault.severity == "error" for fault in self.faults)

    def add(
        self,
        code: str,
        span: Span,
        message: str,
        advice: str = "",
        *,
        expected: Sequence[str] = (),
        activity: str = "",
    ) -> None:
        """Severity follows from the code. Where the parser had to guess, only what it said itself is told."""
        if self._broken_lines and self.source.position(span.start)[0] in self._broken_lines:
            return
        key = code, span.start, message
        if key in self._seen or self.is_full:
            return
        self._seen.add(key)
        severity = "error" if code in ERRORS else "warning"
        about = Fault(severity, code, activity, activity, message, advice)  # type: ignore[arg-type]
        self.faults.append(placed(self.source, span, about, expected))

    def unknown(self, code: str, span: Span, message: str, name: str, known: Iterable[str], otherwise: str) -> None:
        """A name that is not there, with the one that was probably meant."""
        if self.is_full or self.is_hidden(name):
            return
        self.add(code, span, message, meant(name, known) or otherwise)

    def too_long(self, span: Span) -> None:
        """A text has more words and signs than are read, from this one on."""
        message = f"the text has more than {self.limits.signs} words and signs, and no more are read"
        self.add("too-large", span, message, "split it into files")

    def end_syntax(self) -> None:
        """The parser is done: from here on faults are of what it could read."""
        self._broken_lines = frozenset(fault.line for fault in self.faults if isinstance(fault, TextFault))

    def is_hidden(self, name: str) -> bool:
        """Whether a broken text has the name elsewhere too, so that what declares it may have been skipped."""
        if not self._broken_lines:
            return False
        return len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", self.source.text)) > 1

    def raise_errors(self) -> None:
        if self.has_errors:
            raise Invalid(self.source.name, self.ordered())

    def ordered(self) -> list[Fault]:
        return sorted(self.faults, key=_where)


def meant(name: str, known: Iterable[str]) -> str:
    found = near(name, list(islice(known, NAMES_MAX)))
    return f"did you mean {found!r}?" if found else ""


def _where(fault: Fault) -> tuple[int, int]:
    return (fault.line, fault.column) if isinstance(fault, TextFault) else (0, 0)


def placed(source: Source, span: Span, fault: Fault, expected: Sequence[str] = ()) -> TextFault:
    """The fault, at its place in the text."""
    line, column = source.position(min(span.start, len(source.text)))
    end_line, end_column = source.position(min(max(span.end, span.start), len(source.text)))
    text = source.line(line)
    return TextFault(
        fault.severity,
        fault.code,
        fault.activity,
        fault.path,
        fault.message,
        fault.advice,
        fault.trace,
        source.name,
        line,
        column,
        end_column if end_line == line else len(text) + 1,
        text,
        tuple(expected),
    )


def located(source: Source, places: Mapping[str, Span], faults: Iterable[Fault]) -> list[Fault]:
    """Faults of the model, which name an activity, at the places where the text speaks of it."""
    found = [
        placed(source, places[fault.activity], fault)
        if fault.activity in places and not isinstance(fault, TextFault)
        else fault
        for fault in faults
    ]
    return sorted(found, key=_where)
