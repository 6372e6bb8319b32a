"""How a compound settles when nothing runs in it any more, and what a task does when what ran beside it has ended."""

from weft.kernel import facts, status
from weft.kernel.agenda import body_of, execution_of
from weft.kernel.committing import finish
from weft.kernel.compensation import advance, roll_back
from weft.kernel.decision import Decision
from weft.kernel.failing import after_failure, fail
from weft.kernel.state import Execution, Frame
from weft.kernel.stopping import CANCELLED, begin_abort, take_back_alternate


def side_ended(d: Decision, frame: Frame, node: int) -> None:
    """A look at a task: what ran beside it has ended."""
    now = frame.status[node]
    if now == status.FAILED:
        after_failure(d, frame, node)
    elif now == status.TAKING_BACK and not is_side_open(d, frame, node):
        execution = execution_of(frame, node)
        if not take_back_alternate(d, execution):
            d.abort(frame, node, "aborted", execution.error, work_done=True)
    elif now == status.REPLACED:
        replaced_ended(d, frame, node)


def is_side_open(d: Decision, frame: Frame, node: int) -> bool:
    path = frame.path(node)
    return f"{path}/undo" in d.state.roots or f"{path}/compensation" in d.state.roots


def replaced_ended(d: Decision, frame: Frame, node: int) -> None:
    beside = d.state.roots[frame.path(node) + "/alternate"]
    if beside.status[0] not in status.ENDS:
        return
    execution = execution_of(frame, node)
    inside = beside.execution[0]
    if execution.is_stopped or inside is None or beside.status[0] != status.COMMITTED:
        error = execution.error if execution.is_stopped or inside is None else inside.error
        d.abort(frame, node, "aborted", error, "" if inside is None else inside.message)
    else:
        finish(d, frame, node, inside.outcome, inside.values)


def settle(d: Decision, frame: Frame, node: int) -> None:
    """A compound whose end is decided and in which nothing runs any more."""
    now = frame.status[node]
    if now not in (status.FIXED, status.ABORTING) or body_of(frame, node).busy:
        return
    execution = execution_of(frame, node)
    if now == status.FIXED:
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
    if d.repeated is None:
        d.repeated = set()
    if key in d.repeated or d.state.paused_at >= 0:
        d.stop_short(frame, node)
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
