"""Makes a process of a WfFormat instance: a flow of commands, joined by what they wait for and by their files."""

from pathlib import PurePosixPath
from typing import Final

from weft.languages.jdl.nodes import circle
from weft.languages.text.faults import TextReport
from weft.languages.text.source import START, Span
from weft.languages.wfcommons.tree import Instance, TaskText
from weft.languages.xml.names import name_of, names_of
from weft.model.definition import (
    ABORTED,
    Application,
    Command,
    Flow,
    InputSet,
    On,
    Outcome,
    Output,
    Process,
    Quiet,
    Read,
    Sources,
    Task,
    every,
)

FILE: Final = "File"


def lower(instance: Instance, report: TextReport, name: str, description: str) -> tuple[Process, dict[str, Span]]:
    lowering = _Lowering(instance, report, name_of(name))
    return lowering.process(description), {lowering.names[id]: one.span for id, one in instance.tasks.items()}


class _Lowering:
    def __init__(self, instance: Instance, report: TextReport, name: str) -> None:
        self.instance = instance
        self.report = report
        self.name = name
        names = names_of(instance.tasks)
        self.names = {id: f"{one}-task" if one == name else one for id, one in names.items()}
        self.producers: dict[str, list[str]] = {}
        for task in instance.tasks.values():
            for file in task.outputs:
                self.producers.setdefault(file, []).append(task.id)
        self.objects = {id: names_of(dict.fromkeys(one.outputs)) for id, one in instance.tasks.items()}
        self.reads: dict[str, Task] = {}
        self.applications: dict[str, Application] = {}

    def process(self, description: str) -> Process:
        tasks = [self._task(one) for one in self.instance.tasks.values()]
        self._no_circle()
        committed = [On(one.name, "committed") for one in tasks]
        done = Outcome("done", guard=every(*committed) if committed else Quiet())
        body = Flow(
            name=self.name,
            children=(*self.reads.values(), *tasks),
            outcomes=(done, Outcome("aborted", "abort", guard=Quiet())),
            description=description,
            properties=self.instance.properties,
        )
        measured = {key for one in self.instance.tasks.values() for key in one.properties}
        if measured:
            what = ", ".join(sorted(measured))
            self.report.add("left-out", START, f"what was measured is kept, but does nothing: {what}")
        return Process(name=self.name, body=body, applications=self.applications)

    def _no_circle(self) -> None:
        tasks = self.instance.tasks.items()
        found = circle({id: list(dict.fromkeys([*one.parents, *self._makers(one)])) for id, one in tasks})
        if found:
            span = self.instance.tasks[found[0]].span
            self.report.add("syntax", span, f"tasks wait for one another: {' → '.join(found)}")

    def _makers(self, task: TaskText) -> list[str]:
        return [maker for file in task.inputs if (maker := self._maker(task, file))]

    def _maker(self, task: TaskText, file: str) -> str:
        """The task that leaves a file: one that is waited for, and none that comes later and leaves it anew."""
        makers = [one for one in self.producers.get(file, []) if one != task.id]
        waited = next((one for one in makers if one in task.parents), "")
        return waited or next((one for one in makers if not self._is_before(task.id, one)), "")

    def _is_before(self, first: str, last: str) -> bool:
        """Whether the last task waits for the first, directly or not."""
        seen, rest = {last}, [last]
        while rest:
            fresh = [one for one in self.instance.tasks[rest.pop()].parents if one not in seen]
            seen.update(fresh)
            rest += fresh
        return first in seen

    def _task(self, task: TaskText) -> Task:
        guards = [On(self.names[parent], "committed") for parent in task.parents]
        files = names_of(dict.fromkeys(task.inputs))
        bindings: dict[str, Sources] = {files[file]: (self._source(task, file),) for file in files}
        objects = self.objects[task.id]
        return Task(
            name=self.names[task.id],
            handler=Command(
                self._application(task),
                tuple(one.replace("{", "{{").replace("}", "}}") for one in task.arguments),
                {objects[file]: PurePosixPath(file).name for file in objects},
            ),
            input_sets=(
                InputSet(
                    guard=every(*guards) if guards else None, bindings=bindings, types=dict.fromkeys(bindings, FILE)
                ),
            ),
            outcomes=(Outcome("done", types=dict.fromkeys(objects.values(), FILE)), ABORTED),
            description=task.description,
            properties=task.properties,
        )

    def _source(self, task: TaskText, file: str) -> Output:
        maker = self._maker(task, file)
        if maker:
            return Output(self.names[maker], "done", self.objects[maker][file])
        if file not in self.reads:
            plain = made = name_of(f"read-{PurePosixPath(file).name or 'file'}")
            number = 1
            taken = {*self.names.values(), self.name, *(one.name for one in self.reads.values())}
            while made in taken:
                number += 1
                made = f"{plain}-{number}"
            outcomes = (Outcome("done", types={"file": FILE}), ABORTED)
            self.reads[file] = Task(name=made, handler=Read(file), outcomes=outcomes)
        return Output(self.reads[file].name, "done", "file")

    def _application(self, task: TaskText) -> str:
        plain = name = name_of(PurePosixPath(task.program).name or "program")
        made, number = Application(task.program), 1
        while self.applications.get(name, made) != made:
            number += 1
            name = f"{plain}-{number}"
        self.applications[name] = made
        return name
