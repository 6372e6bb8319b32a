"""What an OPENflow script declares, for editors: also of one that is not yet right."""

from collections.abc import Iterator
from typing import Final

from weft.languages.openflow.building import GRAMMAR
from weft.languages.openflow.tree import ClassText, TaskClassText, TaskText
from weft.languages.text.faults import TextReport
from weft.languages.text.outline import Outline, Symbol
from weft.languages.text.source import Source, Span

WORDS: Final = {
    "CLASS": "An object class: `class Name extends Other { field: type; }`",
    "TASKCLASS": "What tasks of a class take and give: their ways to start and to end.",
    "TASK": "A task of a class: `task name of Class { … }`",
    "COMPOUND": "A task that is made of tasks.",
    "GENESIS": "A task that is made when it starts, from its definition.",
    "ATOMIC": "A task that commits together with what it requires.",
    "INPUT": "An input set: one of several ways to start, with its objects.",
    "OUTCOME": "One of several ways to end, with its objects.",
    "ABORT": "An outcome after which nothing of the task has happened.",
    "REPEAT": "An outcome after which the task goes round again.",
    "MARK": "Tells something before the end.",
    "FROM": "Where an object comes from, or of what must be heard; the first that is there is taken.",
    "NOTIFICATION": "Of what must be heard, without data.",
    "IMPLEMENTATION": "Who does the work: functions by name, `person`, `timer`, `signal`.",
    "DEFINITION": "What a genesis task is made of.",
    "COMPENSATION": "What takes the task back.",
}


def outline(source: Source) -> Outline:
    whole = Span(0, len(source.text))
    symbols: list[Symbol] = []
    for item in GRAMMAR.parse(TextReport(source)) or ():
        if isinstance(item, ClassText | TaskClassText):
            word = "class" if isinstance(item, ClassText) else "taskclass"
            symbols.append(Symbol(item.name.text, "class", item.name.span, f"{word} {item.name.text}", whole))
        elif isinstance(item, TaskText):
            symbols += _tasks(item, whole, "process")
    return Outline(symbols, WORDS)


def _tasks(task: TaskText, scope: Span, kind: str) -> Iterator[Symbol]:
    rest = [(task, kind)]
    while rest:
        one, kind = rest.pop()
        word = "task" if one.kind == "task" else f"{one.kind} task"
        detail = f"{word} {one.name.text} of {one.task_class.text}"
        yield Symbol(one.name.text, kind, one.name.span, detail, scope)  # type: ignore[arg-type]
        rest += [(child, "activity") for child in (*one.children, *(side.task for side in one.sides))]
