"""How a `Call` runs its one child: the process it is bound to when it starts, found by name."""

from weft.kernel import facts, status
from weft.kernel.agenda import body_of, execution_of
from weft.kernel.decision import Decision
from weft.kernel.plan import Plan
from weft.kernel.starting import start_frame
from weft.kernel.state import CALLED, Frame
from weft.kernel.stopping import begin_abort, fix

DEPTH_AT_MOST = 100


def look(d: Decision, frame: Frame, node: int) -> None:
    """The called process has ended, or the call is too deep to begin."""
    body = body_of(frame, node)
    inside = body.frames.get(0)
    if inside is None:
        if not body.definition and depth_of(frame) >= DEPTH_AT_MOST:
            begin_abort(d, frame, node, "aborted", "engine.depth", f"calls are {DEPTH_AT_MOST} deep")
        return
    if inside.status[0] not in status.ENDS:
        return
    ended = execution_of(inside, 0)
    if inside.status[0] == status.COMMITTED:
        fix(d, frame, node, ended.outcome, ended.values)
    else:
        begin_abort(d, frame, node, ended.outcome or "aborted", ended.error, ended.message, ended.values)


def depth_of(frame: Frame) -> int:
    depth = 0
    here: Frame | None = frame
    while here is not None:
        depth += here.role == CALLED
        here = here.parent
    return depth


def bind(d: Decision, frame: Frame, node: int, definition: str, plan: Plan) -> None:
    """Starts the process that was found, with the call's inputs for its parameters."""
    execution = execution_of(frame, node)
    path, round = frame.path(node), frame.rounds[node]
    problem = misfit(frame, node, plan)
    if problem:
        begin_abort(d, frame, node, "aborted", "engine.interface", problem)
        return
    d.tell(frame, node, facts.Bound(path, round, execution.attempt, definition))
    root = plan.activity[0]
    one = root.input_set(execution.set) or root.input_sets[0]
    inputs = {
        name: sources[0].value for name, sources in one.bindings.items() if sources and hasattr(sources[0], "value")
    }
    inputs.update(
        {name: value for name, value in execution.inputs.items() if name in one.types or name in one.bindings}
    )
    used = d.state.rounds_used.get(path + "/", 0)  # it may have run before, in an earlier attempt of what is around
    start_frame(d, f"{path}/{root.name}", used, 1, one.name, inputs)


def misfit(frame: Frame, node: int, plan: Plan) -> str:
    """Why the process found can't be called here; empty when it can."""
    activity, root = frame.plan.activity[node], plan.activity[0]
    execution = execution_of(frame, node)
    one = root.input_set(execution.set) or root.input_sets[0]
    missing = [name for name in one.types if name not in one.bindings and name not in execution.inputs]
    if missing:
        return f"process {root.name} needs {', '.join(missing)}, which the call does not give"
    declared = {outcome.name for outcome in activity.outcomes}
    unknown = [one.name for one in root.outcomes if one.kind in ("commit", "abort") and one.name not in declared]
    if unknown:
        return f"process {root.name} may end as {', '.join(unknown)}, which the call does not declare"
    return ""
