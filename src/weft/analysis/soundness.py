"""Whether every case of a workflow net can end, ends properly, and has a use for every transition.

Asked first of the reduced net with its end joined to its start, which is live and bounded exactly if the net is sound;
what the reduction leaves is explored. Only where that says no is the net itself explored, for a trace.
"""

from dataclasses import dataclass, replace

from weft.analysis.exploring_counts import explore_counts
from weft.analysis.exploring_safe import explore_safe
from weft.analysis.graphs import Graph, bottoms, components, fired, graph_of
from weft.analysis.plain import PlainNet, PlainTransition
from weft.analysis.reducing import reduced
from weft.analysis.spaces import Budget, NotSafe, Space
from weft.analysis.structure import Ends, workflow_ends


def explore(net: PlainNet, budget: Budget) -> Space:
    """All markings within the budget, as sets of places as long as that is enough."""
    try:
        return explore_safe(net, budget)
    except NotSafe:
        return explore_counts(net, budget)


def with_case(net: PlainNet) -> PlainNet:
    """A workflow net that says no marking has one token at its start."""
    if any(net.marking) or (ends := workflow_ends(net)) is None:
        return net
    return net.marked({ends.source: 1})


def joined(net: PlainNet, ends: Ends) -> PlainNet:
    """The net with a transition from its end back to its start."""
    again = PlainTransition("(again)", {ends.sink: 1}, {ends.source: 1})
    return replace(net, transitions=(*net.transitions, again))


def is_live_and_bounded(net: PlainNet, budget: Budget) -> bool | None:
    """None when the budget is not enough to know."""
    space = explore(reduced(net) if net.is_ordinary else net, budget)
    if space.pumped is not None:
        return False
    if not space.is_complete:
        return False if space.dead else None
    graph = graph_of(space)
    return is_live(space, graph, components(graph))


def is_live(space: Space, graph: Graph, component: list[int]) -> bool:
    """Every transition happens again and again wherever the net may settle."""
    count = len(space.net.transitions)
    return all(len(labels) == count for _, labels in bottoms(graph, component).values())


@dataclass(frozen=True, slots=True)
class Unsound:
    """What is wrong, and the transitions after which it is so."""

    why: str
    trace: tuple[str, ...] = ()
    marking: tuple[tuple[str, int], ...] = ()


def fault_of(space: Space, final: tuple[int, ...]) -> Unsound | None:
    """What is wrong with a net whose markings are all known, if anything: the fault with the shortest trace."""
    if space.pumped is not None:
        return found(space, space.pumped, "tokens pile up without bound")
    for marking in space.states:
        tokens = space.decode(marking)
        if tokens != final and all(one >= least for one, least in zip(tokens, final, strict=True)):
            return found(space, marking, "the case has ended, and work is left over")
    for marking in space.dead:
        if space.decode(marking) != final:
            return found(space, marking, "nothing can happen any more, and the case has not ended")
    graph = graph_of(space)
    for number, labels in sorted(bottoms(graph, components(graph)).values(), key=lambda one: one[0]):
        if labels:
            return found(space, space.states[number], "from here the case goes on for ever and can't end")
    never = set(range(len(space.net.transitions))) - fired(graph)
    if never:
        names = ", ".join(space.net.transitions[one].name for one in sorted(never))
        return Unsound(f"never happens: {names}")
    return None


def found(space: Space, marking: int, why: str) -> Unsound:
    return Unsound(why, tuple(space.trace(marking)), tuple(space.shown(marking).items()))
