"""The tasks of a WfFormat instance, of any version: what each runs, reads, leaves and waits for."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from weft.languages.text.faults import TextReport
from weft.languages.text.source import START, Span

_NAMED: Final = re.compile(r'"(?:id|name)"\s*:\s*"((?:[^"\\]|\\.)*)"')
_NUMBERED: Final = re.compile(r"[_-]?(?:ID)?\d+$")
_TAKEN: Final = (
    "id", "name", "parents", "children", "files", "inputFiles", "outputFiles", "command", "arguments", "program",
    "description",
)  # fmt: skip


@dataclass(slots=True)
class TaskText:
    id: str
    name: str
    span: Span
    program: str
    arguments: list[str]
    parents: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    description: str = ""
    properties: dict[str, str] = field(default_factory=dict)


class Instance:
    """Reads the tasks. Of what has the wrong shape each is told at the name that is nearest."""

    def __init__(self, whole: dict[str, object], report: TextReport) -> None:
        self.report = report
        self.tasks: dict[str, TaskText] = {}
        workflow = self._record(whole.get("workflow"), "workflow")
        specification = workflow.get("specification")
        inner = self._record(specification, "specification") if specification is not None else workflow
        execution = self._record(workflow.get("execution", {}), "execution")
        found = inner.get("tasks", inner.get("jobs"))
        if not isinstance(found, list):
            report.add("syntax", self.span("workflow"), "the workflow has no list of tasks", 'say "tasks": [ … ]')
            found = []
        self.measured = {str(one.get("id", one.get("name"))): one for one in self._records(execution.get("tasks", []))}
        for one in self._records(found):
            self._task(one)
        self._join(list(self._records(found)))
        self.properties = _texts({**_scalars(whole), **_scalars(workflow), **_scalars(execution)})

    @cached_property
    def _places(self) -> dict[str, Span]:
        found: dict[str, Span] = {}
        for one in _NAMED.finditer(self.report.source.text):
            found.setdefault(one[1], Span(one.start(1) - 1, one.end(1) + 1))
        return found

    def span(self, word: str) -> Span:
        """Where a text speaks of it."""
        if word in self._places:
            return self._places[word]
        at = self.report.source.text.find(json.dumps(word, ensure_ascii=False))
        return Span(at, at + len(word) + 2) if at >= 0 else START

    # Shapes.

    def _record(self, value: object, what: str) -> dict[str, object]:
        if isinstance(value, dict):
            return value
        self.report.add("syntax", self.span(what), f"{what!r} is no object", f'say "{what}": {{ … }}')
        return {}

    def _records(self, values: object) -> Iterator[dict[str, object]]:
        for one in values if isinstance(values, list) else []:
            if isinstance(one, dict):
                yield one

    def _strings(self, task: str, what: str, values: object) -> list[str]:
        """A list of names; a name may be an object with an id or a name."""
        found: list[str] = []
        for one in values if isinstance(values, list) else [] if values is None else [values]:
            name = one.get("id", one.get("name")) if isinstance(one, dict) else one
            if isinstance(name, str | int | float):
                found.append(str(name))
            else:
                message = f"an entry of {what!r} of the task {task!r} is no text"
                self.report.add("syntax", self.span(task), message, "name it")
        return found

    # Tasks.

    def _task(self, said: dict[str, object]) -> None:
        name, id = said.get("name", said.get("id")), said.get("id", said.get("name"))
        if not isinstance(id, str) or not isinstance(name, str) or not id:
            self.report.add("syntax", self.span("tasks"), "a task has neither id nor name", 'say "id": "…"')
            return
        if id in self.tasks:
            self.report.add("duplicate-name", self.span(id), f"there are two tasks {id!r}", "rename one")
            return
        measured = self.measured.get(id, {})
        command = measured.get("command", said.get("command"))
        command = command if isinstance(command, dict) else {}
        program = command.get("program") or said.get("program") or _NUMBERED.sub("", name) or name
        arguments = self._strings(id, "arguments", command.get("arguments", said.get("arguments")))
        found = TaskText(id, name, self.span(id), str(program), arguments)
        found.inputs = self._strings(id, "inputFiles", said.get("inputFiles"))
        found.outputs = self._strings(id, "outputFiles", said.get("outputFiles"))
        self._linked(found, said.get("files"))
        described = said.get("description")
        found.description = described if isinstance(described, str) else ""
        others = {key: value for key, value in {**said, **measured}.items() if key not in _TAKEN}
        found.properties = _texts(others)
        self.tasks[id] = found

    def _linked(self, task: TaskText, files: object) -> None:
        """Files as older versions have them, each with its direction."""
        for one in self._records(files):
            (name,) = self._strings(task.id, "files", [one]) or [""]
            if one.get("link") == "output":
                task.outputs.append(name)
            elif one.get("link") == "input":
                task.inputs.append(name)
            else:
                message = f"the file {name!r} of the task {task.id!r} is neither input nor output"
                self.report.add("syntax", self.span(name), message, 'say "link": "input" or "output"')

    def _join(self, tasks: list[dict[str, object]]) -> None:
        """Parents and children, by id or name; either side may say it."""
        by_name = {task.name: id for id, task in self.tasks.items()} | {id: id for id in self.tasks}
        for said in tasks:
            id = by_name.get(str(said.get("id", said.get("name"))), "")
            if not id:
                continue
            for what in ("parents", "children"):
                for other in self._strings(id, what, said.get(what)):
                    if other not in by_name:
                        message = f"the task {id!r} has among its {what} {other!r}, which does not exist"
                        self.report.unknown("unknown-name", self.span(other), message, other, by_name, "declare it")
                        continue
                    child, parent = (id, by_name[other]) if what == "parents" else (by_name[other], id)
                    if parent not in self.tasks[child].parents:
                        self.tasks[child].parents.append(parent)


def _scalars(said: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in said.items() if not isinstance(value, dict | list) and key != "name"}


def _texts(said: dict[str, object]) -> dict[str, str]:
    return {key: value if isinstance(value, str) else json.dumps(value) for key, value in said.items()}
