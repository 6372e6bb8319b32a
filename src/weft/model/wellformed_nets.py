"""Checks nets: places, transitions, what arcs carry, and what operations may say of themselves."""

from collections.abc import Iterable

from weft.model.definition import Activity, ArcOut, Net, Place, Transition
from weft.model.types import ANY, ListOf, Type
from weft.model.wellformed_data import Data
from weft.model.wellformed_reach import Hearing
from weft.model.wellformed_scope import Scopes, element, objects
from weft.model.wellformed_tree import Node, Report


class Nets:
    def __init__(self, hearing: Hearing, scopes: Scopes, data: Data, report: Report) -> None:
        self.hearing = hearing
        self.scopes = scopes
        self.data = data
        self.report = report

    def check(self, node: Node, net: Net) -> None:
        places = {place.name: place for place in net.places}
        transitions = {transition.name: transition for transition in net.transitions}
        self._names(node, [place.name for place in net.places], "place")
        self._names(node, [transition.name for transition in net.transitions], "transition")
        for place in net.places:
            self._place(node, net, place)
        for transition in net.transitions:
            _Arcs(self, node, transition, places).check()
            for name in transition.cancels:
                if name not in transitions:
                    self._unknown(node, f"transition {transition.name!r} cancels", "transition", name, transitions)
            if transition.at_most is not None and transition.at_most < 1:
                self.number(node, f"`at_most` of transition {transition.name!r}", transition.at_most)
            if transition.operation is not None:
                self._operation(node, transition, transition.operation)

    def number(self, node: Node, what: str, number: int) -> None:
        self.report.add(node, "number", f"{what} is {number}", "give 1 or more")

    def _names(self, node: Node, names: list[str], what: str) -> None:
        seen: set[str] = set()
        for name in names:
            if name in seen:
                self.report.add(node, "duplicate-name", f"the {what} {name!r} is there twice", "rename one of them")
            else:
                seen.add(name)
                self.data.name(node, name, what)

    def _unknown(self, node: Node, who: str, what: str, name: str, known: Iterable[str]) -> None:
        advice = self.report.meant(name, known, f"declare the {what}")
        self.report.add(node, "unknown-place", f"{who} the {what} {name!r}, which the net does not have", advice)

    def unknown_place(self, node: Node, transition: Transition, name: str, known: Iterable[str]) -> None:
        self._unknown(node, f"an arc of transition {transition.name!r} names", "place", name, known)

    def _place(self, node: Node, net: Net, place: Place) -> None:
        self.scopes.declared(node, place.type, f"the place {place.name!r}")
        token = self.scopes.type(place.type)
        for value in place.tokens:
            self.data.value(node, value, token, f"a token of the place {place.name!r}")
        for one in net.input_sets:
            if place.name in one.types:
                offered = self.scopes.type(one.types[place.name])
                self.either(node, f"parameter {place.name!r}", offered, f"the place {place.name!r}", token)
        for outcome in net.outcomes:
            if place.output and place.name in outcome.types and place.name not in outcome.bindings:
                wanted = self.scopes.type(outcome.types[place.name])
                if not self.scopes.fits(ListOf(token), wanted):
                    what = f"object {place.name!r} of outcome {outcome.name!r}"
                    self._fit(node, f"the place {place.name!r}", token, what, wanted)

    def either(self, node: Node, what: str, offered: Type, where: str, token: Type) -> None:
        """One token, or a list of them."""
        if not self.scopes.fits(offered, ListOf(token)):
            self._fit(node, what, offered, where, token)

    def _fit(self, node: Node, what: str, offered: Type, where: str, wanted: Type) -> None:
        if not self.scopes.fits(offered, wanted):
            self.scopes.misfit(node, what, offered, where, wanted)

    def _operation(self, node: Node, transition: Transition, operation: Activity) -> None:
        sets = operation.input_sets
        for wrong, what, instead in (
            (any(one.guard is not None for one in sets), "a guard on its input set", "put it on the transition"),
            (len(sets) > 1, "several input sets", "make a transition for each"),
            (operation.cancel is not None, "`cancel`", "let another transition cancel this one"),
            (operation.until is not None, "`until`", "let an inhibitor or read arc say it"),
            (not operation.vital, "vital=False", "let an arc with an outcome or error take what fails"),
        ):
            if wrong:
                message = f"the operation of transition {transition.name!r} has {what}, but arcs do that"
                self.report.add(node, "net-child", message, instead)


