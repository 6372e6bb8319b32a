"""Whether what a command brings is declared and has its type; raised as a refusal before the first fact."""

from weft.kernel.commands import Complete
from weft.kernel.facts import Values
from weft.kernel.plan import Plan
from weft.kernel.refusals import NotDeclared, NotFitting
from weft.model.definition import Activity, Constant, InputSet, Outcome
from weft.model.types import check, parse


def defaults(one: InputSet) -> Values:
    """At the root of a process a binding is a default."""
    return {name: sources[0].value for name, sources in one.bindings.items() if isinstance(sources[0], Constant)}


def check_values(plan: Plan, types: dict[str, str], values: Values, what: str) -> None:
    """Every value given has the type declared for its name; a name with no declaration at all is not checked."""
    if not types:
        return
    classes = plan.library.classes
    for name, value in values.items():
        text = types.get(name)
        if text is None:
            raise NotDeclared(f"{what} declares no {name!r}: it has {', '.join(types)}")
        if text != "any" and value is not None:
            problem = check(value, parse(text), classes)
            if problem is not None:
                raise NotFitting(f"{name} of {what} does not fit: {problem}")


def check_outcome(plan: Plan, activity: Activity, command: Complete) -> Outcome:
    """The outcome that a result names; without a name, the first commit outcome."""
    outcomes = activity.outcomes
    wanted = command.outcome
    for one in outcomes:
        if (one.name == wanted and one.kind in ("commit", "abort")) or (one.kind == "commit" and not wanted):
            if one.types:
                check_values(plan, one.types, command.values, f"outcome {one.name} of {command.path}")
            return one
    declared = ", ".join(one.name for one in outcomes if one.kind in ("commit", "abort"))
    raise NotDeclared(f"{command.path} can't end as {wanted!r}: it declares {declared}")
