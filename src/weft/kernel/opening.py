"""Opens the frame that a path speaks of, when its first fact is told. Called by `weft.kernel.evolve` only."""

from weft.kernel import status
from weft.kernel.data import taken_back
from weft.kernel.plan import Plan
from weft.kernel.state import (
    ALTERNATE,
    CALLED,
    COMPENSATION,
    FIRING,
    ITEM,
    UNDO,
    Frame,
    State,
    find,
)
from weft.kernel.tree import CALL, EACH
from weft.model.definition import Each


def open_frame(state: State, path: str, round: int) -> Frame:
    """Makes the frame and has the activity that it belongs to know it."""
    frame = frame_for(state, path, round)
    parent, node = frame.parent, frame.parent_node
    assert parent is not None
    execution = parent.execution[node]
    if frame.role == ITEM:
        take_item(state, frame)
    elif frame.role == ALTERNATE:
        parent.status[node] = status.REPLACED
    elif frame.role == UNDO and parent.status[node] != status.TAKING_BACK:
        parent.status[node] = status.UNDOING
    if frame.role <= CALLED and execution is not None and execution.body is not None:
        execution.body.frames[frame.number] = frame
    state.roots[path] = frame
    state.frames[frame.prefix] = frame
    used = state.rounds_used.get(frame.prefix, 0)
    if used:
        frame.rounds = [used] * len(frame.rounds)
    return frame


def frame_for(state: State, path: str, round: int) -> Frame:
    """`e[3]` an item, `net/T[7]` a firing, `A/undo`, `A/compensation`, `A/alternate`, `call/NAME` a called process."""
    owner, _, last = path.rpartition("/")
    entry = state.kept.get((owner, round)) if last == "compensation" else None
    if entry is not None:
        assert entry.frame is not None
        assert entry.plan is not None
        frame = new(entry.frame, entry.place, entry.plan.side(entry.node, last), COMPENSATION, path)
        frame.entry = entry
        frame.scope = taken_back(entry.plan.activity[entry.node], entry.inputs, entry.values)
        return frame
    if path.endswith("]"):
        return numbered(state, path)
    parent, node = found(state, owner)
    execution = parent.execution[node]
    assert execution is not None
    if last == "alternate":
        frame = new(parent, node, parent.plan.side(node, f"alternate {execution.rule}"), ALTERNATE, path)
        frame.scope = dict(execution.inputs)
        return frame
    if last in ("undo", "compensation"):
        frame = new(parent, node, parent.plan.side(node, last), UNDO, path)
        frame.scope = taken_back(parent.plan.activity[node], execution.inputs, execution.values)
        return frame
    assert execution.body is not None
    frame = new(parent, node, parent.plan.library.plans[execution.body.definition], CALLED, path)
    frame.prefix, frame.number = owner + "/", 0
    return frame


def found(state: State, path: str) -> tuple[Frame, int]:
    place = find(state, path)
    assert place is not None, path
    return place


def new(parent: Frame, node: int, plan: Plan, role: int, path: str) -> Frame:
    prefix = path if plan.kind[0] == CALL else path + "/"  # what a call runs lies below it, and has that prefix
    frame = Frame(plan, role, prefix, path)
    frame.parent, frame.parent_node = parent, node
    return frame


def numbered(state: State, path: str) -> Frame:
    """An item of an each, or a firing of a net."""
    bracket = path.rindex("[")
    owner = path[:bracket]
    place = find(state, owner)
    if place is not None and place[0].plan.kind[place[1]] == EACH:
        frame = new(place[0], place[1], place[0].plan.side(place[1], "body"), ITEM, path)
    else:
        owner, _, transition = owner.rpartition("/")
        parent, node = found(state, owner)
        frame = new(parent, node, parent.plan.side(node, "operation " + transition), FIRING, path)
    frame.number = int(path[bracket + 1 : -1])
    return frame


def take_item(state: State, frame: Frame) -> None:
    parent, node = frame.parent, frame.parent_node
    assert parent is not None
    execution = parent.execution[node]
    activity = parent.plan.activity[node]
    assert execution is not None
    assert execution.body is not None
    assert execution.body.items is not None
    assert isinstance(activity, Each)
    items = execution.body.items
    index = frame.number - items.first
    frame.scope = {activity.item: items.values[index], "index": index}
    items.next = index + 1
    items.running += 1
    state.numbers[parent.path(node)] = frame.number + 1
