"""How a flow picks its next child: by guards. A look goes through its agenda in the order of SEMANTICS §1."""

from heapq import heappop

from weft.kernel import facts, status
from weft.kernel.agenda import body_of, execution_of
from weft.kernel.committing import give_leave, is_exclusive, seek_leave
from weft.kernel.data import bound, evaluate
from weft.kernel.decision import Decision
from weft.kernel.guards import ANSWER, INDEX_MASK, MARK, NODE_BITS, NODE_MASK, OUTCOME, PHASE, SKIP, START, STOP
from weft.kernel.liveness import is_needed, live_of
from weft.kernel.starting import start, start_child
from weft.kernel.state import Body, Frame
from weft.kernel.stopping import begin_abort, fix, stop, stop_parked


def look(d: Decision, frame: Frame, node: int, agenda: list[int]) -> None:
    """Does what its guards now say, until nothing is left to do. May raise `ExpressionError`."""
    statuses = frame.status
    body = body_of(frame, node)
    was_lost = False
    while statuses[node] == status.STARTED:
        while agenda and statuses[node] == status.STARTED:
            item = heappop(agenda)
            phase = item >> PHASE << PHASE
            number = item >> NODE_BITS & NODE_MASK
            if phase == START:
                begin(d, frame, number)
            elif phase == OUTCOME:
                was_lost = decide_outcome(d, frame, node, item & INDEX_MASK) or was_lost
            elif phase == SKIP:
                skip_dead(d, frame, number)
            elif phase == STOP:
                withdraw(d, frame, number, only_waiting=bool(item & INDEX_MASK))
            elif phase == ANSWER:
                answer(d, frame, node, number)
            elif phase == MARK:
                give_mark(d, frame, node, item & INDEX_MASK)
        if statuses[node] != status.STARTED:
            return
        if body.asking and is_exclusive_flow(frame, node):
            give_leave(d, frame, node)
        if not agenda and node in frame.plan.cycles:
            break_circles(d, frame, node)
        if not agenda and node in frame.plan.occurrences:
            withdraw_occurrences(d, frame, node)
        if not agenda:
            break
    if statuses[node] == status.STARTED and (body.busy == 0 or was_lost or body.first_error):
        check_hanging(d, frame, node, body)


def is_exclusive_flow(frame: Frame, node: int) -> bool:
    children = frame.plan.children[node]
    return bool(children) and is_exclusive(frame, children[0])


def begin(d: Decision, frame: Frame, child: int) -> None:
    now = frame.status[child]
    if now == status.WAITING:
        start_child(d, frame, child)
    elif now == status.READY:
        start(d, frame, child)
    elif now == status.PARKED:
        seek_leave(d, frame, child)


def decide_outcome(d: Decision, frame: Frame, node: int, number: int) -> bool:
    """True when the outcome is lost for good. In a drained flow one that holds waits until nothing runs any more."""
    if frame.value[frame.plan.outcomes[node][number]] == 2:
        return True
    if not body_of(frame, node).is_drained:
        end_by(d, frame, node, number)
    return False


def end_by(d: Decision, frame: Frame, node: int, number: int) -> None:
    """The outcome holds: the flow ends by it, or begins its next round."""
    outcome = frame.plan.activity[node].outcomes[number]
    values = bound(frame, node, frame.plan.bindings[node, -1 - number])
    if outcome.kind != "abort":
        fix(d, frame, node, outcome.name, values)
        return
    body = body_of(frame, node)
    first = (body.first_error or "task." + outcome.name, body.first_message)
    error, message = (body.causes or {}).get(outcome.name, first)
    begin_abort(d, frame, node, outcome.name, error, message, values)


def give_mark(d: Decision, frame: Frame, node: int, number: int) -> None:
    outcome = frame.plan.activity[node].outcomes[number]
    execution = execution_of(frame, node)
    if frame.value[frame.plan.outcomes[node][number]] == 1 and outcome.name not in (execution.marks or {}):
        values = bound(frame, node, frame.plan.bindings[node, -1 - number])
        d.tell(frame, node, facts.Marked(frame.path(node), frame.rounds[node], execution.attempt, outcome.name, values))


