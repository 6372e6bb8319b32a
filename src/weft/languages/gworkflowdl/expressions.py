"""Conditions and edge expressions: Python's subset or XPath, told apart by how they look, made one kind of text."""

import keyword
import re
from collections.abc import Mapping
from typing import Final

from weft.languages.text.faults import TextReport
from weft.languages.text.source import Span
from weft.model.expressions import ExpressionFault, compile_expression, literal
from weft.model.types import ANY
from weft.model.xpath_syntax import parse_xpath, variables

PLAIN: Final = re.compile(r"[^\W\d][\w .:-]*")
_AROUND: Final = re.compile(r"(\$[\w.-]+)/\w+:token/\w+:data\b")
"""Before version 2.0 a variable was what is around a token's data."""
_NOT_IDENTIFIER: Final = re.compile(r"\W")
_RESERVED: Final = frozenset(keyword.kwlist) | {"null", "true", "false"}

Names = Mapping[str, str]
"""What edges call a value → the name under which it is bound."""


def identifier(text: str) -> str:
    """A name that an expression can use.

    >>> identifier("config file"), identifier("in")
    ('config_file', 'in_')
    """
    found = _NOT_IDENTIFIER.sub("_", text.strip()) or "_"
    found = found if (found[0].isalpha() and found[0].isascii()) or found[0] == "_" else f"_{found}"
    return found + "_" if found in _RESERVED else found


def is_xpath(text: str, names: Names) -> bool:
    """Whether a text that does not say its language is XPath."""
    if "$" in text or text.startswith("/"):
        return True
    return _fault(text, names) is not None and _xpath_fault(text) is None


def _fault(text: str, names: Names) -> ExpressionFault | None:
    try:
        compile_expression(text, dict.fromkeys(names.values(), ANY), {})
    except ExpressionFault as fault:
        return fault
    return None


def _xpath_fault(text: str) -> ExpressionFault | None:
    try:
        parse_xpath(text)
    except ExpressionFault as fault:
        return fault
    return None


class Texts:
    """Makes expressions of the model of those of one transition."""

    def __init__(self, report: TextReport, transition: str, names: Names) -> None:
        self.report = report
        self.transition = transition
        self.names = names

    def condition(self, text: str, language: str, span: Span) -> str:
        if text in ("true", "false"):
            return text.capitalize()
        if language == "xpath" or (not language and is_xpath(text, self.names)):
            return self._xpath("xpath", f"boolean({text})", text, span)
        return self.python(text, span)

    def data(self, text: str, span: Span) -> str:
        """The token that an edge puts."""
        return self._xpath("xpath_data", text, text, span) if is_xpath(text, self.names) else self.python(text, span)

    def python(self, text: str, span: Span) -> str:
        fault = _fault(text, self.names)
        if fault is not None:
            what = f"the expression {_short(text)} of {self.transition!r} can't be read: {fault.message}"
            self.report.add("condition", span, what, f"its names are {', '.join(self.names.values()) or 'none'}")
        return text

    def _xpath(self, function: str, asked: str, text: str, span: Span) -> str:
        asked, text = (_AROUND.sub(r"\1", one) for one in (asked, text))
        fault = _xpath_fault(text)
        if fault is not None:
            what = f"the XPath {_short(text)} of {self.transition!r} can't be read: {fault.message}"
            self.report.add("condition", span, what, f"at its character {fault.column}")
            return "False"
        used = variables(parse_xpath(text))
        for name in sorted(used - set(self.names)):
            what = f"the XPath {_short(text)} of {self.transition!r} asks for ${name}, which no edge brings"
            self.report.unknown("unknown-variable", span, what, name, self.names, "name it on an input or read edge")
        entries = ", ".join(f"{literal(name)}: {self.names[name]}" for name in sorted(used & set(self.names)))
        return f"{function}({literal(asked)}, {{{entries}}})"


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")
