"""What facts ask of the engine, and what a whole state still asks: for takeover, reload, and unknown outcomes.

`effects` looks only at what the facts are about; `outstanding` scans where everything stands. Whatever an effect
asked for and nobody answered is outstanding.
"""

from collections.abc import Callable, Iterator
from typing import Final

from weft.kernel import facts, net, status
from weft.kernel.agenda import execution_of
from weft.kernel.effect_types import (
    AnyEffect,
    Ask,
    Commit,
    Continue,
    Dispatch,
    Drain,
    Reverse,
    SettleBranch,
    Stop,
    Timer,
    Withdraw,
)
from weft.kernel.facts import AnyFact
from weft.kernel.net_plan import UNBOUNDED
from weft.kernel.places import frames_of, unfinished
from weft.kernel.plan import Plan
from weft.kernel.standing import (
    deadline,
    delay_of,
    dispatch,
    is_waiting_for_items,
    look_up,
    place_away,
    root_ended,
    standing,
)
from weft.kernel.state import Frame, State, find
from weft.kernel.stopping import ends_at_once
from weft.kernel.tree import CALL, EACH, NET, PLACED, TASK, is_persons


def effects(plan: Plan, state: State, told: list[AnyFact]) -> list[AnyEffect]:
    """What these facts, just told, ask for. The state must be as they left it."""
    found: list[AnyEffect] = []
    nodes, root = state.nodes if told is state.told else None, state.root
    for number, fact in enumerate(told):
        kind = type(fact)
        node = -1 if nodes is None or root is None else nodes[number]
        if node > 0 and kind in LIFE and root is not None and root.plan.is_plain[node]:
            continue
        asks = ASKING.get(kind)
        if asks is None:
            asks_kept = ASKING_KEPT.get(kind)
            if asks_kept is not None:
                asks_kept(state, fact, found)
            continue
        place = find(state, fact.path) if node < 0 or root is None else (root, node)
        if place is None or place[0].rounds[place[1]] != fact.round or place[0].execution[place[1]] is None:
            bygone(state, fact, found)
        else:
            asks(state, place[0], place[1], fact, found)
    state.told = []
    if state.freed:
        offer_freed(state, told, found)
    if state.has_eaches:
        ask_for_items(state, told, found)
    if state.is_short and state.root is not None:
        found.append(Continue(state.root.path(0)))
    return found


LIFE: Final = frozenset((facts.Started, facts.Committed))
"""What most facts are. Of a plain task they ask nothing."""


def bygone(state: State, fact: AnyFact, found: list[AnyEffect]) -> None:
    """The fact's execution is no more: its round is over, or what it ran in has ended. Whoever has the work is told."""
    if type(fact) is facts.Skipped:
        found.append(Withdraw(fact.path, fact.round, fact.attempt))
    elif type(fact) is facts.Aborted:
        found.append(Stop(fact.path, fact.round, fact.attempt))
    owner, _, side = fact.path.rpartition("/")
    if side == "undo" and type(fact) in (facts.Committed, facts.Aborted):
        place = find(state, owner)
        if place is not None and place[0].execution[place[1]] is not None:
            on_failed(state, place[0], place[1], fact, found)


def offer_freed(state: State, told: list[AnyFact], found: list[AnyEffect]) -> None:
    """What waits for a name that was released is offered again."""
    new = {fact.path for fact in told if type(fact) is facts.Ready}
    for name in dict.fromkeys(state.freed):
        for frame, node in state.wanting.get(name, ()):
            is_task = frame.plan.kind[node] == TASK
            if is_task and frame.status[node] == status.READY and frame.path(node) not in new:
                dispatch(state, frame, node, found)
        for frame, node in state.hungry.get(name, ()):
            net.standing(state, frame, node, found)


def ask_for_items(state: State, told: list[AnyFact], found: list[AnyEffect]) -> None:
    """An open each in which nothing runs any more asks a person."""
    asking: dict[str, None] = {}
    for fact in told:
        if type(fact) in (facts.Started, facts.Added):
            asking[fact.path] = None
        elif fact.path.endswith("]") and type(fact) in (facts.Committed, facts.Aborted, facts.Skipped):
            asking[fact.path[: fact.path.rindex("[")]] = None
    for path in asking:
        place = find(state, path)
        if place is not None and place[0].plan.kind[place[1]] == EACH:
            frame, node = place
            if frame.status[node] == status.STARTED and is_waiting_for_items(frame, node):
                execution = execution_of(frame, node)
                found.append(Ask(path, frame.rounds[node], execution.attempt, "engine.open"))


