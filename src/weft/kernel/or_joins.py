"""Which arcs of an or-join bind, and whether it must wait for tokens that may still come. Part of a net's choice.

An or-join joins the arcs that take: those whose place has enough tokens bind, all of them. Reading and inhibiting
arcs are conditions as ever. Tokens in its own inputs are not elsewhere. Sets of places are bits of an int.
"""

from collections.abc import Set
from typing import Final

from weft.kernel.marking import Marking, Tokens
from weft.kernel.net_plan import Arc, NetPlan, TransitionPlan, mask


def is_inhibited(places: list[Tokens], one: TransitionPlan, arcs: list[Arc]) -> bool:
    """Whether as many tokens as an inhibitor's weight would stay in its place."""
    for place, weight in one.inhibitors:
        taken = sum([arc.weight for arc in arcs if arc.takes and arc.place == place])
        if len(places[place].values) - taken >= weight:
            return True
    return False


class OrJoins:
    """Kept up to date with a marking. `waiting` are the or-joins that wait, with what they bind and what they await."""

    def __init__(self, plan: NetPlan, marking: Marking, places: list[Tokens]) -> None:
        self.plan: Final = plan
        self.marking: Final = marking
        self.places: Final = places
        self.waiting: Final[dict[int, tuple[list[Arc], int]]] = {}
        self.filled = mask(number for number, tokens in enumerate(places) if tokens.values)
        self.coming = self.outputs_of_running()

    def survey(self) -> None:
        """Notes which places have tokens and which will get some."""
        for tokens in self.marking.touched:
            bit = 1 << tokens.position
            self.filled = self.filled | bit if tokens.values else self.filled & ~bit
        self.coming = self.outputs_of_running()

    def outputs_of_running(self) -> int:
        found = 0
        if self.plan.joins:
            for name, firings in self.marking.firings.items():
                if firings.running:
                    found |= self.plan.given[self.plan.transition_number[name]]
        return found

    def joined(self, one: TransitionPlan, barred: Set[int]) -> list[Arc] | None:
        """The arcs that bind. Those of an or-join are what it reads and what takes from places with enough tokens;
        None if none takes, or if it must wait for the others."""
        if not one.is_or:
            return one.arcs
        self.waiting.pop(one.number, None)
        used: dict[int, int] = {}
        arcs: list[Arc] = []
        missing = 0
        for arc in one.arcs:
            if arc.takes:
                values = self.places[arc.place].values
                after = used.get(arc.place, sum([token in values for token in barred])) + arc.weight
                if len(values) < after:
                    missing |= 1 << arc.place
                    continue
                used[arc.place] = after
            arcs.append(arc)
        if not used:
            return None
        awaited = self.awaited(one, missing) if missing else 0
        if not awaited:
            return arcs
        if not is_inhibited(self.places, one, arcs):
            self.waiting[one.number] = (arcs, awaited)
        return None

    def awaited(self, one: TransitionPlan, missing: int) -> int:
        """The places, as bits, where tokens lie or will come that can reach one of the places `missing`."""
        found = 0
        inputs = self.plan.taken[one.number]
        for place in {arc.place for arc in one.arcs}:
            if missing >> place & 1:
                elsewhere = self.plan.reach(one.number, place) & ~inputs
                found |= self.filled & elsewhere | self.coming & (elsewhere | 1 << place)
        return found
