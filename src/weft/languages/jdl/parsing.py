"""Reads classads leniently: brackets may be missing, names have any case, and a fault ends with its entry."""

import re
from typing import Final, NamedTuple

from weft.languages.jdl.tree import Entry, Items, Number, Raw, Record, Reference, Text, Truth, Value
from weft.languages.text.faults import TextReport
from weft.languages.text.source import Span

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|\#[^\n]*|//[^\n]*|/\*.*?\*/)"""
    r"""|(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<open>"(?:[^"\\\n]|\\.)*|/\*)"""
    r"""|(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*(?:-\w+)*)"""
    r"""|(?P<sign>==|!=|<=|>=|&&|\|\||=\?=|=!=|[\[\]{}();,=.<>+*/!?:%&|^~'-])|(?P<other>.)""",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r"}
_CLOSES: Final = {"[": "]", "{": "}", "(": ")"}
_ENDS: Final = frozenset((";", ",", "]", "}", ""))


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda one: _ESCAPED.get(one[1], one[1]), text[1:].removesuffix('"'))


class Token(NamedTuple):
    kind: str
    text: str
    span: Span


def parse(report: TextReport) -> Record:
    """The one record of a text. Faults are in the report."""
    return _Parser(report).whole()


def _tokens(report: TextReport) -> list[Token]:
    found: list[Token] = []
    for one in _TOKEN.finditer(report.source.text):
        kind = one.lastgroup or ""
        if kind == "space":
            continue
        span = Span(*one.span())
        if len(found) == report.limits.signs:
            report.too_long(span)
            report.raise_errors()
        if kind == "open":
            what = "comment" if one[0] == "/*" else "text"
            report.add(
                "syntax",
                span,
                f"this {what} has no end",
                "close it with */" if what == "comment" else 'close it with "',
            )
            kind = "text"
        elif kind == "other":
            report.add("syntax", span, f"the sign {one[0]!r} means nothing here")
        if kind != "other":
            found.append(Token(kind, one[0], span))
    end = len(report.source.text)
    found.append(Token("end", "", Span(end, end)))
    return found


