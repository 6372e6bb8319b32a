"""Who has the names that activities hold, and who waits for them. Called by `weft.kernel.evolve` only."""

from weft.kernel import status
from weft.kernel.agenda import attend, note
from weft.kernel.guards import NODE_BITS, START
from weft.kernel.state import Frame, State
from weft.kernel.tree import FLOW, NET


def want(state: State, frame: Frame, node: int, names: tuple[str, ...]) -> None:
    for name in names:
        if state.holders.get(name) != (frame, node):
            state.wanting.setdefault(name, []).append((frame, node))


def hold(state: State, frame: Frame, node: int, names: tuple[str, ...]) -> None:
    for name in names:
        state.holders.setdefault(name, (frame, node))
        unwant(state, name, frame, node)


def unwant(state: State, name: str, frame: Frame, node: int) -> None:
    wanting = state.wanting.get(name)
    if wanting is not None:
        state.wanting[name] = [one for one in wanting if one[0] is not frame or one[1] != node]
        if not state.wanting[name]:
            del state.wanting[name]


def unhold(state: State, frame: Frame, node: int, names: tuple[str, ...]) -> None:
    for name in names:
        if state.holders.get(name) == (frame, node):
            del state.holders[name]
            state.freed.append(name)
        unwant(state, name, frame, node)
        for waiting, other in state.wanting.get(name, ()):
            if other:
                note(state, waiting, waiting.plan.parent[other], START | other << NODE_BITS)
            elif FLOW <= waiting.plan.kind[0] <= NET:
                attend(state, waiting, 0)
        for net, number in state.hungry.get(name, ()):
            if net.status[number] == status.STARTED:
                attend(state, net, number)


def register_net(state: State, frame: Frame, node: int) -> None:
    """Notes the names for which the net's transitions may have to wait."""
    for name in dict.fromkeys(name for _, names in frame.plan.net_holds(node) for name in names):
        nets = state.hungry.setdefault(name, [])
        if (frame, node) not in nets:
            nets.append((frame, node))


def forget_net(state: State, frame: Frame, node: int) -> None:
    for name in dict.fromkeys(name for _, names in frame.plan.net_holds(node) for name in names):
        state.hungry[name].remove((frame, node))
        if not state.hungry[name]:
            del state.hungry[name]
