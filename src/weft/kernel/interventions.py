"""What is asked of an instance from outside: start, cancel, drain, skip, suspend, resume, add, bind, give up."""

from weft.kernel import call, commands, facts, status
from weft.kernel.agenda import attend, body_of, execution_of
from weft.kernel.checks import check_values, defaults
from weft.kernel.commands import About
from weft.kernel.decision import Decision, attempt_of
from weft.kernel.evolve import open_root
from weft.kernel.failing import again
from weft.kernel.places import frames_of, locate, names, unfinished
from weft.kernel.plan import Plan
from weft.kernel.refusals import NotDeclared, NotFound, NotRunning
from weft.kernel.starting import start
from weft.kernel.state import COMPENSATION, UNDO, Frame
from weft.kernel.stopping import stop, withdraw_offers
from weft.kernel.tree import CALL, PLACED, TASK
from weft.model.definition import InputSet


def start_instance(plan: Plan, d: Decision, command: commands.Start) -> None:
    if d.state.root is not None:
        raise NotRunning("the instance has started already")
    root = plan.activity[0]
    one = choose_set(root.input_sets, command, root.name)
    inputs = {**defaults(one), **command.inputs}
    check_values(plan, one.types, inputs, f"process {root.name}")
    frame = open_root(plan, d.state)
    base = d.state.base
    round, attempt = (0, 1) if base is None else (base.round, base.attempt)
    d.tell(frame, 0, facts.Ready(frame.path(0), round, attempt, one.name, inputs, command.seed))
    start(d, frame, 0)


def choose_set(sets: tuple[InputSet, ...], command: commands.Start, name: str) -> InputSet:
    given = set(command.inputs)
    problems: list[str] = []
    for one in sets:
        if command.set and one.name != command.set:
            continue
        known = {*one.types, *one.bindings}
        missing = [parameter for parameter in one.types if parameter not in one.bindings and parameter not in given]
        unknown = sorted(given - known)
        if not missing and not unknown:
            return one
        problems += [f"{parameter} is missing" for parameter in missing]
        problems += [f"{parameter} is not a parameter" for parameter in unknown]
    raise NotDeclared(
        f"process {name} can't start: " + ("; ".join(problems) or f"there is no input set {command.set!r}")
    )


def cancel(plan: Plan, d: Decision, command: commands.Cancel) -> None:
    if d.state.root is None:
        raise NotFound("the instance has not started")
    target = About(command.path or d.state.root.path(0), command.round, command.attempt)
    frame, node = locate(d, target, "Cancel")
    if is_taking_back(frame):
        raise NotRunning(f"{target.path} takes back what was done: it can't be cancelled")
    if node and frame.status[node] == status.WAITING and frame.status[frame.plan.parent[node]] != status.STARTED:
        raise NotRunning(f"{target.path} is not waiting in a running flow")
    if frame.status[node] in status.IDLE and attempt_of(frame, node) == 1:
        d.skip(frame, node, by="person")  # a change to another definition does not open it again
    elif command.drain:
        drain(d, frame, node)
    else:
        stop(d, frame, node, command.error)


def is_taking_back(frame: Frame) -> bool:
    here: Frame | None = frame
    while here is not None:
        if here.role in (UNDO, COMPENSATION):
            return True
        here = here.parent
    return False


def drain(d: Decision, frame: Frame, node: int) -> None:
    """What waits or is ready is skipped, all the way down; what runs may end."""
    now = frame.status[node]
    if now in status.IDLE or now == status.FAILED:
        stop(d, frame, node)
        return
    if now == status.ABORTING:
        raise NotRunning(f"{frame.path(node)} is aborting already: it can't be drained")
    d.tell(frame, node, facts.Drained(*names(frame, node)))
    todo = [(frame, node)]
    while todo:
        here, compound = todo.pop()
        execution = here.execution[compound]
        now = here.status[compound]
        if execution is None or execution.body is None or now in status.ENDS or now == status.ABORTING:
            continue
        for child in here.plan.children[compound]:
            if here.status[child] in status.IDLE or here.status[child] == status.FAILED:
                stop(d, here, child)
            else:
                todo.append((here, child))
        for inside in list(execution.body.frames.values()):
            if inside.status[0] in (status.READY, status.FAILED):
                stop(d, inside, 0)
            else:
                todo.append((inside, 0))
        withdraw_offers(d, here, compound)


