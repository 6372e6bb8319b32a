"""Builds the tree of a PDL text while it is parsed."""

from collections.abc import Callable, Sequence
from typing import Any

from lark import Token, Transformer

from weft.languages.pdl.tree import Block, Clause, Gate, Rule, Term
from weft.languages.text.errors import EXPRESSION_GROUPS, FILES, Action, Building, Errors
from weft.languages.text.parsing import Grammar, span_of
from weft.languages.text.words import Word, keyword, whole


def _word(token: Token) -> Word:
    text = str(token)
    if token.type == "STRING" and text.startswith('"'):
        text = text[1:-1].replace('""', '"')
    return Word(text, span_of(token))


def _block(kind: str) -> Callable[["Builder", list[Any]], Block]:
    def build(_: "Builder", parts: list[Any]) -> Block:
        names = [_word(one) for one in parts if isinstance(one, Token)]
        clauses = tuple(one for one in parts if isinstance(one, Clause))
        blocks = tuple(one for one in parts if isinstance(one, Block))
        errors = tuple(one for one in parts if isinstance(one, Errors))
        return Block(kind, names[0], clauses, blocks, names[1] if len(names) > 1 else None, errors, None not in parts)

    return build


def _clause(_: "Builder", parts: list[Any]) -> Clause:
    words: list[Word] = []
    rule: Rule | None = None
    sign: Token | None = None
    for one in parts[1:-1]:
        match one:
            case Token(type="MINUS" | "PLUS"):
                sign = one
            case Token(type="NUMBER"):
                words.append(Word(f"{sign or ''}{one}", whole([sign or one, one])))
            case Token():
                words.append(_word(one))
            case Term() | Gate():
                rule = one
            case list():
                words += one
            case _:  # an empty clause
                pass
    return Clause(_word(parts[0]), tuple(words), rule)


class Builder(Building, Transformer[Token, Any]):
    def start(self, parts: list[Any]) -> list[Block]:
        return [one for one in parts if one is not None]

    workflow = _block("WORKFLOW")
    file = _block("FILE")
    query = _block("QUERY")
    string = _block("STRING")
    number = _block("NUMBER")
    task = _block("TASK")
    model = _block("TASK")
    application = _block("APPLICATION")
    file_clause = query_clause = string_clause = number_clause = _clause
    task_clause = model_clause = application_clause = _clause

    def term(self, parts: list[Token]) -> Term:
        return Term(_word(parts[0]), _word(parts[2]))

    def gate(self, parts: list[Any]) -> Gate:
        rules = tuple(parts[1:])
        return Gate(_word(parts[0]), rules, 1 + max(one.depth for one in rules))

    def names(self, parts: list[Token]) -> list[Word]:
        return [_word(one) for one in parts]

    listed = names

    def alternative(self, parts: Sequence[Any]) -> Action:
        return Action(keyword(parts), _word(parts[1]))

    def skipped(self, parts: list[Any]) -> None:
        return None


GRAMMAR = Grammar(
    files=("weft.languages.pdl:grammar.lark", *FILES),
    builder=Builder,
    words={"NAME": "a name", "STRING": "a text in quotes", "NUMBER": "a number", "ARROW": "'->'"},
    broken={
        "OPEN_STRING": "the text that begins here has no end: close it with a quote",
        "OPEN_COMMENT": "the comment that begins here has no end: close it with */",
    },
    groups=EXPRESSION_GROUPS,
    starters=frozenset(
        (
            "WORKFLOW", "FILE", "QUERY", "STRING", "NUMBER", "TASK", "APPLICATION", "DEPENDS", "IN_CONTEXT",
            "OUT_CONTEXT", "TYPE", "ROLE", "DESCRIPTION", "PRIORITY", "DEADLINE", "DISCONNECTED_OPERATION", "RETRIES",
            "USERS", "FILENAME", "SIZE", "OS", "CPU", "INSTALLER", "HOSTS", "DATABASE", "EXPRESSION", "VALUE",
        )
    ),
    tops=frozenset(("WORKFLOW",)),
)  # fmt: skip
