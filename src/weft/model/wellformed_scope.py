"""What can be read where: the types of variables and inputs in scope, and expressions checked against them."""

from collections import ChainMap
from collections.abc import Iterable, Mapping
from typing import Final

from weft.model.definition import Activity, Compound, Each, Net, Outcome, Process, Transition
from weft.model.expressions import ExpressionFault, compile_expression
from weft.model.limits import Limits
from weft.model.types import ANY, INT, ListOf, Type, TypeFault, fits, parse, text, union
from weft.model.wellformed_tree import Node, Report

Types = ChainMap[str, Type]

COUNTS: Final = ("committed", "aborted", "running", "total")


class Scope:
    """`variables` of the compounds around, and `names`: these with the inputs of the nearest compound."""

    __slots__ = ("names", "read_only", "variables")

    def __init__(self, variables: Types, names: Types, read_only: frozenset[str]) -> None:
        self.variables = variables
        self.names = names
        self.read_only = read_only


NOTHING: Final = Scope(ChainMap(), ChainMap(), frozenset())


class Scopes:
    """Scopes are made when first asked for; a compound that declares nothing shares the one around it."""

    def __init__(self, process: Process, limits: Limits, report: Report) -> None:
        self.classes = process.classes
        self.limits = limits
        self.report = report
        self._types: dict[str, Type | TypeFault] = {}
        self._inside: dict[Node, Scope] = {}
        self._places: dict[Node, dict[str, str]] = {}
        self._compiled: dict[tuple[str, int], Type | ExpressionFault] = {}
        self._kept: list[Types] = []

    # Types.

    def declared(self, node: Node, source: str, what: str) -> None:
        """Reports a type that can't be read; elsewhere it then counts as `any`."""
        found = self._read(source)
        if isinstance(found, TypeFault):
            advice = f"did you mean {found.suggestion}?" if found.suggestion else "types are listed in the reference"
            message = f"the type of {what}, {source!r:.200}, is wrong at column {found.column}: {found.message}"
            self.report.add(node, "bad-type", message, advice)

    def type(self, source: str) -> Type:
        found = self._read(source)
        return ANY if isinstance(found, TypeFault) else found

    def _read(self, source: str) -> Type | TypeFault:
        found = self._types.get(source)
        if found is None:
            try:
                found = parse(source, self.classes)
            except TypeFault as fault:
                found = fault
            self._types[source] = found
        return found

    def is_wrong(self, source: str) -> bool:
        return isinstance(self._read(source), TypeFault)

    def fits(self, offered: Type, wanted: Type) -> bool:
        return offered is wanted or fits(offered, wanted, self.classes)

    # Scopes.

    def outside(self, node: Node) -> Scope:
        """Where the activity's own input sets, rules and task outcomes are read."""
        around = NOTHING if node.parent is None else self.inside(node.parent)
        given = self.given(node)
        if not given:
            return around
        return Scope(around.variables.new_child(given), around.names.new_child(given), around.read_only | given.keys())

    def given(self, node: Node) -> dict[str, Type]:
        """What an operation has from its arcs, and a side from what it stands beside: readable by name."""
        if node.transition is not None and node.parent is not None:
            return self.of_transition(node.parent, node.transition)
        if node.owner is None:
            return {}
        owner = node.owner.activity
        found = self.inputs(owner)
        if node.role != "alternate":
            ends = [objects(owner, one) for one in owner.outcomes if one.kind in ("commit", "abort")]
            made: dict[str, Type] = {}
            for name, declared in ((name, self.type(types[name])) for types in ends for name in types):
                made[name] = union((made[name], declared)) if name in made else declared
            found |= made
            found |= {name: made[given] for name, given in owner.writes.items() if given in made}
        return found

    def inside(self, node: Node) -> Scope:
        """What the children of a compound can read, and its outcomes too."""
        found = self._inside.get(node)
        if found is None:
            pending = [node]
            for around in node.around():
                if around in self._inside:
                    break
                pending.append(around)
            for one in reversed(pending):
                found = self._inside[one] = self._make(one)
            assert found is not None
        return found

    def _make(self, node: Node) -> Scope:
        activity = node.activity
        assert isinstance(activity, Compound)
        around = self.outside(node)
        inputs = self.inputs(activity)
        own = {name: self.type(declared.type) for name, declared in activity.variables.items()}
        if node.role == "root":
            own = {**inputs, **own}
        read_only = around.read_only - own.keys()
        if isinstance(activity, Each):
            own[activity.item] = element(inputs.get("items", ANY))
            read_only |= {activity.item}
        variables = around.variables.new_child(own) if own else around.variables
        names = ChainMap(own, inputs, *around.variables.maps) if own or inputs else around.variables
        return Scope(variables, names, frozenset(read_only))

    def searchable(self, root: Node) -> Iterable[str]:
        """The names that a search of instances can use: the root's variables and parameters."""
        activity = root.activity
        return self.inside(root).names if isinstance(activity, Compound) else self.inputs(activity)

    def inputs(self, activity: Activity) -> dict[str, Type]:
        """The parameters of an activity; one of several sets may have any of its types."""
        found: dict[str, Type] = {}
        for one in activity.input_sets:
            for name in (*one.types, *(name for name in one.bindings if name not in one.types)):
                offered = self.type(one.types.get(name, "any"))
                found[name] = union((found[name], offered)) if name in found else offered
        return found

    def of_outcome(self, node: Node) -> Scope:
        """What the guards of a compound's outcomes can read: in an each the counts, in a net the places' tokens too."""
        scope, activity = self.inside(node), node.activity
        if isinstance(activity, Each):
            counted: Iterable[str] = COUNTS
        elif isinstance(activity, Net):
            counted = (place.name for place in activity.places)
        else:
            return scope
        return Scope(scope.variables, scope.names.new_child(dict.fromkeys(counted, INT)), scope.read_only)

    def of_transition(self, net: Node, transition: Transition) -> dict[str, Type]:
        """The variables that the arcs of a transition bind; two arcs with one variable agree in value."""
        assert isinstance(net.activity, Net)
        types = self._places.get(net)
        if types is None:
            types = self._places[net] = {place.name: place.type for place in net.activity.places}
        found: dict[str, Type] = {}
        for arc in transition.inputs:
            if arc.variable:
                token = self.type(types.get(arc.place, "any"))
                found.setdefault(arc.variable, ListOf(token) if arc.weight > 1 else token)
        return found

    # Expressions.

    def compile(self, node: Node, source: str, scope: Scope | Mapping[str, Type], place: str) -> Type:
        """The type of an expression; what is wrong with it is reported."""
        names = scope.names if isinstance(scope, Scope) else scope
        found = self._compiled.get((source, id(names)))
        if found is None:
            self._kept.append(names)  # type: ignore[arg-type]
            try:
                found = compile_expression(source, names, self.classes, self.limits).type
            except ExpressionFault as fault:
                found = fault
            self._compiled[source, id(names)] = found
        if isinstance(found, ExpressionFault):
            code = "too-large" if len(source) > self.limits.source else "condition"
            advice = f"did you mean {found.suggestion}?" if found.suggestion else "use what is in scope there"
            shown = f"{source!r:.200}"
            self.report.add(node, code, f"{place}: {shown} is wrong at column {found.column}: {found.message}", advice)
            return ANY
        return found

    def misfit(self, node: Node, what: str, offered: Type, where: str, wanted: Type) -> None:
        message = f"{what} is {text(offered)}, but {where} wants {text(wanted)}"
        self.report.add(node, "misfit", message, "change one of the two types, or convert the value in between")


def objects(activity: Activity, outcome: Outcome) -> dict[str, str]:
    """The objects of an outcome and their types."""
    found = outcome.types
    if any(name not in found for name in outcome.bindings):
        found = {**dict.fromkeys(outcome.bindings, "any"), **found}
    if isinstance(activity, Net) and outcome.kind == "commit":
        places = {place.name: "any" for place in activity.places if place.output and place.name not in found}
        found = {**found, **places}
    return found


def element(of: Type) -> Type:
    return of.item if isinstance(of, ListOf) else ANY
