"""Parses a text by a lark grammar (LALR), tells every syntax fault once, and goes on behind each of them.

A grammar says where a wrong part may stand: `statement: SKIPPED ";"`. On a fault the parser first tries to add one or
two signs that are missing, or to leave one word out; else it goes back to the nearest such place, skips to the next `;`
or `}` that fits (blocks are skipped whole), and goes on. So a fault hides what it is part of, and nothing else.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from itertools import islice
from typing import Any, Final

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedToken
from lark.parsers.lalr_analysis import Shift
from lark.parsers.lalr_interactive_parser import InteractiveParser

from weft.languages.text.faults import TextReport, meant
from weft.languages.text.source import Span

SKIPPED: Final = "SKIPPED"
END: Final = "$END"
NAME: Final = "NAME"
UNKNOWN: Final = "UNKNOWN"
LOOK_AHEAD: Final = 3
FAR_AHEAD: Final = 20
REPAIRS_IN_ALL_MAX: Final = 1000
"""So often the parser brings itself to where it can go on; a text that needs more is read no further."""
EXPECTED_MAX: Final = 6
REPAIRS_MAX: Final = 10
"""At one place; then what is left is given up."""


def span_of(token: Token) -> Span:
    start = token.start_pos or 0
    return Span(start, token.end_pos if token.end_pos is not None else start)


class _KeepsAll:
    """Terminals that stand in no rule, and so make a fault wherever they come."""

    def __init__(self, always_accept: Sequence[str]) -> None:
        self.always_accept = tuple(always_accept)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return stream


@dataclass(frozen=True)
class Grammar:
    """A grammar and what the parser must know of it. A grammar may be several files, one after the other."""

    files: tuple[str, ...]
    """`package:file`."""
    builder: type[Transformer[Token, Any]]
    words: Mapping[str, str]
    """What terminals that are patterns are called: `{"NAME": "a name"}`."""
    broken: Mapping[str, str]
    """Terminals that are always wrong, with the message: `{"OPEN_STRING": "this text has no end"}`."""
    starters: frozenset[str] = frozenset()
    """Words that begin a statement wherever they stand, so that skipping ends before them."""
    tops: frozenset[str] = frozenset()
    """Those that stand outside all braces, so that braces still open are closed before them."""
    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """What terminals are called where all of them may stand: `{"an operator": frozenset(("PLUS", "MINUS"))}`."""

    @cached_property
    def lark(self) -> Lark:
        texts = [files(package).joinpath(file).read_text("utf-8") for package, file in map(_split, self.files)]
        return Lark(
            "\n".join(texts),
            parser="lalr",
            lexer="basic",
            transformer=self.builder(),
            maybe_placeholders=True,
            postlex=_KeepsAll((UNKNOWN, *self.broken)),
        )

    @cached_property
    def signs(self) -> dict[str, str]:
        """Terminal → how it is written, for those that are written in one way."""
        found = {one.name: one.pattern.value for one in self.lark.terminals if one.pattern.type == "str"}
        return {name: text for name, text in found.items() if name not in (SKIPPED, *self.broken)}

    @cached_property
    def by_sign(self) -> dict[str, str]:
        return {text: name for name, text in self.signs.items()}

    def word(self, terminal: str) -> str:
        if terminal == END:
            return "the end of the text"
        return self.words.get(terminal) or repr(self.signs.get(terminal, terminal))

    def expected(self, terminals: set[str]) -> list[str]:
        """How to say which terminals may stand somewhere."""
        words, rest = [], set(terminals)
        for word, group in self.groups.items():
            if group <= terminals:
                words.append(word)
                rest -= group
        return sorted(words) + sorted({self.word(one) for one in rest})

    def parse(self, report: TextReport) -> Any:
        """What the builder made of the text, or None if nothing could be made. Faults are in the report."""
        found = _Run(self, report).whole()
        report.end_syntax()
        return found

    def accepted_behind(self, report: TextReport) -> set[str]:
        """The terminals that may stand behind the whole text, faults or not; for one that is being written."""
        run = _Run(self, report)
        run.whole(len(run.tokens) - 1)
        return set(run.parser.accepts()) - {SKIPPED}  # type: ignore[no-untyped-call]

    def tokens(self, report: TextReport) -> list[Token]:
        """The tokens of the text as the grammar takes them: a word may be a name there."""
        run = _Run(self, report)
        run.whole()
        return run.taken


def _split(place: str) -> tuple[str, str]:
    package, _, file = place.partition(":")
    return package, file


class _Run:
    """One text on its way through the parser."""

    def __init__(self, grammar: Grammar, report: TextReport) -> None:
        self.grammar = grammar
        self.report = report
        self.tokens = list(islice(grammar.lark.lex(report.source.text), report.limits.signs + 1))
        self.is_too_long = len(self.tokens) > report.limits.signs
        length = len(report.source.text)
        self.tokens.append(Token(END, "", start_pos=length, end_pos=length))
        self.parser: InteractiveParser = grammar.lark.parse_interactive("")
        self.states = self.parser.parser_state.parse_conf.states
        self.open: list[tuple[int, Token]] = []
        """The braces that are open, with the height of the stack."""
        self.result: Any = None
        self.taken: list[Token] = []
        self.shifted = 1
        """Tokens taken since the last fault; none means that the next fault comes of the same mistake."""
        self.repairs = 0
        self.panicked_at = -1
        self.brace, self.unbrace, self.semicolon = (grammar.by_sign.get(sign, "") for sign in "{};")

    def whole(self, end: int = sys.maxsize) -> Any:
        if self.is_too_long:
            self.report.too_long(span_of(self.tokens[-2]))
            return None
        index = at_once = 0
        while index < min(end, len(self.tokens)) and not self.report.is_full and self.repairs < REPAIRS_IN_ALL_MAX:
            token = self._fitting(self.tokens[index])
            if token.type in self.states[self.state] and self._feed(token):
                index += 1
                self.shifted += 1
                self.taken.append(token)
                if len(self.open) > self.report.limits.nesting:
                    self._too_deep(token)
                    return None
            else:
                repaired = self._repaired(index, token)
                at_once = at_once + 1 if repaired == index else 0
                if at_once > REPAIRS_MAX:
                    return None
                index = repaired
        return self.result

    @property
    def state(self) -> Any:
        return self.parser.parser_state.state_stack[-1]

    def _fitting(self, token: Token) -> Token:
        """A word that means something to the language is a name where only a name can stand."""
        options = self.states[self.state]
        if self.open and token.type in self.grammar.tops:
            return token
        if token.type not in options and NAME in options and token.type in self.grammar.signs and _is_word(token):
            return Token.new_borrow_pos(NAME, token.value, token)
        return token

    def _feed(self, token: Token) -> bool:
        try:
            result = self.parser.feed_token(token)
        except UnexpectedToken:
            return False
        if token.type == END:
            self.result = result
        elif token.type == self.brace:
            self.open.append((len(self.parser.parser_state.state_stack), token))
        elif token.type == self.unbrace and self.open:
            self.open.pop()
        return True

    def _too_deep(self, token: Token) -> None:
        self.report.add(
            "too-large", span_of(token), f"blocks are nested more than {self.report.limits.nesting} deep",
            "put what is inside into a process of its own and call it",
        )  # fmt: skip

    # Going on behind a fault.

    def _repaired(self, index: int, token: Token) -> int:
        """Tells the fault and brings the parser to where it can go on; gives the index of the next token."""
        self.repairs += 1
        is_new = self.shifted > 0 or token.type in self.grammar.broken
        self.shifted = 0
        missing = [] if token.type in self.grammar.broken or token.type == UNKNOWN else self._missing(index)
        if is_new:
            self._tell(index, token, missing)
        if missing:
            for one in missing:
                self._feed(Token(one, self.grammar.signs[one], start_pos=token.start_pos, end_pos=token.start_pos))
            return index
        if token.type != END and self._goes_on(self._trial(), index + 1, self._statement_end(index + 1)):
            return index + 1
        return self._skipped(index)

    def _missing(self, index: int) -> list[str]:
        """Signs that, put before the token, let the parser go on."""
        token = self.tokens[index]
        closes = token.type == END or token.type in self.grammar.tops
        if closes and self.open:
            options = [["}"] * len(self.open), [";"] + ["}"] * len(self.open)]
        else:
            options = [[";"], [")"], [")", ";"]]
        for signs in options:
            terminals = [self.grammar.by_sign.get(sign, "") for sign in signs]
            trial = self._trial()
            if all(one and _accepts(trial, Token(one, "")) for one in terminals) and self._goes_on(trial, index):
                return terminals
        return []

    def _trial(self) -> InteractiveParser:
        """A copy of the parser that builds nothing."""
        trial: InteractiveParser = self.parser.copy(deepcopy_values=False)  # type: ignore[no-untyped-call]
        conf = trial.parser_state.parse_conf
        bare = type(conf)(conf.parse_table, {}, conf.start)
        trial.parser_state.parse_conf = bare
        return trial

    def _statement_end(self, index: int) -> int:
        """Behind the next sign that ends a statement or opens a block, not far away."""
        ends = (self.semicolon, self.brace, self.unbrace, END)
        return next(
            (at + 1 for at in range(index, min(index + FAR_AHEAD, len(self.tokens))) if self.tokens[at].type in ends),
            index + FAR_AHEAD,
        )

    def _goes_on(self, trial: InteractiveParser, index: int, end: int = 0) -> bool:
        for token in self.tokens[index : max(end, index + LOOK_AHEAD)]:
            options = self.states[trial.parser_state.state_stack[-1]]
            fits = token.type in options or NAME not in options or not _is_word(token)
            if not _accepts(trial, token if fits else Token.new_borrow_pos(NAME, token.value, token)):
                return False
        return True

    def _skipped(self, index: int) -> int:
        depth, places = 0, self._places()
        may_stop = index != self.panicked_at
        self.panicked_at = index
        while (token := self.tokens[index]).type != END:
            if depth == 0 and (height := places.get(token.type)):
                self._go_back(height)
                return index
            is_sign = token.type in self.grammar.starters or token.type == self.unbrace
            if depth == 0 and is_sign and may_stop and self._ends_before(places, index):
                return index
            if token.type == self.brace:
                depth += 1
            elif token.type == self.unbrace and depth:
                depth -= 1
                if depth == 0 and self._ends_before(places, index + 1):
                    return index + 1
            may_stop = True
            index += 1
        if self._ends_before(places, index):
            return index
        return len(self.tokens)

    def _places(self) -> dict[str, int]:
        """What may follow a skipped part → the height of the stack at which it then stands, the nearest first."""
        found: dict[str, int] = {}
        stack = self.parser.parser_state.state_stack
        trial = self._trial()
        if _accepts(trial, Token(SKIPPED, "")):  # what is whole by now, such as a block that was closed, stays
            found = dict.fromkeys(self.states[trial.parser_state.state_stack[-1]], len(stack))
        for height in range(len(stack), 0, -1):
            action = self.states[stack[height - 1]].get(SKIPPED)
            if action is not None and action[0] is Shift:
                for terminal in self.states[action[1]]:
                    found.setdefault(terminal, height)
        return found

    def _go_back(self, height: int) -> None:
        state = self.parser.parser_state
        del state.state_stack[height:]
        del state.value_stack[height - 1 :]
        while self.open and self.open[-1][0] > height:
            self.open.pop()
        self._feed(Token(SKIPPED, ""))

    def _ends_before(self, places: Mapping[str, int], index: int) -> bool:
        """Ends the skipped part as if a semicolon stood before the token."""
        height = places.get(self.semicolon)
        if height is None:
            return False
        self._go_back(height)
        return self._feed(Token(self.semicolon, ";"))

    # Telling.

    def _tell(self, index: int, token: Token, missing: Sequence[str]) -> None:
        if token.type in self.grammar.broken:
            self.report.add("syntax", span_of(token), self.grammar.broken[token.type])
            return
        if token.type == UNKNOWN:
            self.report.add("syntax", span_of(token), f"{token.value!r} means nothing here", "take it out")
            return
        accepted = self.parser.accepts() - {SKIPPED}  # type: ignore[no-untyped-call]
        expected = self.grammar.expected(accepted)
        found = "the end of the text" if token.type == END else f"{token.value!r:.60}"
        before = self.tokens[index - 1] if index else None
        if missing:
            wanted = " and ".join(self.grammar.word(one) for one in dict.fromkeys(missing))
            end = span_of(before).end if before is not None else 0
            after = f" after {before.value!r:.60}" if before is not None else ""
            self.report.add(
                "syntax", Span(end, end), f"{wanted} is missing{after}", self._opened(missing), expected=expected
            )
            return
        known = [self.grammar.signs[one] for one in accepted if one in self.grammar.signs]
        advice = meant(str(token.value), known) if _is_word(token) else ""
        if not advice and before is not None and before.type == NAME:
            advice = self._word_meant(before)
        self.report.add(
            "syntax", span_of(token), f"expected {_listed(expected)}, found {found}", advice, expected=expected
        )

    def _word_meant(self, name: Token) -> str:
        """A name may be a word of the language with a slip in it: `AND_PARALEL {`."""
        found = meant(str(name.value), filter(str.isidentifier, self.grammar.signs.values()))
        return found and f"{name.value!r} is taken for a name: {found}"

    def _opened(self, missing: Sequence[str]) -> str:
        if self.unbrace not in missing or not self.open:
            return ""
        line, _ = self.report.source.position(span_of(self.open[-1][1]).start)
        return f"the '{{' of line {line} is still open"


def _is_word(token: Token) -> bool:
    return bool(token.value.replace("_", "a").replace("-", "a").isalnum())


def _accepts(trial: InteractiveParser, token: Token) -> bool:
    try:
        trial.feed_token(token)
    except UnexpectedToken:
        return False
    return True


def _listed(words: Sequence[str]) -> str:
    if len(words) > EXPECTED_MAX:
        return ", ".join(words[:EXPECTED_MAX]) + " or others"
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
