"""Lays a text out anew: one statement to a line, indented by its braces, comments where they were. Stable.

It works on the tokens and knows no grammar: a `Layout` says what a language's signs are. Line breaks inside a statement
stay where the author put them, and a line that is too long is broken behind a comma.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from lark import Token

from weft.languages.text.faults import TextReport
from weft.languages.text.parsing import Grammar, span_of
from weft.languages.text.source import Source, TextLimits, source_of

INDENT: Final = "    "
WIDTH: Final = 100
LISTED_MAX: Final = 30
"""Tokens between two commas that are looked at."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What a language's signs are, by terminal."""

    grammar: Grammar
    comment: re.Pattern[str]
    """What stands between tokens besides blanks."""
    line_comment: str = "//"
    opens: frozenset[str] = frozenset(("LBRACE",))
    closes: frozenset[str] = frozenset(("RBRACE",))
    ends: frozenset[str] = frozenset(("SEMICOLON",))
    trailing: frozenset[str] = frozenset(("SEMICOLON", "COMMA", "RPAR"))
    """What goes on behind a closing brace on its line."""
    headers: frozenset[str] = frozenset()
    """Words before a statement that is indented if it stands on a line of its own: IF, WHILE, ELSE."""
    opens_on_own_line: bool = False
    values: frozenset[str] = frozenset(("NAME", "NUMBER", "STRING", "RPAR", "RSQB"))
    """What a value may end with, so that a sign behind it stands between two values, and `(` or `[` belongs to it."""
    prefixes: frozenset[str] = frozenset()
    """Signs that may stand before a value, and then touch it."""
    tight: frozenset[str] = frozenset(("DOT",))
    """Signs without blanks on either side; a colon is one inside brackets."""
    tight_before: frozenset[str] = frozenset(("SEMICOLON", "COMMA", "RPAR", "RSQB", "COLON"))
    tight_after: frozenset[str] = frozenset(("LPAR", "LSQB"))
    callers: frozenset[str] = frozenset(("NAME", "RPAR", "RSQB"))
    """What a `(` or `[` touches."""


def formatted(content: bytes, name: str, layout: Layout, limits: TextLimits) -> str:
    """The text, laid out. Raises `Invalid` if it can't be read."""
    source = source_of(content, name, limits)
    report = TextReport(source, limits)
    tokens = layout.grammar.tokens(report)
    report.raise_errors()
    made = _Lines(source, layout).of(tokens)
    if _words(made, layout) != _words(source.text, layout):
        raise AssertionError(f"formatting would change what {name} says; it is left as it is")
    return made


def _words(text: str, layout: Layout) -> list[str]:
    """What may not change: the tokens, and the comments but for their indentation."""
    words: list[str] = []
    end = 0
    for token in layout.grammar.lark.lex(text):
        span = span_of(token)
        words += ["".join(one[0].split()) for one in layout.comment.finditer(text, end, span.start)]
        words.append(str(token))
        end = span.end
    return words + ["".join(one[0].split()) for one in layout.comment.finditer(text, end)]


class Comment(NamedTuple):
    text: str
    is_on_own_line: bool
    blank_before: bool
    ends_line: bool


@dataclass(slots=True)
class Frame:
    """What stands inside a brace: its indentation, and how far the present statement is indented more."""

    indent: int
    extra: int = 0
    parens: list[str] = field(default_factory=list)


