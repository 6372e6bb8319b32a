"""Outcomes of an `Each` and a `Net`: their guards are asked whole, again after every item or firing."""

from collections.abc import Callable

from weft.kernel import status
from weft.kernel.data import environment
from weft.kernel.facts import Value
from weft.kernel.plan import Plan
from weft.kernel.state import Frame
from weft.model.definition import AtLeast, Guard, On, Outcome, Quiet, When

Names = Callable[[str], Value]
"""Gives what a name counts here, or None."""


def holds(frame: Frame, node: int, guard: Guard, names: Names, is_quiet: bool) -> bool:
    """May raise `ExpressionError`."""
    if isinstance(guard, When):
        expression = frame.plan.library.expression(guard.text)
        seen = environment(frame, node, expression)
        for name in expression.names:
            count = names(name)
            if count is not None:
                seen[name] = count
        return bool(expression(seen))
    if isinstance(guard, AtLeast):
        return sum(holds(frame, node, one, names, is_quiet) for one in guard.guards) >= guard.count
    if isinstance(guard, Quiet):
        return is_quiet
    assert isinstance(guard, On)
    return guard.event == "started"


def marks_due(frame: Frame, node: int, names: Names, is_quiet: bool) -> list[Outcome]:
    """The marks that hold now and were not given yet."""
    execution = frame.execution[node]
    assert execution is not None
    return [
        one
        for one in frame.plan.activity[node].outcomes
        if one.kind == "mark"
        and one.name not in (execution.marks or {})
        and one.guard is not None
        and holds(frame, node, one.guard, names, is_quiet)
    ]


def outcome_due(frame: Frame, node: int, names: Names, is_quiet: bool) -> Outcome | None:
    """The first declared end that holds; one without a guard waits for the compound's own rule."""
    for one in frame.plan.activity[node].outcomes:
        if one.kind in ("commit", "abort") and one.guard is not None and holds(frame, node, one.guard, names, is_quiet):
            return one
    return None


def usual_outcome(plan: Plan, node: int) -> Outcome:
    """The commit outcome taken when the compound ends by its own rule."""
    commits = [one for one in plan.activity[node].outcomes if one.kind == "commit"]
    return next((one for one in commits if one.guard is None), commits[0])


def is_undecided(frame: Frame, node: int, mark: str) -> bool:
    """May this activity still give that mark?"""
    execution = frame.execution[node]
    given = execution is not None and execution.marks is not None and mark in execution.marks
    return not given and frame.status[node] not in status.ENDS
