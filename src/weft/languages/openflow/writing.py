"""Writes a process as an OPENflow script, and says what of it a script can't say."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from msgspec import UNSET

from weft.languages.text.error_writing import duration_text, error_lines
from weft.languages.text.reading import activities
from weft.languages.text.writing import Lines, Losses, Names, clauses, is_said_by_start, names_in, quoted
from weft.model.definition import (
    Activity,
    Call,
    Constant,
    Each,
    Expression,
    Flow,
    Function,
    Group,
    Guard,
    Handler,
    Input,
    Named,
    On,
    Outcome,
    Output,
    Person,
    Process,
    Quiet,
    Signal,
    Source,
    Task,
    Timer,
    Value,
    Variable,
    every,
)

TYPE: Final = re.compile(r"(?!\d)[\w, |\[\]]+")
SAID: Final = frozenset(("compensation", "on_error", "priority", "description", "deadline", "idempotent", "errors"))
KINDS: Final = {"commit": "outcome", "abort": "abort outcome", "repeat": "repeat outcome", "mark": "mark"}
EVENTS: Final = ("ready", "started", "committed", "aborted", "skipped", "ended")

Objects = tuple[tuple[str, str], ...]
Outcomes = tuple[tuple[str, str, Objects], ...]
Interface = tuple[tuple[tuple[str, Objects], ...], Outcomes]
"""Input sets and outcomes, with their objects and types."""


def write(process: Process) -> tuple[str, list[str]]:
    """The script, and what it leaves out. A process that is no flow has no script."""
    if not isinstance(process.body, Flow):
        kind = type(process.body).__name__.lower()
        return "", [f"{process.name} is a {kind}, and a script's process is made of tasks"]
    empty = next((one.name for one in activities(process) if isinstance(one, Flow) and not one.children), "")
    if empty:
        return "", [f"{empty} has no tasks, and a script's compound task has some"]
    writer = _Writer(process)
    writer.compound(process.body, None)
    return writer.text(), writer.losses.listed()


class _Writer:
    def __init__(self, process: Process) -> None:
        self.process = process
        self.losses = Losses()
        self.names = Names()
        self.lines = Lines()
        self.classes: dict[str, Interface] = {}
        self.around: list[Flow] = []
        self.taken = Names(process.classes)
        for what, is_there in (("its version", process.version), ("what can be searched for", process.searchable)):
            if is_there:
                self.losses.add(what, process.name)
        for name in process.applications:
            self.losses.add(f"the application {name}", process.name)

    def text(self) -> str:
        head = Lines()
        for one in self.process.classes.values():
            extends = f" extends {one.extends}" if one.extends else ""
            with head.block(f"class {one.name}{extends}"):
                for name, field in one.fields.items():
                    default = "" if field.default is UNSET else self._literal(field.default, f"{one.name}.{name}")
                    optional = "optional " if field.optional else ""
                    head.add(f"{optional}{name}: {self._type(field.type, one.name)}{default and f' = {default}'};")
        for class_name, (sets, outcomes) in self.classes.items():
            head.add()
            with head.block(f"taskclass {class_name}"):
                for name, objects in sets:
                    _objects(head, f"input set {name}", objects)
                for name, kind, objects in outcomes:
                    _objects(head, f"{KINDS[kind]} {name}", objects)
        return (head.whole() + "\n" + self.lines.whole()).lstrip("\n")

    # Activities.

    def compound(self, flow: Flow, around: Flow | None, head: str = "") -> None:
        self.losses.unsaid(flow, (*SAID, "variables"))
        for name in flow.variables:
            self.losses.add(f"the variable {name}; what reads it takes it from what writes it", flow.name)
        sets = self._sets(flow, around)
        made = {one.name: self._bindings(flow, one.bindings, flow, f"outcome {one.name}") for one in flow.outcomes}
        outcomes = tuple(
            (one.name, one.kind, self._types({name: one.types.get(name, "any") for name in made[one.name]}, flow.name))
            for one in flow.outcomes
            if one.kind == "commit" or not _is_never(one)
        )
        class_name = self._class(flow, sets, outcomes)
        with self.lines.block(f"{head}compound task {self.names.of(flow.name)} of {class_name}"):
            self._settings(flow)
            self._input_sets(flow, around, sets)
            self.around.append(flow)
            for child in flow.children:
                self.lines.add()
                self.activity(child, flow)
            self.around.pop()
            self.lines.add()
            for one in flow.outcomes:
                if one.kind == "commit" or not _is_never(one):
                    guard = _all_ended(flow) if one.guard == Quiet() else one.guard
                    news = self._notifications(guard, flow, flow, f"outcome {one.name}")
                    _sources(self.lines, f"outcome {one.name}", made[one.name], news)

    def activity(self, activity: Activity, around: Flow | None, head: str = "") -> None:
        if isinstance(activity, Flow):
            self.compound(activity, around, head)
            return
        sets = self._sets(activity, around)
        outcomes = tuple((one.name, one.kind, self._types(one.types, activity.name)) for one in activity.outcomes)
        handler = activity.handler if isinstance(activity, Task) else None
        class_name = self._class(activity, sets, outcomes, handler.task if isinstance(handler, Named) else "")
        kind = "genesis task" if isinstance(activity, Call) else "task"
        if isinstance(activity, Task) and activity.transaction != "none":
            kind = "atomic task"
            if activity.transaction == "two_phase":
                self.losses.add("that it commits in two phases", activity.name)
        said = (*SAID, "transaction", "resource", "writes", *(("idempotent",) if isinstance(activity, Task) else ()))
        self.losses.unsaid(activity, said)
        with self.lines.block(f"{head}{kind} {self.names.of(activity.name)} of {class_name}"):
            self._work(activity, class_name)
            self._settings(activity)
            self._input_sets(activity, around, sets)

    def _work(self, activity: Activity, class_name: str) -> None:
        if isinstance(activity, Task):
            resource = self.losses.resource(activity)
            if resource:
                self.lines.add(f"resource {resource};")
            how = self._implementation(activity.name, activity.handler, class_name)
            if how:
                self.lines.add(f"implementation {how};")
            if any(one.guard is not None for one in activity.outcomes):
                self.losses.add("for what its end waits", activity.name)
        elif isinstance(activity, Call):
            if activity.version:
                self.losses.add(f"the version {activity.version} of {activity.process}", activity.name)
            self.lines.add(f"definition {self.names.of(activity.process)};")
        else:
            self.losses.add(f"that it is {'an each' if isinstance(activity, Each) else 'a net'}", activity.name)

    def _implementation(self, name: str, handler: Handler, class_name: str) -> str:
        match handler:
            case Named(task):
                return "" if task == class_name else quoted(task)
            case Function(reference):
                return quoted(reference)
            case Person(role) | Group(role=role):
                if isinstance(handler, Group) or handler != Person(role):
                    self.losses.add("what else is said of the people who do it", name)
                return f"person {quoted(role)}" if role else "person"
            case Timer(seconds):
                return f"timer {duration_text(seconds)}"
            case Signal(signal, keep):
                if not keep:
                    self.losses.add("that its signal is not kept", name)
                return f"signal {signal}"
            case _:
                self.losses.add(f"how it is done, by {type(handler).__name__.lower()}", name)
                return ""

    def _settings(self, activity: Activity) -> None:
        if activity.description:
            self.lines.add(f"description {quoted(activity.description)};")
        priority = self.losses.priority(activity)
        if priority:
            self.lines.add(f"priority {priority};")
        if activity.deadline is not None:
            if activity.deadline.action == "fail" or activity.deadline.warn_seconds:
                self.losses.add("what else its deadline does", activity.name)
            self.lines.add(f"deadline {duration_text(activity.deadline.seconds)};")
        if activity.idempotent:
            self.lines.add("idempotent;")
        if activity.compensation is not None:
            self.activity(activity.compensation, None, "compensation ")
        errors = error_lines(activity, activity.on_error, self.losses, self._alternative, self._condition)
        if errors:
            with self.lines.block("errors"):
                for line in errors:
                    self.lines.add(line)

    def _condition(self, text: str) -> str | None:
        """Conditions see what the compounds around were given."""
        known = {name for flow in self.around for one in flow.input_sets for name in one.types}
        return text if names_in(text) <= known else None

    def _alternative(self, activity: Activity) -> str:
        lines, self.lines = self.lines, Lines()
        self.activity(activity, None)
        lines, self.lines = self.lines, lines
        return lines.in_one()

    # Classes.

    def _class(self, activity: Activity, sets: Mapping[str, "_Set"], outcomes: Outcomes, wanted: str = "") -> str:
        inputs = tuple((name, self._types(one.types, activity.name)) for name, one in sets.items())
        if inputs == (("start", ()),) and not sets["start"].news:
            inputs = ()
        interface: Interface = (inputs, outcomes)
        name = wanted or activity.name[:1].upper() + activity.name[1:]
        if self.classes.get(name, interface) == interface and re.fullmatch(r"[^\W\d]\w*(?:-\w+)*", name):
            self.classes[name] = interface
            return name
        made = self.taken.of(f"{name}.{activity.name}" if name in self.classes else name)
        self.classes[made] = interface
        return made

    def _types(self, types: Mapping[str, str], of: str) -> tuple[tuple[str, str], ...]:
        return tuple((name, self._type(one, of)) for name, one in types.items())

    def _type(self, text: str, of: str) -> str:
        if TYPE.fullmatch(text) and not re.search(r"[|,\[ ]\d", text):
            return text
        self.losses.add(f"the type {text}", of)
        return "any"

    # Starting and ending.

    def _sets(self, activity: Activity, around: Flow | None) -> dict[str, "_Set"]:
        found: dict[str, _Set] = {}
        for one in activity.input_sets:
            sources = self._bindings(activity, one.bindings, around, f"input set {one.name}")
            news = self._notifications(one.guard, activity, around, f"input set {one.name}")
            given = {**dict.fromkeys(one.bindings, "any"), **one.types}
            types = given if around is None else {name: given[name] for name in sources}
            found[one.name] = _Set(sources, news, types)
        return found

    def _input_sets(self, activity: Activity, around: Flow | None, sets: Mapping[str, "_Set"]) -> None:
        """What a process or a side is given needs no words, unless its rounds bring it."""
        for name, one in sets.items():
            if one.sources or one.news or (len(sets) > 1 and around is not None):
                _sources(self.lines, f"input set {name}", one.sources, one.news)

    def _bindings(
        self, activity: Activity, bindings: Mapping[str, Iterable[Source]], around: Flow | None, where: str
    ) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, sources in bindings.items():
            written = [text for one in sources for text in self._source(activity, one, around)]
            if written:
                found[name] = list(dict.fromkeys(written))
            else:
                self.losses.add(f"where {name} of {where} comes from", activity.name)
        return found

    def _source(self, activity: Activity, source: Source, around: Flow | None) -> Iterable[str]:
        match source:
            case Output(task, outcome, name):
                yield f"{name} of {self.names.of(task)} if {outcome}"
            case Input(task, set, name):
                yield f"{name} of {self.names.of(task)} if input {set}"
            case Constant(value):
                text = self._literal(value, activity.name)
                if text:
                    yield text
            case Variable(name):
                yield from self._variable(name, activity, around)
            case Expression(text) if text.isidentifier():
                yield from self._variable(text, activity, around)
            case _:
                self.losses.add(f"the expression {source.text}", activity.name)

    def _variable(self, name: str, activity: Activity, around: Flow | None) -> Iterable[str]:
        """From what was written beside, the last first; else from what the compound around was given."""
        if around is None:
            return
        before = list(around.children)
        if activity in before:
            del before[before.index(activity) :]
        writers = [child for child in reversed(before) if name in child.writes]
        if len(writers) > 1:
            self.losses.add(f"which of several tasks wrote {name} last", activity.name)
        for child in writers:
            yield f"{child.writes[name]} of {self.names.of(child.name)}"
        if any(name in one.types for one in around.input_sets):
            yield f"{name} of {self.names.of(around.name)}"

    def _literal(self, value: Value, of: str) -> str:
        match value:
            case None | True | False:
                return str(value).lower() if value is not None else "null"
            case str():
                return quoted(value)
            case int() | float():
                return repr(value)
            case _:
                self.losses.add("a constant that is a list or a record", of)
                return ""

    def _notifications(self, guard: Guard | None, activity: Activity, around: Flow | None, where: str) -> list[str]:
        found = clauses(guard)
        if found is None:
            self.losses.add(f"the guard of {where}, which is too long", activity.name)
            return []
        written: list[str] = []
        for clause in found:
            if around is not None and any(is_said_by_start(one, around.name) for one in clause):
                continue
            events = [self._event(one) for one in clause]
            if all(events) and events:
                written.append(f"notification from {', '.join(filter(None, events))};")
            else:
                self.losses.add(f"a condition of {where}", activity.name)
        return written

    def _event(self, guard: Guard) -> str | None:
        if not isinstance(guard, On):
            return None
        kind, _, name = guard.event.partition(":")
        task = self.names.of(guard.activity)
        match kind:
            case "started" if name:
                return f"{task} if input {name}"
            case "error":
                return f"{task} if error {name}"
            case "committed" | "aborted" | "mark" if name:
                return f"{task} if {name}"
            case _:
                return f"{task} if {kind}" if kind in EVENTS else None


class _Set(NamedTuple):
    """What is written of an input set: sources, notifications, and the objects with their types."""

    sources: dict[str, list[str]]
    news: list[str]
    types: dict[str, str]


def _is_never(outcome: Outcome) -> bool:
    return clauses(outcome.guard) == [()]


def _all_ended(flow: Flow) -> Guard | None:
    ended = [On(child.name, "ended") for child in flow.children]
    return every(*ended) if ended else None


def _objects(lines: Lines, head: str, objects: Iterable[tuple[str, str]]) -> None:
    written = [f"{name}: {of_type};" for name, of_type in objects]
    if not written:
        lines.add(f"{head};")
        return
    with lines.block(head):
        for one in written:
            lines.add(one)


def _sources(lines: Lines, head: str, sources: Mapping[str, list[str]], news: list[str]) -> None:
    if not sources and not news:
        lines.add(f"{head};")
        return
    with lines.block(head):
        for name, alternatives in sources.items():
            lines.add(f"{name} from {', '.join(alternatives)};")
        for one in news:
            lines.add(one)
