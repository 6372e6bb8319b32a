"""Explores nets whose places hold several tokens: a marking is one integer with a field of bits for each place.

The highest bit of a field is kept free, so that one subtraction compares all places at once. When a field overflows,
either a marking before it on the way is covered, and there is no bound, or the fields are made wider.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from weft.analysis.plain import PlainNet
from weft.analysis.spaces import SLICE, Budget, Space

WIDTHS: Final = (4, 8, 16, 32)
DIVE_STATES: Final = 20_000


class _Overflow(Exception):
    """A place holds more than its field can say; the marking is the argument."""

    def __init__(self, marking: int) -> None:
        super().__init__()
        self.marking = marking


class Fields:
    """How markings are written as integers of fields that are `width` bits wide."""

    def __init__(self, net: PlainNet, width: int) -> None:
        self.net: Final = net
        self.width: Final = width
        self.ones: Final = sum(1 << place * width for place in range(len(net.places)))
        self.guards: Final = self.ones << width - 1
        self.rules: Final = [
            (
                self.encode(one.needs()),
                self.encode(dict.fromkeys(one.resets, (1 << width) - 1)),
                self.encode(one.takes),
                self.encode(one.puts),
                self.encode(one.inhibits),
                sum(1 << (place + 1) * width - 1 for place in one.inhibits),
                number,
            )
            for number, one in enumerate(net.transitions)
        ]
        self.start: Final = self.encode(dict(enumerate(net.marking)))

    def encode(self, counts: dict[int, int]) -> int:
        return sum(count << place * self.width for place, count in counts.items())

    def decode(self, marking: int) -> tuple[int, ...]:
        field = (1 << self.width) - 1
        return tuple(marking >> place * self.width & field for place in range(len(self.net.places)))

    def successors(self, marking: int) -> Iterator[tuple[int, int]]:
        guards = self.guards
        bound = marking | guards
        for needs, resets, takes, puts, inhibits, watched, number in self.rules:
            if (bound - needs) & guards != guards or (watched and (bound - inhibits) & watched):
                continue
            after = marking - takes
            yield number, (after & ~resets if resets else after) + puts

    def covers(self, marking: int, other: int) -> bool:
        return marking != other and ((marking | self.guards) - other) & self.guards == self.guards


def explore_counts(net: PlainNet, budget: Budget) -> Space:
    """All markings within the budget, or up to the first that shows that there is no bound."""
    weights = [count for one in net.transitions for arcs in one[1:5] for count in arcs.values()]
    largest = max([*net.marking, *weights], default=0)
    for width in WIDTHS:
        if largest >= 1 << width - 2:
            continue
        fields = Fields(net, width)
        states, before = [fields.start], {fields.start: fields.start}
        space = Space(net, states, before, fields.successors, fields.decode, False)
        try:
            space.is_complete = _walk(fields, space, budget)
        except _Overflow as overflow:
            if net.is_monotone and _is_pumped(fields, before, overflow.marking):
                space.pumped = overflow.marking
                return space
            if net.is_monotone and (deep := dive(net, budget)) is not None:
                return deep
            if width < WIDTHS[-1]:
                continue
        space.tokens_max = _tokens_max(fields, states)
        return space
    raise ValueError(f"an arc or a place has more than {1 << WIDTHS[-1] - 2} tokens: no such net can be explored")


def dive(net: PlainNet, budget: Budget) -> Space | None:
    """Looks for a way on which tokens pile up by going deep first; nothing if none was found."""
    fields = Fields(net, WIDTHS[-1])
    before = {fields.start: fields.start}
    way = [(fields.start, fields.successors(fields.start))]
    until = budget.clock() + budget.seconds
    while way and len(before) < DIVE_STATES and budget.clock() < until:
        marking, steps = way[-1]
        for _, after in steps:
            if after not in before:
                before[after] = marking
                if any(fields.covers(after, above) for above, _ in way):
                    return Space(net, [*before], before, fields.successors, fields.decode, False, pumped=after)
                way.append((after, fields.successors(after)))
                break
        else:
            way.pop()
    return None


def _walk(fields: Fields, space: Space, budget: Budget) -> bool:
    states, before, guards = space.states, space.before, fields.guards
    successors = fields.successors
    todo = iter(states)
    until = budget.clock() + budget.seconds
    while True:
        is_over = True
        for marking in islice(todo, SLICE):
            is_over = False
            is_dead = True
            for _, after in successors(marking):
                is_dead = False
                if after not in before:
                    before[after] = marking
                    states.append(after)
                    if after & guards:
                        raise _Overflow(after)
            if is_dead:
                space.dead.append(marking)
        if is_over:
            return True
        if len(states) > budget.states or budget.clock() > until:
            return next(todo, None) is None


def _is_pumped(fields: Fields, before: dict[int, int], marking: int) -> bool:
    """Does the way to a marking pass through one that it covers? Its own fields may use their highest bits."""
    tokens = fields.decode(marking)
    while (previous := before[marking]) != marking:
        if all(one <= other for one, other in zip(fields.decode(previous), tokens, strict=True)):
            return True
        marking = previous
    return False


def _tokens_max(fields: Fields, states: list[int]) -> int:
    """The most tokens that any place holds in any of the markings."""
    most = 0
    add = fields.guards - fields.ones
    for marking in states:
        while (marking + add) & fields.guards:
            most += 1
            add -= fields.ones
    return most
