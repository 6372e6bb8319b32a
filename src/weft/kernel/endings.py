"""How activities end: what a failure does by the rules, how work is stopped and taken back, how compounds settle."""

from weft.kernel import facts, status
from weft.kernel.agenda import body_of, execution_of
from weft.kernel.compensation import advance, roll_back
from weft.kernel.decision import Decision
from weft.kernel.facts import Values
from weft.kernel.failing import after_failure, fail
from weft.kernel.starting import start_side
from weft.kernel.state import Execution, Frame
from weft.kernel.tree import PLACED, TASK
from weft.model.definition import Assign, Flow, Signal, Task, Timer

CANCELLED = "engine.cancelled"


# Stopping.


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
    elif now in (status.FAILED, status.UNDOING, status.REPLACED, status.DOUBTED):
        stop_task(d, frame, node, error, now)


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
            stop(d, d.state.frames[frame.path(node) + "/alternate/"], 0, error)


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
    elif isinstance(activity, Task) and activity.transaction != "none":
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
    if activity.undo is None and activity.compensation is None:
        d.abort(frame, node, "aborted", execution.error, work_done=True)
        return
    path, round = frame.path(node), frame.rounds[node]
    d.tell(frame, node, facts.TakingBack(path, round, execution.attempt, outcome, values))
    start_side(d, frame, node, role)


def side_ended(d: Decision, frame: Frame, node: int) -> None:
    """A look at a task: what ran beside it has ended."""
    now = frame.status[node]
    if now == status.FAILED:
        after_failure(d, frame, node)
    elif now == status.TAKING_BACK:
        d.abort(frame, node, "aborted", execution_of(frame, node).error, work_done=True)
    elif now == status.REPLACED:
        replaced_ended(d, frame, node)


def replaced_ended(d: Decision, frame: Frame, node: int) -> None:
    beside = d.state.frames[frame.path(node) + "/alternate/"]
    if beside.status[0] not in status.ENDS:
        return
    execution = execution_of(frame, node)
    inside = beside.execution[0]
    if execution.is_stopped or inside is None or beside.status[0] != status.COMMITTED:
        error = execution.error if execution.is_stopped or inside is None else inside.error
        d.abort(frame, node, "aborted", error, "" if inside is None else inside.message)
    else:
        finish(d, frame, node, inside.outcome, inside.values)


# Committing.


def finish(d: Decision, frame: Frame, node: int, outcome: str, values: Values) -> None:
    """The work is done: commit, or park until a guard holds or the exclusive flow around gives leave."""
    if node not in frame.plan.asks_leave or not (is_exclusive(frame, node) or has_guard(frame, node, outcome)):
        d.commit(frame, node, outcome, values)
        return
    execution = execution_of(frame, node)
    path, round = frame.path(node), frame.rounds[node]
    if frame.status[node] != status.PARKED:
        d.tell(frame, node, facts.Parked(path, round, execution.attempt, outcome, values))
    seek_leave(d, frame, node)


def has_guard(frame: Frame, node: int, outcome: str) -> bool:
    return outcome in frame.plan.leave.get(node, ())


def is_exclusive(frame: Frame, node: int) -> bool:
    if node == 0:
        return False
    around_it = frame.plan.activity[frame.plan.parent[node]]
    return isinstance(around_it, Flow) and around_it.exclusive


def seek_leave(d: Decision, frame: Frame, node: int) -> None:
    """A parked end: its guard is false for good, or holds and the leave is free, or it goes on waiting."""
    execution = execution_of(frame, node)
    formula = frame.plan.leave.get(node, {}).get(execution.outcome, -1)
    value = 1 if formula < 0 else frame.value[formula]
    if value == 2:
        stop_parked(d, frame, node, "engine.guard")
    elif value == 1 and is_exclusive(frame, node):
        give_leave(d, frame, frame.plan.parent[node])
    elif value == 1:
        grant(d, frame, node)


def give_leave(d: Decision, frame: Frame, flow: int) -> None:
    """The first that asked may commit, one at a time; once one has committed no other ever may."""
    body = body_of(frame, flow)
    if body.grant >= 0:
        if frame.status[body.grant] == status.COMMITTED:
            for node in list(body.asking):
                stop_one_parked(d, frame, node)
        return
    for node in body.asking:
        formula = frame.plan.leave.get(node, {}).get(execution_of(frame, node).outcome, -1)
        if formula < 0 or frame.value[formula] == 1:
            grant(d, frame, node)
            return


def stop_one_parked(d: Decision, frame: Frame, node: int) -> None:
    if frame.plan.kind[node] in (TASK, PLACED):
        stop_parked(d, frame, node, CANCELLED)
    else:
        begin_abort(d, frame, node, "aborted", CANCELLED, "", is_stopped=True)


def grant(d: Decision, frame: Frame, node: int) -> None:
    execution = execution_of(frame, node)
    d.tell(frame, node, facts.Granted(frame.path(node), frame.rounds[node], execution.attempt))
    activity = frame.plan.activity[node]
    if not isinstance(activity, Task) or activity.transaction == "none":
        d.commit(frame, node, execution.outcome, execution.values)


# Compounds.


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


def settle(d: Decision, frame: Frame, node: int) -> None:
    """A compound whose end is decided and in which nothing runs any more."""
    execution = execution_of(frame, node)
    if body_of(frame, node).busy:
        return
    if frame.status[node] == status.FIXED:
        outcome = frame.plan.activity[node].outcome(execution.outcome)
        if outcome is not None and outcome.kind == "repeat" and body_of(frame, node).is_drained:
            begin_abort(d, frame, node, "aborted", CANCELLED)
        elif outcome is not None and outcome.kind == "repeat":
            begin_next_round(d, frame, node, execution)
        else:
            finish(d, frame, node, execution.outcome, execution.values)
        return
    if execution.log is not None:
        roll_back(d, execution.log)
        if execution.log.entries:
            advance(d, execution.log)
            return
    if execution.is_stopped:
        d.abort(frame, node, execution.outcome, execution.error, execution.message, execution.values)
    else:
        fail(d, frame, node, execution.error, execution.message, execution.outcome, execution.values)


def begin_next_round(d: Decision, frame: Frame, node: int, execution: Execution) -> None:
    """At most one new round of a compound in a decision; the next waits for `Continue`."""
    key = (id(frame), node)
    if key in d.repeated or d.state.paused_at >= 0:
        d.is_short = d.state.paused_at < 0
        return
    d.repeated.add(key)
    activity = frame.plan.activity[node]
    one = activity.input_set(execution.set)
    inputs = dict(execution.inputs)
    for name, sources in (one.bindings if one is not None else {}).items():
        for source in sources:
            if (
                getattr(source, "activity", None) == activity.name
                and getattr(source, "outcome", None) == execution.outcome
            ):
                inputs[name] = execution.values.get(getattr(source, "object", ""))
                break
    path, round = frame.path(node), frame.rounds[node]
    d.tell(frame, node, facts.Repeated(path, round, execution.attempt, execution.outcome, inputs))
