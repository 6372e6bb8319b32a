"""Writes a process as a PDL text, and says what of it PDL can't say."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from weft.languages.pdl.data import TYPES
from weft.languages.pdl.lowering import FETCHED
from weft.languages.pdl.model_writing import Models, quoted, write_application
from weft.languages.pdl.rules import STATES
from weft.languages.text.writing import WRITTEN, Lines, Losses, Names, clauses, is_said_by_start, number_text
from weft.model.definition import (
    Activity,
    AtLeast,
    Constant,
    Flow,
    Guard,
    Input,
    On,
    Output,
    Process,
    Quiet,
    Read,
    Sql,
    Task,
    Variable,
    every,
    some,
)

STATE_OF: Final = {event: state for state, event in STATES.items() if state != "SUCCEDED"}
SAID: Final = frozenset(("on_error", "deadline", "priority", "description", "errors", "writes", "transaction"))
KIND_OF: Final = {
    "File": "FILE", "File | null": "FILE", TYPES["QUERY"]: "QUERY", "str": "STRING", "float": "NUMBER", "int": "NUMBER",
}  # fmt: skip


def write(process: Process) -> tuple[str, list[str]]:
    """The text, and what it leaves out. A process that is no flow has no text."""
    if not isinstance(process.body, Flow):
        kind = type(process.body).__name__.lower()
        return "", [f"{process.name} is a {kind}, and a workflow of PDL is made of tasks"]
    return _Writer(process, process.body).text()


@dataclass(frozen=True, slots=True)
class _Said:
    """What a task says in the workflow."""

    name: str
    model: str
    rule: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class _Writer:
    def __init__(self, process: Process, flow: Flow) -> None:
        self.process = process
        self.flow = flow
        self.losses = Losses()
        self.names = Names()
        self.data: dict[str, list[str]] = {}
        """What is declared: its block, kind and name first."""
        self.tasks = {one.name: one for one in flow.children if isinstance(one, Task)}
        self.fetching = {name: one for name, one in self.tasks.items() if _fetches(one)}
        awaited = (one for child in flow.children for set in child.input_sets for one in clauses(set.guard) or ())
        failures_awaited = {
            one.activity for clause in awaited for one in clause if isinstance(one, On) and one.event == "aborted"
        }

        self.models = Models(self.losses, failures_awaited, self.data)

    def text(self) -> tuple[str, list[str]]:
        self._about_the_process()
        said = [one for child in self.flow.children for one in self._task(child)]
        if not said:
            return "", self.losses.listed()
        lines = Lines()
        with lines.block(f"WORKFLOW {self.names.of(self.flow.name)}"):
            for head, *clauses_ in self.data.values():
                lines.add(f"{head} {{ {' '.join(clauses_)} }}")
            for one in said:
                lines.add()
                with lines.block(f"TASK {one.name}: {one.model}"):
                    if one.rule:
                        lines.add(f"DEPENDS {one.rule};")
                    if one.inputs:
                        lines.add(f"IN_CONTEXT {', '.join(one.inputs)};")
                    if one.outputs:
                        lines.add(f"OUT_CONTEXT {', '.join(one.outputs)};")
        self.models.write(lines)
        for name, application in self.process.applications.items():
            lines.add()
            if re.fullmatch(WRITTEN, name):
                write_application(lines, name, application)
            else:
                self.losses.add(f"the application {name}, as no text can have such a name")
        return lines.whole(), self.losses.listed()

    def _about_the_process(self) -> None:
        process, flow = self.process, self.flow
        for what, is_there in (("its version", process.version), ("what can be searched for", process.searchable)):
            if is_there:
                self.losses.add(what, process.name)
        for name in process.classes:
            self.losses.add(f"the class {name}", process.name)
        self.losses.unsaid(flow, ("variables",))
        for one in flow.outcomes:
            if (one.kind, one.guard) != ("commit", Quiet()):
                self.losses.add(f"the outcome {one.name}: it ends when nothing can start", flow.name)
        for name, declared in flow.variables.items():
            self._datum(name, declared.type, declared.default, declared.file)
        for start in flow.input_sets:
            for name, of_type in start.types.items():
                first = next(iter(start.bindings.get(name, ())), None)
                if not isinstance(first, Constant):
                    self.losses.add(f"that {name} must be given when it starts", flow.name)
                self._datum(name, of_type, first.value if isinstance(first, Constant) else None)

    def _datum(
        self, name: str, of_type: str, value: object = None, file: str = "", statement: Sql | None = None
    ) -> str:
        """Declares a datum, and gives its name; an empty one if PDL has no such data."""
        kind = KIND_OF.get(of_type, "")
        if not kind:
            self.losses.add(f"{name}, which is {of_type}", self.flow.name)
            return ""
        own = name
        match kind:
            case "FILE":
                block = [f"FILE {own}", f"NAME {quoted(file or name)};"]
            case "QUERY":
                found = statement or self._query(name)
                if found is None:
                    self.losses.add(f"{name}, which no query of a database gives", self.flow.name)
                    return ""
                block = [
                    f"QUERY {own}",
                    f"DATABASE {quoted(found.resource)};",
                    f"EXPRESSION {quoted(found.statement)};",
                ]
            case "STRING":
                block = [f"STRING {own}", f"VALUE {quoted(value if isinstance(value, str) else '')};"]
            case _:
                block = [f"NUMBER {own}", f"VALUE {number_text(value) if isinstance(value, int | float) else '0'};"]
        self.data.setdefault(own, block)
        return own

    def _query(self, name: str) -> Sql | None:
        for task in self.tasks.values():
            for one in task.input_sets:
                for source in one.bindings.get(name, ()):
                    if isinstance(source, Output) and source.activity in self.fetching:
                        handler = self.fetching[source.activity].handler
                        return handler if isinstance(handler, Sql) else None
        return None

    # Tasks.

    def _task(self, activity: Activity) -> Iterator[_Said]:
        if activity.name in self.fetching:
            return
        if not isinstance(activity, Task):
            self.losses.add(
                f"{activity.name}, which is a {type(activity).__name__.lower()} and no task", self.flow.name
            )
            return
        self.losses.unsaid(activity, SAID)
        if any(one.guard is not None for one in activity.outcomes):
            self.losses.add("for what its end waits", activity.name)
        needed: list[Guard] = []
        inputs = tuple(self._inputs(activity, needed))
        written = activity.writes | dict(self._passed_on(activity))
        outputs = tuple(name for name in written if name in self.data)
        for one in [one.name for one in activity.outcomes if one.kind in ("commit", "mark")][1:]:
            self.losses.add(f"its outcome {one}", activity.name)
        rule = self._rule(activity, needed)
        model = self.models.of(activity, inputs, outputs)
        yield _Said(self.names.of(activity.name), model, rule, inputs, outputs)

    def _inputs(self, task: Task, needed: list[Guard]) -> Iterator[str]:
        """The data that a task reads; `needed` gets the tasks that must have given them."""
        seen: set[str] = set()
        for one in task.input_sets:
            for name, sources in one.bindings.items():
                found = [own for source in sources if (own := self._read(name, source, one.types.get(name, "any")))]
                if not found:
                    self.losses.add(f"where its {name} comes from", task.name)
                givers = [source.activity for source in sources if isinstance(source, Output)]
                if givers and len(givers) == len(sources) and not set(givers) & self.fetching.keys():
                    needed.append(some(*[On(giver, "committed") for giver in givers]))
                for own in found:
                    if own not in seen:
                        seen.add(own)
                        yield own
                    if own != name:
                        self.losses.add(f"that it knows {own} as {name}", task.name)

    def _read(self, name: str, source: object, of_type: str) -> str:
        match source:
            case Variable(variable) if variable in self.data:
                return variable
            case Output(activity, _, _) if activity in self.fetching:
                handler = self.fetching[activity].handler
                if isinstance(handler, Read):
                    return self._datum(name, "File | null", file=handler.file)
                return self._datum(name, TYPES["QUERY"], statement=handler if isinstance(handler, Sql) else None)
            case Output(activity, _, name) if activity in self.tasks:
                return self._datum(self._given_as(activity, name), of_type)
            case Input(activity, _, name) if activity == self.flow.name and name in self.data:
                return name
            case _:
                return ""

    def _given_as(self, activity: str, name: str) -> str:
        """The datum in which an object of a task is passed on: the object's name if no other task gives one."""
        givers = [one.name for one in self.tasks.values() if any(name in end.types for end in one.outcomes)]
        return name if givers == [activity] and name not in self.flow.variables else f"{activity}_{name}"

    def _passed_on(self, task: Task) -> Iterator[tuple[str, str]]:
        for end in task.outcomes:
            for name, of_type in end.types.items():
                datum = self._given_as(task.name, name)
                if name not in task.writes.values() and KIND_OF.get(of_type) and self._is_read(task.name, name):
                    yield self._datum(datum, of_type), name

    def _is_read(self, activity: str, name: str) -> bool:
        return any(
            isinstance(source, Output) and (source.activity, source.object) == (activity, name)
            for one in self.tasks.values()
            for set in one.input_sets
            for sources in set.bindings.values()
            for source in sources
        )

    # Rules.

    def _rule(self, task: Task, needed: Iterable[Guard]) -> str:
        if len(task.input_sets) > 1:
            self.losses.add("which of its input sets it starts with", task.name)
        guards = [one.guard for one in task.input_sets]
        own = [] if None in guards else [some(*[one for one in guards if one is not None])]
        return self._formula(task, every(*own, *needed)) or "" if own or needed else ""

    def _formula(self, task: Task, guard: Guard) -> str | None:
        """The rule; empty if it always holds, None if PDL can't say it."""
        if not isinstance(guard, AtLeast):
            return "" if is_said_by_start(guard, self.flow.name) else self._term(guard)
        if 1 < guard.count < len(guard.guards):
            return self._counted(task, guard)
        parts = [self._formula(task, one) for one in guard.guards]
        said = list(dict.fromkeys(one for one in parts if one))
        if guard.count == 0 or (guard.count == 1 < len(parts) and "" in parts):
            return ""
        if None in parts or not parts:
            self.losses.add("a condition of its rule", task.name)
        return _gate("AND" if guard.count == len(parts) else "OR", said)

    def _counted(self, task: Task, guard: AtLeast) -> str | None:
        """So many of several, as a conjunction of disjunctions."""
        found = clauses(guard)
        if found is None:
            self.losses.add("a condition of its rule, which is too long", task.name)
            return ""
        return self._formula(task, every(*[some(*one) for one in found]))

    def _term(self, guard: Guard) -> str | None:
        if not isinstance(guard, On) or guard.activity not in self.tasks or guard.activity in self.fetching:
            return None
        event, _, name = guard.event.partition(":")
        state = STATE_OF.get(event)
        if state is None:
            return None
        if name:
            self.losses.add(f"that it is heard of as {guard.event}, and not in whatever way", guard.activity)
        return f"{self.names.of(guard.activity)} -> {state}"


def _fetches(task: Task) -> bool:
    return isinstance(task.handler, Read | Sql) and list(task.outcomes[0].types) == [FETCHED] and not task.writes


def _gate(operator: str, parts: list[str]) -> str:
    return "".join(parts) if len(parts) < 2 else f"{operator} ({', '.join(parts)})"
