"""Which transition of a net fires next, and with which tokens.

A choice is a cache over a marking: it can be made anew at any moment and says the same. The order is: the higher
priority, then the binding whose newest token is oldest, then a hash of seed, path, token and transition, then the
order of transitions and arcs. A binding's newest token counts those read as well as those taken, so what could fire
first comes first.

- An arc of weight k binds the k oldest tokens of its place, before the arcs of weight 1 choose; no other k are tried.
- No token is bound twice, so what an arc reads is there when the firing has taken its own; an inhibitor asks for
  fewer than its weight to stay.
- Which arcs of an or-join bind is said in `weft.kernel.or_joins`.
- A firing that failed and waits, an offer, and what the caller blocks keep a net from being quiet.
"""

from collections.abc import Mapping, Set
from heapq import heapify, heappop, heappush
from typing import Final
from zlib import crc32

from weft.kernel.marking import NEVER, Firings, Marking, Tokens
from weft.kernel.net_plan import Arc, NetPlan, Took, TransitionPlan, mask
from weft.kernel.or_joins import OrJoins, is_inhibited
from weft.kernel.search import NOTHING, Search, ValueIndex

Entry = tuple[int, int, int, int]
"""Of an enabled transition: minus its priority, its binding's newest token, the hash, its number. The least fires.

Entries are compared by value: a compiled kernel keeps them as numbers, which have no identity.
"""

OFFERS_MAX: Final = 100


class Binding:
    """A transition (by its number in the plan), the tokens it takes, and the values of its arcs' variables.

    `number` is that of the failed firing which these tokens try again, or -1.
    """

    __slots__ = ("number", "took", "transition", "variables")

    def __init__(self, transition: int, took: Took, variables: dict[str, object], number: int) -> None:
        self.transition: Final = transition
        self.took: Final = took
        self.variables: Final = variables
        self.number: Final = number


