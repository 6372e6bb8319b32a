"""The search for a transition's next binding where its oldest tokens may not do: guards, shared variables, claims.

Bindings are tried in the order of choice: by their newest token, then by their tokens in the order of the arcs. A
binding refused once is refused for good, so a search goes on where it stood, and each new token is tried once.
"""

from bisect import bisect_left
from collections.abc import Mapping, Set
from typing import Final

import msgspec

from weft.kernel.marking import FIRST, SPARE, Firings, Tokens
from weft.kernel.net_plan import Arc, Took, TransitionPlan

canonical: Final = msgspec.json.Encoder(order="deterministic").encode
"""Two values are equal when these bytes are: 1, 1.0 and true are three values."""


NOTHING: Final[frozenset[int]] = frozenset()


class ValueIndex:
    """The tokens of a place by value, for arcs whose variable has a value already."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens: Final = tokens
        self.numbers: Final[dict[bytes, list[int]]] = {}
        self.size = 0
        self.seen = FIRST

    def find(self, key: bytes) -> list[int]:
        """Numbers of tokens with this value, from the oldest; some may have left the place."""
        order = self.tokens.order
        if order and order[-1] >= self.seen:
            self.learn()
        known = self.numbers.get(key)
        if known is None:
            return []
        gone = 0
        while gone < len(known) and known[gone] not in self.tokens.values:
            gone += 1
        if gone:
            del known[:gone]
            self.size -= gone
        return known

    def learn(self) -> None:
        """Takes in what came since, and forgets what left once that is more than half."""
        values, order = self.tokens.values, self.tokens.order
        if self.size > 2 * len(values) + SPARE:
            self.numbers.clear()
            self.size = 0
            self.seen = FIRST
        for number in order[bisect_left(order, self.seen, self.tokens.start) :]:
            if number in values:
                known = self.numbers.setdefault(canonical(values[number]), [])
                index = bisect_left(known, number)
                if index == len(known) or known[index] != number:
                    known.insert(index, number)
                    self.size += 1
        self.seen = order[-1] + 1


class Search:
    """Where the search of one transition stands. `level` is the newest token of what was found.

    An arc of weight k has a *window*, the k oldest tokens of its place, and no choice; the other arcs are free. `floor`
    is the least newest token that a binding not yet tried can have, `resume` the tokens of the free arcs to go on from.
    """

    def __init__(
        self,
        plan: TransitionPlan,
        places: list[Tokens],
        indexes: dict[int, ValueIndex],
        inputs: Mapping[str, object],
    ) -> None:
        self.plan: Final = plan
        self.places: Final = places
        self.indexes: Final = indexes
        self.scope: Final = dict(inputs)
        self.arcs: list[Arc] = []
        self.windows: list[tuple[int, ...]] = []
        self.free: list[int] = []
        self.chosen: list[tuple[int, ...]] = []
        self.keys: list[bytes | None] = []
        self.resume: list[int] = []
        self.floor = 0
        self.level = 0
        self.must = 0
        self.is_found = False
        self.firings: Firings | None = None
        self.barred: Set[int] = NOTHING

    def rewind(self, number: int) -> None:
        """A token came back or a claim on it ended: bindings are tried again from this newest token on."""
        if number <= self.level or number < self.floor:
            self.floor = min(self.floor, number)
            self.resume = []
            self.is_found = False

    def find(self, arcs: list[Arc], windows: list[tuple[int, ...]], firings: Firings | None, barred: Set[int]) -> bool:
        """Whether the arcs bind, without the tokens `barred`; `chosen` then has the numbers, arc by arc.

        `windows` gives an arc's tokens where they are settled, and () where the arc is free.
        """
        self.firings, self.barred = firings, barred
        if windows != self.windows or arcs != self.arcs:
            self.restart(arcs, windows)
        elif self.is_found and self.still_stands():
            return True
        self.is_found = self.advance()
        if self.is_found:
            self.resume = [self.chosen[index][0] for index in self.free]
        return self.is_found

    def restart(self, arcs: list[Arc], windows: list[tuple[int, ...]]) -> None:
        self.arcs, self.windows = arcs, windows
        self.free = [index for index, window in enumerate(windows) if not window]
        self.floor = self.level = 0
        self.resume = []

    def still_stands(self) -> bool:
        for index in self.free:
            arc, (number,) = self.arcs[index], self.chosen[index]
            if number not in self.places[arc.place].values or (arc.takes and number in self.barred):
                return False
        return self.firings is None or not self.firings.is_waiting(self.took())

    def advance(self) -> bool:
        """Goes on from the floor, one newest token after the other."""
        self.chosen = list(self.windows)
        base = max([window[-1] for window in self.windows if window], default=0)
        if not self.know_windows():
            return False
        if self.floor <= base:
            self.level, self.must = base, 0
            if self.extend(0, bool(self.resume)):
                return True
            self.floor = base + 1
            self.resume = []
        while True:
            number = self.upcoming()
            if number == 0:
                return False
            if number != self.must:
                self.resume = []
            self.floor = self.level = self.must = number
            slot = self.know_newest()
            if self.extend(0, bool(self.resume)):
                return True
            if slot >= 0:
                self.keys[slot] = None
            self.floor = number + 1
            self.resume = []

    def know_newest(self) -> int:
        """Notes the value of the newest token's variable if only one arc can bind it; the variable's slot, else -1."""
        arcs = [arc for arc in map(self.arcs.__getitem__, self.free) if self.must in self.places[arc.place].values]
        if len(arcs) != 1 or arcs[0].slot < 0 or self.keys[arcs[0].slot] is not None:
            return -1
        self.keys[arcs[0].slot] = canonical(self.places[arcs[0].place].values[self.must])
        return arcs[0].slot

    def know_windows(self) -> bool:
        """Notes the values of shared variables that windows settle; false if two of them differ."""
        self.keys = [None] * self.plan.slots
        for arc, window in zip(self.arcs, self.windows, strict=True):
            if arc.slot >= 0 and window:
                key = canonical(self.value(arc, window))
                if self.keys[arc.slot] not in (None, key):
                    return False
                self.keys[arc.slot] = key
        return True

    def upcoming(self) -> int:
        """The least token number from the floor on that a free arc could bind, or 0."""
        least = 0
        for index in self.free:
            tokens = self.places[self.arcs[index].place]
            order, values = tokens.order, tokens.values
            for at in range(bisect_left(order, self.floor, tokens.start), len(order)):
                number = order[at]
                if least and number >= least:
                    break
                if number in values:
                    least = number
                    break
        return least

    def extend(self, depth: int, is_tight: bool) -> bool:
        """Chooses tokens for the free arcs from `depth` on, none newer than the level, and the newest on one of them.

        While `is_tight`, the arcs before have the tokens of `resume`, so this one begins with its own there.
        """
        if depth == len(self.free):
            return self.is_accepted()
        arc = self.arcs[self.free[depth]]
        tokens = self.places[arc.place]
        is_last = self.must in tokens.values and self.is_last_chance(depth, arc.place)
        key = self.keys[arc.slot] if arc.slot >= 0 else None
        candidates, start = (tokens.order, tokens.start) if key is None else (self.index(arc.place).find(key), 0)
        least = self.must if is_last else self.resume[depth] if is_tight else 0
        for at in range(bisect_left(candidates, least, start), len(candidates)):
            number = candidates[at]
            if number > self.level:
                break
            if number not in tokens.values or (arc.takes and number in self.barred) or self.is_bound(number):
                continue
            self.chosen[self.free[depth]] = (number,)
            if arc.slot >= 0 and key is None:
                self.keys[arc.slot] = canonical(tokens.values[number])
            if self.extend(depth + 1, is_tight and number == self.resume[depth]):
                return True
            self.chosen[self.free[depth]] = ()
        if arc.slot >= 0 and key is None:
            self.keys[arc.slot] = None
        return False

    def is_last_chance(self, depth: int, place: int) -> bool:
        """Whether no later free arc can bind the newest token, and none before does."""
        if self.is_bound(self.must):
            return False
        return all(self.arcs[index].place != place for index in self.free[depth + 1 :])

    def is_bound(self, number: int) -> bool:
        return any(number in numbers for numbers in self.chosen)

    def index(self, place: int) -> ValueIndex:
        found = self.indexes.get(place)
        if found is None:
            found = self.indexes[place] = ValueIndex(self.places[place])
        return found

    def is_accepted(self) -> bool:
        if self.firings is not None and self.firings.again and self.firings.is_waiting(self.took()):
            return False
        if self.plan.guard is None:
            return True
        self.scope.update(self.variables())
        return bool(self.plan.guard(self.scope))

    def took(self) -> Took:
        return tuple([(arc.name, numbers) for arc, numbers in zip(self.arcs, self.chosen, strict=True) if arc.takes])

    def variables(self) -> dict[str, object]:
        """The values of the arcs' variables; null where an or-join has no token."""
        found: dict[str, object] = {arc.variable: None for arc in self.plan.arcs if arc.variable}
        for arc, numbers in zip(self.arcs, self.chosen, strict=True):
            if arc.variable:
                found[arc.variable] = self.value(arc, numbers)
        return found

    def value(self, arc: Arc, numbers: tuple[int, ...]) -> object:
        values = self.places[arc.place].values
        return values[numbers[0]] if arc.weight == 1 else [values[number] for number in numbers]
