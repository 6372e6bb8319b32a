"""What one activity asks of the engine as it stands: to be dispatched, stopped, committed, looked up, timed."""

from weft.kernel import net, status
from weft.kernel.agenda import execution_of
from weft.kernel.effect_types import (
    AnyEffect,
    Ask,
    Commit,
    Dispatch,
    Drain,
    Ended,
    Lookup,
    Place,
    Stop,
    Timer,
)
from weft.kernel.starting import may_start
from weft.kernel.state import Frame, State
from weft.kernel.tree import CALL, EACH, PLACED, TASK, is_persons
from weft.model.definition import Call, Each


def standing(state: State, frame: Frame, node: int, now: int, found: list[AnyEffect]) -> None:
    execution = execution_of(frame, node)
    path, round, attempt = frame.path(node), frame.rounds[node], execution.attempt
    kind = frame.plan.kind[node]
    if now == status.READY and kind == TASK:
        dispatch(state, frame, node, found)
    elif now == status.STOPPING or (now == status.DOUBTED and execution.is_stopped):
        found.append(Stop(path, round, attempt, True))
    elif now == status.GRANTED:
        found.append(Commit(path, round, attempt))
    elif now == status.FAILED and execution.then == "retry":
        found.append(Timer(path, round, attempt, "retry", execution.since + delay_of(frame, node)))
    elif kind == CALL and now == status.STARTED and execution.body is not None and not execution.body.definition:
        look_up(frame, node, found)
    elif kind == PLACED and now == status.STARTED:
        place_away(frame, node, found)
        if execution.is_drained:
            found.append(Drain(path, round, attempt))
    if now == status.DOUBTED:
        found.append(Ask(path, round, attempt, execution.error))
    elif execution.body is not None and execution.body.is_stuck:
        found.append(Ask(path, round, attempt, "engine.stuck"))
    elif kind == EACH and now == status.STARTED and is_waiting_for_items(frame, node):
        found.append(Ask(path, round, attempt, "engine.open"))
    if now in (status.READY, status.STARTED):
        deadline(frame, node, now, found)
    if execution.body is not None and execution.body.marking is not None:
        net.standing(state, frame, node, found)


def dispatch(state: State, frame: Frame, node: int, found: list[AnyEffect]) -> None:
    if state.paused_at >= 0 or (frame.plan.activity[node].holds and not may_start(state, frame, node)):
        return
    execution = frame.execution[node]
    assert execution is not None
    found.append(Dispatch(frame.path(node), frame.rounds[node], execution.attempt, execution.inputs))


def place_away(frame: Frame, node: int, found: list[AnyEffect]) -> None:
    execution = execution_of(frame, node)
    found.append(Place(frame.path(node), frame.rounds[node], execution.attempt, execution.set, execution.inputs))


def look_up(frame: Frame, node: int, found: list[AnyEffect]) -> None:
    call = frame.plan.activity[node]
    assert isinstance(call, Call)
    found.append(
        Lookup(frame.path(node), frame.rounds[node], execution_of(frame, node).attempt, call.process, call.version)
    )


def deadline(frame: Frame, node: int, now: int, found: list[AnyEffect]) -> None:
    activity = frame.plan.activity[node]
    limit = activity.deadline
    if limit is None or (now < status.STARTED and not is_persons(activity)):
        return
    execution = execution_of(frame, node)
    path, round = frame.path(node), frame.rounds[node]
    for number, early in [*enumerate(limit.warn_seconds), (-1, 0.0)]:
        if number not in execution.overdue:
            due = execution.since + limit.seconds - early
            found.append(Timer(path, round, execution.attempt, "deadline", due, number))


def root_ended(frame: Frame, found: list[AnyEffect]) -> None:
    execution = execution_of(frame, 0)
    found.append(Ended(frame.path(0), 0, execution.attempt, execution.outcome, execution.values, execution.error))


def delay_of(frame: Frame, node: int) -> float:
    """The backoff of the latest failure, as its rule grows it."""
    execution = execution_of(frame, node)
    rule = frame.plan.activity[node].on_error[execution.rule]
    tried = (execution.retries or {}).get(execution.rule, 1)
    return min(rule.delay_seconds * rule.factor ** (tried - 1), rule.delay_seconds_max)


def is_waiting_for_items(frame: Frame, node: int) -> bool:
    """An open each in which nothing runs asks for more items, or to be finished."""
    each = frame.plan.activity[node]
    body = execution_of(frame, node).body
    assert isinstance(each, Each)
    if body is None or body.items is None:
        return False
    return (
        each.open and not body.items.is_closed and not body.items.running and body.items.next >= len(body.items.values)
    )
