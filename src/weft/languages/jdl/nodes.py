"""The jobs of a JDL text and what each waits for: of one job, a collection, a parametric job, or a DAG."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from weft.languages.jdl.tree import Entry, Items, Number, Record, Reference, Text, Value, shown
from weft.languages.text.faults import TextReport
from weft.languages.text.source import Span

PARAMETERS_MAX: Final = 10_000
MARK: Final = "_PARAM_"
NOT_INHERITED: Final = frozenset([
    "type", "jobtype", "nodes", "dependencies", "max_nodes_running", "max_running_nodes", "nodename", "parameters",
    "parameterstart", "parameterstep", "description", "name", "defaultnoderetrycount",
    "defaultnodeshallowretrycount",
])  # fmt: skip


@dataclass(slots=True)
class Job:
    """A node: its attributes, or the file in which they are."""

    id: str
    span: Span
    said: Record
    file: str = ""
    parents: list[str] = field(default_factory=list)


class Jobs:
    """Finds the jobs, and joins them by their dependencies."""

    def __init__(self, root: Record, report: TextReport, name: str) -> None:
        self.root = root
        self.report = report
        self.found: dict[str, Job] = {}
        self._by_lower: dict[str, str] = {}
        nodes = root.get("nodes")
        if nodes is None and self.kind == "parametric":
            self._parametric(name)
        elif nodes is None:
            self._single(name)
        else:
            self._nodes(nodes)
            self._dependencies(nodes)

    @property
    def kind(self) -> str:
        """`dag`, `collection`, `parametric` or `job`, as the text says, or as it looks."""
        said = [
            value.text.lower() for value in (self.root.get("type"), self.root.get("jobtype")) if isinstance(value, Text)
        ]
        for kind in ("dag", "collection", "parametric"):
            if kind in said:
                return kind
        if self.root.get("nodes") is not None:
            return "dag" if self.root.get("dependencies") is not None else "collection"
        return "parametric" if self.root.get("parameters") is not None else "job"

    def _single(self, name: str) -> None:
        if self.kind in ("dag", "collection"):
            self.report.add(
                "syntax", self.root.span, f"a {self.kind} has nodes, and this has none", "say nodes = [ … ];"
            )
        else:
            self.found[name] = Job(name, self.root.span, self.root)

    def _parametric(self, name: str) -> None:
        for number, word in enumerate(self._parameters()):
            job = Job(f"{name}_{number}", self.root.span, _substituted(self.root, word))
            self.found[job.id] = job

    def _parameters(self) -> list[str]:
        said = self.root.get("parameters")
        if isinstance(said, Items):
            return [
                one.text if isinstance(one, Text | Reference) else shown(one, self.report.source.text)
                for one in said.items
            ]
        start, step = (
            self._whole(name, otherwise) for name, otherwise in (("parameterstart", 0), ("parameterstep", 1))
        )
        stop = self._whole("parameters", 0)
        numbers = range(start, stop, step or 1)
        if not step or len(numbers) > PARAMETERS_MAX or not isinstance(said, Number):
            span = said.span if said is not None else self.root.span
            message = "Parameters is a list, or a number that steps of ParameterStep reach from ParameterStart"
            self.report.add("number", span, message, f"there may be {PARAMETERS_MAX}")
            return []
        return [str(one) for one in numbers]

    def _whole(self, name: str, otherwise: int) -> int:
        value = self.root.get(name)
        return int(value.value) if isinstance(value, Number) and abs(value.value) < 1e15 else otherwise

    # Nodes.

    def node(self, name: str) -> str:
        """The node of that name in any case; empty if there is none."""
        return self._by_lower.get(name.lower(), "")

    def _nodes(self, nodes: Value) -> None:
        if isinstance(nodes, Record):
            for entry in nodes:
                if isinstance(entry.value, Record):
                    self._node(entry.name, entry.span, entry.value)
                elif entry.name.lower() != "dependencies":
                    self.report.add(
                        "syntax", entry.span, f"the node {entry.name!r} is no record", "write [ description = [ … ]; ]"
                    )
        elif isinstance(nodes, Items):
            for number, one in enumerate(nodes.items):
                if isinstance(one, Record):
                    named = one.get("nodename", "name")
                    self._node(named.text if isinstance(named, Text) else f"Node_{number}", one.span, one)
                else:
                    self.report.add("syntax", one.span, "a node is a record", "write [ Executable = …; ]")
        else:
            self.report.add("syntax", nodes.span, "nodes are a list or a record", "write nodes = { [ … ], [ … ] };")

    def _node(self, id: str, span: Span, said: Record) -> None:
        if id in self.found:
            self.report.add("duplicate-name", span, f"there are two nodes {id!r}", "rename one")
            return
        inner = said.get("description")
        file = said.get("file")
        around = {name: one for name, one in said.entries.items() if name not in ("description", "file")}
        body = inner if isinstance(inner, Record) else Record(said.span)
        entries = {**self._inherited(), **around, **body.entries}
        self.found[id] = Job(id, span, Record(span, entries), file.text if isinstance(file, Text) else "")
        self._by_lower.setdefault(id.lower(), id)
        if file is not None and not isinstance(file, Text):
            self.report.add("syntax", file.span, f"the file of {id!r} is no text", 'write file = "job.jdl";')

    def _inherited(self) -> dict[str, Entry]:
        return {name: one for name, one in self.root.entries.items() if name not in NOT_INHERITED}

    # Dependencies.

    def _dependencies(self, nodes: Value) -> None:
        """Those of the text and those among the nodes, each a list of pairs; a side of a pair may be a list again."""
        for said in (self.root.get("dependencies"), nodes.get("dependencies") if isinstance(nodes, Record) else None):
            if said is None:
                continue
            if not isinstance(said, Items):
                self.report.add("syntax", said.span, "dependencies are a list", "write { { A, B }, { B, C } }")
                continue
            is_pair = len(said.items) == 2 and any(isinstance(one, Text | Reference) for one in said.items)
            for pair in [said] if is_pair else said.items:
                self._pair(pair)

    def _pair(self, pair: Value) -> None:
        if not isinstance(pair, Items) or len(pair.items) != 2:
            advice = "write { A, B } or { { A, B }, C }"
            self.report.add("syntax", pair.span, "a dependency has two sides, what is first and what follows", advice)
            return
        before, after = (list(self._side(one)) for one in pair.items)
        for child in after:
            self.found[child].parents += [one for one in before if one not in self.found[child].parents]

    def _side(self, value: Value) -> Iterator[str]:
        if isinstance(value, Items):
            for one in value.items:
                yield from self._side(one)
            return
        name = value.text.split(".")[-1] if isinstance(value, Text | Reference) else ""
        known = self.node(name)
        if known:
            yield known
        else:
            said = shown(value, self.report.source.text)[:40]
            self.report.unknown(
                "unknown-name", value.span, f"there is no node {said!r}", name, self.found, "name a node"
            )


def circle(parents: Mapping[str, list[str]]) -> list[str]:
    """Nodes that wait for one another, if there are any."""
    left = {id: set(some) for id, some in parents.items()}
    children: dict[str, list[str]] = {id: [] for id in parents}
    for id, some in parents.items():
        for one in some:
            children[one].append(id)
    ready = [id for id, some in left.items() if not some]
    while ready:
        done = ready.pop()
        del left[done]
        for child in children[done]:
            left[child].discard(done)
            if not left[child]:
                ready.append(child)
    if not left:
        return []
    at = next(iter(left))
    seen: list[str] = []
    while at not in seen:
        seen.append(at)
        at = next(one for one in parents[at] if one in left)
    return [*seen[seen.index(at) :], at][::-1]


def _substituted(record: Record, word: str) -> Record:
    return Record(
        record.span, {key: Entry(one.name, _with(one.value, word), one.span) for key, one in record.entries.items()}
    )


def _with(value: Value, word: str) -> Value:
    match value:
        case Text(text, span):
            return Text(text.replace(MARK, word), span)
        case Items(items, span):
            return Items(tuple(_with(one, word) for one in items), span)
        case Record():
            return _substituted(value, word)
        case _:
            return value
