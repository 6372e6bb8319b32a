"""Turns the tree of a PDL text into processes: rules become guards of a flow, which ends when nothing runs in it."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from weft.languages.pdl.clauses import Clauses
from weft.languages.pdl.data import Datum, Step, datum_of, written_before
from weft.languages.pdl.models import Model, application_of, model_of
from weft.languages.pdl.rules import STATES, Rules, state_of, terms
from weft.languages.pdl.tree import Block
from weft.languages.text.errors import Rules as ErrorRules
from weft.languages.text.expressions import compiled
from weft.languages.text.faults import TextReport
from weft.languages.text.reading import Places
from weft.languages.text.source import START, Span
from weft.languages.text.words import Word
from weft.model import definition
from weft.model.definition import (
    ABORTED,
    Application,
    Command,
    Flow,
    Handler,
    InputSet,
    Outcome,
    Output,
    Process,
    Quiet,
    Sources,
    Sql,
    Task,
    Variable,
)
from weft.model.types import parse

FETCHED: Final = "content"


class Lowering:
    """The processes of one text, and where their tasks stand in it."""

    def __init__(self, blocks: Sequence[Block], report: TextReport) -> None:
        self.report = report
        self.processes: list[Process] = []
        self.places: dict[str, Places] = {}
        workflows = self.distinct([one for one in blocks if one.kind == "WORKFLOW"], "workflow")
        models = self.distinct([one for one in blocks if one.kind == "TASK"], "task model")
        applications = self.distinct([one for one in blocks if one.kind == "APPLICATION"], "application")
        self.models = {one.name.text: model_of(one, report) for one in models}
        self.applications = {one.name.text: application_of(one, report) for one in applications}
        self.used: set[str] = set()
        for one in workflows:
            process = _Workflow(self, one)
            self.processes.append(process.made)
            self.places[one.name.text] = process.places
        self._unused(models, "no task is made after it")
        if not workflows and not report.has_errors:
            self.report.add("syntax", START, "the text has no WORKFLOW", "write WORKFLOW name { … }")

    def distinct(self, blocks: Sequence[Block], what: str) -> list[Block]:
        """The blocks without those that bear a name again."""
        found: dict[str, Block] = {}
        for one in blocks:
            first = found.setdefault(one.name.text, one)
            if first is not one:
                line, _ = self.report.source.position(first.name.span.start)
                message = f"there is a {what} {one.name.text!r} already, in line {line}"
                self.report.add("duplicate-name", one.name.span, message, "rename one of them")
        return list(found.values())

    def _unused(self, blocks: Iterable[Block], why: str) -> None:
        for one in blocks:
            if one.name.text not in self.used and not self.report.has_errors:
                message = f"the task model {one.name.text!r} is kept nowhere: {why}"
                self.report.add("left-out", one.name.span, message, "leave it out, or make a task after it")


class _Workflow:
    """One process on its way to the model."""

    def __init__(self, text: Lowering, block: Block) -> None:
        self.text = text
        self.report = text.report
        self.block = block
        self.name = block.name.text
        data = text.distinct([one for one in block.blocks if one.kind != "TASK"], "file, query, string or number")
        self.tasks = {
            one.name.text: one for one in text.distinct([one for one in block.blocks if one.kind == "TASK"], "task")
        }
        self.data = {one.name.text: datum_of(one, self.report) for one in data}
        self.said = {name: Clauses(one, "the task", self.report) for name, one in self.tasks.items()}
        self.rules = Rules(block, self.tasks, self.report)
        self.guards = {name: self.rules.guard(name, one.get("DEPENDS")) for name, one in self.said.items()}
        self.inputs = {name: self._listed(name, "IN_CONTEXT") for name in self.tasks}
        self.outputs = {name: self._listed(name, "OUT_CONTEXT") for name in self.tasks}
        self.types = {name: parse(one.type) for name, one in self.data.items()}
        self.applications: dict[str, Application] = {}
        self.errors: dict[str, None] = {}
        self.places: dict[str, Span] = {self.name: block.name.span}
        self.made = self._process()

    # The whole.

    def _process(self) -> Process:
        outside = [one for one in self.data.values() if one.outside is not None]
        before = written_before({name: self._step(name) for name in self.tasks}, [one.name for one in outside])
        bits = {one.name: 1 << number for number, one in enumerate(outside)}
        children: list[Task] = []
        for name, block in self.tasks.items():
            fetched = [one for one in self.inputs[name] if one in bits and not before[name] & bits[one]]
            fetching = {one: self._fetching(name, self.data[one]) for one in fetched}
            children += fetching.values()
            assert block.model is not None
            model = self._model(block.model, f"the task {name!r}")
            if model is not None:
                children.append(self._task(name, model, {one: task.name for one, task in fetching.items()}))
        if not self.tasks and all(one.is_whole for one in (self.block, *self.block.blocks)):
            message = f"the workflow {self.name!r} has no TASK"
            self.report.add("syntax", self.block.name.span, message, "write TASK name: model { … }")
        body = Flow(
            name=self.name,
            input_sets=(self._start(),),
            variables={one.name: one.declared for one in outside},
            children=tuple(children),
            outcomes=(self._ended(),),
        )
        return Process(name=self.name, body=body, applications=self.applications, errors=tuple(self.errors))

    def _start(self) -> InputSet:
        """Texts and numbers have values that a start may bring others for."""
        given = [one for one in self.data.values() if one.outside is None]
        return InputSet(bindings={one.name: one.constant for one in given}, types={one.name: one.type for one in given})

    def _ended(self) -> Outcome:
        written = {one: None for name in self.tasks for one in self.outputs[name]}
        bindings: dict[str, Sources] = {one: (Variable(one),) for one in written}
        return Outcome("ended", "commit", Quiet(), bindings, {one: self.data[one].type for one in written})

    # One task.

    def _task(self, name: str, model: Model, fetched: dict[str, str]) -> Task:
        self.places[name] = self.tasks[name].name.span
        bindings: dict[str, Sources] = {
            one: (Output(fetched[one], "done", FETCHED) if one in fetched else Variable(one),)
            for one in self.inputs[name]
        }
        done = {one: one for one in self.outputs[name]}
        plain = self._made_after(name, name, model)
        starts = replace(plain.input_sets[0], guard=self.guards[name], bindings=bindings)
        return replace(plain, input_sets=(starts,), writes=done)

    def _made_after(self, name: str, task: str, model: Model) -> Task:
        """A task with the data of this task of the process: itself, or another in its place."""
        types = {one: self.data[one].type for one in self.outputs[task]}
        rules, raw = self._rules(task).of(model.errors)
        return Task(
            name=name,
            handler=self._handler(task, model),
            transaction="transactional" if model.kind == "transactional" else "none",
            input_sets=(InputSet(types={one: self.data[one].type for one in self.inputs[task]}),),
            outcomes=(Outcome("done", types=types), ABORTED),
            on_error=(*rules, *self._when_it_fails(task, model)),
            errors=raw,
            deadline=model.deadline,
            priority=model.priority,
            description=model.description,
        )

    def _rules(self, task: str) -> ErrorRules:
        return ErrorRules(self.report, self.errors, self._condition, lambda model: self._alternate(task, model))

    def _condition(self, span: Span) -> str:
        found = compiled(self.report, span, self.types)
        return "False" if found is None else found.text

    def _alternate(self, task: str, word: Word) -> Task | None:
        """Another task model in the place of a task's; it may have no alternatives itself."""
        model = self._model(word, f"the alternative of {task!r}")
        if model is None:
            return None
        if model.has_alternative:
            message = f"{word.text!r} stands in for another and has an alternative itself"
            self.report.add("alternate", word.span, message, "name a task model that has none")
            return None
        return self._made_after(self._free(f"{word.text}-for-{task}", word.span), task, model)

    def _handler(self, name: str, model: Model) -> Handler:
        if model.application in self.text.applications:
            self.applications[model.application] = self.text.applications[model.application]
        if not model.is_automatic or not model.application:
            return model.handler
        arguments = tuple(f"{{{one}}}" for one in self.inputs[name])
        left = {one: _file_name(self.data[one].file) for one in self.outputs[name] if self.data[one].kind == "FILE"}
        return Command(model.application, arguments, left)

    def _when_it_fails(self, name: str, model: Model) -> tuple[definition.Rule, ...]:
        """A task that nobody does is tried again; then, if nothing waits for its failure, people are asked."""
        if not model.is_automatic:
            return ()
        again = (definition.Rule("retry", times=model.retries),) if model.retries else ()
        return again if (name, "aborted") in self.rules.awaited else (*again, definition.Rule("ask"))

    def _fetching(self, name: str, datum: Datum) -> Task:
        """Fetches what a task needs from outside, when its rule holds."""
        assert datum.outside is not None
        verb = "query" if isinstance(datum.outside, Sql) else "read"
        return Task(
            name=self._free(f"{verb}-{datum.name}-for-{name}", _named_in(self.said[name], datum.name)),
            handler=datum.outside,
            input_sets=(InputSet(guard=self.guards[name]),),
            outcomes=(Outcome("done", types={FETCHED: datum.type}), ABORTED),
            idempotent=True,
        )

    def _step(self, name: str) -> Step:
        states: dict[bool, list[str]] = {True: [], False: []}
        for term in terms(self.said[name].get("DEPENDS")):
            if term.task.text in self.tasks:
                states[STATES.get(state_of(term.state)) == "committed"].append(term.task.text)
        return Step(self.outputs[name], states[True], states[False])

    # Names.

    def _model(self, word: Word, what: str) -> Model | None:
        models = self.text.models
        self.text.used.add(word.text)
        if word.text not in models:
            message = f"{what} is made after {word.text!r}, and there is no such task model"
            advice = f"write TASK {word.text} {{ … }}"
            self.report.unknown("unknown-name", word.span, message, word.text, models, advice)
        return models.get(word.text)

    def _free(self, name: str, span: Span) -> str:
        """A name for a task that the text does not name."""
        while name in self.places or name in self.tasks:
            name += "-too"
        self.places[name] = span
        return name

    def _listed(self, name: str, keyword: str) -> tuple[str, ...]:
        """The data that a task reads or gives, each once."""
        found: dict[str, None] = {}
        for word in self.said[name].words(keyword):
            if word.text in found:
                self.report.add(
                    "duplicate-name", word.span, f"{keyword} of {name!r} names {word.text!r} twice", "leave one out"
                )
            elif word.text in self.data:
                found[word.text] = None
            else:
                message = f"{keyword} of {name!r} names {word.text!r}, which is not declared"
                advice = "declare it as FILE, QUERY, STRING or NUMBER"
                self.report.unknown("unknown-name", word.span, message, word.text, self.data, advice)
        return tuple(found)


def _named_in(said: Clauses, name: str) -> Span:
    return next((word.span for word in said.words("IN_CONTEXT") if word.text == name), said.block.name.span)


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
