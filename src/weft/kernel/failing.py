"""What a failed attempt leads to, by the rules of its activity."""

from typing import Final

from weft.kernel import facts, status
from weft.kernel.agenda import around, execution_of
from weft.kernel.committing import finish
from weft.kernel.data import evaluate
from weft.kernel.decision import Decision
from weft.kernel.events import is_below
from weft.kernel.facts import Values
from weft.kernel.starting import start_side
from weft.kernel.state import COMPENSATION, FIRING, ROOT, UNDO, Execution, Frame
from weft.kernel.tree import TASK
from weft.model.definition import Rule
from weft.model.expression_meter import ExpressionError

ROOTS: Final = ("task", "handler", "engine")


def fail(
    d: Decision,
    frame: Frame,
    node: int,
    error: str,
    message: str,
    outcome: str = "aborted",
    values: Values | None = None,
) -> None:
    """One attempt failed: the most specific rule says what follows; undo comes first."""
    execution = execution_of(frame, node)
    number, rule = choose_rule(d, frame, node, execution, error)
    then = rule.action if rule is not None else "fail" if is_known(error) else "ask"
    delay = 0.0
    if rule is not None and then == "retry":
        tried = (execution.retries or {}).get(number, 0)
        delay = min(rule.delay_seconds * rule.factor**tried, rule.delay_seconds_max)
    has_undo = frame.plan.activity[node].undo is not None
    if then != "fail" or has_undo:
        path, round = frame.path(node), frame.rounds[node]
        d.tell(frame, node, facts.Failed(path, round, execution.attempt, error, message, then, number, delay))
        if has_undo:
            start_side(d, frame, node, "undo")
            return
        after_failure(d, frame, node)
    else:
        end_failed(d, frame, node, error, message, outcome, values)


def is_known(error: str) -> bool:
    """Is it of a task, a handler or the engine? What else it may be, a person must say, for no flow expects it."""
    return not error or any(is_below(error, root) for root in ROOTS)


def choose_rule(d: Decision, frame: Frame, node: int, execution: Execution, error: str) -> tuple[int, Rule | None]:
    rules = frame.plan.activity[node].on_error
    best: Rule | None = None
    best_number = -1
    for number, rule in enumerate(rules):
        if not applies(frame, node, execution, number, rule, error):
            continue
        if best is None or len(rule.error) > len(best.error):
            best, best_number = rule, number
    return best_number, best


def applies(frame: Frame, node: int, execution: Execution, number: int, rule: Rule, error: str) -> bool:
    if not is_below(error, rule.error) or (not rule.error and error.startswith("engine.")):
        return False
    if rule.action != "retry":
        return True
    if (execution.retries or {}).get(number, 0) >= rule.times or is_drained(frame, node):
        return False
    if not rule.when:
        return True
    try:
        return bool(evaluate(frame, node, frame.plan.library.expression(rule.when)))
    except ExpressionError:
        return False


def is_drained(frame: Frame, node: int) -> bool:
    if execution_of(frame, node).is_drained:
        return True
    if node == 0 and frame.role in (UNDO, COMPENSATION):
        return False
    over, above = around(frame, node)
    if above < 0:
        return False
    body = execution_of(over, above).body
    return body is not None and body.is_drained


def after_failure(d: Decision, frame: Frame, node: int) -> None:
    """The undo, if any, is done: now what the rule said."""
    execution = execution_of(frame, node)
    if execution.is_stopped:
        d.abort(frame, node, "aborted", execution.error)
    elif execution.then in ("retry", "again") and is_drained(frame, node):
        end_failed(d, frame, node, execution.error, execution.message, "aborted", None)
    elif execution.then == "retry":
        rule = frame.plan.activity[node].on_error[execution.rule]
        if is_firing(frame, node):
            d.tell(frame, node, facts.Returned(frame.path(node), frame.rounds[node], execution.attempt))
        if rule.delay_seconds <= 0 and d.state.paused_at < 0:
            again(d, frame, node)
    elif execution.then == "alternate":
        start_side(d, frame, node, "alternate")
    elif execution.then == "ignore":
        finish(d, frame, node, first_commit(frame, node), {}, execution.error)
    elif execution.then == "ask":
        doubt(d, frame, node, execution.error, execution.message)
    elif execution.then == "again":
        if is_firing(frame, node):
            d.tell(frame, node, facts.Returned(frame.path(node), frame.rounds[node], execution.attempt))
        again(d, frame, node)
    else:
        end_failed(d, frame, node, execution.error, execution.message, "aborted", None)


def again(d: Decision, frame: Frame, node: int) -> None:
    """The next attempt. A net's firing gives its tokens back, and is tried when the net chooses it."""
    execution = execution_of(frame, node)
    path, round = frame.path(node), frame.rounds[node]
    if is_firing(frame, node):
        if frame.status[node] == status.DOUBTED:
            d.tell(frame, node, facts.Returned(path, round, execution.attempt))
        d.tell(frame, node, facts.Released(path, round, execution.attempt))
        return
    d.tell(frame, node, facts.Ready(path, round, execution.attempt + 1, execution.set, execution.inputs))
    if frame.plan.kind[node] != TASK:
        d.tell(frame, node, facts.Started(path, round, execution.attempt))


def is_firing(frame: Frame, node: int) -> bool:
    return node == 0 and frame.role == FIRING


def end_failed(
    d: Decision, frame: Frame, node: int, error: str, message: str, outcome: str, values: Values | None
) -> None:
    """No rule helps any more. What takes back may not fail: there a person is asked.

    A handler's error that nothing settled on its way to the root stops the instance: the engine could not have it done.
    """
    if node == 0 and frame.role in (UNDO, COMPENSATION):
        doubt(d, frame, node, error, message)
    elif node == 0 and frame.role == ROOT and is_below(error, "handler"):
        d.abort(frame, node, outcome, "engine.schedule", f"{error}: {message}" if message else error, values)
    else:
        d.abort(frame, node, outcome, error, message, values)


def doubt(d: Decision, frame: Frame, node: int, error: str, message: str) -> None:
    d.tell(
        frame,
        node,
        facts.Doubted(frame.path(node), frame.rounds[node], execution_of(frame, node).attempt, error, message),
    )


def first_commit(frame: Frame, node: int) -> str:
    return next(one.name for one in frame.plan.activity[node].outcomes if one.kind == "commit")
