"""How activities get ready and start: children by their guards, items, side work, and what holds allow."""

from weft.kernel import facts, status
from weft.kernel.agenda import around, execution_of
from weft.kernel.data import bound, inputs_beside, taken_back
from weft.kernel.decision import Decision
from weft.kernel.facts import Values
from weft.kernel.state import Entry, Frame, State
from weft.kernel.tree import TASK

NOTHING: Values = {}


def start_child(d: Decision, frame: Frame, child: int) -> None:
    """A waiting child whose guards may hold: ready by the first set that does. May raise `ExpressionError`."""
    plan = frame.plan
    value = frame.value
    for number, formula in enumerate(plan.sets[child]):
        if value[formula] == 1:
            bindings = plan.bindings.get((child, number))
            inputs = NOTHING if bindings is None else bound(frame, plan.parent[child], bindings)
            name = plan.activity[child].input_sets[number].name
            d.tell(frame, child, facts.Ready(frame.path(child), frame.rounds[child], 1, name, inputs))
            if plan.kind[child] != TASK:
                start(d, frame, child)
            return


def start(d: Decision, frame: Frame, node: int) -> None:
    """A ready compound starts at once, unless the instance is suspended or a name that it holds is taken."""
    if frame.plan.kind[node] == TASK or frame.status[node] != status.READY:
        return
    if d.state.paused_at >= 0 or not may_start(d.state, frame, node):
        return
    d.tell(frame, node, facts.Started(frame.path(node), frame.rounds[node], execution_of(frame, node).attempt))


def may_start(state: State, frame: Frame, node: int) -> bool:
    names = frame.plan.activity[node].holds
    return not names or may_hold(state, frame, node, names)


def may_hold(state: State, frame: Frame, node: int, names: tuple[str, ...]) -> bool:
    """May this activity, or something inside it, have these names?"""
    holders = state.holders
    for name in names:
        holder = holders.get(name)
        if holder is not None and not is_inside(frame, node, holder):
            return False
    return True


def is_inside(frame: Frame, node: int, holder: tuple[Frame, int]) -> bool:
    """What an activity holds, it holds for all that is in it and for what takes it back or takes its place."""
    while node >= 0:
        if holder == (frame, node):
            return True
        frame, node = around(frame, node)
    return False


def start_frame(d: Decision, path: str, round: int, attempt: int, set: str, inputs: Values) -> Frame:
    frame = d.open(facts.Ready(path, round, attempt, set, inputs))
    start(d, frame, 0)
    return frame


def start_side(d: Decision, frame: Frame, node: int, role: str) -> None:
    """Undo, compensation after a stop, or an alternate, with what they are to see."""
    execution = execution_of(frame, node)
    plan = frame.plan
    if role == "alternate":
        beside = plan.side(node, f"alternate {execution.rule}")
        scope = execution.inputs
    else:
        beside = plan.side(node, role)
        scope = taken_back(plan.activity[node], execution.inputs, execution.values)
    root = beside.activity[0]
    inputs = inputs_beside(frame, node, root, scope)
    begin_side(d, f"{frame.path(node)}/{role}", frame.rounds[node], root.input_sets[0].name, inputs)


def start_compensation(d: Decision, entry: Entry) -> None:
    """What an execution that committed is taken back by."""
    frame, plan, node = entry.frame, entry.plan, entry.node
    assert frame is not None
    assert plan is not None
    root = plan.side(node, "compensation").activity[0]
    scope = taken_back(plan.activity[node], entry.inputs, entry.values)
    inputs = inputs_beside(frame, entry.place, root, scope)
    begin_side(d, entry.path + "/compensation", entry.round, root.input_sets[0].name, inputs)


def begin_side(d: Decision, path: str, round: int, set: str, inputs: Values) -> None:
    attempt = d.state.attempts_used.get((path, round), 0) + 1
    start_frame(d, path, round, attempt, set, inputs)
