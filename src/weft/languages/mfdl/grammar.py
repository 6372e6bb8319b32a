"""The grammar of MFDL, and how the parser's parts become the tree."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from lark import Token, Transformer

from weft.languages.mfdl import tree
from weft.languages.text.errors import EXPRESSION_GROUPS, FILES, Building
from weft.languages.text.parsing import Grammar, span_of
from weft.languages.text.source import Span
from weft.languages.text.words import Word, keyword, there, word

Parts = Sequence[Any]


class Builder(Building, Transformer[Token, Any]):
    """One method for each rule of the grammar."""

    start = staticmethod(there)

    def skipped(self, parts: Parts) -> None:
        return None

    def definition(self, parts: Parts) -> tree.Definition:
        kind, name, parameters, *clauses = parts
        return tree.Definition(kind, word(name), parameters or (), there(clauses))

    def process(self, parts: Parts) -> tree.ProcessText:
        name, parameters, *entries = parts
        return tree.ProcessText(word(name), parameters or (), there(entries))

    kind = direction = block_kind = staticmethod(keyword)
    parameters = staticmethod(there)

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
        return tree.Call(tree.Invocation(word(name), arguments or (), span_of(name)), there(clauses))

    def assignment(self, parts: Parts) -> tree.Assignment:
        return tree.Assignment(word(parts[0]), parts[1])

    def block(self, parts: Parts) -> tree.Block:
        kind, *statements, tail = parts
        return tree.Block(kind, there(statements), tail or ())

    def serial(self, parts: Parts) -> tree.Block:
        brace, *statements, tail = parts
        return tree.Block(Word("SERIAL", span_of(brace)), there(statements), tail or ())

    def choice(self, parts: Parts) -> tree.Choice:
        token, condition, then, otherwise = parts
        return tree.Choice(keyword([token]), condition, then, otherwise)

    def loop(self, parts: Parts) -> tree.Loop:
        token, condition, body = parts
        return tree.Loop(keyword([token]), condition, body)

    tail = staticmethod(there)

    # What is said of an activity.

    def attribute(self, parts: Parts) -> tree.Attribute:
        return tree.Attribute(keyword(parts))

    def checkpoint(self, parts: Parts) -> tree.Attribute:
        return tree.Attribute(keyword(parts[-1:]))

    def named(self, parts: Parts) -> tree.Named:
        return tree.Named(keyword(parts), word(parts[1]))

    participant = resource = named

    def compensation(self, parts: Parts) -> tree.Side:
        return tree.Side(keyword(parts), parts[1])

    def undo(self, parts: Parts) -> tree.Side:
        return tree.Side(keyword(parts), parts[1], parts[2])

    def serial_side(self, parts: Parts) -> tree.Block:
        brace, *statements = parts
        return tree.Block(Word("SERIAL", span_of(brace)), there(statements), ())

    def invocation(self, parts: Parts) -> tree.Invocation:
        return tree.Invocation(word(parts[0]), parts[1] or (), span_of(parts[0]))


GRAMMAR: Final = Grammar(
    files=("weft.languages.mfdl:mfdl.lark", *FILES),
    builder=Builder,
    words={"NAME": "a name", "NUMBER": "a number", "STRING": "a text in quotes", "TWO_PHASE": "'2PC_TRANS_ACTIVITY'"},
    broken={
        "OPEN_STRING": "the text that begins here has no end on its line",
        "OPEN_COMMENT": "the comment that begins here has no end",
    },
    groups={
        **EXPRESSION_GROUPS,
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