def outstanding(plan: Plan, state: State) -> list[AnyEffect]:
    """All that is still to be done."""
    found: list[AnyEffect] = []
    root = state.root
    if root is None:
        return found
    for frame in frames_of(state):
        for node, now in enumerate(frame.status):
            if now != status.WAITING and now not in status.ENDS:
                standing(state, frame, node, now, found)
    found += [SettleBranch(*key, commit) for key, commit in state.unsettled.items()]
    away = [entry for entry in state.kept.values() if entry.is_away and entry.is_running]
    found += [Reverse(entry.path, entry.round, entry.attempt) for entry in away]
    if root.status[0] in status.ENDS:
        root_ended(root, found)
    elif state.paused_at < 0 and unfinished(state):
        found.append(Continue(root.path(0)))
    return found


def running(plan: Plan, state: State) -> Iterator[tuple[str, int, int]]:
    """Path, round and attempt of the tasks that a handler has begun and has not answered for, but for people's."""
    for frame in frames_of(state):
        for node, now in enumerate(frame.status):
            if now in AT_WORK and frame.plan.kind[node] == TASK and not is_persons(frame.plan.activity[node]):
                yield frame.path(node), frame.rounds[node], execution_of(frame, node).attempt


AT_WORK: Final = frozenset((status.STARTED, status.STOPPING))


# One for each kind of fact that asks for something.


def on_ready(state: State, frame: Frame, node: int, fact: AnyFact, found: list[AnyEffect]) -> None:
    plan = frame.plan
    if plan.kind[node] != TASK:
        return
    now = frame.status[node]
    if now == status.READY:
        dispatch(state, frame, node, found)
        if plan.activity[node].deadline is not None:
            deadline(frame, node, now, found)
    elif now == status.STARTED and is_persons(frame.plan.activity[node]):  # what was offered began with its tokens
        deadline(frame, node, now, found)


def on_started(state: State, frame: Frame, node: int, fact: AnyFact, found: list[AnyEffect]) -> None:
    kind = frame.plan.kind[node]
    if kind == TASK and frame.plan.activity[node].deadline is None:
        return
    if frame.status[node] == status.STARTED:
        if not is_persons(frame.plan.activity[node]):
            deadline(frame, node, status.STARTED, found)
        if kind == CALL:
            look_up(frame, node, found)
        elif kind == PLACED:
            place_away(frame, node, found)


def on_repeated(state: State, frame: Frame, node: int, fact: AnyFact, found: list[AnyEffect]) -> None:
    """A deadline that passed while the round was ending is still to be told."""
    if frame.status[node] == status.STARTED:
        deadline(frame, node, status.STARTED, found)


def on_drained(state: State, frame: Frame, node: int, fact: AnyFact, found: list[AnyEffect]) -> None:
    """What other groups run inside is drained there."""
    for inside in frames_of(state):
        for at, kind in enumerate(inside.plan.kind):
            if kind == PLACED and inside.status[at] == status.STARTED and execution_of(inside, at).is_drained:
                found.append(Drain(inside.path(at), inside.rounds[at], execution_of(inside, at).attempt))


def on_end(state: State, frame: Frame, node: int, fact: AnyFact, found: list[AnyEffect]) -> None:
    """The root's end is the instance's, and decides what is prepared."""
    if node == 0 and frame.parent is None:
        root_ended(frame, found)
        found += [SettleBranch(*key, commit) for key, commit in state.unsettled.items() if commit]


def on_aborted(state: State, frame: Frame, node: int, fact: AnyFact, found: list[AnyEffect]) -> None:
    """Work that ends at once is told so, and so is what was still offered when it was stopped or its time was over."""
    if frame.plan.kind[node] == TASK:
        is_stopped = execution_of(frame, node).error in ("engine.cancelled", "engine.deadline")
        if is_stopped or ends_at_once(frame, node):
            found.append(Stop(fact.path, fact.round, fact.attempt))
    on_end(state, frame, node, fact, found)


def on_skipped(state: State, frame: Frame, node: int, fact: AnyFact, found: list[AnyEffect]) -> None:
    if frame.execution[node] is not None and frame.plan.kind[node] == TASK:
        found.append(Withdraw(fact.path, fact.round, fact.attempt))


def on_stopping(state: State, frame: Frame, node: int, fact: AnyFact, found: list[AnyEffect]) -> None:
    if frame.status[node] in (status.STOPPING, status.DOUBTED):
        found.append(Stop(fact.path, fact.round, fact.attempt, True))
    on_doubt(state, frame, node, fact, found)


def on_granted(state: State, frame: Frame, node: int, fact: AnyFact, found: list[AnyEffect]) -> None:
    if frame.status[node] == status.GRANTED:
        found.append(Commit(fact.path, fact.round, fact.attempt))


