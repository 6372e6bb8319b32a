"""What facts of compounds, kept executions and the instance make of the state. Part of `weft.kernel.evolve`."""

from weft.kernel import facts, status
from weft.kernel.agenda import attend, body_of, execution_of
from weft.kernel.evolve_activity import asks_no_more, write
from weft.kernel.evolve_begin import begin_round, tell_inside
from weft.kernel.log import drop, release, unsettle
from weft.kernel.state import Frame, State


def fixed(state: State, frame: Frame, node: int, fact: facts.Fixed) -> None:
    execution = execution_of(frame, node)
    execution.outcome, execution.values = fact.outcome, fact.values
    frame.status[node] = status.FIXED
    attend(state, frame, node)


def repeated(state: State, frame: Frame, node: int, fact: facts.Repeated) -> None:
    execution = execution_of(frame, node)
    execution.inputs = fact.inputs
    begin_round(state, frame, node)
    body = body_of(frame, node)
    body.grant, body.first_error, body.first_message = -1, "", ""
    body.causes = None
    body.asking.clear()
    frame.status[node] = status.STARTED
    tell_inside(state, frame, node, execution)
    attend(state, frame, node)


def aborting(state: State, frame: Frame, node: int, fact: facts.Aborting) -> None:
    execution = execution_of(frame, node)
    execution.outcome, execution.values = fact.outcome, fact.values
    execution.error, execution.message = fact.error, fact.message
    execution.is_stopped = fact.is_stopped
    asks_no_more(frame, node)
    frame.status[node] = status.ABORTING
    body_of(frame, node).is_stuck = False
    attend(state, frame, node)


def drained(state: State, frame: Frame, node: int, fact: facts.Drained) -> None:
    inside, end = node, frame.plan.end[node]
    while inside < end:
        execution = frame.execution[inside]
        if frame.status[inside] == status.ABORTING:  # one-way: it goes on taking back
            inside = frame.plan.end[inside]
            continue
        inside += 1
        if execution is None:
            continue
        execution.is_drained = True
        if execution.log is not None:
            drop(state, execution.log)
        if execution.body is not None:
            execution.body.is_drained = True
            for child in execution.body.frames.values():
                drained(state, child, 0, fact)
    attend(state, frame, node)


def stuck(state: State, frame: Frame, node: int, fact: facts.Stuck) -> None:
    body_of(frame, node).is_stuck = True


def compensating(state: State, fact: facts.Compensating) -> None:
    state.kept[fact.path, fact.round].is_running = True


def compensated(state: State, fact: facts.Compensated) -> None:
    entry = state.kept.pop((fact.path, fact.round))
    for name, value in fact.variables.items():
        assert entry.frame is not None
        write(entry.frame, entry.place, name, value)
    release(entry)


def rolled_back(state: State, fact: facts.RolledBack) -> None:
    entry = state.prepared.pop((fact.path, fact.round))
    entry.is_prepared = False
    if entry.plan is not None:
        state.unsettled[fact.path, fact.round, fact.attempt] = False
    release(entry)


def reported(state: State, frame: Frame, node: int, fact: facts.Reported) -> None:
    for name, value in fact.variables.items():
        write(frame, node, name, value)
    if fact.keeps or fact.is_prepared:
        state.reports[frame.path(node), frame.rounds[node]] = fact.keeps, fact.is_prepared
    else:
        state.reports.pop((frame.path(node), frame.rounds[node]), None)


def decided(state: State, fact: facts.Decided) -> None:
    """Nothing is kept any more."""
    unsettle(state, fact.commit)
    state.kept.clear()
    assert state.root is not None
    execution_of(state.root, 0).log = None


def settled(state: State, fact: facts.Settled) -> None:
    state.unsettled.pop((fact.path, fact.round, fact.attempt), None)


def suspended(state: State, frame: Frame, node: int, fact: facts.Suspended) -> None:
    state.paused_at = state.time


def resumed(state: State, frame: Frame, node: int, fact: facts.Resumed) -> None:
    state.paused += state.time - state.paused_at
    state.paused_at = -1.0


def abandoned(state: State, frame: Frame, node: int, fact: facts.Abandoned) -> None:
    execution_of(frame, node).is_stopped = True
    state.reports.pop((frame.path(node), frame.rounds[node]), None)


def added(state: State, frame: Frame, node: int, fact: facts.Added) -> None:
    items = body_of(frame, node).items
    assert items is not None
    items.values.extend(fact.items)
    items.results.extend([None] * len(fact.items))
    items.outcomes.extend([None] * len(fact.items))
    if fact.source:
        items.sources.add(fact.source)


def closed(state: State, frame: Frame, node: int, fact: facts.Closed) -> None:
    items = body_of(frame, node).items
    assert items is not None
    items.is_closed = True


def bound(state: State, frame: Frame, node: int, fact: facts.Bound) -> None:
    body_of(frame, node).definition = fact.definition
