"""Everything that is said of a plain net, as one record; null is "unknown"."""

from msgspec import Struct
from msgspec.structs import replace

from weft.analysis.graphs import Graph, components, graph_of
from weft.analysis.plain import PlainNet
from weft.analysis.soundness import Unsound, explore, fault_of, found, is_live, is_live_and_bounded, joined, with_case
from weft.analysis.spaces import Budget, Space, replaced
from weft.analysis.structure import (
    Ends,
    bound_by,
    is_free_choice,
    place_invariants,
    siphons,
    traps,
    workflow_ends,
)
from weft.analysis.stubborn import explore_for_deadlocks

FULL_SHARE = 0.7
"""Of the seconds, for exploring everything; the rest is for deadlocks alone if that was not enough."""
CASES_MAX = 3
"""Generalised soundness is refuted with up to so many cases at once."""


class Verdict(Struct, frozen=True, kw_only=True):
    """See docs/reference/analyse.md; `reason` and `trace` are about the first fault, or the first deadlock."""

    net: str
    places: int
    transitions: int
    workflow_net: bool
    free_choice: bool
    sound: bool | None
    generalised_sound: bool | None
    deadlock: bool | None
    bound: int | None
    bounded: bool | None
    safe: bool | None
    live: bool | None
    never: list[str] | None
    states: int | None
    explored: int
    seconds: float
    reason: str = ""
    trace: list[str] | None = None
    marking: dict[str, int] | None = None
    exact: bool = True
    notes: tuple[str, ...] = ()


class Structure(Struct, frozen=True, kw_only=True):
    """What the arcs alone say; null where there are too many to list."""

    place_invariants: list[dict[str, int]] | None
    bounds: dict[str, int | None]
    siphons: list[list[str]]
    traps: list[list[str]]


def analyse(net: PlainNet, name: str = "net", budget: Budget | None = None) -> Verdict:
    """What can be said of a net within the budget. A workflow net without tokens is given one case."""
    budget = budget or Budget()
    began = budget.clock()
    net = with_case(net)
    ends = workflow_ends(net)
    one_case = ends is not None and net.marking == final_of(net, ends.source)
    final = final_of(net, ends.sink) if ends is not None and one_case else None
    is_sound = is_live_and_bounded(joined(net, ends), budget) if ends is not None and one_case else None
    space = explore(net, replaced(budget, FULL_SHARE))
    graph = graph_of(space) if space.is_complete and space.pumped is None else None
    fault = _fault(space, graph, final)
    if is_sound is None and final is not None:
        is_sound = False if fault is not None else True if graph is not None else None
    deadlocked = space if graph is not None or space.pumped is not None else _by_stubborn_sets(net, space, budget)
    if fault is None and deadlocked is not space:
        fault = _fault(deadlocked, None, final)
        is_sound = False if fault is not None and final is not None else is_sound
    dead = [one for one in deadlocked.dead if final is None or deadlocked.decode(one) != final]
    is_free = graph is not None or is_sound or (deadlocked is not space and deadlocked.is_complete)
    bounded = False if space.pumped is not None else True if graph is not None or is_sound else None
    happened = None if graph is None else set(graph.labels)
    verdict = Verdict(
        net=name,
        places=len(net.places),
        transitions=len(net.transitions),
        workflow_net=ends is not None,
        free_choice=is_free_choice(net),
        sound=is_sound,
        generalised_sound=_generalised(net, ends, is_sound, budget) if one_case else None,
        deadlock=True if dead else False if is_free else None,
        bound=None if graph is None else space.tokens_max,
        bounded=bounded,
        safe=None if graph is None and bounded is not False else bounded is True and space.tokens_max <= 1,
        live=False if dead else _live(space, graph, final, is_sound),
        never=None if happened is None else _never(net, happened),
        states=len(space.states) if graph is not None else None,
        explored=len(space.states),
        seconds=round(budget.clock() - began, 4),
        reason=fault.why if fault else "" if graph is not None else _unknown(space),
        trace=list(fault.trace) if fault else None,
        marking=dict(fault.marking) if fault and fault.marking else None,
        notes=net.notes,
    )
    return _weakened(verdict, net) if net.notes else verdict


def _weakened(verdict: Verdict, net: PlainNet) -> Verdict:
    """Of a net that was only approximated: what is true of more steps than it has is true of it, the rest is open."""
    is_bounded = True if verdict.bounded and not net.may_have_more else None
    return replace(
        verdict,
        sound=None,
        generalised_sound=None,
        deadlock=None,
        bounded=is_bounded,
        bound=verdict.bound if is_bounded and verdict.safe else None,
        safe=True if is_bounded and verdict.safe else None,
        live=None,
        never=verdict.never if is_bounded else None,
        states=None,
        exact=False,
        reason=f"if data allow: {verdict.reason}" if verdict.reason else "",
    )


def structure_of(net: PlainNet) -> Structure:
    """Invariants, bounds, minimal siphons and traps, up to two hundred of each."""
    net = with_case(net)
    invariants = place_invariants(net)
    named = None if invariants is None else [{net.places[p]: n for p, n in sorted(one.items())} for one in invariants]
    bounds = bound_by(net, invariants or [])
    return Structure(
        place_invariants=named,
        bounds=dict(zip(net.places, bounds, strict=True)),
        siphons=[[net.places[place] for place in sorted(one)] for one in siphons(net)],
        traps=[[net.places[place] for place in sorted(one)] for one in traps(net)],
    )


def _by_stubborn_sets(net: PlainNet, space: Space, budget: Budget) -> Space:
    """A second look, for deadlocks alone, where there were too many markings."""
    found = explore_for_deadlocks(net, replaced(budget, 1 - FULL_SHARE))
    return space if found is None or (not found.dead and not found.is_complete) else found


def final_of(net: PlainNet, place: int) -> tuple[int, ...]:
    return tuple(int(one == place) for one in range(len(net.places)))


def _fault(space: Space, graph: Graph | None, final: tuple[int, ...] | None) -> Unsound | None:
    if space.pumped is not None:
        return found(space, space.pumped, "tokens pile up without bound")
    if final is not None and graph is not None:
        return fault_of(space, final)
    for marking in space.dead:
        if space.decode(marking) != final:
            return found(space, marking, "nothing can happen any more")
    return None


def _live(space: Space, graph: Graph | None, final: tuple[int, ...] | None, is_sound: bool | None) -> bool | None:
    """Of a workflow net with its end joined to its start, which is live if the net is sound."""
    if is_sound or (final is None and graph is None and not space.dead):
        return is_sound
    if space.dead and any(space.decode(one) != final for one in space.dead):
        return False
    if graph is None:
        return None
    return False if final is not None else is_live(space, graph, components(graph))


def _never(net: PlainNet, happened: set[int]) -> list[str]:
    return [one.name for number, one in enumerate(net.transitions) if number not in happened]


def _generalised(net: PlainNet, ends: Ends | None, is_sound: bool | None, budget: Budget) -> bool | None:
    """For any number of cases at once. A free-choice net that is sound for one is sound for all."""
    if ends is None or not is_sound:
        return is_sound
    if is_free_choice(net):
        return True
    for cases in range(2, CASES_MAX + 1):
        space = explore(net.marked({ends.source: cases}), budget)
        final = tuple(cases * one for one in final_of(net, ends.sink))
        if space.pumped is not None or any(space.decode(one) != final for one in space.dead):
            return False
        if not space.is_complete:
            return None
    return None


def _unknown(space: Space) -> str:
    return f"unknown: the budget ended after {len(space.states)} states"
