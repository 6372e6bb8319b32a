"""How work that is done commits: at once, or parked until its guard holds and the flow around gives it leave."""

from weft.kernel import facts, status
from weft.kernel.agenda import body_of, execution_of
from weft.kernel.decision import Decision
from weft.kernel.facts import Values
from weft.kernel.state import Execution, Frame
from weft.kernel.stopping import CANCELLED, begin_abort, stop_parked
from weft.kernel.tree import PLACED, TASK
from weft.model.definition import Flow, Task


def finish(d: Decision, frame: Frame, node: int, outcome: str, values: Values, error: str = "") -> None:
    """The work is done: commit, or park until a guard holds or the exclusive flow around gives leave."""
    if node not in frame.plan.asks_leave or not (is_exclusive(frame, node) or has_guard(frame, node, outcome)):
        d.commit(frame, node, outcome, values, error)
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
        commit_granted(d, frame, node, execution)


def commit_granted(d: Decision, frame: Frame, node: int, execution: Execution) -> None:
    """What was parked commits. An error that a rule told to ignore is kept."""
    error = execution.error if execution.then == "ignore" else ""
    d.commit(frame, node, execution.outcome, execution.values, error)