def skip(plan: Plan, d: Decision, command: commands.Skip) -> None:
    frame, node = locate(d, command, "Skip")
    if node == 0 or frame.status[frame.plan.parent[node]] != status.STARTED:
        raise NotRunning(f"{command.path} is not waiting in a running flow")
    if frame.status[node] == status.READY and execution_of(frame, node).attempt > 1:
        raise NotRunning(f"{command.path} has been tried: cancel it instead")
    d.skip(frame, node, by="person")


def due(plan: Plan, d: Decision, command: commands.Due) -> None:
    frame, node = locate(d, command, "Due")
    deadline = frame.plan.activity[node].deadline
    if deadline is None:
        raise NotDeclared(f"{command.path} has no deadline")
    if command.warning in execution_of(frame, node).overdue:
        raise NotRunning(f"{command.path} was told to be overdue in this round")
    d.tell(frame, node, facts.Overdue(*names(frame, node), command.warning))
    if deadline.action == "fail" and command.warning < 0:
        if frame.status[node] == status.READY:  # nobody took it: a failure, not a skip that counts as nothing to do
            d.abort(frame, node, "aborted", "engine.deadline")
        else:
            stop(d, frame, node, "engine.deadline")


def go_on(plan: Plan, d: Decision, command: commands.Continue) -> None:
    root = d.state.root
    if root is None:
        raise NotFound("the instance has not started")
    for frame, node in unfinished(d.state):
        attend(d.state, frame, node)


def suspend(plan: Plan, d: Decision, command: commands.Suspend) -> None:
    root = running_root(d)
    if d.state.paused_at >= 0:
        raise NotRunning("the instance is suspended already")
    d.tell(root, 0, facts.Suspended(root.path(0)))


def resume(plan: Plan, d: Decision, command: commands.Resume) -> None:
    root = running_root(d)
    if d.state.paused_at < 0:
        raise NotRunning("the instance is not suspended")
    d.tell(root, 0, facts.Resumed(root.path(0)))
    for frame in frames_of(d.state):
        for node, kind in enumerate(frame.plan.kind):
            now = frame.status[node]
            if now == status.READY and kind != TASK:
                start(d, frame, node)
            elif now == status.FAILED and execution_of(frame, node).then == "retry" and not delay_of(frame, node):
                again(d, frame, node)
            elif kind not in (TASK, PLACED) and now in (status.STARTED, status.FIXED):
                attend(d.state, frame, node)


def delay_of(frame: Frame, node: int) -> float:
    execution = execution_of(frame, node)
    return frame.plan.activity[node].on_error[execution.rule].delay_seconds


def running_root(d: Decision) -> Frame:
    root = d.state.root
    if root is None or (root.status[0] in status.ENDS and d.state.base is None):
        raise NotRunning("the instance does not run")
    return root


def add(plan: Plan, d: Decision, command: commands.Add) -> None:
    frame, node = locate(d, command, "Add")
    refuse_closed(frame, node)
    d.tell(frame, node, facts.Added(*names(frame, node), command.items))
    attend(d.state, frame, node)


def close(plan: Plan, d: Decision, command: commands.Finish) -> None:
    frame, node = locate(d, command, "Finish")
    refuse_closed(frame, node)
    d.tell(frame, node, facts.Closed(*names(frame, node)))
    attend(d.state, frame, node)


def refuse_closed(frame: Frame, node: int) -> None:
    items = body_of(frame, node).items
    if items is None:
        raise NotRunning(f"{frame.path(node)} has no items")
    if items.is_closed:
        raise NotRunning(f"{frame.path(node)} takes no more items")


def bind(plan: Plan, d: Decision, command: commands.Bind) -> None:
    frame, node = locate(d, command, "Bind")
    if frame.plan.kind[node] != CALL or body_of(frame, node).definition:
        raise NotRunning(f"{command.path} waits for no process")
    if command.process is None:
        raise NotDeclared(f"no process was given for {command.path}")
    called = frame.plan.library.learn(command.definition, command.process)
    call.bind(d, frame, node, command.definition, called)