def withdraw(d: Decision, frame: Frame, child: int, only_waiting: bool) -> None:
    now = frame.status[child]
    if now in status.ENDS or (only_waiting and now not in status.IDLE):
        return
    stop(d, frame, child)


def skip_dead(d: Decision, frame: Frame, child: int) -> None:
    if frame.status[child] == status.WAITING and all(frame.value[one] == 2 for one in frame.plan.sets[child]):
        d.skip(frame, child)


def answer(d: Decision, frame: Frame, node: int, number: int) -> None:
    question = frame.plan.questions[number]
    if frame.value[question.atom]:
        return
    said = bool(evaluate(frame, node, frame.plan.library.expression(question.text)))
    owner = question.node
    execution = frame.execution[owner]
    attempt = 1 if execution is None else execution.attempt
    d.tell(frame, owner, facts.Answered(frame.path(owner), frame.rounds[owner], attempt, question.key, said))


def break_circles(d: Decision, frame: Frame, node: int) -> None:
    """What waits only for itself: parked ends abort first, one at a time; then what waits is skipped, together."""
    live = live_of(frame, node, d.state.holders)
    dead = [child for child in frame.plan.cycles[node] if child not in live and frame.status[child] not in status.ENDS]
    for child in dead:
        if frame.status[child] == status.PARKED:
            stop_parked(d, frame, child, "engine.guard")
            return
    for child in dead:
        stop(d, frame, child)


def withdraw_occurrences(d: Decision, frame: Frame, node: int) -> None:
    """A timer or signal on which nothing undecided depends is not waited for."""
    for child in frame.plan.occurrences[node]:
        if frame.status[child] == status.READY and not is_needed(frame, child):
            d.skip(frame, child)


def check_hanging(d: Decision, frame: Frame, node: int, body: Body) -> None:
    """Nothing runs and no outcome holds, or none can any more: abort with the cause, else ask a person."""
    activity = frame.plan.activity[node]
    outcomes = frame.plan.outcomes[node]
    lost = [
        frame.value[formula] == 2
        for formula, outcome in zip(outcomes, activity.outcomes, strict=True)
        if outcome.kind != "mark"
    ]
    if body.busy and (body.is_drained or not all(lost)):
        return
    if body.is_drained:
        end_drained(d, frame, node)
    elif body.first_error:
        begin_abort(d, frame, node, "aborted", body.first_error, body.first_message)
    elif not body.is_stuck:
        execution = execution_of(frame, node)
        d.tell(
            frame, node, facts.Stuck(frame.path(node), frame.rounds[node], execution.attempt, in_the_way(frame, node))
        )


def end_drained(d: Decision, frame: Frame, node: int) -> None:
    """All that ran has ended. What failed in it counts more than what the drain skipped, so aborts come first."""
    outcomes = frame.plan.activity[node].outcomes
    holding = [number for number, formula in enumerate(frame.plan.outcomes[node]) if frame.value[formula] == 1]
    for kind in ("abort", "commit"):
        for number in holding:
            if outcomes[number].kind == kind:
                end_by(d, frame, node, number)
                return
    begin_abort(d, frame, node, "aborted", "engine.cancelled")


def in_the_way(frame: Frame, node: int) -> tuple[str, ...]:
    """The guards that do not hold: of what waits, and of the outcomes."""
    plan = frame.plan
    waiting = [
        f"{plan.activity[child].name} start {one.name}"
        for child in plan.children[node]
        if frame.status[child] == status.WAITING
        for one in plan.activity[child].input_sets
    ]
    outcomes = [f"outcome {one.name}" for one in plan.activity[node].outcomes if one.kind != "mark"]
    return tuple(waiting[:20] + outcomes)
