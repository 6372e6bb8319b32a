"""How work is stopped and taken back: what waits is skipped, what runs is told to stop, what is done is undone."""

from weft.kernel import facts, status
from weft.kernel.agenda import body_of, execution_of
from weft.kernel.compensation import advance, roll_back
from weft.kernel.decision import Decision
from weft.kernel.facts import Values
from weft.kernel.starting import start_side
from weft.kernel.state import Execution, Frame
from weft.kernel.tree import PLACED, TASK
from weft.model.definition import Assign, Signal, Task, Timer

CANCELLED = "engine.cancelled"


def stop(d: Decision, frame: Frame, node: int, error: str = CANCELLED) -> None:
    """Whatever it does, it ends: withdrawn if it has not begun, told to stop if it runs, taken back if it is done."""
    now = frame.status[node]
    if now == status.WAITING:
        d.skip(frame, node)
    elif now == status.READY:
        withdraw(d, frame, node, error)
    elif frame.plan.kind[node] == TASK or frame.plan.kind[node] == PLACED:
        stop_task(d, frame, node, error, now)
    elif now in (status.STARTED, status.FIXED, status.PARKED):
        begin_abort(d, frame, node, "aborted", error, "", is_stopped=True)
    elif now == status.ABORTING and frame.plan.activity[node].on_error:
        keep_from_rules(d, frame, node, error)
    elif now in (status.FAILED, status.UNDOING, status.REPLACED, status.DOUBTED):
        stop_task(d, frame, node, error, now)


def keep_from_rules(d: Decision, frame: Frame, node: int, error: str) -> None:
    """What aborts already only waits; but it is not to begin again, and no alternate takes its place."""
    execution = execution_of(frame, node)
    if not execution.is_stopped:
        d.tell(frame, node, facts.Stopping(frame.path(node), frame.rounds[node], execution.attempt, error))


def withdraw(d: Decision, frame: Frame, node: int, error: str) -> None:
    if execution_of(frame, node).attempt == 1:
        d.skip(frame, node)
    else:
        d.abort(frame, node, "aborted", error)


def stop_task(d: Decision, frame: Frame, node: int, error: str, now: int) -> None:
    execution = execution_of(frame, node)
    if execution.is_stopped:
        return
    if now == status.FAILED:
        d.abort(frame, node, "aborted", error)
    elif now == status.PARKED:
        stop_parked(d, frame, node, error)
    elif now == status.STARTED and ends_at_once(frame, node):
        d.abort(frame, node, "aborted", error)
    elif now in (status.STARTED, status.GRANTED, status.UNDOING, status.REPLACED, status.DOUBTED):
        d.tell(frame, node, facts.Stopping(frame.path(node), frame.rounds[node], execution.attempt, error))
        if now == status.REPLACED:
            stop(d, d.state.roots[frame.path(node) + "/alternate"], 0, error)


def ends_at_once(frame: Frame, node: int) -> bool:
    """Idempotent work with nothing to take back needs no answer; its late result is refused."""
    activity = frame.plan.activity[node]
    if activity.undo is not None or activity.compensation is not None or frame.plan.kind[node] == PLACED:
        return False
    return activity.idempotent or (isinstance(activity, Task) and isinstance(activity.handler, Timer | Signal | Assign))


def stop_parked(d: Decision, frame: Frame, node: int, error: str) -> None:
    activity = frame.plan.activity[node]
    if frame.plan.kind[node] == PLACED:  # the group that ran it takes it back
        attempt = execution_of(frame, node).attempt
        d.tell(frame, node, facts.Stopping(frame.path(node), frame.rounds[node], attempt, error))
    elif isinstance(activity, Task) and activity.transaction != "none" and not has_log(frame, node):
        d.abort(frame, node, "aborted", error)
    else:
        execution = execution_of(frame, node)
        take_back(d, frame, node, execution.outcome, execution.values, error)


def take_back(d: Decision, frame: Frame, node: int, outcome: str, values: Values, error: str = "") -> None:
    """The work is done but was stopped: its undo, else its compensation, then it has aborted."""
    activity = frame.plan.activity[node]
    execution = execution_of(frame, node)
    if error and not execution.is_stopped:
        d.tell(frame, node, facts.Stopping(frame.path(node), frame.rounds[node], execution.attempt, error))
    role = "undo" if activity.undo is not None else "compensation"
    is_alternates = has_log(frame, node)
    if activity.undo is None and activity.compensation is None and not is_alternates:
        d.abort(frame, node, "aborted", execution.error, work_done=True)
        return
    path, round = frame.path(node), frame.rounds[node]
    d.tell(frame, node, facts.TakingBack(path, round, execution.attempt, outcome, values))
    if is_alternates and not take_back_alternate(d, execution):
        d.abort(frame, node, "aborted", execution.error, work_done=True)
    elif not is_alternates:
        start_side(d, frame, node, role)


def has_log(frame: Frame, node: int) -> bool:
    """Was the work done by an alternate that can be taken back?"""
    log = execution_of(frame, node).log
    return frame.plan.kind[node] == TASK and log is not None and bool(log.entries)


def take_back_alternate(d: Decision, execution: Execution) -> bool:
    """False when nothing is left to take back of what an alternate did."""
    log = execution.log
    if log is not None:
        roll_back(d, log)
        advance(d, log)
    return log is not None and bool(log.entries)


def fix(d: Decision, frame: Frame, node: int, outcome: str, values: Values) -> None:
    """A commit or repeat outcome holds: what waits is skipped, what runs is stopped, then it is news."""
    execution = execution_of(frame, node)
    d.tell(frame, node, facts.Fixed(frame.path(node), frame.rounds[node], execution.attempt, outcome, values))
    stop_inside(d, frame, node)


def begin_abort(
    d: Decision,
    frame: Frame,
    node: int,
    outcome: str,
    error: str,
    message: str = "",
    values: Values | None = None,
    is_stopped: bool = False,
) -> None:
    execution = execution_of(frame, node)
    path, round = frame.path(node), frame.rounds[node]
    d.tell(
        frame, node, facts.Aborting(path, round, execution.attempt, outcome, values or {}, error, message, is_stopped)
    )
    stop_inside(d, frame, node)


def stop_inside(d: Decision, frame: Frame, node: int) -> None:
    for child in frame.plan.children[node]:
        if frame.status[child] not in status.ENDS:
            stop(d, frame, child)
    for inside in list(body_of(frame, node).frames.values()):
        if inside.status[0] not in status.ENDS:
            stop(d, inside, 0)
    withdraw_offers(d, frame, node)


def withdraw_offers(d: Decision, frame: Frame, node: int) -> None:
    """Nobody may begin any more what a net has offered."""
    for number, firing in list(body_of(frame, node).firings.items()):
        if firing.is_offer:
            name = frame.plan.net(node).transitions[firing.transition].name
            d.tell_net(frame, node, facts.Withdrawn(f"{frame.path(node)}/{name}[{number}]"))
