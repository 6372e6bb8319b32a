"""A net compiled once: places and transitions as numbers, what its arcs ask and what they give.

Knows nothing of markings and firings. The same plan serves every execution of the net.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from weft.model.definition import ArcIn as ArcDefinition
from weft.model.definition import ArcOut, Group, Net, Person, Signal, Task, Timer, Transition

Evaluate = Callable[[dict[str, object]], object]
Compile = Callable[[str], Evaluate]

Took = tuple[tuple[str, tuple[int, ...]], ...]
"""(place, token numbers) for every arc that takes, in the order of the arcs."""

Put = tuple[tuple[str, tuple[object, ...]], ...]
"""(place, values) for every arc that gives, in the order of the arcs."""

UNBOUNDED: Final = 1 << 60


class NotAList(Exception):
    """An arc marked `each` was given something else than a list."""


class Arc:
    """An arc that binds tokens: it takes `weight` of them or reads one.

    `last` is how many tokens its place must hold for it and for the arcs served before it; `slot` is the number of its
    variable among those that stand on several arcs, else -1.
    """

    def __init__(self, place: int, definition: ArcDefinition, slot: int) -> None:
        self.place = place
        self.name: Final = definition.place
        self.variable: Final = definition.variable
        self.takes: Final = definition.kind == "take"
        self.weight: Final = definition.weight if self.takes else 1
        self.slot: Final = slot
        self.last = self.weight


class TransitionPlan:
    """A transition. `is_simple`: its oldest tokens are its only binding; `is_contended`: others look at its places."""

    def __init__(self, number: int, definition: Transition, places: dict[str, int], compile_text: Compile) -> None:
        self.number: Final = number
        self.name: Final = definition.name
        self.priority: Final = definition.priority
        self.at_most: Final = UNBOUNDED if definition.at_most is None else definition.at_most
        self.is_or: Final = definition.join == "or"
        self.is_offered: Final = is_offered(definition)
        self.guard: Final = compile_text(definition.guard) if definition.guard else None
        self.assigns: Final = [(name, compile_text(text)) for name, text in definition.assigns.items()]
        self.outputs: Final = definition.outputs
        self.cancels: Final = definition.cancels
        self.resets: Final = tuple(arc.place for arc in definition.inputs if arc.kind == "reset")
        self.inhibitors: Final = [(places[arc.place], arc.weight) for arc in definition.inputs if arc.kind == "inhibit"]
        binding = [arc for arc in definition.inputs if arc.kind in ("take", "read")]
        slots = shared_variables(binding)
        self.slots: Final = len(slots)
        self.arcs: Final = [Arc(places[arc.place], arc, slots.get(arc.variable, -1)) for arc in binding]
        self.has_windows: Final = any(arc.weight > 1 for arc in self.arcs)
        self.is_simple: Final = self.guard is None and not slots and not self.is_or
        self.is_contended = not self.arcs
        self.weights: Final = {arc.variable: arc.weight for arc in self.arcs}
        self.is_plain: Final = not any(arc.outcome or arc.error or arc.each or arc.weight > 1 for arc in self.outputs)
        served: dict[int, int] = {}
        for arc in sorted(self.arcs, key=lambda arc: arc.weight == 1):
            arc.last = served[arc.place] = served.get(arc.place, 0) + arc.weight

    def assigned(self, variables: dict[str, object], inputs: Mapping[str, object]) -> dict[str, object]:
        """The variables and those that the transition computes, each from the ones before it and the net's inputs."""
        if not self.assigns:
            return variables
        found = dict(variables)
        scope = {**inputs, **variables}
        for name, evaluate in self.assigns:
            found[name] = scope[name] = evaluate(scope)
        return found

    def put(self, variables: dict[str, object], outcome: str = "", error: str = "", failed: bool = False) -> Put | None:
        """What the arcs give when the operation ends, or when there is none; None if no arc bears its failure.

        A variable that was never given is null. Of several arcs that bear an error, each is filled.
        """
        if self.is_plain:
            return None if failed else tuple([(arc.place, (variables.get(arc.variable),)) for arc in self.outputs])
        filled = [arc for arc in self.outputs if bears(arc, outcome, error, failed)]
        if failed and not filled:
            return None
        return tuple([(arc.place, self.tokens(arc, variables.get(arc.variable))) for arc in filled])

    def tokens(self, arc: ArcOut, value: object) -> tuple[object, ...]:
        """One token; every element of a list; or for weight k what an arc of weight k took, else k copies."""
        if arc.each:
            if value is None:
                return ()
            if not isinstance(value, list):
                raise NotAList(f"{self.name} → {arc.place}: {arc.variable} is not a list and can't be put one by one")
            return tuple(value) * arc.weight
        if arc.weight > 1 and isinstance(value, list) and self.weights.get(arc.variable) == arc.weight == len(value):
            return tuple(value)
        return (value,) * arc.weight


def is_offered(transition: Transition) -> bool:
    """A person's task and a trigger begin when someone or something begins them."""
    operation = transition.operation
    return isinstance(operation, Task) and isinstance(operation.handler, Person | Group | Timer | Signal)


def shared_variables(arcs: list[ArcDefinition]) -> dict[str, int]:
    names = [arc.variable for arc in arcs if arc.variable]
    return {name: slot for slot, name in enumerate(sorted({name for name in names if names.count(name) > 1}))}


def bears(arc: ArcOut, outcome: str, error: str, failed: bool) -> bool:
    """An arc without outcome and error is filled unless the operation failed; with both it asks for both."""
    if not arc.outcome and not arc.error:
        return not failed
    if arc.error and not (error + ".").startswith(arc.error + "."):
        return False
    return not arc.outcome or arc.outcome == outcome


class NetPlan:
    """A net: its places and transitions by number and, for each place, the transitions that look at it."""

    def __init__(self, net: Net, compile_text: Compile) -> None:
        self.places: Final = tuple(place.name for place in net.places)
        self.place_number: Final = {name: number for number, name in enumerate(self.places)}
        self.transitions: Final = [
            TransitionPlan(number, one, self.place_number, compile_text) for number, one in enumerate(net.transitions)
        ]
        self.transition_number: Final = {one.name: one.number for one in self.transitions}
        self.feeds: Final[list[list[int]]] = [[] for _ in self.places]
        self.joins: Final = [one.number for one in self.transitions if one.is_or]
        for one in self.transitions:
            for place in sorted({arc.place for arc in one.arcs} | {place for place, _ in one.inhibitors}):
                self.feeds[place].append(one.number)
        for one in self.transitions:
            one.is_contended = one.is_contended or any(len(self.feeds[arc.place]) > 1 for arc in one.arcs)
        self.taken: Final = [mask(arc.place for arc in one.arcs if arc.takes) for one in self.transitions]
        self.given: Final = [mask(self.place_number[arc.place] for arc in one.outputs) for one in self.transitions]
        self.reaches: Final[dict[tuple[int, int], int]] = {}

    def reach(self, transition: int, place: int) -> int:
        """The places, as bits, from which a token can come to `place` by the arcs without passing the transition.

        Tokens travel by arcs that take; where they are only read, or forbidden, they stay.
        """
        found = self.reaches.get((transition, place))
        if found is None:
            found = 1 << place
            before = 0
            while before != found:
                before = found
                for number, given in enumerate(self.given):
                    if number != transition and given & found:
                        found |= self.taken[number]
            self.reaches[transition, place] = found
        return found


def mask(places: Iterable[int]) -> int:
    found = 0
    for place in places:
        found |= 1 << place
    return found
