"""The only place where state changes: what each kind of fact makes of it. Never refuses and never decides.

The changes themselves are in `evolve_activity`, `evolve_compound` and `evolve_net`, one function for a kind of fact;
this module is the table of them and the two ways in: `evolve` by a fact's path, and the tables for a decision that
knows the place already.
"""

from collections.abc import Callable
from typing import cast

from weft.kernel import evolve_activity, evolve_change, evolve_compound, evolve_net, facts
from weft.kernel.facts import AnyFact
from weft.kernel.opening import open_frame
from weft.kernel.plan import Plan
from weft.kernel.state import ROOT, Frame, State, find


def evolve(plan: Plan, state: State, fact: AnyFact) -> None:
    """Applies one fact of the log. `state.time` must be the time of its decision."""
    about_kept = KEPT_CHANGES.get(type(fact))
    if about_kept is not None:
        about_kept(state, fact)
        return
    found = net_of(state, fact.path) if type(fact) in ABOUT_NET else find(state, fact.path)
    if found is None:
        frame = open_root(plan, state) if state.root is None else open_frame(state, fact.path, fact.round)
        found = frame, 0
    CHANGES[type(fact)](state, found[0], found[1], fact)


def net_of(state: State, path: str) -> tuple[Frame, int] | None:
    """Offers, and what is withdrawn, are about the net; their path names the firing."""
    return find(state, path[: path.rfind("/")])


def open_root(plan: Plan, state: State) -> Frame:
    base = state.base
    if base is None:
        state.root = Frame(plan, ROOT, "", plan.paths[0])
    else:
        state.root = Frame(plan, ROOT, base.prefix, base.path)
        state.root.rounds = list(base.rounds)
        state.root.scope = dict(base.scope)
    return state.root


def replay(plan: Plan, decisions: list[tuple[float, list[AnyFact]]]) -> State:
    """The state after these decisions, each with its time."""
    state = State()
    for time, told in decisions:
        state.time = time
        for fact in told:
            evolve(plan, state, fact)
        state.forget_looks()
    return state


Change = Callable[[State, Frame, int, AnyFact], None]
KeptChange = Callable[[State, AnyFact], None]

CHANGES = cast(
    dict[type, Change],
    {
        facts.Ready: evolve_activity.ready,
        facts.Started: evolve_activity.started,
        facts.Answered: evolve_activity.answered,
        facts.Marked: evolve_activity.marked,
        facts.Parked: evolve_activity.parked,
        facts.Granted: evolve_activity.granted,
        facts.Committed: evolve_activity.committed,
        facts.Failed: evolve_activity.failed,
        facts.TakingBack: evolve_activity.taking_back,
        facts.Stopping: evolve_activity.stopping,
        facts.Aborted: evolve_activity.aborted,
        facts.Skipped: evolve_activity.skipped,
        facts.Overdue: evolve_activity.overdue,
        facts.Doubted: evolve_activity.doubted,
        facts.Fixed: evolve_compound.fixed,
        facts.Repeated: evolve_compound.repeated,
        facts.Aborting: evolve_compound.aborting,
        facts.Drained: evolve_compound.drained,
        facts.Stuck: evolve_compound.stuck,
        facts.Suspended: evolve_compound.suspended,
        facts.Resumed: evolve_compound.resumed,
        facts.Abandoned: evolve_compound.abandoned,
        facts.Reported: evolve_compound.reported,
        facts.Changed: evolve_change.changed,
        facts.Added: evolve_compound.added,
        facts.Closed: evolve_compound.closed,
        facts.Bound: evolve_compound.bound,
        facts.Moved: evolve_net.moved,
        facts.Offered: evolve_net.offered,
        facts.Withdrawn: evolve_net.withdrawn,
        facts.Fired: evolve_net.fired,
        facts.Returned: evolve_net.returned,
        facts.Released: evolve_net.released,
        facts.Arrived: evolve_net.arrived,
    },
)

ABOUT_NET = frozenset((facts.Offered, facts.Withdrawn))

KEPT_CHANGES = cast(
    dict[type, KeptChange],
    {
        facts.Compensating: evolve_compound.compensating,
        facts.Compensated: evolve_compound.compensated,
        facts.RolledBack: evolve_compound.rolled_back,
        facts.Settled: evolve_compound.settled,
        facts.Decided: evolve_compound.decided,
    },
)
