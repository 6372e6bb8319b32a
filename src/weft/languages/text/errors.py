"""The error section, the same in all languages of texts: its tree, how it is built, and the rules that it makes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from lark import Token

from weft.languages.text.faults import TextReport
from weft.languages.text.parsing import span_of
from weft.languages.text.source import Span
from weft.languages.text.words import Word, keyword, there, whole, word
from weft.model.definition import Activity, Rule

RETRIES_MAX: Final = 1_000_000
"""How often is tried again where only a condition ends it."""
UNIT_SECONDS: Final = {"SECONDS": 1.0, "MINUTES": 60.0, "HOURS": 3600.0, "DAYS": 86400.0}
LEVELS: Final = ("task", "handler", "engine")
FILES: Final = ("weft.languages.text:errors.lark", "weft.languages.text:expressions.lark")
"""The grammar. A language that uses it has the rule `alternative`."""
EXPRESSION_GROUPS: Final = {
    "a value": frozenset(("NAME", "NUMBER", "STRING", "LPAR", "LSQB", "MINUS", "BANG", "NOT")),
    "an operator": frozenset(("OPERATOR", "MINUS", "AND", "OR", "IN", "NOT", "IS")),
    "what belongs to the value": frozenset(("LPAR", "LSQB", "DOT")),
}

Parts = Sequence[Any]


class Retry(NamedTuple):
    span: Span
    times: Word | None
    delay_seconds: float
    when: Span | None


class Action(NamedTuple):
    """IGNORE, ASK, FAIL, or ALTERNATIVE with what the language has for the activity that takes over."""

    word: Word
    alternative: Any = None


@dataclass(frozen=True, slots=True)
class Error:
    """A line of an error section: an error, the raw errors that mean it, and what it does."""

    name: Word
    raw: tuple[Word, ...]
    actions: tuple[Retry | Action, ...]


@dataclass(frozen=True, slots=True)
class Errors:
    span: Span
    errors: tuple[Error, ...]


class Building:
    """The builder's methods for the rules of the section, and of expressions, from the first sign to the last."""

    def errors(self, parts: Parts) -> Errors:
        return Errors(span_of(parts[0]), there(parts[1:]))

    def error(self, parts: Parts) -> Error:
        name, *rest = there(parts)
        raw = tuple(word(one) for one in rest if isinstance(one, Token))
        return Error(name, raw, tuple(one for one in rest if not isinstance(one, Token)))

    def path(self, parts: Parts) -> Word:
        return Word(".".join(map(str, parts)), whole(parts))

    def retry(self, parts: Parts) -> Retry:
        token, times, after, when = parts
        return Retry(span_of(token), times, after or 0.0, when)

    def times(self, parts: Parts) -> Word:
        return word(parts[0])

    def after(self, parts: Parts) -> float:
        return float(parts[0]) * UNIT_SECONDS[parts[1].text]

    def when(self, parts: Parts) -> Span:
        return parts[0]  # type: ignore[no-any-return]

    def alternative(self, parts: Parts) -> Action:
        return Action(keyword(parts), parts[1])

    def action(self, parts: Parts) -> Action:
        return Action(keyword(parts))

    ignore = ask = fail = action
    unit = staticmethod(keyword)
    arguments = staticmethod(there)
    expression = operand = prefix = atom = suffix = staticmethod(whole)


class Rules:
    """Makes rules of sections. The errors that are declared are gathered in `declared`."""

    def __init__(
        self,
        report: TextReport,
        declared: dict[str, None],
        condition: Callable[[Span], str],
        alternate: Callable[[Any], Activity | None],
    ) -> None:
        self.report = report
        self.declared = declared
        self.condition = condition
        self.alternate = alternate

    def of(self, sections: Iterable[Errors]) -> tuple[list[Rule], dict[str, str]]:
        """The rules in their order, and raw errors → errors; what is said first wins."""
        rules: list[Rule] = []
        raw: dict[str, str] = {}
        for section in sections:
            for error in section.errors:
                name = self._name(error)
                for one in error.raw:
                    raw.setdefault(one.text[1:-1] if one.text[0] in "\"'" else one.text, name)
                rules += [self._rule(action, name) for action in error.actions]
        return rules, raw

    def retry(self, retry: Retry, error: str = "") -> Rule:
        times = RETRIES_MAX
        if retry.times is not None:
            if not retry.times.text.isdigit():
                self.report.add("number", retry.times.span, "this is no number of times", "write a whole number")
            else:
                times = int(retry.times.text)
        when = "" if retry.when is None else self.condition(retry.when)
        return Rule("retry", error, times, retry.delay_seconds, when=when)

    def _rule(self, action: Retry | Action, error: str) -> Rule:
        if isinstance(action, Retry):
            return self.retry(action, error)
        if action.alternative is None:
            return Rule(action.word.text.lower(), error)  # type: ignore[arg-type]
        alternate = self.alternate(action.alternative)
        return Rule("alternate" if alternate else "fail", error, alternate=alternate)

    def _name(self, error: Error) -> str:
        """A name alone is an error of the task; OTHERS are all that have no line of their own."""
        name = error.name.text
        if name.upper() == "OTHERS":
            if error.raw:
                self.report.add("raw-error", error.raw[0].span, "OTHERS is not an error that a raw one can mean",
                                "give the error a name")  # fmt: skip
            return ""
        if name.partition(".")[0] not in LEVELS:
            name = f"task.{name}"
        if name.startswith("task."):
            self.declared[name] = None
        return name