class _Parser:
    def __init__(self, report: TextReport) -> None:
        self.report = report
        self.tokens = _tokens(report)
        self.last = len(self.tokens) - 1
        self.at = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        token = self.token
        if self.at < self.last:
            self.at += 1
        return token

    def following(self, steps: int = 1) -> Token:
        return self.tokens[self.at + steps if self.at + steps < self.last else self.last]

    def wrong(self, message: str, advice: str = "") -> None:
        found = "the end" if self.token.kind == "end" else self.token.text[:40]
        self.report.add("syntax", self.token.span, f"{message}, found {found}", advice)

    # Records.

    def whole(self) -> Record:
        if self.token.text == "[":
            record = self.record("]", 0)
            if self.token.text == ";":
                self.take()
        else:
            record = Record(self.token.span)
            self.entries(record, "", 0)
        if self.token.kind != "end":
            self.wrong("the text should end here")
        return record

    def record(self, close: str, level: int) -> Record:
        opened = self.take()
        record = Record(opened.span)
        if level > self.report.limits.nesting:
            self.report.add("too-large", opened.span, f"records are nested more than {self.report.limits.nesting} deep")
            self.at = len(self.tokens) - 1
            return record
        self.entries(record, close, level)
        record.span = record.span.to(self.token.span)
        if self.token.text == close:
            self.take()
        else:
            line = self.report.source.position(opened.span.start)[0]
            self.wrong(f"expected {close!r}, which closes {opened.text!r} of line {line}")
        return record

    def entries(self, record: Record, close: str, level: int) -> None:
        while self.token.kind != "end" and self.token.text != close:
            if self.token.text in (";", ","):
                self.take()
                continue
            before = self.at
            entry = self.entry(level)
            if entry is None:
                self.skip(close)
            elif entry.name.lower() in record.entries:
                line = self.report.source.position(record.entries[entry.name.lower()].span.start)[0]
                self.report.add(
                    "duplicate-name", entry.span, f"{entry.name!r} is already said in line {line}", "say it once"
                )
            else:
                record.entries[entry.name.lower()] = entry
                if self.token.text not in (";", ",", close) and self.token.kind != "end":
                    self.wrong(f"expected ';' after {entry.name}")
                    if not self.begins_entry():
                        self.skip(close)
            if self.at == before:
                self.take()

    def begins_entry(self) -> bool:
        return self.token.kind in ("name", "text") and self.following().text == "="

    def skip(self, close: str) -> None:
        """To the end of the entry: the next `;` outside brackets, or what closes the record."""
        depth = 0
        while self.token.kind != "end":
            if depth == 0 and self.token.text in (";", close):
                return
            depth += self.token.text in _CLOSES
            depth -= self.token.text in _CLOSES.values() and depth > 0
            self.take()

    def entry(self, level: int) -> Entry | None:
        name = self.token
        if name.kind not in ("name", "text"):
            self.wrong("expected the name of an attribute")
            return None
        self.take()
        if self.token.text != "=":
            self.wrong(f"expected '=' after {name.text}")
            return None
        self.take()
        value = self.value(level)
        return Entry(name.text.strip('"'), value, name.span) if value is not None else None

    # Values.

    def value(self, level: int) -> Value | None:
        if self.token.text in _ENDS:
            self.wrong("expected a value")
            return None
        start = self.at
        found = self.simple(level)
        if found is None or self.token.text in _ENDS or self.token.kind in ("name", "text", "number"):
            return found  # what follows begins another entry: a sign is missing
        self.at = start
        return self.raw()

    def simple(self, level: int) -> Value | None:
        """A value, or None where an expression begins that only others read."""
        token = self.token
        match token.kind:
            case "text":
                self.take()
                return Text(_unescaped(token.text), token.span)
            case "number":
                self.take()
                return Number(float(token.text), token.span)
            case "name":
                return self.named()
        if token.text == "-" and self.following().kind == "number":
            self.take()
            number = self.take()
            return Number(-float(number.text), token.span.to(number.span))
        if token.text == "[":
            return self.record("]", level + 1)
        if token.text == "{":
            is_record = self.following().kind == "name" and self.following(2).text == "="
            return self.record("}", level + 1) if is_record else self.items(level + 1)
        return self.raw()

    def named(self) -> Value:
        token = self.take()
        if token.text.lower() in ("true", "false") and self.token.text != ".":
            return Truth(token.text.lower() == "true", token.span)
        parts: list[str | int] = [token.text]
        span = token.span
        while True:
            if self.token.text == "." and self.following().kind == "name":
                self.take()
                part = self.take()
                parts.append(part.text)
            elif self.token.text == "[" and self.following().text.isdecimal() and self.following(2).text == "]":
                self.take()
                parts.append(int(self.take().text[:9]))
                part = self.take()
            else:
                return Reference(tuple(parts), span)
            span = span.to(part.span)

    def items(self, level: int) -> Items:
        opened = self.take()
        found: list[Value] = []
        if level > self.report.limits.nesting:
            self.report.add("too-large", opened.span, f"lists are nested more than {self.report.limits.nesting} deep")
            self.at = len(self.tokens) - 1
            return Items((), opened.span)
        while self.token.text != "}" and self.token.kind != "end":
            if self.token.text in (",", ";"):
                self.take()
                continue
            before = self.at
            value = self.value(level)
            if value is not None:
                found.append(value)
            elif self.at == before:
                break
        span = opened.span.to(self.token.span)
        if self.token.text == "}":
            self.take()
        else:
            line = self.report.source.position(opened.span.start)[0]
            self.wrong(f"expected '}}', which closes '{{' of line {line}")
        return Items(tuple(found), span)

    def raw(self) -> Raw:
        """Everything up to the end of the entry or item."""
        first = last = self.token
        open: list[str] = []
        while self.token.kind != "end":
            text = self.token.text
            if not open and text in _ENDS:
                break
            if text in _CLOSES:
                open.append(_CLOSES[text])
            elif open and text == open[-1]:
                open.pop()
            last = self.take()
        span = first.span.to(last.span)
        return Raw(self.report.source.text[span.start : span.end], span)
