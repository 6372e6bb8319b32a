"""Spheres of isolation (paper 001, §10): tasks that data-flow and serial control-flow join, found in the definition.

Two tasks are in one sphere when what one gives goes into the other, and the other can begin only after the one has
committed. Tasks of different spheres may be serialized in different orders at different sites.
"""

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from weft.analysis.conditions import names_in
from weft.model.definition import (
    Activity,
    Assign,
    AtLeast,
    Call,
    Compound,
    Each,
    Expression,
    Flow,
    Guard,
    Input,
    On,
    Output,
    Process,
    Signal,
    Source,
    Task,
    Timer,
    Variable,
    parts,
    sides,
)

Givers = frozenset[str]
Names = ChainMap[str, Givers]
VARIABLE: Final = "variable "
"""Before the owner and name of a variable, where it stands among the givers; a task stands there by its name."""


class Link(Struct, frozen=True):
    """What one task gives the other takes, after the one has committed."""

    giver: str
    taker: str


class Sphere(Struct, frozen=True):
    tasks: tuple[str, ...]
    links: tuple[Link, ...] = ()


def spheres(process: Process) -> list[Sphere]:
    """In the order of the definition. Timers and signals do no work and are in none; assignments only join."""
    flow = _DataFlow(process)
    order = _Order(process.body)
    joined = {name: name for name in flow.takes}

    def top(name: str) -> str:
        while joined[name] != name:
            name = joined[name]
        return name

    links = []
    for taker, givers in flow.takes.items():
        for giver in sorted(flow.tasks_of(givers) - {taker}):
            if order.is_before(giver, taker):
                links.append(Link(giver, taker))
                joined[top(taker)] = top(giver)
    found: dict[str, list[str]] = {}
    for name in flow.takes:
        found.setdefault(top(name), []).append(name)
    return [
        Sphere(tuple(tasks), tuple(one for one in links if one.giver in names and one.taker in names))
        for names in found.values()
        if (tasks := [one for one in names if one not in flow.silent])
    ]


class _DataFlow:
    """For every task the tasks and variables whose values it takes."""

    def __init__(self, process: Process) -> None:
        self.takes: dict[str, Givers] = {}
        self.silent: set[str] = set()
        self.writers: dict[str, set[str]] = {}
        self.given: dict[tuple[str, str], Givers] = {}
        """By activity and parameter."""
        self.scopes: dict[str, Names] = {}
        self.activities: dict[str, Activity] = {}
        self._walk(process.body, ChainMap())

    def tasks_of(self, givers: Givers) -> set[str]:
        return {
            task
            for one in givers
            for task in (self.writers.get(one, set()) if one.startswith(VARIABLE) else {one})
            if task in self.takes
        }

    def _walk(self, activity: Activity, names: Names) -> None:
        self.activities[activity.name] = activity
        self.scopes[activity.name] = names
        takes: set[str] = set()
        inner: dict[str, Givers] = {}
        for one in activity.input_sets:
            for name, sources in one.bindings.items():
                found = frozenset(giver for source in sources for giver in self._givers(source, names))
                self.given[activity.name, name] = self.given.get((activity.name, name), frozenset()) | found
                inner[name] = inner.get(name, frozenset()) | found
                takes |= found
        for variable in activity.writes:
            for key in names.get(variable, ()):
                self.writers.setdefault(key, set()).add(activity.name)
        if isinstance(activity, Task | Call):
            if not (isinstance(activity, Task) and isinstance(activity.handler, Timer | Signal)):
                self.takes[activity.name] = frozenset(takes)
            if isinstance(activity, Task) and isinstance(activity.handler, Assign):
                self.silent.add(activity.name)
            return
        assert isinstance(activity, Compound)
        inner |= {name: frozenset({f"{VARIABLE}{activity.name}.{name}"}) for name in activity.variables}
        if isinstance(activity, Each):
            inner[activity.item] = inner.get("items", frozenset())
        below = names.new_child(inner)
        self.scopes[activity.name] = below
        taking_back = list(sides(activity))
        for part in parts(activity):
            if part not in taking_back:
                self._walk(part, below)

    def _givers(self, source: Source, names: Names) -> Iterator[str]:
        match source:
            case Variable(name=name):
                yield from names.get(name, ())
            case Expression(text=text):
                for name in names_in(text):
                    yield from names.get(name, ())
            case Output(activity=giver, outcome=outcome, object=name):
                yield from self._outputs(giver, outcome, name)
            case Input(activity=taker, object=name):
                yield from self.given.get((taker, name), ())

    def _outputs(self, giver: str, outcome: str, name: str) -> Iterator[str]:
        """The tasks from which an object of an activity's outcome comes."""
        activity = self.activities.get(giver)
        if activity is None or isinstance(activity, Task | Call):
            yield giver
        elif isinstance(activity, Each):
            yield from self._outputs(activity.body.name, "", name)
        elif isinstance(activity, Flow):
            for one in activity.outcomes:
                if not outcome or one.name == outcome:
                    for source in one.bindings.get(name, ()):
                        yield from self._givers(source, self.scopes[giver])
        else:
            yield from (part.name for part in parts(activity) if isinstance(part, Task))


class _Order:
    """Which activities begin only after which others have committed."""

    def __init__(self, root: Activity) -> None:
        self.way: dict[str, list[str]] = {}
        self.after: dict[str, set[str]] = {}
        """For each child the siblings that have committed before it begins."""
        self._walk(root, [])

    def is_before(self, one: str, other: str) -> bool:
        for here, there in zip(self.way[one], self.way[other], strict=False):
            if here != there:
                return here in self.after.get(there, ())
        return False

    def _walk(self, activity: Activity, way: list[str]) -> None:
        self.way[activity.name] = way = [*way, activity.name]
        if isinstance(activity, Flow):
            self._flow(activity)
        taking_back = list(sides(activity))
        for part in parts(activity):
            if part not in taking_back:
                self._walk(part, way)

    def _flow(self, flow: Flow) -> None:
        names = [child.name for child in flow.children]
        if flow.block in ("serial", "loop"):
            for number, name in enumerate(names):
                self.after[name] = set(names[:number])
            return
        direct = {child.name: _needed(child) & set(names) for child in flow.children}
        for name in names:
            found, todo = set(direct[name]), list(direct[name])
            while todo:
                more = direct[todo.pop()] - found
                found |= more
                todo += more
            self.after[name] = found


def _needed(child: Activity) -> set[str]:
    """The siblings that must have committed whichever way it starts."""
    ways = [
        _in_guard(one.guard).union(*(_in_sources(sources) for sources in one.bindings.values()))
        for one in child.input_sets
    ]
    return set.intersection(*ways)


def _in_guard(guard: Guard | None) -> set[str]:
    if isinstance(guard, On):
        return {guard.activity} if guard.event.partition(":")[0] == "committed" else set()
    if isinstance(guard, AtLeast) and guard.guards:
        inside = [_in_guard(one) for one in guard.guards]
        return set.union(*inside) if guard.count == len(inside) else set.intersection(*inside)
    return set()


def _in_sources(sources: Iterable[Source]) -> set[str]:
    found = [{one.activity} if isinstance(one, Output) else set[str]() for one in sources]
    return set.intersection(*found) if found else set()


def sites_of(process: Process) -> Mapping[str, str]:
    """The resource of each task that names one."""
    found: dict[str, str] = {}
    todo: list[Activity] = [process.body]
    while todo:
        one = todo.pop()
        todo += parts(one)
        if isinstance(one, Task) and one.resource:
            found[one.name] = one.resource
    return found
