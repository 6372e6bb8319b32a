"""What handlers and people say of work: begun, done, failed, marked, confirmed, lost, again."""

from weft.kernel import commands, facts, net, status
from weft.kernel.agenda import body_of, execution_of
from weft.kernel.checks import check_outcome, check_values
from weft.kernel.committing import commit_granted, finish
from weft.kernel.decision import Decision
from weft.kernel.failing import after_failure, again, fail, is_drained
from weft.kernel.places import check_current, check_takes, locate, names
from weft.kernel.plan import Plan
from weft.kernel.refusals import NotAvailable, NotDeclared, NotRunning
from weft.kernel.starting import may_start, start_side
from weft.kernel.state import Frame, find
from weft.kernel.stopping import begin_abort, has_log, stop_parked, take_back
from weft.kernel.tree import CALL, PLACED, TASK
from weft.model.definition import Activity, Signal, Task, Timer


def begin(plan: Plan, d: Decision, command: commands.Begin) -> None:
    if d.state.paused_at >= 0:
        raise NotAvailable(f"the instance is suspended: {command.path} can't start")
    if d.state.offers:
        net.begin_offer(d, command)
    frame, node = locate(d, command, "Begin")
    begin_task(d, frame, node, command.worker)


def begin_task(d: Decision, frame: Frame, node: int, worker: str) -> None:
    if not may_start(d.state, frame, node):
        raise NotAvailable(
            f"{frame.path(node)} holds {', '.join(frame.plan.activity[node].holds)}, and not all are free"
        )
    path, round, attempt = names(frame, node)
    d.tell(frame, node, facts.Started(path, round, attempt, worker))
    over = frame.plan.parent[node]
    if over in frame.plan.one_start:
        for other in frame.plan.children[over]:
            if other != node and frame.status[other] in status.IDLE:
                d.skip(frame, other)


def complete(plan: Plan, d: Decision, command: commands.Complete) -> None:
    place = find(d.state, command.path)
    if place is None or place[0].status[place[1]] <= status.READY:
        occur(d, command, place)
        place = locate(d, command, "Complete")
    else:
        check_takes(place[0], place[1], command, "Complete")
    frame, node = place
    outcome = check_outcome(frame.plan, frame.plan.activity[node], command)
    now = frame.status[node]
    execution = execution_of(frame, node)
    is_stopped = now == status.STOPPING or (now == status.DOUBTED and execution.is_stopped)
    if is_stopped and outcome.kind == "abort":
        fail_stopped(d, frame, node, "task." + outcome.name, "")
    elif is_stopped:
        take_back(d, frame, node, outcome.name, command.values)
    elif outcome.kind == "abort":
        fail(d, frame, node, "task." + outcome.name, "", outcome.name, command.values)
    else:
        finish(d, frame, node, outcome.name, command.values)


def occur(d: Decision, command: commands.Complete, place: tuple[Frame, int] | None) -> None:
    """The occurrence of a timer or signal that waits: it begins by that."""
    offer = d.state.offers.get(command.path)
    place = place if offer is None else (offer[0], offer[1])
    if place is None or (offer is None and not occurs(place[0], place[1])):
        return
    if d.state.paused_at >= 0:
        raise NotAvailable(f"the instance is suspended: {command.path} can't occur")
    if offer is None:
        check_current(*place, command)
        check_outcome(place[0].plan, place[0].plan.activity[place[1]], command)
    elif not net.is_occurrence(offer[0], offer[1], offer[2]):
        raise NotRunning(f"{command.path} is offered and nobody has begun it")
    else:
        check_outcome(place[0].plan, net.offered(*offer), command)
        net.begin_offer(d, command)
        place = found(d, command.path)
    begin_task(d, place[0], place[1], "")


def found(d: Decision, path: str) -> tuple[Frame, int]:
    place = find(d.state, path)
    assert place is not None
    return place


def occurs(frame: Frame, node: int) -> bool:
    """Timers and signals wait while they are ready; their occurrence starts and ends them."""
    activity = frame.plan.activity[node]
    if frame.status[node] != status.READY or not isinstance(activity, Task):
        return False
    return isinstance(activity.handler, Timer | Signal)


