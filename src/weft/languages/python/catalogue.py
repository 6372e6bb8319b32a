"""What there is in a process that is being built: activities by name, what each gives, and the variables.

It is made by one walk before anything is built, since a step may speak of a later one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from weft.languages.python.activities import Activity, Block, Leaf, Prototype, Sources, Way
from weft.languages.python.blocks import Call, Each
from weft.languages.python.mistakes import Mistake
from weft.languages.python.nets import Net, Transition
from weft.languages.python.scopes import Scope, Slot
from weft.languages.python.signatures import type_of
from weft.model.definition import DONE, Input, Named, Outcome, OutcomeKind
from weft.model.faults import Fault
from weft.model.types import ObjectClass

HOW_ITEMS_ENDED = "outcome"
"""The object of an each that lists the outcome of every item."""


@dataclass(slots=True)
class Gives:
    """An outcome as others see it: its objects with their types, or with their sources and where these are read."""

    kind: OutcomeKind
    types: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, Sources] = field(default_factory=dict)
    scope: Scope | None = None
    body: Activity | None = None
    """Of an each: the objects are lists of the body's."""

    def objects(self) -> Iterable[str]:
        return self.types or self.sources


UNKNOWN = Prototype({"handler": Named("")}, (DONE,), {}, {}, is_open=True)
"""Stands for a task of which something is wrong, so that the rest can be judged."""


