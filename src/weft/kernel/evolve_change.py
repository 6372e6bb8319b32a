"""What `Changed` makes of the state: every frame goes over to its new plan. Part of `weft.kernel.evolve`."""

from weft.kernel import facts, status
from weft.kernel.agenda import attend
from weft.kernel.holding import register_net
from weft.kernel.state import Body, Execution, Frame, State
from weft.kernel.transfer import Transfer
from weft.model.definition import Activity, Compound


def changed(state: State, frame: Frame, node: int, fact: facts.Changed) -> None:
    plan = frame.plan.library.plans[fact.definition]
    transfers = Transfer(state, frame, plan).all()
    places = {id(one.frame): one.place for one in transfers}
    for one in transfers:
        install(one)
    move_references(state, places)
    state.hungry.clear()
    for one in transfers:
        for at, execution in enumerate(one.frame.execution):
            is_net = execution is not None and execution.body is not None and execution.body.marking is not None
            if is_net and one.frame.status[at] not in status.ENDS:
                register_net(state, one.frame, at)
    for one in transfers:
        look_again(state, one)


def install(transfer: Transfer) -> None:
    frame, shadow = transfer.frame, transfer.shadow
    for node, at in transfer.place.items():
        execution = shadow.execution[at]
        if execution is not None:
            move_execution(transfer, node, at, execution)
    frame.plan = transfer.plan
    frame.status, frame.rounds, frame.execution = shadow.status, shadow.rounds, shadow.execution
    frame.value, frame.lack_true, frame.lack_false = shadow.value, shadow.lack_true, shadow.lack_false
    frame.told_to_skip = shadow.told_to_skip
    frame.agenda.clear()


def move_execution(transfer: Transfer, node: int, at: int, execution: Execution) -> None:
    if execution.log is not None:
        execution.log.node = at
    body = execution.body
    if body is None:
        return
    body.is_stuck = False
    body.asking = [transfer.place[child] for child in body.asking]
    if body.grant >= 0:
        body.grant = transfer.place[body.grant]
    body.busy -= sum(1 for child in transfer.frame.plan.children[node] if is_withdrawn(transfer, child))
    keep_variables(transfer.plan.activity[at], body, execution)
    if body.marking is not None:
        body.choice = None
        net = transfer.plan.net(at)
        old = transfer.frame.plan.net(node)
        body.marking.extend(net.places)
        for firing in body.firings.values():
            firing.transition = net.transition_number[old.transitions[firing.transition].name]


def is_withdrawn(transfer: Transfer, child: int) -> bool:
    """It was ready, and is not there any more or waits again."""
    if transfer.frame.status[child] != status.READY:
        return False
    at = transfer.place.get(child, -1)
    return at < 0 or transfer.shadow.status[at] == status.WAITING


def keep_variables(activity: Activity, body: Body, execution: Execution) -> None:
    """New variables are born with their defaults; those no longer declared are gone."""
    if not isinstance(activity, Compound):
        return
    born = {name: declared.default for name, declared in activity.variables.items()}
    kept = {name: value for name, value in body.variables.items() if name in born or name in execution.inputs}
    body.variables = {**born, **kept}


def move_references(state: State, places: dict[int, dict[int, int]]) -> None:
    """Whatever names a node by its number follows it."""

    def moved(frame: Frame, node: int) -> int:
        place = places.get(id(frame))
        return node if place is None else place.get(node, -1)

    state.holders = {name: (frame, moved(frame, node)) for name, (frame, node) in state.holders.items()}
    wanting = {
        name: [(frame, moved(frame, node)) for frame, node in waiting if still_ready(frame, moved(frame, node))]
        for name, waiting in state.wanting.items()
    }
    state.wanting = {name: waiting for name, waiting in wanting.items() if waiting}
    state.offers = {path: (frame, moved(frame, node), number) for path, (frame, node, number) in state.offers.items()}
    for frame in state.frames.values():
        if frame.parent is not None:
            frame.parent_node = moved(frame.parent, frame.parent_node)
    for entry in [*state.kept.values(), *state.prepared.values()]:
        if entry.frame is not None:
            entry.place = moved(entry.frame, entry.place)


def still_ready(frame: Frame, node: int) -> bool:
    return node >= 0 and frame.status[node] == status.READY


def look_again(state: State, transfer: Transfer) -> None:
    """What the retold events left to do is done by the compounds' looks, as ever."""
    frame = transfer.frame
    for node, agenda in transfer.shadow.agenda.items():
        attend(state, frame, node)
        frame.agenda[node][:] = sorted(agenda)
    for node, now in enumerate(frame.status):
        execution = frame.execution[node]
        if execution is not None and execution.body is not None and now in (status.STARTED, status.FIXED):
            attend(state, frame, node)