def fail_task(plan: Plan, d: Decision, command: commands.Fail) -> None:
    frame, node = locate(d, command, "Fail")
    now = frame.status[node]
    execution = execution_of(frame, node)
    if frame.plan.kind[node] not in (TASK, PLACED) and now == status.STARTED:
        if frame.plan.kind[node] != CALL or body_of(frame, node).definition:
            raise NotRunning(f"{command.path} is a compound: cancel it instead")
        begin_abort(d, frame, node, "aborted", command.error, command.message)
    elif now == status.STOPPING or (now == status.DOUBTED and execution.is_stopped):
        fail_stopped(d, frame, node, command.error, command.message)
    elif now == status.DOUBTED:
        d.abort(frame, node, "aborted", command.error or execution.error, command.message)
    elif now == status.GRANTED and has_log(frame, node):
        stop_parked(d, frame, node, command.error)
    elif now == status.GRANTED:
        d.abort(frame, node, "aborted", command.error, command.message)
    else:
        fail(d, frame, node, command.error, command.message)


def fail_stopped(d: Decision, frame: Frame, node: int, error: str, message: str) -> None:
    """The work failed after it was told to stop: undo, then it has aborted for the reason of the stop."""
    if frame.status[node] == status.STOPPING and frame.plan.activity[node].undo is not None:
        path, round, attempt = names(frame, node)
        d.tell(frame, node, facts.Failed(path, round, attempt, error, message))
        start_side(d, frame, node, "undo")
    else:
        d.abort(frame, node, "aborted", execution_of(frame, node).error)


def mark(plan: Plan, d: Decision, command: commands.Mark) -> None:
    frame, node = locate(d, command, "Mark")
    outcome = frame.plan.activity[node].outcome(command.mark)
    if outcome is None or outcome.kind != "mark":
        raise NotDeclared(f"{command.path} declares no mark {command.mark!r}")
    if command.mark in (execution_of(frame, node).marks or {}):
        raise NotRunning(f"{command.path} has given mark {command.mark!r} in this round")
    check_values(frame.plan, outcome.types, command.values, f"mark {command.mark} of {command.path}")
    d.tell(frame, node, facts.Marked(*names(frame, node), command.mark, command.values))


def confirm(plan: Plan, d: Decision, command: commands.Confirm) -> None:
    frame, node = locate(d, command, "Confirm")
    execution = execution_of(frame, node)
    if frame.status[node] == status.STOPPING:
        if not execution.outcome:
            raise NotRunning(f"{command.path} was never granted")
        take_back(d, frame, node, execution.outcome, execution.values)
    else:
        commit_granted(d, frame, node, execution)


def settle_branch(plan: Plan, d: Decision, command: commands.Settle) -> None:
    key = (command.path, command.round or 0, command.attempt or 1)
    if key not in d.state.unsettled:
        raise NotRunning(f"{command.path} has no branch to settle")
    d.tell_kept(facts.Settled(*key))


def retry(plan: Plan, d: Decision, command: commands.Retry) -> None:
    frame, node = locate(d, command, "Retry")
    if d.state.paused_at >= 0:
        raise NotAvailable(f"the instance is suspended: {command.path} can't start again")
    if execution_of(frame, node).is_stopped or is_drained(frame, node):
        raise NotRunning(f"{command.path} was stopped or drained: it can be done or failed, not tried again")
    again(d, frame, node)


def happens_once(activity: Activity) -> bool:
    """A transaction of a resource, whose marker tells another attempt what the first one did."""
    return isinstance(activity, Task) and activity.transaction == "transactional" and activity.resource != ""


def lease_ended(plan: Plan, d: Decision, command: commands.LeaseEnded) -> None:
    frame, node = locate(d, command, "LeaseEnded")
    activity = frame.plan.activity[node]
    path, round, attempt = names(frame, node)
    lost = "engine.lost"
    if not activity.idempotent and not (happens_once(activity) and frame.status[node] == status.STARTED):
        d.tell(frame, node, facts.Doubted(path, round, attempt, lost, "its worker is gone"))
        return
    is_stopping = frame.status[node] == status.STOPPING
    then = "fail" if is_stopping or is_drained(frame, node) else "again"
    if activity.undo is None and is_stopping:
        d.abort(frame, node, "aborted", execution_of(frame, node).error)
        return
    d.tell(frame, node, facts.Failed(path, round, attempt, lost, "its worker is gone", then))
    if activity.undo is not None:
        start_side(d, frame, node, "undo")
    else:
        after_failure(d, frame, node)
