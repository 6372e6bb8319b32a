"""Looks for deadlocks without looking at every marking: of steps that don't matter to one another one order is tried.

In each marking a stubborn set of transitions is enough: with one that can fire, all that it competes with; with one
that can't, all that could fill one of the places it lacks. Every deadlock is reached (Valmari). For safe nets only.
"""

from collections.abc import Iterator
from itertools import islice

from weft.analysis.exploring_safe import Rule, rule_of
from weft.analysis.plain import PlainNet
from weft.analysis.spaces import SLICE, Budget, NotSafe, Space

SEEDS_MAX = 6
"""So many transitions are tried as the first of a set; the set with the fewest steps is taken."""


class Stubborn:
    """The sets are integers with a bit for each rule."""

    def __init__(self, net: PlainNet) -> None:
        found = [rule_of(one, number) for number, one in enumerate(net.transitions)]
        self.rules: list[Rule] = [rule for rule in found if rule is not None]
        self.rivals = [self._rivals(rule) for rule in self.rules]
        self.fillers = [
            sum(1 << index for index, (_, _, _, fills, _) in enumerate(self.rules) if fills >> place & 1)
            for place in range(len(net.places))
        ]

    def _rivals(self, rule: Rule) -> int:
        """Those that take what it needs, or need what it takes."""
        _, must, leaves, _, _ = rule
        found = 0
        for index, (_, other, other_leaves, _, _) in enumerate(self.rules):
            if ~other_leaves & must or ~leaves & other:
                found |= 1 << index
        return found

    def steps(self, marking: int) -> Iterator[tuple[int, int]]:
        """(transition, marking) for a smallest set that was found."""
        enabled = [index for index, (looks, must, _, _, _) in enumerate(self.rules) if marking & looks == must]
        if len(enabled) > 1:
            bits = sum(1 << index for index in enabled)
            closed = (self._closure(marking, seed) & bits for seed in enabled[:SEEDS_MAX])
            chosen = min(closed, key=int.bit_count)
            enabled = [index for index in enabled if chosen >> index & 1]
        for index in enabled:
            _, _, leaves, fills, number = self.rules[index]
            after = marking & leaves
            if after & fills:
                raise NotSafe
            yield number, after | fills

    def _closure(self, marking: int, seed: int) -> int:
        done, todo = 0, 1 << seed
        while todo:
            bit = todo & -todo
            done |= bit
            index = bit.bit_length() - 1
            lacks = self.rules[index][1] & ~marking
            more = self.fillers[(lacks & -lacks).bit_length() - 1] if lacks else self.rivals[index]
            todo = (todo | more) & ~done
        return done


def explore_for_deadlocks(net: PlainNet, budget: Budget) -> Space | None:
    """The markings that stubborn sets lead to; none for nets that are not safe, or have inhibitor or reset arcs."""
    if not net.is_monotone or max(net.marking, default=0) > 1:
        return None
    try:
        stubborn = Stubborn(net)
        start = sum(1 << place for place, count in enumerate(net.marking) if count)
        states, before = [start], {start: start}
        dead: list[int] = []
        is_complete = _walk(stubborn, states, before, dead, budget)
    except NotSafe:
        return None
    width = range(len(net.places))
    return Space(
        net, states, before, stubborn.steps, lambda one: tuple(one >> place & 1 for place in width), is_complete, dead
    )


def _walk(stubborn: Stubborn, states: list[int], before: dict[int, int], dead: list[int], budget: Budget) -> bool:
    todo = iter(states)
    until = budget.clock() + budget.seconds
    while True:
        is_over = True
        for marking in islice(todo, SLICE):
            is_over = False
            is_dead = True
            for _, after in stubborn.steps(marking):
                is_dead = False
                if after not in before:
                    before[after] = marking
                    states.append(after)
            if is_dead:
                dead.append(marking)
        if is_over:
            return True
        if len(states) > budget.states or budget.clock() > until:
            return next(todo, None) is None
