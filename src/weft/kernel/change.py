"""Going on with another definition: accepted or refused from the state (SEMANTICS §7)."""

from weft.kernel.commands import Change
from weft.kernel.decision import Decision
from weft.kernel.plan import Plan
from weft.kernel.refusals import NotChangeable


def change(plan: Plan, d: Decision, command: Change) -> None:
    raise NotChangeable(["not yet"])
