"""Expressions in texts as those of the model: NULL, TRUE and C's signs become Python's, faults keep their places."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from weft.languages.text.faults import TextReport
from weft.languages.text.source import Source, Span
from weft.model.expressions import Expression, ExpressionFault, compile_expression
from weft.model.types import ObjectClass, Type

WORDS: Final = {
    "null": "null", "true": "True", "false": "False", "and": "and", "or": "or", "not": "not", "in": "in", "is": "is",
    "&&": "and", "||": "or", "!": "not ",
}  # fmt: skip
NO_CLASSES: Final[Mapping[str, ObjectClass]] = {}
PIECE: Final = re.compile(
    r"""(?P<kept>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|!=)"""
    r"""|(?P<gap>(?:\s|/\*[\s\S]*?\*/|//[^\n]*)+)"""
    r"""|(?P<word>[A-Za-z_]\w*|&&|\|\||!)"""
)


@dataclass(frozen=True, slots=True)
class Translated:
    """An expression as the model reads it. What begins there at a mark stands in the text at its origin."""

    text: str
    marks: tuple[int, ...]
    origins: tuple[int, ...]

    def span(self, column: int, end: int) -> Span:
        """The place in the text of a column, counted from 1."""
        index = max(0, bisect_right(self.marks, column - 1) - 1)
        start = min(self.origins[index] + max(0, column - 1 - self.marks[index]), end - 1)
        return Span(start, start + 1)


def translated(source: Source, span: Span) -> Translated:
    text, made, length, at = source.text[span.start : span.end], [], 0, 0
    marks, origins = [0], [span.start]
    for found in PIECE.finditer(text):
        piece = found[0]
        new = " " if found["gap"] else piece if found["kept"] else WORDS.get(piece.lower(), piece)
        if new == piece:
            continue
        made += [text[at : found.start()], new]
        length += found.start() - at + len(new)
        at = found.end()
        marks.append(length)
        origins.append(span.start + at)
    return Translated("".join([*made, text[at:]]), tuple(marks), tuple(origins))


def compiled(
    report: TextReport, span: Span, names: Mapping[str, Type], classes: Mapping[str, ObjectClass] = NO_CLASSES
) -> Expression | None:
    """The expression at that place; what is wrong with it is told at the very sign."""
    expression = translated(report.source, span)
    try:
        return compile_expression(expression.text, names, classes)
    except ExpressionFault as fault:
        place = word_at(report.source, expression.span(fault.column, span.end))
        advice = f"did you mean {fault.suggestion}?" if fault.suggestion else ""
        if place.end - place.start > 1 and report.is_hidden(report.source.text[place.start : place.end]):
            return None
        report.add("condition", place, fault.message, advice)
        return None


def word_at(source: Source, span: Span) -> Span:
    """The whole word that begins there."""
    found = re.compile(r"\w+").match(source.text, span.start)
    return Span(span.start, found.end()) if found else span