class Choice:
    """What can fire in a marking, kept up to date with it.

    `inputs` are the net's, which guards may read; `seed` and `path` are the instance's and the net's.
    """

    def __init__(self, plan: NetPlan, marking: Marking, inputs: Mapping[str, object], seed: int, path: str) -> None:
        self.plan: Final = plan
        self.marking: Final = marking
        self.inputs: Final = inputs
        self.salt: Final = f"{seed} {path} "
        self.places: Final[list[Tokens]] = [marking.places[place] for place in plan.places]
        for position, tokens in enumerate(self.places):
            tokens.position = position
            tokens.is_touched = False
            tokens.returned = NEVER
        marking.touched.clear()
        marking.stirred.clear()
        count = len(plan.transitions)
        self.entries: Final[list[Entry | None]] = [None] * count
        self.heap: list[Entry] = []
        self.enabled = 0
        self.queue: Final[list[int]] = list(range(count))
        self.is_queued: Final[list[bool]] = [True] * count
        self.hashes: Final[dict[int, int]] = {}
        self.searches: Final[dict[int, Search]] = {}
        self.indexes: Final[dict[int, ValueIndex]] = {}
        self.offerable: Final[set[int]] = set()
        self.is_searched: Final[list[bool]] = [False] * count
        self.joins: Final = OrJoins(plan, marking, self.places)

    # What the caller asks.

    def next(self, blocked: Set[int] = NOTHING) -> Binding | None:
        """The binding that fires next, passing over the transitions `blocked` and those that are offered.

        A guard that fails raises, and raises again when asked again.
        """
        self.refresh()
        heap, entries = self.heap, self.entries
        aside: list[Entry] = []
        found = None
        while heap:
            entry = heap[0]
            number = entry[3]
            if entries[number] != entry:
                heappop(heap)
            elif number in blocked:
                aside.append(heappop(heap))
            else:
                found = self.binding(self.plan.transitions[number])
                break
        for entry in aside:
            heappush(heap, entry)
        return self.untied(False, blocked) if found is None else found

    def offers(self, limit: int = OFFERS_MAX, blocked: Set[int] = NOTHING) -> list[Binding]:
        """New bindings to offer of every transition that is offered: no token in two of one transition, oldest first.

        With the standing ones there are at most `limit` of each transition. They are offered by `Marking.offer`.
        """
        self.refresh()
        found: list[Binding] = []
        for number in sorted(self.offerable):
            if number not in blocked:
                found += self.offers_of(self.plan.transitions[number], limit)
        untied = None if found else self.untied(True, blocked)
        return found if untied is None else [untied]

    def bind(self, transition: int, took: Took) -> Binding | None:
        """The transition's binding with exactly these tokens, for an offer that someone begins; None if not now."""
        one = self.plan.transitions[transition]
        firings = self.marking.firings.get(one.name)
        if firings is not None and len(firings.running) >= one.at_most:
            return None
        left = list(took)
        arcs: list[Arc] = []
        windows: list[tuple[int, ...]] = []
        for arc in one.arcs:
            if not arc.takes:
                arcs.append(arc)
                windows.append(())
            elif left and left[0][0] == arc.name and len(left[0][1]) == arc.weight:
                arcs.append(arc)
                windows.append(left.pop(0)[1])
                if not all(token in self.places[arc.place].values for token in windows[-1]):
                    return None
        if left or is_inhibited(self.places, one, arcs):
            return None
        search = Search(one, self.places, {}, self.inputs)
        return self.found(search) if search.find(arcs, windows, None, NOTHING) else None

    def is_quiet(self) -> bool:
        """Nothing is enabled, offered, or waiting to be tried again. What the caller blocks counts as enabled."""
        self.refresh()
        if self.enabled or any(firings.again or firings.offered for firings in self.marking.firings.values()):
            return False
        return not self.has_offers() and self.knot() < 0

    # Keeping up with the marking.

    def refresh(self) -> None:
        """Looks again at the transitions whose places or firings were touched."""
        marking = self.marking
        if self.plan.joins and (marking.touched or marking.stirred):
            self.joins.survey()
            for number in self.plan.joins:
                self.enqueue(number)
        for tokens in marking.touched:
            tokens.is_touched = False
            feeds = self.plan.feeds[tokens.position]
            if tokens.returned != NEVER:
                self.take_back(tokens, feeds)
            for number in feeds:
                if not self.is_queued[number]:
                    self.is_queued[number] = True
                    self.queue.append(number)
        marking.touched.clear()
        if marking.stirred:
            for name, oldest in marking.stirred.items():
                number = self.plan.transition_number[name]
                self.enqueue(number)
                if number in self.searches:
                    self.searches[number].rewind(oldest)
            marking.stirred.clear()
        queue = self.queue
        if len(queue) > 1:
            queue.sort(reverse=True)
        while queue:
            self.look(self.plan.transitions[queue[-1]])
            self.is_queued[queue.pop()] = False

    def enqueue(self, number: int) -> None:
        if not self.is_queued[number]:
            self.is_queued[number] = True
            self.queue.append(number)

    def take_back(self, tokens: Tokens, feeds: list[int]) -> None:
        """A token came back under its old number: what was searched past it is searched again."""
        index = self.indexes.get(tokens.position)
        if index is not None:
            index.seen = min(index.seen, tokens.returned)
        for number in feeds:
            if number in self.searches:
                self.searches[number].rewind(tokens.returned)
        tokens.returned = NEVER

    def look(self, one: TransitionPlan) -> None:
        """Finds the transition's best binding and puts it in the heap."""
        number = one.number
        firings = self.marking.firings.get(one.name)
        newest = -1
        if firings is not None and len(firings.running) >= one.at_most:
            self.offerable.discard(number)
            self.joins.waiting.pop(number, None)
        elif one.is_offered:
            self.offerable.add(number)
            self.joins.joined(one, NOTHING)
        elif one.is_simple and (firings is None or not firings.again):
            newest = self.heads(one)
            self.is_searched[number] = False
        else:
            newest = self.searched(one, firings, NOTHING)
            self.is_searched[number] = True
        entry = self.entries[number]
        if newest < 0:
            if entry is not None:
                self.entries[number] = None
                self.enabled -= 1
        elif entry is None or entry[1] != newest:
            if entry is None:
                self.enabled += 1
            entry = (-one.priority, newest, self.hash(one, newest) if one.is_contended else 0, number)
            self.entries[number] = entry
            heappush(self.heap, entry)
            if len(self.heap) > 4 * len(self.entries) + 64:
                self.heap = [entry for entry in self.entries if entry is not None]
                heapify(self.heap)

    def hash(self, one: TransitionPlan, newest: int) -> int:
        """The same in every run. A checksum alone would set the same of two transitions before the other too often."""
        salt = self.hashes.get(one.number)
        if salt is None:
            salt = self.hashes[one.number] = crc32(f"{self.salt}{one.name} ".encode())
        return (crc32(b"%d" % newest, salt) * 2_654_435_761) & 0xFFFF_FFFF

    def heads(self, one: TransitionPlan) -> int:
        """The newest of the oldest tokens of every arc, or -1 if one lacks."""
        newest = 0
        for arc in one.arcs:
            tokens = self.places[arc.place]
            if arc.last == 1:
                if not tokens.values:
                    return -1
                number = tokens.order[tokens.start]
            else:
                if len(tokens.values) < arc.last:
                    return -1
                number = tokens.oldest(arc.last)[-1]
            if number > newest:
                newest = number
        return -1 if one.inhibitors and is_inhibited(self.places, one, one.arcs) else newest

    def searched(self, one: TransitionPlan, firings: Firings | None, barred: Set[int]) -> int:
        """The newest token of the best binding where the oldest tokens may not do, or -1."""
        arcs = self.joins.joined(one, barred)
        if arcs is None or is_inhibited(self.places, one, arcs):
            return -1
        search = self.search(one)
        return search.level if self.binds(search, arcs, firings, barred) else -1

    def search(self, one: TransitionPlan) -> Search:
        found = self.searches.get(one.number)
        if found is None:
            found = self.searches[one.number] = Search(one, self.places, self.indexes, self.inputs)
        return found

    def binds(self, search: Search, arcs: list[Arc], firings: Firings | None, barred: Set[int]) -> bool:
        """Lets the arcs of weight k have the k oldest tokens, and searches the rest."""
        windows: list[tuple[int, ...]] = [()] * len(arcs)
        if search.plan.has_windows:
            used: dict[int, list[int]] = {}
            for index, arc in enumerate(arcs):
                if arc.weight > 1:
                    if arc.place not in used:
                        tokens = self.places[arc.place]
                        used[arc.place] = [n for n in tokens.oldest(len(tokens.values)) if n not in barred]
                    window = used[arc.place][: arc.weight]
                    if len(window) < arc.weight:
                        return False
                    windows[index] = tuple(window)
                    del used[arc.place][: arc.weight]
        return search.find(arcs, windows, firings, barred)

    def binding(self, one: TransitionPlan) -> Binding:
        """What an entry of the heap stands for."""
        if self.is_searched[one.number]:
            return self.found(self.searches[one.number])
        took: list[tuple[str, tuple[int, ...]]] = []
        variables: dict[str, object] = {}
        for arc in one.arcs:
            tokens = self.places[arc.place]
            if arc.last == 1:
                numbers: tuple[int, ...] = (tokens.order[tokens.start],)
            else:
                numbers = tuple(tokens.oldest(arc.last)[arc.last - arc.weight :])
            if arc.takes:
                took.append((arc.name, numbers))
            if arc.variable:
                values = tokens.values
                variables[arc.variable] = (
                    values[numbers[0]] if arc.weight == 1 else [values[number] for number in numbers]
                )
        return Binding(one.number, tuple(took), variables, -1)

    def found(self, search: Search) -> Binding:
        took = search.took()
        firings = self.marking.firings.get(search.plan.name)
        number = -1 if firings is None else firings.number_of.get(took, -1)
        return Binding(search.plan.number, took, search.variables(), number)

    # Offers.

    def offers_of(self, one: TransitionPlan, limit: int) -> list[Binding]:
        firings = self.marking.firings.get(one.name)
        if firings is not None and len(firings.offered) >= limit:
            return []
        standing = [] if firings is None else list(firings.offered.values())
        barred = {token for took in standing for _, numbers in took for token in numbers}
        found: list[Binding] = []
        first = -1
        while len(standing) < limit and () not in standing:
            newest = self.searched(one, firings, barred)
            if newest < 0:
                break
            first = newest if first < 0 else first
            binding = self.found(self.searches[one.number])
            found.append(binding)
            standing.append(binding.took)
            barred.update(token for _, numbers in binding.took for token in numbers)
        if found:
            self.searches[one.number].rewind(first)
        else:
            self.offerable.discard(one.number)
        return found

    def has_offers(self) -> bool:
        return any(self.offers_of(self.plan.transitions[number], 1) for number in sorted(self.offerable))

    # Or-joins.

    def untied(self, is_offered: bool, blocked: Set[int]) -> Binding | None:
        knot = self.knot()
        if knot < 0 or knot in blocked or self.plan.transitions[knot].is_offered != is_offered:
            return None
        return self.found(self.searches[knot])

    def knot(self) -> int:
        """If or-joins wait only for one another, and nothing else can happen, the first of them; else -1."""
        if not self.joins.waiting or self.enabled or self.marking.firings or self.has_offers():
            return -1
        group: dict[int, tuple[list[Arc], int]] = {}
        for number in sorted(self.joins.waiting):
            arcs, awaited = self.joins.waiting[number]
            if self.binds(self.search(self.plan.transitions[number]), arcs, None, NOTHING):
                group[number] = (arcs, awaited)
        size = -1
        while size != len(group):
            size = len(group)
            inputs = mask(arc.place for arcs, _ in group.values() for arc in arcs if arc.takes)
            group = {number: waits for number, waits in group.items() if not waits[1] & ~inputs}
        return min(group, default=-1)
