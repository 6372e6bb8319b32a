"""Who reads and writes which variable: names resolved to the compounds that declare them."""

from collections import ChainMap
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from weft.analysis.conditions import names_in
from weft.model.definition import (
    Activity,
    AtLeast,
    Compound,
    Each,
    Expression,
    Guard,
    Process,
    Sources,
    Task,
    Variable,
    When,
    parts,
    sides,
)

Scope = ChainMap[str, "Key | None"]


class Key(NamedTuple):
    """A variable: the compound that declares it, and its name."""

    owner: str
    name: str


class Variables:
    """Of a process, by activity name. What is an input, an item or an index is no variable."""

    def __init__(self, process: Process) -> None:
        self.process: Final = process
        self.activities: Final[dict[str, Activity]] = {}
        self.reads: Final[dict[str, frozenset[Key]]] = {}
        self.writes: Final[dict[str, frozenset[Key]]] = {}
        self.judges: Final[dict[str, frozenset[Key]]] = {}
        """What decides when it starts and how it ends; not what it only gives on as a result."""
        self.all_reads: Final[dict[str, frozenset[Key]]] = {}
        """Also those of everything inside; of what takes back too."""
        self.all_writes: Final[dict[str, frozenset[Key]]] = {}
        """Also those of everything inside, but not of what takes back."""
        self.given: Final = {Key(process.body.name, name) for one in process.body.input_sets for name in one.types}
        self._walk(process.body, ChainMap(dict.fromkeys(name for _, name in self.given)))

    def _walk(self, activity: Activity, scope: Scope) -> None:
        self.activities[activity.name] = activity
        inner = self._inside(activity, scope)
        outside = [name for text in _starting(activity) for name in text]
        inside = [name for text in _judging(activity) for name in text]
        results = [name for text in _giving(activity) for name in text]
        judged = {*_resolved(outside, scope), *_resolved(inside, inner)}
        self.judges[activity.name] = frozenset(judged)
        found = self.reads[activity.name] = frozenset({*judged, *_resolved(results, inner)})
        self.writes[activity.name] = frozenset(_resolved(activity.writes, scope))
        taking_back = list(sides(activity))
        for part in parts(activity):
            self._walk(part, scope if part in taking_back else inner)
        of_parts = [part.name for part in parts(activity)]
        working = [part.name for part in parts(activity) if part not in taking_back]
        self.all_reads[activity.name] = found.union(*(self.all_reads[one] for one in of_parts))
        self.all_writes[activity.name] = self.writes[activity.name].union(*(self.all_writes[one] for one in working))

    def _inside(self, activity: Activity, scope: Scope) -> Scope:
        if not isinstance(activity, Compound):
            return scope
        names: dict[str, Key | None] = {name: None for one in activity.input_sets for name in one.types or one.bindings}
        if activity is self.process.body:
            names = {name: Key(activity.name, name) for name in names}
        if isinstance(activity, Each):
            names |= {activity.item: None, "index": None}
        names |= {name: Key(activity.name, name) for name in activity.variables}
        return scope.new_child(names)

    def shared(self, activity: Activity, keys: Iterable[Key]) -> set[Key]:
        """Those that are declared around it, not inside."""
        inside = {activity.name}
        todo = [activity]
        while todo:
            for part in parts(todo.pop()):
                inside.add(part.name)
                todo.append(part)
        return {key for key in keys if key.owner not in inside}


def _resolved(names: Iterable[str], scope: Scope) -> Iterator[Key]:
    for name in names:
        key = scope.get(name)
        if key is not None:
            yield key


def _starting(activity: Activity) -> Iterator[Iterable[str]]:
    """What is read where the activity stands."""
    for one in activity.input_sets:
        yield from _of_guard(one.guard)
        yield from _of_sources(one.bindings.values())
    yield from _of_guard(activity.cancel)
    yield from _of_guard(activity.until)
    if isinstance(activity, Task):
        for outcome in activity.outcomes:
            yield from _of_guard(outcome.guard)
    for rule in activity.on_error:
        if rule.when:
            yield names_in(rule.when)


def _judging(activity: Activity) -> Iterator[Iterable[str]]:
    """What is read inside a compound for the guards of its outcomes."""
    if isinstance(activity, Compound):
        for outcome in activity.outcomes:
            yield from _of_guard(outcome.guard)


def _giving(activity: Activity) -> Iterator[Iterable[str]]:
    """What is read inside a compound as its result."""
    if isinstance(activity, Compound):
        for outcome in activity.outcomes:
            yield from _of_sources(outcome.bindings.values())


def _of_guard(guard: Guard | None) -> Iterator[Iterable[str]]:
    if isinstance(guard, When):
        yield names_in(guard.text)
    elif isinstance(guard, AtLeast):
        for one in guard.guards:
            yield from _of_guard(one)


def _of_sources(bindings: Iterable[Sources]) -> Iterator[Iterable[str]]:
    for sources in bindings:
        for source in sources:
            if isinstance(source, Variable):
                yield (source.name,)
            elif isinstance(source, Expression):
                yield names_in(source.text)
