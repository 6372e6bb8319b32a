"""Makes a process of the jobs of a JDL text: a flow of commands, with the files that they are given and leave."""

import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final, TypeVar

from weft.languages.jdl.nodes import Job, Jobs, circle
from weft.languages.jdl.tree import Items, Number, Record, Reference, Text, Value, shown
from weft.languages.text.faults import TextReport
from weft.languages.text.source import Span
from weft.languages.xml.names import name_of, names_of
from weft.model.definition import (
    ABORTED,
    Activity,
    Application,
    Call,
    Command,
    Flow,
    Guard,
    InputSet,
    On,
    Outcome,
    Output,
    Process,
    Quiet,
    Read,
    Rule,
    Sources,
    Task,
    every,
)

T = TypeVar("T")
FILE: Final = "File"
DONE_BY: Final = frozenset([
    "executable", "arguments", "stdinput", "stdoutput", "stderror", "inputsandbox", "outputsandbox", "environment",
    "retrycount", "shallowretrycount", "node_retry_count", "nodename", "name", "type", "nodes", "dependencies",
    "parameters", "parameterstart", "parameterstep", "inputsandboxbaseuri", "defaultnoderetrycount",
    "defaultnodeshallowretrycount", "node_type",
])  # fmt: skip
"""Attributes that mean something here; all others are kept, and told."""
ORDINARY: Final = ("normal", "job", "dag", "collection", "parametric")


def lower(root: Record, report: TextReport, name: str) -> tuple[Process, dict[str, Span]]:
    """The process, and where each of its jobs stands."""
    return _Lowering(root, report, name).process()