class Catalogue:
    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.classes: dict[str, ObjectClass] = {}
        self.by_name: dict[str, Activity] = {}
        self.kept: dict[int, list[tuple[Slot, str]]] = {}
        """For each activity, by id, the variables that it writes, with the object that goes there."""
        self._scopes: dict[int, Scope] = {}
        self._gives: dict[int, dict[str, Gives]] = {}
        self._learned: dict[int, Mapping[str, ObjectClass]] = {}
        self._wrong: set[int] = set()
        self._below: dict[int, list[Slot]] = {}

    def fault(self, activity: Activity, code: str, message: str, advice: str = "") -> None:
        name = repr(activity)
        self.faults.append(Fault("error", code, name, name, message, advice))

    # The walk.

    def enter(self, activity: Activity, scope: Scope) -> None:
        """Notes an activity and all that is inside and beside it."""
        said = activity.said
        if said.name:
            if said.name in self.by_name:
                advice = 'guards, history and changes go by names: give one of them another, .named("…")'
                self.fault(activity, "duplicate-name", f"the name {said.name!r} is used twice", advice)
            self.by_name[said.name] = activity
        if isinstance(activity, Leaf):
            self.learn(activity, self.prototype(activity).classes)
        elif isinstance(activity, Call):
            self.learn(activity, activity.classes)
        inner = self._open(activity, scope)
        for child, around in self.inside(activity, inner):
            self.enter(child, around)
        if said.into:
            self._keep(activity, scope)
        for side in sides(activity):
            self.enter(side, scope)

    def inside(self, activity: Activity, inner: Scope) -> Iterator[tuple[Activity, Scope]]:
        """Each activity directly inside, with the scope that it is in."""
        match activity:
            case Block():
                for child in activity.children():
                    yield child, inner
            case Each():
                yield activity.body, inner
            case Net():
                for transition in activity.transitions:
                    if transition.operation is not None:
                        yield transition.operation, self.arcs(activity, transition, inner)
            case _:
                pass

    def _open(self, activity: Activity, scope: Scope) -> Scope:
        """The scope inside; that around it, if the activity brings nothing of its own."""
        said = activity.said
        is_body = scope.kind in ("item", "firing") and isinstance(activity, Block)
        is_each = isinstance(activity, Each)
        if isinstance(activity, Leaf) or not (
            is_body or is_each or said.variables or said.ways or said.using or said.ends
        ):
            return scope
        inner = self._scopes[id(activity)] = Scope(scope, "home" if is_body else "item" if is_each else "")
        inner.variables = {name: Slot(name, default=value) for name, value in said.variables.items()}
        if said.name:
            for way in ways_of(activity):
                for name in way.sources:
                    inner.inputs[name] = (*inner.inputs.get(name, ()), Input(said.name, way.name, name))
        if isinstance(activity, Each):
            item = inner.variables[activity.item] = Slot(activity.item, is_given=True)
            item.items = activity.items, scope
        return inner

    def inner(self, activity: Activity, around: Scope) -> Scope:
        return self._scopes.get(id(activity), around)

    def opens(self, activity: Activity, scope: Scope) -> bool:
        """The scope is the activity's own, so that what is directly in it sees its parameters."""
        return self._scopes.get(id(activity)) is scope

    def arcs(self, net: Net, transition: Transition, inner: Scope) -> Scope:
        """The variables that the arcs of a transition bind, for its operation."""
        found = self._scopes.get(id(transition))
        if found is None:
            found = self._scopes[id(transition)] = Scope(inner, "firing")
            types = {
                place.name: self.annotated(net, place.annotation, f"the place {place.name!r}") for place in net.places
            }
            for arc in transition.inputs:
                if arc.variable:
                    token = types.get(arc.place, "any")
                    token = f"list[{token}]" if arc.weight > 1 else token
                    found.variables[arc.variable] = Slot(arc.variable, of_type=token, is_given=True)
        return found

    def learn(self, activity: Activity, classes: Mapping[str, ObjectClass]) -> None:
        if id(classes) in self._learned:
            return
        self._learned[id(classes)] = classes  # kept, since an id lives as long as its object
        for name, declared in classes.items():
            if self.classes.setdefault(name, declared) != declared:
                message = f"two different classes are called {name!r} in this process"
                self.fault(activity, "bad-class", message, "give one of them another name")

    def prototype(self, leaf: Leaf) -> Prototype:
        try:
            return leaf.prototype()
        except Mistake as mistake:
            if id(leaf) not in self._wrong:
                self._wrong.add(id(leaf))
                self.fault(leaf, "bad-type", str(mistake))
            return UNKNOWN

    def annotated(self, activity: Activity, annotation: object, what: str) -> str:
        """The type of an annotation that stands in the process itself."""
        classes: dict[str, ObjectClass] = {}
        try:
            found = type_of(annotation, classes, what)
        except Mistake as mistake:
            self.fault(activity, "bad-type", str(mistake))
            return "any"
        self.learn(activity, classes)
        return found

    # What activities give, and the variables in which it is kept.

    def gives(self, activity: Activity) -> dict[str, Gives]:
        """The outcomes of an activity, by name."""
        maker = self.prototype(activity) if isinstance(activity, Leaf) else activity
        found = self._gives.get(id(maker))
        if found is None:
            found = self._gives[id(maker)] = self._outcomes(activity)
        return found

    def _outcomes(self, activity: Activity) -> dict[str, Gives]:
        if isinstance(activity, Leaf):
            return {one.name: Gives(one.kind, one.types) for one in self.prototype(activity).outcomes}
        if isinstance(activity, Call):
            return {one.name: Gives(one.kind, one.types) for one in self.called(activity)}
        done, found = Gives("commit"), {"aborted": Gives("abort")}
        if isinstance(activity, Each):
            done.body = activity.body
            done.types = dict.fromkeys((*self.objects(activity.body), HOW_ITEMS_ENDED), "")
        elif isinstance(activity, Net):
            places = [place for place in activity.places if place.output]
            types = {
                place.name: self.annotated(activity, place.annotation, f"the place {place.name!r}") for place in places
            }
            done.types = {
                one.name: f"list[{types[one.name]}]" if one.output == "all" else types[one.name] for one in places
            }
        elif isinstance(activity, Block) and activity.kind == "loop":
            found["again"] = Gives("repeat")
        ends = activity.said.ends
        if not (
            isinstance(activity, Block)
            and activity.kind == "flow"
            and any(end.kind in (None, "commit") for end in ends)
        ):
            found = {"done": done, **found}
        for end in ends:
            kind = end.kind or (found[end.name].kind if end.name in found else "commit")
            if end.objects or end.name not in found:
                found[end.name] = Gives(kind, {}, end.objects, self._scopes.get(id(activity)))
        return found

    def called(self, call: Call) -> list[Outcome]:
        """The outcomes of the process that a call runs."""
        if call.interface is None:
            types = {name: self.annotated(call, one, f"what {call!r} gives") for name, one in call.gives.items()}
            return [Outcome("done", types=types), Outcome("aborted", "abort")]
        return [Outcome(one.name, one.kind, types=one.types) for one in call.interface.outcomes if one.kind != "repeat"]

    def objects(self, activity: Activity, outcome: str = "") -> list[str]:
        """The objects that it gives when it commits, or in one outcome, in their order."""
        gives = self.gives(activity).items()
        wanted = [one for name, one in gives if (name == outcome if outcome else one.kind == "commit")]
        return list(dict.fromkeys(name for one in wanted for name in one.objects()))

    def _keep(self, activity: Activity, scope: Scope) -> None:
        written = self.kept[id(activity)] = []
        objects = self.objects(activity)
        for position, (variable, name) in enumerate(activity.said.into):
            if not name and position >= len(objects):
                if id(activity) in self._wrong:
                    continue
                gives = f"gives only {', '.join(objects)}" if objects else "gives nothing"
                self.fault(
                    activity, "unknown-object", f"{activity!r} {gives}, so there is nothing to put into {variable!r}",
                    "annotate what the function returns, or leave out the variable",
                )  # fmt: skip
                continue
            slot = scope.find(variable) or self._born(activity, variable, scope)
            if slot is not None:
                slot.writers.append((activity, name or objects[position], scope))
                written.append((slot, name or objects[position]))

    def _born(self, activity: Activity, variable: str, scope: Scope) -> Slot | None:
        execution = scope.execution()
        if execution.kind == "home":
            slot = execution.variables[variable] = Slot(variable)
            return slot
        if execution.kind == "item":
            self.fault(
                activity, "unknown-variable", f"every item of an each would write {variable!r} at once",
                f"collect them, each(…, into={variable!r}), or declare variables={{{variable!r}: …}} to keep the last",
            )  # fmt: skip
        return None

    def written_below(self, activity: Activity) -> list[Slot]:
        """The variables that an activity, or what is inside it, writes."""
        found = self._below.get(id(activity))
        if found is None:
            found = [slot for slot, _ in self.kept.get(id(activity), ())]
            if not isinstance(activity, Leaf):
                for child, _ in self.inside(activity, self._scopes.get(id(activity), EMPTY)):
                    found += self.written_below(child)
                self._below[id(activity)] = found
        return found


EMPTY = Scope(None, "home")


def sides(activity: Activity) -> Iterator[Activity]:
    """What takes back or takes over."""
    said = activity.said
    for side in (said.compensation, said.undo, *(answer.alternate for answer in said.answers)):
        if side is not None:
            yield side


def ways_of(activity: Activity) -> list[Way]:
    """The input sets of an activity, each with all its sources."""
    said = activity.said
    if not said.ways:
        return [Way("start", None, said.using)]
    return [Way(way.name, way.guard, {**said.using, **way.sources}) if said.using else way for way in said.ways]
