"""What the facts of nets make of the state. Part of `weft.kernel.evolve`, which alone calls it."""

from weft.kernel import facts, status
from weft.kernel.agenda import attend, body_of, execution_of
from weft.kernel.evolve_activity import close_frame, ready
from weft.kernel.holding import unhold
from weft.kernel.marking import Marking
from weft.kernel.state import Firing, Frame, State


def marking_of(frame: Frame, node: int) -> Marking:
    marking = body_of(frame, node).marking
    assert marking is not None
    return marking


def moved(state: State, frame: Frame, node: int, fact: facts.Moved) -> None:
    marking = marking_of(frame, node)
    marking.take_all(fact.took)
    for place in fact.reset:
        marking.clear(place)
    marking.put_all(fact.put)


def offered(state: State, frame: Frame, node: int, fact: facts.Offered) -> None:
    """The path names the offer, the frame and node are the net's."""
    body = body_of(frame, node)
    transition, number = firing_of(fact.path)
    marking_of(frame, node).offer(transition, number, fact.took)
    index = frame.plan.net(node).transition_number[transition]
    body.firings[number] = Firing(index, fact.took, fact.variables, fact.inputs, is_offer=True)
    state.offers[fact.path] = (frame, node, number)
    state.numbers[frame.path(node)] = number + 1


def withdrawn(state: State, frame: Frame, node: int, fact: facts.Withdrawn) -> None:
    body = body_of(frame, node)
    transition, number = firing_of(fact.path)
    marking_of(frame, node).end(transition, number)
    del body.firings[number]
    if state.offers.pop(fact.path, None) is None:
        body.busy -= 1
        inside = body.frames[number]
        unhold(state, inside, 0, inside.plan.activity[0].holds)
        close_frame(state, inside)


def fired(state: State, frame: Frame, node: int, fact: facts.Fired) -> None:
    parent, net = frame.parent, frame.parent_node
    assert parent is not None
    transition, number = firing_of(fact.path)
    marking_of(parent, net).begin(transition, number, fact.took)
    index = parent.plan.net(net).transition_number[transition]
    body_of(parent, net).firings[number] = Firing(index, fact.took, fact.variables, fact.inputs, is_offer=False)
    state.offers.pop(fact.path, None)
    key = parent.path(net)
    state.numbers[key] = max(state.numbers.get(key, 0), number + 1)
    ready(state, frame, node, facts.Ready(fact.path, fact.round, fact.attempt, fact.set, fact.inputs))


def returned(state: State, frame: Frame, node: int, fact: facts.Returned) -> None:
    parent, net = frame.parent, frame.parent_node
    assert parent is not None
    transition, number = firing_of(fact.path)
    marking_of(parent, net).fail(transition, number)
    frame.status[node] = status.FAILED
    attend(state, parent, net)


def released(state: State, frame: Frame, node: int, fact: facts.Released) -> None:
    parent, net = frame.parent, frame.parent_node
    assert parent is not None
    transition, number = firing_of(fact.path)
    marking_of(parent, net).release(transition, number)
    execution_of(frame, 0).then = ""
    attend(state, parent, net)


def arrived(state: State, frame: Frame, node: int, fact: facts.Arrived) -> None:
    parent, net = frame.parent, frame.parent_node
    assert parent is not None
    transition, number = firing_of(fact.path)
    marking, body = marking_of(parent, net), body_of(parent, net)
    for place in fact.reset:
        marking.clear(place)
    marking.put_all(fact.put)
    marking.end(transition, number)
    del body.firings[number]
    body.ended.remove(number)
    close_frame(state, frame)


def firing_of(path: str) -> tuple[str, int]:
    """`net/T[7]` → transition T, number 7."""
    bracket = path.rindex("[")
    return path[path.rfind("/", 0, bracket) + 1 : bracket], int(path[bracket + 1 : -1])
