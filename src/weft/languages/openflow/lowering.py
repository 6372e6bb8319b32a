"""Turns the tree of an OPENflow script into processes: compound tasks become flows, genesis tasks calls."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from weft.languages.openflow.classes import Classes, Interface
from weft.languages.openflow.hearing import Hearing, Scope
from weft.languages.openflow.tree import ClassText, SetText, TaskClassText, TaskText, Work
from weft.languages.text.errors import Rules
from weft.languages.text.expressions import compiled
from weft.languages.text.faults import TextReport
from weft.languages.text.reading import Places
from weft.languages.text.source import START, Span
from weft.languages.text.words import Word
from weft.model.definition import (
    Activity,
    AtLeast,
    Call,
    Deadline,
    Flow,
    Handler,
    InputSet,
    Named,
    Outcome,
    Person,
    Process,
    Signal,
    Sources,
    Task,
    Timer,
)
from weft.model.types import Type, parse, union

NEVER: Final = AtLeast(1, ())

Declared = ClassText | TaskClassText | TaskText


class Script:
    """The processes of one script, and where their tasks stand in it."""

    def __init__(self, declared: Sequence[Declared], report: TextReport) -> None:
        self.report = report
        objects = [one for one in declared if isinstance(one, ClassText)]
        task_classes = [one for one in declared if isinstance(one, TaskClassText)]
        self.classes = Classes(report, objects, task_classes)
        self.hearing = Hearing(report, self.classes)
        self.definitions: dict[str, TaskText] = {}
        for one in declared:
            if isinstance(one, TaskText):
                self._define(one)
        self.processes: list[Process] = []
        self.places: dict[str, Places] = {}
        self.unkept: dict[str, list[str]] = {}
        for one in self.definitions.values():
            schema = _Schema(self, one)
            if schema.process is not None:
                self.processes.append(schema.process)
                self.places[one.name.text] = schema.places
                self.unkept[one.name.text] = schema.unkept
        if not self.definitions and not report.has_errors:
            advice = "write compound task name of taskclass { … }"
            report.add("syntax", START, "the script has no compound task, so no process", advice)

    def _define(self, task: TaskText) -> None:
        first = self.definitions.setdefault(task.name.text, task)
        if first is not task:
            line, _ = self.report.source.position(first.name.span.start)
            message = f"there is a compound task {task.name.text!r} already, in line {line}"
            self.report.add("duplicate-name", task.name.span, message, "rename one of them")


class _Schema:
    """One process on its way to the model."""

    def __init__(self, script: Script, text: TaskText) -> None:
        self.script = script
        self.report = script.report
        self.hearing = script.hearing
        self.places: dict[str, Span] = {}
        self.errors: dict[str, None] = {}
        self.names: list[dict[str, Type]] = [{}]
        """What conditions may use, of the compounds around."""
        self.unkept: list[str] = []
        body = self._alone(text)
        self.process: Process | None = None
        if body is not None:
            name, classes = text.name.text, script.classes.objects
            self.process = Process(name=name, body=body, classes=classes, errors=tuple(self.errors))

    def _activity(self, text: TaskText, scope: Scope, *, is_given: bool = False) -> Activity | None:
        """`is_given`: its objects are brought by a start, or are those of the task that it stands beside."""
        interface = self._interface(text)
        self._place(text.name)
        if interface is None:
            return None
        sets = self._input_sets(text, interface, scope, is_given=is_given)
        made: Activity
        if text.kind == "compound":
            made = self._compound(text, interface, sets)
        elif text.kind == "genesis":
            outcomes = tuple(interface.outcomes.values())
            made = Call(name=text.name.text, process=self._definition(text), input_sets=sets, outcomes=outcomes)
        else:
            made = self._task(text, interface, sets)
        return self._with_settings(text, made)

    def _alone(self, text: TaskText, owner: TaskText | None = None) -> Activity | None:
        """A process, or a task that stands beside another and hears of it alone."""
        known = self.script.classes.tasks
        beside = {
            one.name.text: known[one.task_class.text]
            for one in (text, owner)
            if one is not None and one.task_class.text in known
        }
        return self._activity(text, Scope(beside, itself=text.name.text), is_given=True)

    def _interface(self, text: TaskText) -> Interface | None:
        name, known = text.task_class, self.script.classes.tasks
        if name.text not in known:
            message = f"there is no taskclass {name.text!r}"
            self.report.unknown("unknown-name", name.span, message, name.text, known, f"write taskclass {name.text}")
        return known.get(name.text)

    def _place(self, name: Word) -> None:
        first = self.places.setdefault(name.text, name.span)
        if first is not name.span:
            line, _ = self.report.source.position(first.start)
            message = f"there is a task {name.text!r} already, in line {line}; guards and history go by names"
            self.report.add("duplicate-name", name.span, message, "rename one of them")

    # Starting.

    def _input_sets(
        self, text: TaskText, interface: Interface, scope: Scope, *, is_given: bool
    ) -> tuple[InputSet, ...]:
        found: dict[str, InputSet] = {}
        for one in text.inputs:
            types = interface.inputs.get(one.name.text)
            if types is None:
                self._unknown(one.name, text, interface.inputs, "input set", "unknown-set")
            elif one.name.text in found:
                self.report.add("duplicate-name", one.name.span, f"{one.name.text!r} is there twice", "take one out")
            else:
                bindings = self._bindings(one, types, scope, text.name.text)
                if not is_given:
                    self._all_bound(one, types, bindings, text)
                guard = self.hearing.guard(scope, one.notifications)
                found[one.name.text] = InputSet(one.name.text, guard, bindings, types)
        for name, types in interface.inputs.items():
            if is_given or (not text.inputs and not types):
                found.setdefault(name, InputSet(name, types=types))
        if not found and text.is_whole and not text.inputs:
            if interface.inputs:
                listed = " or ".join(f"input set {name} {{ … }}" for name in interface.inputs)
                message = f"{text.name.text!r} does not say where its objects come from"
                self.report.add("no-source", text.name.span, message, f"write {listed}")
            else:
                found["start"] = InputSet()
        return tuple(found.values())

    def _bindings(self, said: SetText, types: Mapping[str, str], scope: Scope, name: str) -> dict[str, Sources]:
        found: dict[str, Sources] = {}
        for source in said.sources:
            wanted = source.name.text
            if wanted not in types:
                listed = ", ".join(types) or "none"
                message = f"{said.name.text!r} of {name!r} has no object {wanted!r}"
                advice = f"its objects: {listed}"
                self.report.unknown("unknown-object", source.name.span, message, wanted, types, advice)
            elif wanted in found:
                message = f"{wanted!r} is there twice"
                self.report.add("duplicate-name", source.name.span, message, "join its alternatives with commas")
            else:
                found[wanted] = self.hearing.sources(scope, types[wanted], source.alternatives)
        return found

    def _all_bound(
        self, said: SetText, types: Mapping[str, str], bindings: Mapping[str, Sources], text: TaskText
    ) -> None:
        missing = [name for name in types if name not in bindings]
        if missing and text.is_whole:
            message = f"{said.name.text!r} of {text.name.text!r} does not say where {', '.join(missing)} comes from"
            self.report.add("no-source", said.name.span, message, f"write {missing[0]} from … of …;")

    # Compound, simple and genesis tasks.

    def _compound(self, text: TaskText, interface: Interface, sets: tuple[InputSet, ...]) -> Flow:
        known = self.script.classes.tasks
        classes = {child.name.text: child.task_class.text for child in text.children}
        beside = {text.name.text: interface, **{name: known[one] for name, one in classes.items() if one in known}}
        around = Scope(beside, text.name.text, hidden=frozenset(classes.keys() - beside.keys()))
        heard: dict[str, set[str]] = {}
        self.names.append(self._inputs(interface))
        children: list[Activity] = []
        for child in text.children:
            scope = dataclasses.replace(around, itself=child.name.text, heard=set())
            made = self._activity(child, scope)
            heard[child.name.text] = scope.heard
            if made is not None:
                children.append(made)
        for child in text.children:
            self._required(child, heard)
        outcomes = self._outcomes(text, interface, around)
        self.names.pop()
        if not children and text.is_whole:
            message = f"the compound task {text.name.text!r} has no tasks"
            self.report.add("syntax", text.name.span, message, "write task name of taskclass { … }")
        return Flow(name=text.name.text, input_sets=sets, outcomes=outcomes, children=tuple(children))

    def _inputs(self, interface: Interface) -> dict[str, Type]:
        """The objects of all input sets; one of several sets may have any of its types."""
        found: dict[str, Type] = {**self.names[-1]}
        own: dict[str, Type] = {}
        for types in interface.inputs.values():
            for name, of_type in types.items():
                one = parse(of_type, self.script.classes.objects)
                own[name] = union((own[name], one)) if name in own else one
        return found | own

    def _outcomes(self, text: TaskText, interface: Interface, scope: Scope) -> tuple[Outcome, ...]:
        found: dict[str, Outcome] = {}
        for one in text.outputs:
            declared = interface.outcomes.get(one.name.text)
            if declared is None:
                self._unknown(one.name, text, interface.outcomes, "outcome", "unknown-outcome")
            elif one.name.text in found:
                self.report.add("duplicate-name", one.name.span, f"{one.name.text!r} is there twice", "take one out")
            else:
                bindings = self._bindings(one, declared.types, scope, text.name.text)
                self._all_bound(one, declared.types, bindings, text)
                guard = self.hearing.guard(scope, one.notifications)
                found[one.name.text] = replace(declared, guard=guard, bindings=bindings)
        for name, declared in interface.outcomes.items():
            if name in found:
                continue
            if declared.kind == "commit" and text.is_whole:
                message = f"{text.name.text!r} does not say when its outcome {name!r} is reached"
                self.report.add("no-source", text.name.span, message, f"write outcome {name} {{ … }}")
            found[name] = replace(declared, guard=NEVER, types={}) if declared.types else replace(declared, guard=NEVER)
        return tuple(found.values())

    def _definition(self, text: TaskText) -> str:
        name = text.definition
        if name is None:
            if text.is_whole:
                message = f"the genesis task {text.name.text!r} does not say what is instantiated"
                self.report.add("call", text.name.span, message, "write definition name;")
            return ""
        known, classes = self.script.definitions.get(name.text), self.script.classes.tasks
        if known is not None and {known.task_class.text, text.task_class.text} <= classes.keys():
            there, here = classes[known.task_class.text], classes[text.task_class.text]
            if (there.inputs, there.outcomes) != (here.inputs, here.outcomes):
                message = f"{name.text!r} is of {there.name!r}, and this task of {here.name!r}"
                self.report.add("misfit", name.span, message, "give both the same taskclass")
        return name.text

    def _task(self, text: TaskText, interface: Interface, sets: tuple[InputSet, ...]) -> Task:
        handler: Handler = Named(interface.name)
        resource = ""
        seen: set[str] = set()
        for work in text.works:
            kind = work.kind if work.kind in ("resource", "required") else "implementation"
            if kind in seen and kind != "required":
                message = f"{work.word.text} of {text.name.text!r} is said twice"
                self.report.add("duplicate-name", work.word.span, message, "take one out")
            seen.add(kind)
            if kind == "resource":
                resource = work.names[0].text
            elif kind == "implementation":
                handler = _handler(work)
            self._unkept(text.name.text, work)
        for work in text.works:
            if work.kind in ("resource", "required") and not text.is_atomic:
                message = f"{work.word.text} has no effect: {text.name.text!r} is not atomic"
                self.report.add("left-out", work.word.span, message, "write atomic task, or take it out")
        return Task(
            name=text.name.text,
            handler=handler,
            transaction="transactional" if text.is_atomic else "none",
            resource=resource,
            input_sets=sets,
            outcomes=tuple(interface.outcomes.values()),
        )

    def _unkept(self, name: str, work: Work) -> None:
        """What is checked or chosen when the script is read, and is in no definition."""
        if work.kind == "required":
            told = ", ".join(one.text for one in work.names)
            self.unkept.append(f"{name}: that the notification of {told} is required")
        elif work.kind == "function" and len(work.names) > 1:
            others = ", ".join(one.text for one in work.names[1:])
            self.unkept.append(f"{name}: the implementations after the first, {others}")

    def _required(self, text: TaskText, heard: Mapping[str, set[str]]) -> None:
        """Those whose notification is required must hear of the task."""
        for work in text.works:
            for name in work.names if work.kind == "required" else ():
                if name.text not in heard:
                    message = f"there is no task {name.text!r} beside {text.name.text!r}"
                    self.report.unknown("unknown-activity", name.span, message, name.text, heard, "name one beside it")
                elif text.name.text not in heard[name.text]:
                    message = f"{name.text!r} hears nothing of {text.name.text!r}, so it can't be notified"
                    advice = f"let it have an object or a notification from {text.name.text}"
                    self.report.add("unknown-event", name.span, message, advice)

    # What else is said of a task.

    def _with_settings(self, text: TaskText, made: Activity) -> Activity:
        said: dict[str, object] = {}
        for setting in text.settings:
            name, value = setting.word.text, setting.value
            if name in said:
                message = f"{name.lower()} of {text.name.text!r} is said twice"
                self.report.add("duplicate-name", setting.word.span, message, "take one out")
            said[name] = self._priority(setting.word, str(value)) if name == "PRIORITY" else value
        compensations = [self._alone(one.task, text) for one in text.sides]
        for extra in text.sides[1:]:
            message = f"{text.name.text!r} has two compensations"
            self.report.add("duplicate-name", extra.task.name.span, message, "join them in a compound task")
        rules, raw = self._rules(text).of(text.errors)
        deadline = said.get("DEADLINE")
        made = replace(
            made,
            description=said.get("DESCRIPTION", ""),
            priority=said.get("PRIORITY", 0),
            deadline=Deadline(deadline) if isinstance(deadline, float) else None,
            idempotent="IDEMPOTENT" in said,
            compensation=compensations[0] if compensations else None,
            on_error=tuple(rules),
        )
        return replace(made, errors=raw) if isinstance(made, Task) else made

    def _priority(self, word: Word, text: str) -> int:
        if not text.lstrip("-").isdigit() or len(text) > 15:
            self.report.add("number", word.span, f"a priority is a whole number, not {text:.40}")
            return 0
        return int(text)

    def _rules(self, text: TaskText) -> Rules:
        return Rules(self.report, self.errors, self._condition, lambda other: self._alone(other, text))

    def _condition(self, span: Span) -> str:
        found = compiled(self.report, span, self.names[-1], self.script.classes.objects)
        return "False" if found is None else found.text

    def _unknown(self, name: Word, text: TaskText, known: Mapping[str, object], what: str, code: str) -> None:
        listed = ", ".join(known) or "none"
        message = f"the taskclass {text.task_class.text!r} has no {what} {name.text!r}"
        self.report.unknown(code, name.span, message, name.text, known, f"it has {listed}")


def _handler(work: Work) -> Handler:
    match work.kind:
        case "person":
            return Person(work.names[0].text if work.names else "")
        case "timer":
            return Timer(work.seconds)
        case "signal":
            return Signal(work.names[0].text)
        case _:
            return Named(work.names[0].text)