class _Lines:
    """Puts tokens and comments into lines."""

    def __init__(self, source: Source, layout: Layout) -> None:
        self.text = source.text
        self.layout = layout
        self.tokens: Sequence[Token] = ()
        self.lines: list[str] = []
        self.line = ""
        self.frames = [Frame(0)]
        self.before: Token | None = None
        self.is_new = True
        """Whether the next token begins a statement."""
        self.after_header = False
        self.header_parens = -1
        self.is_prefix = False
        """Whether the token before is a sign that touches what follows."""
        self.must_break = False

    def of(self, tokens: Sequence[Token]) -> str:
        end = 0
        self.tokens = tokens
        for index, token in enumerate(tokens):
            span = span_of(token)
            gap = self.text[end : span.start]
            self._comments(gap)
            self._place(index, token, gap)
            end = span.end
        self._comments(self.text[end:])
        self._flush()
        return "".join(f"{line}\n" for line in self.lines)

    # Comments.

    def _comments(self, gap: str) -> None:
        frame = self.frames[-1]
        for comment in self._comments_in(gap):
            if comment.is_on_own_line or not self.line:
                self._begin(frame.indent + (0 if self.is_new else frame.extra + 1), blank=comment.blank_before)
                self.line += _reindented(comment.text)
            else:
                self.line += (" " if self.line.strip() else "") + _reindented(comment.text)
            self.must_break = comment.ends_line or comment.text.startswith(self.layout.line_comment)

    def _comments_in(self, gap: str) -> Iterator[Comment]:
        end = 0
        for found in self.layout.comment.finditer(gap):
            before = gap[end : found.start()]
            after = gap[found.end() :]
            newlines = before.count("\n")
            blank = after[: len(after) - len(after.lstrip())]
            yield Comment(found[0].rstrip(), newlines > 0, newlines > 1, "\n" in blank)
            end = found.end()

    # Tokens.

    def _place(self, index: int, token: Token, gap: str) -> None:
        layout, kind = self.layout, token.type
        if kind in layout.closes:
            self._close(token)
        elif kind in layout.opens:
            self._open(token, gap)
        elif self.is_new and self._goes_on(kind):
            self._append(token)
        elif self.is_new:
            self._begin_statement(gap)
            self.line += str(token)
        else:
            self._within(index, token, gap)
        self._after(token)

    def _goes_on(self, kind: str) -> bool:
        """Whether the token stands behind a closing brace on its line."""
        return self.before is not None and self.before.type in self.layout.closes and kind in self.layout.trailing

    def _within(self, index: int, token: Token, gap: str) -> None:
        frame = self.frames[-1]
        if not (self.must_break or "\n" in gap or self._is_too_long(index)):
            self._append(token)
            return
        if self.after_header:
            frame.extra += 1
            self._begin(frame.indent + frame.extra)
        else:
            self._begin(frame.indent + frame.extra + 1)
        self.line += str(token)

    def _is_too_long(self, index: int) -> bool:
        """Whether what stands between this comma and the next has no room on the line."""
        if self.tokens[index - 1].type != "COMMA":
            return False
        length = len(self.line)
        for token in self.tokens[index : index + LISTED_MAX]:
            length += len(str(token)) + 1
            if length > WIDTH or token.type == "COMMA" or token.type in self.layout.ends | self.layout.opens:
                break
        return length > WIDTH

    def _append(self, token: Token) -> None:
        if self.must_break:
            self._begin(self.frames[-1].indent + self.frames[-1].extra + 1)
            self.line += str(token)
            return
        self.line += " " * self._between(token) + str(token)

    def _open(self, token: Token, gap: str) -> None:
        """The brace stands under the first line of what it belongs to, and what is inside is indented from there."""
        frame = self.frames[-1]
        if self.is_new:
            self._begin_statement(gap)
        elif self.layout.opens_on_own_line or self.must_break:
            self._begin(frame.indent + frame.extra)
        else:
            self.line += " "
        self.frames.append(Frame(frame.indent + frame.extra + 1))
        self.line += str(token)

    def _close(self, token: Token) -> None:
        frame = self.frames.pop() if len(self.frames) > 1 else self.frames[-1]
        self._begin(max(0, frame.indent - 1))
        self.line += str(token)

    def _after(self, token: Token) -> None:
        layout, kind, frame = self.layout, token.type, self.frames[-1]
        self.is_prefix = kind in layout.prefixes and (
            self.before is None or self.before.type not in layout.values or self.is_prefix
        )
        if kind in ("LPAR", "LSQB"):
            frame.parens.append(kind)
        elif kind in ("RPAR", "RSQB") and frame.parens:
            frame.parens.pop()
        self._headers(kind, len(frame.parens))
        self.is_new = kind in layout.ends | layout.opens | layout.closes
        if self.is_new:
            if kind not in layout.closes:
                frame.extra = 0
                frame.parens.clear()
            self.after_header = False
        self.before = token
        self.must_break = False

    def _headers(self, kind: str, depth: int) -> None:
        """Sees where the condition of an IF ends: at the `)` that closes its `(`; an ELSE has none."""
        self.after_header = kind == "ELSE" and kind in self.layout.headers
        if kind in self.layout.headers and kind != "ELSE":
            self.header_parens = depth
        elif kind == "RPAR" and depth == self.header_parens:
            self.after_header = True
            self.header_parens = -1

    # Lines.

    def _begin_statement(self, gap: str) -> None:
        self.frames[-1].extra = 0
        self._begin(self.frames[-1].indent, blank=_blank_behind_comments(gap, self.layout))

    def _between(self, token: Token) -> int:
        """How many blanks stand before the token on its line."""
        layout, before = self.layout, self.before
        if before is None or not self.line.strip():
            return 0
        kind, last = token.type, before.type
        in_brackets = self.frames[-1].parens[-1:] == ["LSQB"]
        if kind in layout.tight or last in layout.tight or self.is_prefix:
            return 0
        if "COLON" in (kind, last) and in_brackets:
            return 0
        if kind in layout.tight_before or last in layout.tight_after:
            return 0
        return 0 if kind in ("LPAR", "LSQB") and last in layout.callers else 1

    def _begin(self, indent: int, *, blank: bool = False) -> None:
        is_first_inside = self.before is not None and self.before.type in self.layout.opens
        had_line = bool(self.line.strip())
        self._flush()
        if blank and self.lines and self.lines[-1] and not (is_first_inside and had_line):
            self.lines.append("")
        self.line = INDENT * indent
        self.must_break = False

    def _flush(self) -> None:
        if self.line.strip():
            self.lines.append(self.line.rstrip())
        self.line = ""


def _reindented(comment: str) -> str:
    return "\n".join(line.rstrip() for line in comment.split("\n"))


def _blank_behind_comments(gap: str, layout: Layout) -> bool:
    """Whether an empty line stands before what follows the gap."""
    end = max((found.end() for found in layout.comment.finditer(gap)), default=0)
    return gap[end:].count("\n") > (0 if gap[:end].endswith("\n") else 1)
