"""Explores nets in which no place ever holds two tokens: a marking is a set of places, an integer with a bit for each.

A transition is four masks: the places it looks at, those of them that must be marked, those it leaves, those it fills.
With many transitions, a table by some twelve neighbouring places says which of them are worth a try there.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from weft.analysis.plain import PlainNet, PlainTransition
from weft.analysis.spaces import SLICE, Budget, NotSafe, Space

FEW: Final = 8
"""Up to so many transitions are tried one by one."""
WIDTH: Final = 12

Rule = tuple[int, int, int, int, int]
"""Looks at, must be marked, leaves, fills, number."""


class Table:
    """The transitions that need a certain group of neighbouring places, by what lies in these."""

    def __init__(self, shift: int, rules: list[Rule]) -> None:
        self.shift: Final = shift
        self.rules: Final = rules
        self.known: Final[dict[int, tuple[Rule, ...]]] = {}

    def learn(self, key: int) -> tuple[Rule, ...]:
        there = key << self.shift
        group = ((1 << WIDTH) - 1) << self.shift
        found = tuple(rule for rule in self.rules if there & rule[0] == rule[1] & group)
        self.known[key] = found
        return found


def rule_of(one: PlainTransition, number: int) -> Rule | None:
    """The masks of a transition; none if it can never fire here: it needs two tokens of a place, or one and none."""
    needs = one.needs()
    if any(count > 1 or one.inhibits.get(place) == 1 for place, count in needs.items()):
        return None
    if any(count > 1 for count in one.puts.values()):
        raise NotSafe(one.name)
    must, looks, leaves = 0, 0, -1
    for place in needs:
        must |= 1 << place
    for place, count in one.inhibits.items():
        if count == 1:
            looks |= 1 << place
    for place in (*one.takes, *one.resets):
        leaves &= ~(1 << place)
    return looks | must, must, leaves, sum(1 << place for place in one.puts), number


def tables_of(rules: list[Rule]) -> list[Table]:
    """Each transition goes to the group of places with most of those that it needs."""
    if len(rules) <= FEW:
        whole = Table(0, rules)
        return [whole]
    groups: dict[int, list[Rule]] = {}
    for rule in rules:
        bits = [place // WIDTH for place in range(rule[1].bit_length()) if rule[1] >> place & 1]
        groups.setdefault(max(bits, key=bits.count) if bits else 0, []).append(rule)
    return [Table(group * WIDTH, members) for group, members in sorted(groups.items())]


def explore_safe(net: PlainNet, budget: Budget) -> Space:
    """All markings within the budget. Raises `NotSafe` as soon as a place would hold two tokens."""
    if max(net.marking, default=0) > 1:
        raise NotSafe("the initial marking")
    start = sum(1 << place for place, count in enumerate(net.marking) if count)
    rules = [rule for number, one in enumerate(net.transitions) if (rule := rule_of(one, number)) is not None]
    states, before = [start], {start: start}
    dead: list[int] = []
    is_complete = _walk(rules, states, before, dead, budget)
    return Space(
        net,
        states,
        before,
        _Successors(rules),
        lambda marking: tuple(marking >> place & 1 for place in range(len(net.places))),
        is_complete,
        dead,
        tokens_max=int(any(states)),
    )


def _walk(rules: list[Rule], states: list[int], before: dict[int, int], dead: list[int], budget: Budget) -> bool:
    """Breadth first: the list grows while it is read."""
    is_small = len(rules) <= FEW
    tables = [(table.shift, table.known, table.learn) for table in tables_of(rules)]
    group = (1 << WIDTH) - 1
    add = states.append
    few = tuple(rules)
    todo = iter(states)
    until = budget.clock() + budget.seconds
    while True:
        is_over = True
        for marking in islice(todo, SLICE):
            is_over = False
            is_dead = True
            for shift, known, learn in tables:
                key = marking >> shift & group
                for looks, must, leaves, fills, _ in few if is_small else known[key] if key in known else learn(key):
                    if marking & looks == must:
                        is_dead = False
                        after = marking & leaves
                        if after & fills:
                            raise NotSafe
                        after |= fills
                        if after not in before:
                            before[after] = marking
                            add(after)
            if is_dead:
                dead.append(marking)
        if is_over:
            return True
        if len(states) > budget.states or budget.clock() > until:
            return next(todo, None) is None


class _Successors:
    """The steps from one marking, for those who walk the space again."""

    def __init__(self, rules: list[Rule]) -> None:
        self.rules = rules

    def __call__(self, marking: int) -> Iterator[tuple[int, int]]:
        for looks, must, leaves, fills, number in self.rules:
            if marking & looks == must:
                yield number, marking & leaves | fills
