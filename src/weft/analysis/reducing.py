"""Makes an ordinary net smaller by rules that keep whether it is live and bounded (Murata's six and their like).

A workflow net is sound exactly when it is live and bounded with its end joined to its start, so what is built of
blocks shrinks to a single transition here and need not be explored.
"""

from weft.analysis.plain import PlainNet, PlainTransition


class Reducible:
    """An ordinary net by its arcs both ways; the marking counts tokens."""

    def __init__(self, net: PlainNet) -> None:
        self.net = net
        self.takes = {number: set(one.takes) for number, one in enumerate(net.transitions)}
        self.puts = {number: set(one.puts) for number, one in enumerate(net.transitions)}
        self.names = {number: one.name for number, one in enumerate(net.transitions)}
        self.marking = dict(enumerate(net.marking))
        self.feeds: dict[int, set[int]] = {place: set() for place in self.marking}
        self.drains: dict[int, set[int]] = {place: set() for place in self.marking}
        for number in self.takes:
            for place in self.takes[number]:
                self.drains[place].add(number)
            for place in self.puts[number]:
                self.feeds[place].add(number)

    def neighbours(self, place: int) -> set[int]:
        return self.feeds[place] | self.drains[place]

    def add_transition(self, takes: set[int], puts: set[int], like: int) -> int:
        number = len(self.names)
        self.names[number] = self.names[like]
        self.takes[number], self.puts[number] = takes, puts
        for place in takes:
            self.drains[place].add(number)
        for place in puts:
            self.feeds[place].add(number)
        return number

    def drop_transition(self, number: int) -> None:
        for place in self.takes.pop(number):
            self.drains[place].discard(number)
        for place in self.puts.pop(number):
            self.feeds[place].discard(number)

    def drop_place(self, place: int) -> None:
        for number in self.feeds.pop(place):
            self.puts[number].discard(place)
        for number in self.drains.pop(place):
            self.takes[number].discard(place)
        del self.marking[place]

    def result(self) -> PlainNet:
        kept = list(self.marking)
        number = {place: index for index, place in enumerate(kept)}
        transitions = tuple(
            PlainTransition(
                self.names[one],
                {number[place]: 1 for place in sorted(self.takes[one])},
                {number[place]: 1 for place in sorted(self.puts[one])},
            )
            for one in self.takes
        )
        return PlainNet(tuple(self.net.places[place] for place in kept), transitions, tuple(self.marking.values()))


def reduced(net: PlainNet) -> PlainNet:
    """The net made as small as the rules can, live and bounded exactly if the given one is. Only for ordinary nets."""
    work = Reducible(net)
    places, transitions = list(work.marking), list(work.takes)
    while places or transitions:
        touched_places: set[int] = set()
        touched: set[int] = set()
        for number in transitions:
            if number in work.takes:
                _transition_rules(work, number, touched_places, touched)
        for place in places:
            if place in work.marking:
                _place_rules(work, place, touched_places, touched)
        around = {place for one in touched if one in work.takes for place in work.takes[one] | work.puts[one]}
        beside = {one for place in touched_places if place in work.marking for one in work.neighbours(place)}
        places, transitions = sorted(touched_places | around), sorted(touched | beside)
    return work.result()


def _transition_rules(work: Reducible, number: int, places: set[int], touched: set[int]) -> None:
    takes, puts = work.takes[number], work.puts[number]
    if len(takes) == 1 and takes == puts:
        (place,) = takes
        if len(work.drains[place]) > 1:  # a step that changes nothing
            work.drop_transition(number)
            places.add(place)
            return
    if takes:
        twins = set.intersection(*(work.drains[place] for place in takes))
        if any(twin != number and work.takes[twin] == takes and work.puts[twin] == puts for twin in twins):
            work.drop_transition(number)
            places.update(takes | puts)
            return
    if len(takes) == 1 and len(puts) == 1:
        _fuse_places(work, number, places, touched)


def _fuse_places(work: Reducible, number: int, places: set[int], touched: set[int]) -> None:
    """A place with one way out, into one place: its tokens may as well lie there."""
    (place,), (after,) = work.takes[number], work.puts[number]
    if place == after or work.drains[place] != {number} or not work.feeds[place]:
        return
    if any(after in work.puts[one] for one in work.feeds[place]):
        return
    work.marking[after] += work.marking[place]
    feeding = set(work.feeds[place])
    work.drop_transition(number)
    work.drop_place(place)
    for one in feeding:
        work.puts[one].add(after)
        work.feeds[after].add(one)
    places.add(after)
    touched.update(feeding)


def _place_rules(work: Reducible, place: int, places: set[int], touched: set[int]) -> None:
    feeds, drains = work.feeds[place], work.drains[place]
    if feeds == drains and work.marking[place] and len(work.marking) > 1:  # its token always comes back
        touched.update(feeds)
        work.drop_place(place)
        return
    if feeds and drains:
        for twin in _twins(work, place):
            if work.marking[twin] <= work.marking[place]:
                touched.update(feeds)
                places.add(twin)
                work.drop_place(place)
                return
    if feeds and drains and not work.marking[place]:
        _fuse_transitions(work, place, places, touched)


def _twins(work: Reducible, place: int) -> list[int]:
    """Places with the same arcs."""
    one = next(iter(work.feeds[place]))
    return [
        twin
        for twin in work.puts[one]
        if twin != place and work.feeds[twin] == work.feeds[place] and work.drains[twin] == work.drains[place]
    ]


def _fuse_transitions(work: Reducible, place: int, places: set[int], touched: set[int]) -> None:
    """A place behind whose way in the ways out wait for nothing else: way in and way out happen as one."""
    feeds, drains = set(work.feeds[place]), set(work.drains[place])
    if feeds & drains or len(feeds) * len(drains) > len(feeds) + len(drains):
        return
    given = {one: work.puts[one] for one in drains}
    if any(work.takes[one] != {place} or not given[one] for one in drains):
        return  # without a place behind it nothing would show that tokens pile up here
    if any((work.puts[first] - {place}) & given[second] for first in feeds for second in drains):
        return
    fused = [
        (first, work.takes[first], work.puts[first] - {place} | given[second]) for first in feeds for second in drains
    ]
    for one in feeds | drains:
        work.drop_transition(one)
    work.drop_place(place)
    for first, takes, puts in fused:
        touched.add(work.add_transition(set(takes), puts, first))
        places.update(takes | puts)
