"""What the start of a compound, or of a round of it, makes of the state. Part of `weft.kernel.evolve`."""

from weft.kernel import events
from weft.kernel.agenda import attend, decide, tell
from weft.kernel.facts import Values
from weft.kernel.holding import register_net
from weft.kernel.marking import Marking
from weft.kernel.state import CALLED, ROOT, Body, Execution, Frame, Items, State
from weft.kernel.tree import EACH, NET
from weft.model.definition import Net


def begin_compound(state: State, frame: Frame, node: int, execution: Execution) -> None:
    body = execution.body = Body()
    activity = frame.plan.activity[node]
    kind = frame.plan.kind[node]
    assert not hasattr(activity, "handler")
    if activity.variables:
        body.variables = {name: declared.default for name, declared in activity.variables.items()}
    if node == 0 and frame.role in (ROOT, CALLED) and (state.base is None or frame.role == CALLED):
        body.variables.update(execution.inputs)
    if kind == EACH:
        state.has_eaches = True
        body.items = Items(state.numbers.get(frame.path(node), 0))
    elif kind == NET:
        body.marking = first_marking(frame, node, execution.inputs)
        register_net(state, frame, node)
    tell_inside(state, frame, node, execution)
    attend(state, frame, node)


def tell_inside(state: State, frame: Frame, node: int, execution: Execution) -> None:
    """What children see of the compound when a round begins: its start, and the marks it has given."""
    inner = frame.plan.inner.get(node)
    if inner is not None:
        tell(state, frame, inner, events.ON_READY, "")
        tell(state, frame, inner, events.ON_STARTED, execution.set)
        for mark in execution.marks or ():
            tell_mark(state, frame, inner, mark)


def tell_mark(state: State, frame: Frame, mentions: list[tuple[int, str, int]], mark: str) -> None:
    for event, name, formula in mentions:
        if event == events.MARK and name == mark:
            decide(state, frame, formula, 1)


def first_marking(frame: Frame, node: int, inputs: Values) -> Marking:
    """Each place with its own tokens, and the net's parameter of its name."""
    net = frame.plan.activity[node]
    assert isinstance(net, Net)
    marking = Marking(frame.plan.net(node).places)
    types = net.input_sets[0].types
    for place in net.places:
        for value in place.tokens:
            marking.put(place.name, value)
        if place.name in inputs:
            given = inputs[place.name]
            many = types.get(place.name, "").startswith("list[") and not place.type.startswith("list[")
            for value in given if many and isinstance(given, list) else [given]:
                marking.put(place.name, value)
    return marking


def begin_round(state: State, frame: Frame, node: int) -> None:
    """Everything inside is as before the first start, but for its round."""
    plan = frame.plan
    end = plan.end[node]
    start, stop = plan.formula_start[node], plan.formula_start[end]
    frame.value[start:stop] = plan.zeros[start:stop]
    frame.lack_true[start:stop] = plan.formulas.need_true[start:stop]
    frame.lack_false[start:stop] = plan.formulas.need_false[start:stop]
    frame.status[node + 1 : end] = plan.zeros[node + 1 : end]
    frame.execution[node + 1 : end] = plan.nones[node + 1 : end]
    for inside in range(node + 1, end):
        frame.rounds[inside] += 1
        frame.told_to_skip.discard(inside)
    for looked, agenda in frame.agenda.items():
        if node <= looked < end:
            agenda.clear()
