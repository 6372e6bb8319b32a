"""The grammar of MFDL, and how the parser's parts become the tree."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from lark import Token, Transformer

from weft.languages.mfdl import tree
from weft.languages.mfdl.tree import Word
from weft.languages.text.parsing import Grammar, span_of
from weft.languages.text.source import Span

Parts = Sequence[Any]

UNIT_SECONDS: Final = {"SECONDS": 1.0, "MINUTES": 60.0, "HOURS": 3600.0, "DAYS": 86400.0}


def word(token: Token) -> Word:
    return Word(str(token), span_of(token))


def _keyword(parts: Parts) -> Word:
    return Word(str(parts[0]).upper(), span_of(parts[0]))


def _some(parts: Parts) -> tuple[Any, ...]:
    """The parts that are there: an option that was left out, or what was skipped, is None."""
    return tuple([one for one in parts if one is not None])


def _span(one: Token | Span) -> Span:
    return span_of(one) if isinstance(one, Token) else one


def _whole(self: object, parts: Parts) -> Span:
    return Span(_span(parts[0]).start, _span(parts[-1]).end)


class Builder(Transformer[Token, Any]):
    """One method for each rule of the grammar."""

    start = staticmethod(_some)

    def skipped(self, parts: Parts) -> None:
        return None

    def definition(self, parts: Parts) -> tree.Definition:
        kind, name, parameters, *clauses = parts
        return tree.Definition(kind, word(name), parameters or (), _some(clauses))

    def process(self, parts: Parts) -> tree.ProcessText:
        name, parameters, *entries = parts
        return tree.ProcessText(word(name), parameters or (), _some(entries))

    kind = direction = block_kind = unit = staticmethod(_keyword)
    parameters = staticmethod(_some)

    def parameter(self, parts: Parts) -> tree.Parameter:
        direction, of_type, name, size = parts
        return tree.Parameter(direction.text, word(of_type), word(name), size)

    def size(self, parts: Parts) -> Word:
        return word(parts[0]) if parts[0] is not None else Word("", Span(0, 0))

    def declaration(self, parts: Parts) -> tree.Declaration:
        names = tuple(word(one) for one in parts[1:] if isinstance(one, Token))
        clauses = tuple(one for one in parts[1:] if not isinstance(one, Token))
        return tree.Declaration(word(parts[0]), names, clauses)

    def variables(self, parts: Parts) -> tree.Variables:
        return tree.Variables(word(parts[0]), tuple(parts[1:]))

    def variable(self, parts: Parts) -> tree.Variable:
        return tree.Variable(word(parts[0]), parts[1], parts[2])

    # Statements.

    def labelled(self, parts: Parts) -> tree.Statement:
        label, statement = parts
        return replace(statement, label=word(label))  # type: ignore[no-any-return]

    def call(self, parts: Parts) -> tree.Call:
        name, arguments, *clauses = parts
        return tree.Call(tree.Invocation(word(name), arguments or (), span_of(name)), _some(clauses))

    def assignment(self, parts: Parts) -> tree.Assignment:
        return tree.Assignment(word(parts[0]), parts[1])

    def block(self, parts: Parts) -> tree.Block:
        kind, *statements, tail = parts
        return tree.Block(kind, _some(statements), tail or ())

    def serial(self, parts: Parts) -> tree.Block:
        brace, *statements, tail = parts
        return tree.Block(Word("SERIAL", span_of(brace)), _some(statements), tail or ())

    def choice(self, parts: Parts) -> tree.Choice:
        token, condition, then, otherwise = parts
        return tree.Choice(_keyword([token]), condition, then, otherwise)

    def loop(self, parts: Parts) -> tree.Loop:
        token, condition, body = parts
        return tree.Loop(_keyword([token]), condition, body)

    tail = staticmethod(_some)

    # What is said of an activity.

    def attribute(self, parts: Parts) -> tree.Attribute:
        return tree.Attribute(_keyword(parts))

    def checkpoint(self, parts: Parts) -> tree.Attribute:
        return tree.Attribute(_keyword(parts[-1:]))

    def named(self, parts: Parts) -> tree.Named:
        return tree.Named(_keyword(parts), word(parts[1]))

    participant = resource = named

    def compensation(self, parts: Parts) -> tree.Side:
        return tree.Side(_keyword(parts), parts[1])

    def undo(self, parts: Parts) -> tree.Side:
        return tree.Side(_keyword(parts), parts[1], parts[2])

    def when(self, parts: Parts) -> Span:
        return parts[0]  # type: ignore[no-any-return]

    def retry(self, parts: Parts) -> tree.Retry:
        token, times, after, when = parts
        return tree.Retry(span_of(token), times, after or 0.0, when)

    def times(self, parts: Parts) -> Word:
        return word(parts[0])

    def after(self, parts: Parts) -> float:
        return float(parts[0]) * UNIT_SECONDS[parts[1].text]

    def serial_side(self, parts: Parts) -> tree.Block:
        brace, *statements = parts
        return tree.Block(Word("SERIAL", span_of(brace)), _some(statements), ())

    def invocation(self, parts: Parts) -> tree.Invocation:
        return tree.Invocation(word(parts[0]), parts[1] or (), span_of(parts[0]))

    def errors(self, parts: Parts) -> tree.Errors:
        return tree.Errors(span_of(parts[0]), _some(parts[1:]))

    def error(self, parts: Parts) -> tree.Error:
        name, *rest = _some(parts)
        raw = tuple(word(one) for one in rest if isinstance(one, Token))
        return tree.Error(name, raw, tuple(one for one in rest if not isinstance(one, Token)))

    def path(self, parts: Parts) -> Word:
        return Word(".".join(map(str, parts)), _whole(self, parts))

    def alternative(self, parts: Parts) -> tree.Action:
        return tree.Action(_keyword(parts), parts[1])

    def action(self, parts: Parts) -> tree.Action:
        return tree.Action(_keyword(parts))

    ignore = ask = fail = action

    # Expressions: from the first sign to the last.

    arguments = staticmethod(_some)
    expression = operand = prefix = atom = suffix = _whole


GRAMMAR: Final = Grammar(
    files=("weft.languages.mfdl:mfdl.lark",),
    builder=Builder,
    words={"NAME": "a name", "NUMBER": "a number", "STRING": "a text in quotes", "TWO_PHASE": "'2PC_TRANS_ACTIVITY'"},
    broken={
        "OPEN_STRING": "the text that begins here has no end on its line",
        "OPEN_COMMENT": "the comment that begins here has no end",
    },
    groups={
        "a value": frozenset(("NAME", "NUMBER", "STRING", "LPAR", "LSQB", "MINUS", "BANG", "NOT")),
        "an operator": frozenset(("OPERATOR", "MINUS", "AND", "OR", "IN", "NOT", "IS")),
        "what belongs to the value": frozenset(("LPAR", "LSQB", "DOT")),
        "what is said of it": frozenset(
            ("COMPENSATED_BY", "UNDONE_BY", "RETRY", "ERRORS", "CRITICAL", "NON_VITAL", "CRITICAL_NON_VITAL",
             "IDEMPOTENT", "PARTICIPANT", "RESOURCE", "CHECKPOINT", "WITH")
        ),
    },
    starters=frozenset(("IF", "WHILE", "ACTIVITY", "VAR", "AND_PARALLEL", "OR_PARALLEL", "XOR_PARALLEL")),
    tops=frozenset(
        ("DEFINE_PROCESS", "TRANS_ACTIVITY", "TRANSACTIONAL_ACTIVITY", "USER_ACTIVITY", "NON_TRANS_ACTIVITY",
         "NON_TRANSACTIONAL_ACTIVITY", "TWO_PHASE")
    ),
)  # fmt: skip