def on_failed(state: State, frame: Frame, node: int, fact: AnyFact, found: list[AnyEffect]) -> None:
    """A backoff runs: after the failure at once, with an undo when that is done."""
    execution = execution_of(frame, node)
    if frame.status[node] == status.FAILED and execution.then == "retry":
        due = execution.since + delay_of(frame, node)
        found.append(Timer(frame.path(node), frame.rounds[node], execution.attempt, "retry", due))


def on_doubt(state: State, frame: Frame, node: int, fact: AnyFact, found: list[AnyEffect]) -> None:
    if frame.status[node] == status.DOUBTED:
        found.append(Ask(fact.path, fact.round, fact.attempt, execution_of(frame, node).error))


def on_stuck(state: State, frame: Frame, node: int, fact: AnyFact, found: list[AnyEffect]) -> None:
    execution = execution_of(frame, node)
    if execution.body is not None and execution.body.is_stuck:
        found.append(Ask(fact.path, fact.round, fact.attempt, "engine.stuck"))


def on_resumed(state: State, frame: Frame, node: int, fact: AnyFact, found: list[AnyEffect]) -> None:
    found += [one for one in outstanding(frame.plan, state) if not isinstance(one, Continue)]


def on_changed(state: State, frame: Frame, node: int, fact: AnyFact, found: list[AnyEffect]) -> None:
    """What was withdrawn is no longer to be taken; deadlines may be others. What got ready has facts of its own."""
    assert isinstance(fact, facts.Changed)
    found += [Withdraw(path) for path in fact.withdrawn]
    found += [one for one in outstanding(frame.plan, state) if isinstance(one, Timer)]


# Facts about what is kept or offered, which has no execution.


def on_rolled_back(state: State, fact: AnyFact, found: list[AnyEffect]) -> None:
    found.append(SettleBranch(fact.path, fact.round, fact.attempt, False))


def on_decided(state: State, fact: AnyFact, found: list[AnyEffect]) -> None:
    assert isinstance(fact, facts.Decided)
    found += [SettleBranch(*key, commit) for key, commit in state.unsettled.items() if commit == fact.commit]


def on_compensating(state: State, fact: AnyFact, found: list[AnyEffect]) -> None:
    entry = state.kept.get((fact.path, fact.round))
    if entry is not None and entry.is_away:
        found.append(Reverse(fact.path, fact.round, fact.attempt))


def on_offered(state: State, fact: AnyFact, found: list[AnyEffect]) -> None:
    assert isinstance(fact, facts.Offered)
    offer = state.offers.get(fact.path)
    if offer is not None and net.may_begin(state, *offer):
        found.append(Dispatch(fact.path, fact.round, fact.attempt, fact.inputs))


def on_withdrawn(state: State, fact: AnyFact, found: list[AnyEffect]) -> None:
    found.append(Withdraw(fact.path, fact.round, fact.attempt))
    on_left(state, fact, found)


def on_left(state: State, fact: AnyFact, found: list[AnyEffect]) -> None:
    """A firing is over: of a transition of which only so many may run, the next may begin."""
    owner, _, name = fact.path.rpartition("/")
    place = find(state, owner)
    if place is None or place[0].plan.kind[place[1]] != NET or place[0].status[place[1]] != status.STARTED:
        return
    transition = name[: name.rindex("[")]
    net_plan = place[0].plan.net(place[1])
    if net_plan.transitions[net_plan.transition_number[transition]].at_most < UNBOUNDED:
        net.standing(state, *place, found, transition)


ASKING_KEPT: dict[type, Callable[[State, AnyFact, list[AnyEffect]], None]] = {
    facts.RolledBack: on_rolled_back,
    facts.Decided: on_decided,
    facts.Compensating: on_compensating,
    facts.Offered: on_offered,
    facts.Withdrawn: on_withdrawn,
    facts.Arrived: on_left,
    facts.Returned: on_left,
}

ASKING: dict[type, Callable[[State, Frame, int, AnyFact, list[AnyEffect]], None]] = {
    facts.Ready: on_ready,
    facts.Fired: on_ready,
    facts.Started: on_started,
    facts.Committed: on_end,
    facts.Aborted: on_aborted,
    facts.Skipped: on_skipped,
    facts.Stopping: on_stopping,
    facts.Granted: on_granted,
    facts.Failed: on_failed,
    facts.Doubted: on_doubt,
    facts.Stuck: on_stuck,
    facts.Repeated: on_repeated,
    facts.Drained: on_drained,
    facts.Resumed: on_resumed,
    facts.Changed: on_changed,
}