class _Arcs:
    """The arcs of one transition."""

    def __init__(self, nets: Nets, node: Node, transition: Transition, places: dict[str, Place]) -> None:
        self.nets = nets
        self.node = node
        self.transition = transition
        self.places = places

    def check(self) -> None:
        node, transition, nets = self.node, self.transition, self.nets
        bound = self._inputs()
        inputs = nets.scopes.inputs(node.activity)
        scope = {**inputs, **bound}
        if transition.guard:
            nets.scopes.compile(node, transition.guard, scope, f"the guard of transition {transition.name!r}")
        assigned: dict[str, Type] = {}
        for name, text in transition.assigns.items():
            nets.data.name(node, name, "variable")
            place = f"`assigns` of transition {transition.name!r}"
            assigned[name] = nets.scopes.compile(node, text, scope, place)
        for arc in transition.outputs:
            self._output(arc, {**bound, **assigned})

    def _wrong(self, what: str, advice: str) -> None:
        message = f"an arc of transition {self.transition.name!r} {what}"
        self.nets.report.add(self.node, "arc", message, advice)

    def _inputs(self) -> dict[str, Type]:
        """Checks the arcs that come in; the variables they bind."""
        bound: dict[str, Type] = {}
        scopes = self.nets.scopes
        for arc in self.transition.inputs:
            place = self.places.get(arc.place)
            if place is None:
                self.nets.unknown_place(self.node, self.transition, arc.place, self.places)
            if arc.weight < 1:
                self.nets.number(self.node, f"the weight of an arc from {arc.place!r}", arc.weight)
            if arc.kind == "read" and arc.weight > 1:
                self._wrong(f"reads {arc.weight} tokens of {arc.place!r}", "a read arc reads one: leave out the weight")
            if not arc.variable:
                continue
            if arc.kind in ("inhibit", "reset"):
                self._wrong(f"binds {arc.variable!r}, but to {arc.kind} carries nothing", "leave it out")
                continue
            self.nets.data.name(self.node, arc.variable, "variable")
            token = scopes.type(place.type) if place is not None else ANY
            offered = ListOf(token) if arc.weight > 1 else token
            before = bound.setdefault(arc.variable, offered)
            if not scopes.fits(offered, before) and not scopes.fits(before, offered):
                where = f"the same variable {arc.variable!r} on another arc"
                scopes.misfit(self.node, f"the arc from {arc.place!r}", offered, where, before)
        return bound

    def _output(self, arc: ArcOut, bound: dict[str, Type]) -> None:
        place = self.places.get(arc.place)
        if place is None:
            self.nets.unknown_place(self.node, self.transition, arc.place, self.places)
        if arc.weight < 1:
            self.nets.number(self.node, f"the weight of an arc to {arc.place!r}", arc.weight)
        self._end(arc)
        if not arc.variable:
            if arc.each:
                self._wrong("puts each element of nothing", "name the variable that has the list")
            return
        offered = self._carried(arc, bound)
        if offered is None or place is None:
            return
        what, scopes = f"what the arc of transition {self.transition.name!r} puts", self.nets.scopes
        if arc.each:
            if not scopes.fits(offered, ListOf(ANY)):
                scopes.misfit(self.node, what, offered, "an arc that puts each element", ListOf(ANY))
                return
            offered = element(offered)
        token = scopes.type(place.type)
        if arc.weight > 1 and isinstance(offered, ListOf) and scopes.fits(offered.item, token):
            return
        if not scopes.fits(offered, token):
            scopes.misfit(self.node, what, offered, f"the place {arc.place!r}", token)

    def _end(self, arc: ArcOut) -> None:
        """That the end of the operation, which the arc waits for, can happen."""
        operation, node = self.transition.operation, self.node
        what = f"an arc of transition {self.transition.name!r}"
        if operation is None and (arc.outcome or arc.error):
            self._wrong("waits for an outcome or error of no operation", "leave it out, or give an operation")
            return
        if arc.outcome and operation is not None:
            outcome = self.nets.hearing.outcome(node, operation, arc.outcome, f"{what} waits for {arc.outcome!r}")
            if outcome is not None and outcome.kind in ("mark", "repeat"):
                self._wrong(f"waits for {arc.outcome!r}, a {outcome.kind}, which puts no tokens", "name one that ends")
        if arc.error:
            self.nets.hearing.error(node, arc.error, f"{what} waits for {arc.error!r}")

    def _carried(self, arc: ArcOut, bound: dict[str, Type]) -> Type | None:
        """The type of the arc's variable: bound, assigned, or an object of the operation."""
        operation, scopes = self.transition.operation, self.nets.scopes
        if operation is not None and not arc.error:
            ends = [
                one for one in operation.outcomes
                if (one.name == arc.outcome if arc.outcome else one.kind == "commit")
            ]  # fmt: skip
            made = [objects(operation, one) for one in ends]
            if made and all(arc.variable in types for types in made):
                return scopes.type(made[0][arc.variable]) if len(made) == 1 else ANY
        if arc.variable in bound:
            return bound[arc.variable]
        known = [*bound, *(name for one in (operation.outcomes if operation else ()) for name in one.types)]
        advice = self.nets.report.meant(
            arc.variable, known, "bind it on an arc that comes in, assign it, or let the operation make it"
        )
        where = f"the arc of transition {self.transition.name!r} to {arc.place!r}"
        self.nets.report.add(
            self.node, "unknown-variable", f"{where} carries {arc.variable!r}, which nothing binds", advice
        )
        return None