class _Lowering:
    def __init__(self, root: Record, report: TextReport, name: str) -> None:
        self.root = root
        self.report = report
        self.name = name_of(name)
        self.jobs = Jobs(root, report, "job")
        self.names = names_of(self.jobs.found)
        self.taken = {self.name, *self.names.values()}
        if self.name in self.names.values():
            self.names = {id: f"{name}-job" if name == self.name else name for id, name in self.names.items()}
        self.applications: dict[str, Application] = {}
        self.reads: dict[str, Task] = {}
        self.left_out: Counter[str] = Counter()
        self.first: dict[str, Span] = {}
        self.outputs = {id: dict(self._left(job)) for id, job in self.jobs.found.items()}

    def process(self) -> tuple[Process, dict[str, Span]]:
        found = {id: self._activity(job) for id, job in self.jobs.found.items()}
        self._no_circle()
        children = (*self.reads.values(), *found.values())
        committed = [On(one.name, "committed") for one in found.values()]
        objects = {f"{one.name}_{object}": (one.name, object) for one in found.values() for object in _objects(one)}
        bindings: dict[str, Sources] = {key: (Output(node, "done", object),) for key, (node, object) in objects.items()}
        guard = every(*committed) if committed else Quiet()
        done = Outcome("done", guard=guard, bindings=bindings, types=dict.fromkeys(objects, FILE))
        body = Flow(
            name=self.name,
            children=children,
            outcomes=(done, Outcome("aborted", "abort", guard=Quiet())),
            properties=self._kept(self.root),
        )
        for what, count in self.left_out.items():
            times = f", {count} times" if count > 1 else ""
            self.report.add("left-out", self.first[what], f"{what}{times}")
        places = {self.names[id]: job.span for id, job in self.jobs.found.items()}
        return Process(name=self.name, body=body, applications=self.applications), places

    def _no_circle(self) -> None:
        found = circle({id: job.parents for id, job in self.jobs.found.items()})
        if found:
            self.report.add(
                "syntax", self.jobs.found[found[0]].span, f"nodes wait for one another: {' → '.join(found)}"
            )

    def _leave(self, what: str, span: Span) -> None:
        self.left_out[what] += 1
        self.first.setdefault(what, span)

    def _is_known(self, name: str, span: Span) -> bool:
        known = name.lower() in DONE_BY or name.lower() in ("jobtype", "description", "file")
        if not known:
            self._leave(f"{name} is kept, but does nothing", span)
        return known

    # A job.

    def _activity(self, job: Job) -> Activity:
        name, said = self.names[job.id], job.said
        guards: list[Guard] = [On(self.names[parent], "committed") for parent in job.parents]
        guard = every(*guards) if guards else None
        if job.file:
            process = name_of(PurePosixPath(job.file).stem)
            return Call(
                name=name, process=process, input_sets=(InputSet(guard=guard),), outcomes=(Outcome("done"), ABORTED)
            )
        self._ordinary(said)
        files = self._given(job)
        bindings: dict[str, Sources] = {parameter: (source,) for parameter, source in files.items()}
        return Task(
            name=name,
            handler=self._command(job),
            input_sets=(InputSet(guard=guard, bindings=bindings, types=dict.fromkeys(files, FILE)),),
            outcomes=(Outcome("done", types=dict.fromkeys(self.outputs[job.id], FILE)), ABORTED),
            on_error=tuple(self._rules(said)),
            properties=self._kept(said) if said is not self.root else {},
        )

    def _ordinary(self, said: Record) -> None:
        kind = said.get("jobtype")
        if isinstance(kind, Text) and kind.text.lower() not in ORDINARY:
            self._leave(f"the JobType {kind.text!r} is kept nowhere: the program is run once, by itself", kind.span)

    def _kept(self, said: Record) -> dict[str, str]:
        source = self.report.source.text
        return {one.name: shown(one.value, source) for one in said if not self._is_known(one.name, one.span)}

    def _command(self, job: Job) -> Command:
        said = job.said
        executable = self._text(said, "executable")
        if not executable:
            self.report.add("syntax", job.span, f"the job {job.id!r} has no Executable", 'say Executable = "…";')
        return Command(
            self._application(job, executable),
            tuple(self._arguments(said)),
            self.outputs[job.id],
            stdin=_base(self._text(said, "stdinput")),
            stdout=self._text(said, "stdoutput"),
            stderr=self._text(said, "stderror"),
        )

    def _application(self, job: Job, executable: str) -> str:
        environment = dict(self._environment(job.said))
        given = {_base(one.text) for one in self._listed(job.said, "inputsandbox") if isinstance(one, Text)}
        file = executable
        if _base(executable) in given and not executable.startswith("/"):
            file = _base(executable)
        made = Application(file, environment=environment)
        plain = name_of(_base(executable) or "program")
        name, number = plain, 1
        while self.applications.get(name, made) != made:
            number += 1
            name = f"{plain}-{number}"
        self.applications[name] = made
        return name

    def _environment(self, said: Record) -> Iterator[tuple[str, str]]:
        for one in self._listed(said, "environment"):
            name, sign, value = one.text.partition("=") if isinstance(one, Text) else ("", "", "")
            if sign and name.strip():
                yield name.strip(), value
            else:
                self.report.add("syntax", one.span, "an entry of Environment is a text NAME=value")

    def _arguments(self, said: Record) -> Iterator[str]:
        value = said.get("arguments")
        if value is None:
            return
        words: list[str] = []
        for one in value.items if isinstance(value, Items) else (value,):
            if not isinstance(one, Text | Number):
                self.report.add("syntax", one.span, "Arguments are a text", 'write Arguments = "-n 3 in.txt";')
                continue
            text = one.text if isinstance(one, Text) else f"{one.value:g}"
            try:
                words += shlex.split(text, posix=True)
            except ValueError:
                self._leave("quotes in Arguments that are not closed are taken as they are", one.span)
                words += text.split()
        for word in words:
            yield word.replace("{", "{{").replace("}", "}}")

    def _rules(self, said: Record) -> Iterator[Rule]:
        for names, error in (
            (("shallowretrycount", "defaultnodeshallowretrycount"), "handler.activate"),
            (("retrycount", "node_retry_count", "defaultnoderetrycount"), ""),
        ):
            value = said.get(*names) or self.root.get(*names)
            times = int(value.value) if isinstance(value, Number) and 0 < value.value < 1_000_000 else 0
            if times:
                yield Rule("retry", error=error, times=times)

    # Files.

    def _left(self, job: Job) -> Iterator[tuple[str, str]]:
        """Object → name of the file that the job leaves."""
        files = self._listed(job.said, "outputsandbox")
        names = names_of(_base(one.text) for one in files if isinstance(one, Text))
        for one in files:
            if not isinstance(one, Text):
                self.report.add("syntax", one.span, "an entry of OutputSandbox is the name of a file")
            elif "*" in one.text or "?" in one.text:
                self._leave(f"{one.text!r} in OutputSandbox is no name of one file", one.span)
            else:
                yield names[_base(one.text)], one.text.removeprefix("./")

    def _given(self, job: Job) -> dict[str, Output]:
        """Parameter → where the file comes from. Standard input is among them if it is not said to be."""
        found: dict[str, Output] = {}
        given = self._listed(job.said, "inputsandbox")
        names = {_base(one.text) for one in given if isinstance(one, Text)}
        standard = job.said.get("stdinput")
        if isinstance(standard, Text) and _base(standard.text) not in names:
            given = [*given, standard]
        for number, one in enumerate(given):
            sources = list(self._sources(job, one))
            for index, (name, source) in enumerate(sources):
                key = name_of(name)
                found[key if key not in found else f"{key}-{number}-{index}"] = source
        return found

    def _sources(self, job: Job, value: Value) -> Iterator[tuple[str, Output]]:
        if isinstance(value, Text):
            yield _base(value.text) or "file", self._outside(job, value)
        elif isinstance(value, Reference):
            yield from self._referred(job, value)
        else:
            self.report.add("syntax", value.span, "an entry of InputSandbox is the name of a file, or refers to one")

    def _outside(self, job: Job, value: Text) -> Output:
        """A task that reads a file of the node, once for all that are given it."""
        path = value.text.removeprefix("file://")
        base = self._text(job.said, "inputsandboxbaseuri")
        if base and "://" not in path and not path.startswith("/"):
            path = f"{base.rstrip('/')}/{path}"
        if "*" in path or "?" in path:
            self._leave(f"{value.text!r} in InputSandbox is no name of one file", value.span)
        task = self.reads.get(path)
        if task is None:
            plain = made = name_of(f"read-{_base(path) or 'file'}")
            number = 1
            while made in self.taken:
                number += 1
                made = f"{plain}-{number}"
            self.taken.add(made)
            task = Task(name=made, handler=Read(path), outcomes=(Outcome("done", types={"file": FILE}), ABORTED))
            self.reads[path] = task
        return Output(task.name, "done", "file")

    def _referred(self, job: Job, value: Reference) -> Iterator[tuple[str, Output]]:
        """`root.InputSandbox[0]`, or `root.nodes.A.description.OutputSandbox[0]`; without an index all of them."""
        parts = list(value.parts)
        index = parts.pop() if isinstance(parts[-1], int) else None
        words = [str(one).lower() for one in parts]
        if words[:1] == ["root"] and words[1:] == ["inputsandbox"]:
            files = self._listed(self.root, "inputsandbox")
            for one in self._chosen(value, files, index):
                if isinstance(one, Text):
                    yield _base(one.text), self._outside(job, one)
            return
        names = [word for word in words if word not in ("root", "nodes", "description", "outputsandbox")]
        node = self.jobs.node(names[0]) if names else ""
        if len(names) != 1 or not node or words[-1] != "outputsandbox":
            said = [str(one) for one in parts if str(one).lower() == (names[0] if names else "")]
            what = f"{value.text} refers to no file of this text"
            name = said[0] if said else ""
            advice = "name the OutputSandbox of a node"
            self.report.unknown("unknown-name", value.span, what, name, self.jobs.found, advice)
        elif self.jobs.found[node].file:
            what = f"what {node!r} leaves is said in {self.jobs.found[node].file}, which is not read here"
            self.report.add("unknown-object", value.span, what, "write its description here")
        else:
            for object in self._chosen(value, list(self.outputs[node]), index):
                yield self.outputs[node][object], Output(self.names[node], "done", object)

    def _chosen(self, value: Reference, some: list[T], index: str | int | None) -> list[T]:
        if index is None:
            return some
        assert isinstance(index, int)
        if index < len(some):
            return [some[index]]
        self.report.add("unknown-object", value.span, f"{value.text}: there are only {len(some)}", "count from 0")
        return []

    # Attributes.

    def _text(self, said: Record, name: str) -> str:
        value = said.get(name)
        if value is None or isinstance(value, Text):
            return value.text.strip() if value is not None else ""
        self.report.add(
            "syntax", value.span, f"{said.entries[name].name} is no text", f'write {said.entries[name].name} = "…";'
        )
        return ""

    def _listed(self, said: Record, name: str) -> list[Value]:
        """The entries of a list; one value by itself is a list of one."""
        value = said.get(name)
        if value is None:
            return []
        return list(value.items) if isinstance(value, Items) else [value]


def _base(path: str) -> str:
    """The name of a file without its directories."""
    return path.rstrip("/").rpartition("/")[2]


def _objects(one: Activity) -> list[str]:
    return [object for outcome in one.outcomes if outcome.kind == "commit" for object in outcome.types]
