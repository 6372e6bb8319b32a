"""The grammar of OPENflow script, and how the parser's parts become the tree."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeVar

from lark import Token, Transformer

from weft.languages.openflow import tree
from weft.languages.text.errors import EXPRESSION_GROUPS, FILES, UNIT_SECONDS, Building, Errors
from weft.languages.text.parsing import Grammar, span_of
from weft.languages.text.source import Span
from weft.languages.text.words import Word, keyword, there, whole, word

Parts = Sequence[Any]
Part = TypeVar("Part")

CONSTANTS: Final = {"true": True, "false": False, "null": None}


class _Input(tree.SetText):
    __slots__ = ()


class _Output(tree.SetText):
    __slots__ = ()


class _Definition(NamedTuple):
    name: Word


def _all(parts: Parts, of: type[Part]) -> tuple[Part, ...]:
    return tuple([one for one in parts if isinstance(one, of)])


def _quoted(token: Token) -> str:
    """The text between the quotes; a backslash before what is no escape is itself."""
    try:
        return str(json.loads(token))
    except ValueError:
        return token[1:-1]


def _set(of: type[tree.SetText]) -> Callable[["Builder", Parts], tree.SetText]:
    def build(_: "Builder", parts: Parts) -> tree.SetText:
        _, name, *rest = parts
        return of(word(name), _all(rest, tree.SourceText), _all(rest, tree.Notification))

    return build


def _task(kind: Literal["task", "compound", "genesis"]) -> Callable[["Builder", Parts], tree.TaskText]:
    def build(_: "Builder", parts: Parts) -> tree.TaskText:
        atomic, name, task_class, *rest = parts if kind == "task" else (None, *parts)
        definitions = _all(rest, _Definition)
        return tree.TaskText(
            kind=kind,
            name=word(name),
            task_class=word(task_class),
            is_atomic=atomic is not None,
            inputs=_all(rest, _Input),
            outputs=_all(rest, _Output),
            children=_all(rest, tree.TaskText),
            works=_all(rest, tree.Work),
            settings=_all(rest, tree.Setting),
            sides=_all(rest, tree.Side),
            errors=_all(rest, Errors),
            definition=definitions[0].name if definitions else None,
            is_whole=None not in rest,
        )

    return build


def _work(kind: str) -> Callable[["Builder", Parts], tree.Work]:
    def build(_: "Builder", parts: Parts) -> tree.Work:
        names = tuple(
            Word(_quoted(one), span_of(one)) if one.type == "STRING" else word(one)
            for one in parts[1:]
            if isinstance(one, Token) and one.type in ("NAME", "STRING")
        )
        seconds = next(iter(_all(parts, float)), 0.0)
        return tree.Work(kind, word(parts[0]), names, seconds)

    return build


class Builder(Building, Transformer[Token, Any]):
    """One method for each rule of the grammar."""

    start = staticmethod(there)

    def skipped(self, parts: Parts) -> None:
        return None

    def object_class(self, parts: Parts) -> tree.ClassText:
        name, extends, *fields = parts
        return tree.ClassText(word(name), word(extends) if extends else None, there(fields))

    def field(self, parts: Parts) -> tree.FieldText:
        optional, name, of_type, default = parts
        return tree.FieldText(word(name), of_type, optional is not None, default)

    def type(self, parts: Parts) -> Span:
        return whole(there(parts))

    def task_class(self, parts: Parts) -> tree.TaskClassText:
        return tree.TaskClassText(word(parts[0]), there(parts[1:]))

    def way(self, parts: Parts) -> tree.Way:
        kind, name, *objects = parts
        return tree.Way(kind, word(name), there(objects))

    def kind(self, parts: Parts) -> str:
        said = [str(one.type) for one in there(parts)]
        return {"INPUT": "input", "OUTCOME": "commit"}.get(said[0], said[0].lower())

    def object(self, parts: Parts) -> tree.ObjectText:
        return tree.ObjectText(word(parts[0]), parts[1])

    task = _task("task")
    compound = _task("compound")
    genesis = _task("genesis")
    input = _set(_Input)
    output = _set(_Output)

    def source(self, parts: Parts) -> tree.SourceText:
        return tree.SourceText(word(parts[0]), tuple(parts[1:]))

    def object_of(self, parts: Parts) -> tree.ObjectOf:
        return tree.ObjectOf(word(parts[0]), parts[1])

    def notification(self, parts: Parts) -> tree.Notification:
        return tree.Notification(span_of(parts[0]), tuple(parts[1:]))

    def event(self, parts: Parts) -> tree.Event:
        task, condition = parts
        return tree.Event(word(task), *(condition or ()))

    def condition(self, parts: Parts) -> tuple[str, Word]:
        *how, name = parts
        return (how[0].type.lower() if how else "outcome"), name if isinstance(name, Word) else word(name)

    function = _work("function")
    person = _work("person")
    timer = _work("timer")
    signal = _work("signal")
    resource = _work("resource")
    required = _work("required")

    def definition(self, parts: Parts) -> _Definition:
        return _Definition(word(parts[1]))

    def side(self, parts: Parts) -> tree.Side:
        return tree.Side(parts[1])

    def setting(self, parts: Parts) -> tree.Setting:
        name, *rest = parts
        said = there(rest)
        match name.type:
            case "DESCRIPTION":
                return tree.Setting(keyword(parts), _quoted(said[0]))
            case "PRIORITY":
                return tree.Setting(keyword(parts), "".join(map(str, said)))
            case "DEADLINE":
                return tree.Setting(keyword(parts), said[0])
        return tree.Setting(keyword(parts), True)

    def duration(self, parts: Parts) -> float:
        return float(parts[0]) * UNIT_SECONDS[parts[1].text]

    def constant(self, parts: Parts) -> tree.Literally:
        said = there(parts)
        token, text, span = said[-1], "".join(map(str, said)), whole(said)
        if token.type == "STRING":
            return tree.Literally(_quoted(token), span)
        if token.type == "NAME":
            known = text.lower() in CONSTANTS
            return tree.Literally(CONSTANTS.get(text.lower()), span, "" if known else text)
        return tree.Literally(float(text) if any(one in text for one in ".eE") else int(text[:400]), span)


GRAMMAR: Final = Grammar(
    files=("weft.languages.openflow:script.lark", *FILES),
    builder=Builder,
    words={"NAME": "a name", "NUMBER": "a number", "STRING": "a text in quotes"},
    broken={
        "OPEN_STRING": "the text that begins here has no end on its line",
        "OPEN_COMMENT": "the comment that begins here has no end",
    },
    groups={
        **EXPRESSION_GROUPS,
        "what is said of a task": frozenset(
            ("DESCRIPTION", "PRIORITY", "DEADLINE", "IDEMPOTENT", "COMPENSATION", "ERRORS", "INPUT")
        ),
    },
    starters=frozenset(
        ("INPUT", "OUTCOME", "ABORT", "REPEAT", "MARK", "ATOMIC", "TASK", "_COMPOUND", "_GENESIS", "IMPLEMENTATION",
         "NOTIFICATION", "REQUIRED", "DEFINITION", "COMPENSATION", "ERRORS", "DESCRIPTION", "PRIORITY", "DEADLINE")
    ),
    tops=frozenset(("CLASS", "TASKCLASS")),
)  # fmt: skip
