"""The rules of the token game written down once more, slowly and without a cache: what a `Choice` is compared with."""

from collections.abc import Callable, Mapping
from itertools import product
from zlib import crc32

import msgspec

from weft.kernel.net_plan import Took
from weft.model.definition import ArcIn, Net, Person, Task, Transition

SEED = 7
PATH = "net"
Key = tuple[int, tuple[int, ...]]
Guards = Mapping[str, Callable[[dict[str, object]], object]]


def canonical(value: object) -> bytes:
    return msgspec.json.encode(value, order="deterministic")


class Candidate:
    def __init__(self, transition: int, arcs: list[ArcIn], numbers: tuple[tuple[int, ...], ...]) -> None:
        self.transition = transition
        self.arcs = arcs
        self.numbers = numbers
        tokens = tuple(number for group in numbers for number in group)
        self.key: Key = (max(tokens, default=0), tokens)
        self.took: Took = tuple((arc.place, group) for arc, group in zip(arcs, numbers, strict=True) if taking(arc))
        self.variables: dict[str, object] = {}


def taking(arc: ArcIn) -> bool:
    return arc.kind == "take"


def weight(arc: ArcIn) -> int:
    return arc.weight if taking(arc) else 1


class TokenGame:
    """`places` are name → number → value; `firings` are (transition, number) → (status, took)."""

    def __init__(self, net: Net, guards: Guards, inputs: dict[str, object]) -> None:
        self.net = net
        self.guards = guards
        self.inputs = inputs
        self.places: dict[str, dict[int, object]] = {place.name: {} for place in net.places}
        self.firings: dict[tuple[str, int], tuple[str, Took]] = {}

    # What may fire.

    def next(self, blocked: set[int]) -> Candidate | None:
        found = [self.best(number) for number in range(len(self.net.transitions)) if not self.is_offered(number)]
        ranked = sorted((self.rank(one), one.key[1], one) for one in found if one and one.transition not in blocked)
        if ranked:
            return ranked[0][2]
        return self.untied(blocked, is_offered=False)

    def offers(self, limit: int, blocked: set[int]) -> list[Candidate]:
        found: list[Candidate] = []
        for number, one in enumerate(self.net.transitions):
            if self.is_offered(number) and number not in blocked:
                standing = [took for status, took in self.of(one) if status == "offered"]
                while len(standing) < limit and () not in standing:
                    barred = {token for took in standing for _, group in took for token in group}
                    best = self.best(number, barred)
                    if best is None:
                        break
                    found.append(best)
                    standing.append(best.took)
        untied = None if found else self.untied(blocked, is_offered=True)
        return found if untied is None else [untied]

    def is_quiet(self) -> bool:
        if any(status != "running" for status, _ in self.firings.values()):
            return False
        return not any(self.best(number) for number in range(len(self.net.transitions))) and self.knot() is None

    def rank(self, one: Candidate) -> tuple[int, int, int, int]:
        transition = self.net.transitions[one.transition]
        text = f"{SEED} {PATH} {transition.name} {one.key[0]}"
        return -transition.priority, one.key[0], crc32(text.encode()) * 2_654_435_761 % 2**32, one.transition

    def best(self, number: int, barred: set[int] | None = None) -> Candidate | None:
        one = self.net.transitions[number]
        running = sum(status == "running" for status, _ in self.of(one))
        if one.at_most is not None and running >= one.at_most:
            return None
        arcs = self.joined(one, barred or set())
        if arcs is None or (one.join == "or" and self.awaited(one, arcs)):
            return None
        return min(self.bindings(number, arcs, barred or set()), key=lambda found: found.key, default=None)

    def bindings(self, number: int, arcs: list[ArcIn], barred: set[int]) -> list[Candidate]:
        """Every binding of these arcs, by trying every combination of tokens."""
        one = self.net.transitions[number]
        spare = {name: sorted(set(tokens) - barred) for name, tokens in self.places.items()}
        choices: list[list[tuple[int, ...]]] = [[] for _ in arcs]
        for index, arc in enumerate(arcs):
            if weight(arc) > 1:
                if len(spare[arc.place]) < arc.weight:
                    return []
                choices[index] = [tuple(spare[arc.place][: arc.weight])]
                del spare[arc.place][: arc.weight]
        for index, arc in enumerate(arcs):
            if weight(arc) == 1:
                tokens = spare[arc.place] if taking(arc) else sorted(self.places[arc.place])
                choices[index] = [(token,) for token in tokens]
        found = [Candidate(number, arcs, numbers) for numbers in product(*choices)]
        return [binding for binding in found if self.is_binding(one, binding)]

    def is_binding(self, one: Transition, binding: Candidate) -> bool:
        tokens = binding.key[1]
        if len(set(tokens)) < len(tokens):
            return False
        for arc in one.inputs:
            taken = sum(len(group) for place, group in binding.took if place == arc.place)
            if arc.kind == "inhibit" and len(self.places[arc.place]) - taken >= arc.weight:
                return False
        if any(status == "waiting" and took == binding.took for status, took in self.of(one)):
            return False
        variables: dict[str, object] = {}
        for arc, group in zip(binding.arcs, binding.numbers, strict=True):
            values = [self.places[arc.place][token] for token in group]
            value = values if weight(arc) > 1 else values[0]
            if arc.variable:
                if arc.variable in variables and canonical(variables[arc.variable]) != canonical(value):
                    return False
                variables[arc.variable] = value
        bound = [arc.variable for arc in one.inputs if arc.kind in ("take", "read") and arc.variable]
        binding.variables = {name: variables.get(name) for name in bound}
        return not one.guard or bool(self.guards[one.guard]({**self.inputs, **binding.variables}))

    # Or-joins.

    def joined(self, one: Transition, barred: set[int]) -> list[ArcIn] | None:
        arcs = [arc for arc in one.inputs if arc.kind in ("take", "read")]
        if one.join == "and":
            return arcs
        left = {name: len(set(tokens) - barred) for name, tokens in self.places.items()}
        found: list[ArcIn] = []
        for arc in arcs:
            if taking(arc):
                if left[arc.place] < arc.weight:
                    continue
                left[arc.place] -= arc.weight
            found.append(arc)
        return found if any(taking(arc) for arc in found) else None

    def awaited(self, one: Transition, arcs: list[ArcIn]) -> set[str]:
        """The places with a token, now or when a running firing ends, that can still reach an input without one."""
        missing = {arc.place for arc in one.inputs if taking(arc) and not any(arc is bound for bound in arcs)}
        own = {arc.place for arc in one.inputs if taking(arc)}
        found = {place for place, tokens in self.places.items() if tokens and place not in own}
        coming = {
            arc.place
            for other in self.net.transitions
            if any(status == "running" for status, _ in self.of(other))
            for arc in other.outputs
        }
        return {
            *(place for place in found if self.reached(place, one) & missing),
            *(place for place in coming - own if self.reached(place, one) & missing),
            *(coming & missing),
        }

    def reached(self, start: str, without: Transition) -> set[str]:
        found, edge = {start}, [start]
        while edge:
            place = edge.pop()
            for one in self.net.transitions:
                if one is not without and any(taking(arc) and arc.place == place for arc in one.inputs):
                    for arc in one.outputs:
                        if arc.place not in found:
                            found.add(arc.place)
                            edge.append(arc.place)
        return found

    def knot(self) -> Candidate | None:
        if self.firings or any(self.best(number) for number in range(len(self.net.transitions))):
            return None
        group: dict[int, tuple[Candidate, set[str]]] = {}
        for number, one in enumerate(self.net.transitions):
            arcs = self.joined(one, set()) if one.join == "or" else None
            if arcs is not None and self.awaited(one, arcs):
                best = min(self.bindings(number, arcs, set()), key=lambda found: found.key, default=None)
                if best is not None:
                    group[number] = (best, self.awaited(one, arcs))
        while True:
            inputs = {place for binding, _ in group.values() for place, _ in binding.took}
            kept = {number: one for number, one in group.items() if one[1] <= inputs}
            if len(kept) == len(group):
                return kept[min(kept)][0] if kept else None
            group = kept

    def untied(self, blocked: set[int], is_offered: bool) -> Candidate | None:
        knot = self.knot()
        if knot is None or knot.transition in blocked or self.is_offered(knot.transition) != is_offered:
            return None
        return knot

    # What is asked often.

    def of(self, one: Transition) -> list[tuple[str, Took]]:
        return [firing for (name, _), firing in self.firings.items() if name == one.name]

    def is_offered(self, number: int) -> bool:
        operation = self.net.transitions[number].operation
        return isinstance(operation, Task) and isinstance(operation.handler, Person)
