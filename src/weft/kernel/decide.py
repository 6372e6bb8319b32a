"""`apply`: decides what a command makes true. Refuses before the first fact, or accepts whole.

Each handler looks at the state, tells facts, and leaves the rest to the looks of the compounds concerned.
"""

from collections.abc import Callable
from typing import cast

from weft.kernel import call, commands, each, facts, flow, net, status
from weft.kernel.agenda import attend, body_of, execution_of
from weft.kernel.change import change
from weft.kernel.checks import check_outcome, check_values, defaults
from weft.kernel.commands import About, Command
from weft.kernel.decision import Decision
from weft.kernel.endings import (
    after_failure,
    again,
    begin_abort,
    fail,
    finish,
    is_drained,
    settle,
    side_ended,
    stop,
    take_back,
)
from weft.kernel.evolve import open_root
from weft.kernel.facts import AnyFact
from weft.kernel.plan import CALL, EACH, FLOW, NET, PLACED, TASK, Plan
from weft.kernel.refusals import Late, NotAvailable, NotDeclared, NotFound, NotRunning
from weft.kernel.starting import may_hold, start, start_side
from weft.kernel.state import COMPENSATION, UNDO, Frame, State, find
from weft.model.definition import Flow, InputSet, Signal, Task, Timer
from weft.model.expressions import ExpressionError


def apply(plan: Plan, state: State, command: Command) -> list[AnyFact]:
    """Decides and evolves. Raises `Refused`, and then nothing has changed."""
    d = Decision(state)
    HANDLERS[type(command)](plan, d, command)
    run_looks(d)
    state.is_short = d.is_short
    return d.facts


def run_looks(d: Decision) -> None:
    looks = d.state.looks
    while looks:
        frame, node = looks.popleft()
        agenda = frame.agenda.pop(node, None)
        if agenda is not None:
            frame.agenda[node] = agenda
            look(d, frame, node, agenda)


def look(d: Decision, frame: Frame, node: int, agenda: list[int]) -> None:
    kind = frame.plan.kind[node]
    now = frame.status[node]
    if now in SIDES:
        del frame.agenda[node]
        side_ended(d, frame, node)
        return
    if kind in (TASK, PLACED) or now == status.READY:
        del frame.agenda[node]
        if now == status.READY:
            start(d, frame, node)
        return
    try:
        if now == status.STARTED:
            if kind == FLOW:
                flow.look(d, frame, node, agenda)
            elif kind == EACH:
                each.look(d, frame, node)
            elif kind == NET:
                net.look(d, frame, node)
            elif kind == CALL:
                call.look(d, frame, node)
    except ExpressionError as error:
        begin_abort(d, frame, node, "aborted", "engine.expression", str(error))
    del frame.agenda[node]
    if frame.status[node] in (status.FIXED, status.ABORTING):
        settle(d, frame, node)


SIDES = frozenset((status.UNDOING, status.TAKING_BACK, status.REPLACED))


# Finding what a command is about.


def locate(d: Decision, command: About, takes: str) -> tuple[Frame, int]:
    """The execution, if it may be asked this."""
    place = find(d.state, command.path)
    if place is None:
        raise NotFound(f"there is no activity {command.path!r} in this instance")
    frame, node = place
    execution = frame.execution[node]
    if command.round is not None and command.round != frame.rounds[node]:
        raise Late(f"{command.path} is in round {frame.rounds[node]}, the command is for round {command.round}")
    if command.attempt is not None and (execution is None or execution.attempt != command.attempt):
        now = 0 if execution is None else execution.attempt
        raise Late(f"{command.path} is in attempt {now}, the command is for attempt {command.attempt}")
    kind = frame.plan.kind[node]
    table = status.TASK_TAKES if kind in (TASK, PLACED) else status.COMPOUND_TAKES
    if frame.status[node] not in table.get(takes, frozenset()):
        raise NotRunning(f"{command.path} is {status.NAMES[frame.status[node]]}: it takes no {takes}")
    return frame, node


def names(frame: Frame, node: int) -> tuple[str, int, int]:
    execution = frame.execution[node]
    return frame.path(node), frame.rounds[node], 1 if execution is None else execution.attempt


# Handlers of commands.


def start_instance(plan: Plan, d: Decision, command: commands.Start) -> None:
    if d.state.root is not None:
        raise NotRunning("the instance has started already")
    root = plan.activity[0]
    one = choose_set(root.input_sets, command, root.name)
    inputs = {**defaults(one), **command.inputs}
    check_values(plan, one.types, inputs, f"process {root.name}")
    frame = open_root(plan, d.state)
    d.tell(frame, 0, facts.Ready(frame.path(0), 0, 1, one.name, inputs, command.seed))
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


def begin(plan: Plan, d: Decision, command: commands.Begin) -> None:
    if d.state.paused_at >= 0:
        raise NotAvailable(f"the instance is suspended: {command.path} can't start")
    net.begin_offer(d, command)
    frame, node = locate(d, command, "Begin")
    begin_task(d, frame, node, command.worker)


def begin_task(d: Decision, frame: Frame, node: int, worker: str) -> None:
    if not may_hold(d.state, frame, node):
        raise NotAvailable(
            f"{frame.path(node)} holds {', '.join(frame.plan.activity[node].holds)}, and not all are free"
        )
    path, round, attempt = names(frame, node)
    d.tell(frame, node, facts.Started(path, round, attempt, worker))
    over = frame.plan.parent[node]
    if node and over >= 0:
        activity = frame.plan.activity[over]
        if isinstance(activity, Flow) and activity.one_start:
            for other in frame.plan.children[over]:
                if other != node and frame.status[other] in status.IDLE:
                    d.skip(frame, other)


def complete(plan: Plan, d: Decision, command: commands.Complete) -> None:
    occur(d, command)
    frame, node = locate(d, command, "Complete")
    outcome = check_outcome(frame, node, command)
    now = frame.status[node]
    execution = execution_of(frame, node)
    if now == status.STOPPING or (now == status.DOUBTED and execution.is_stopped):
        take_back(d, frame, node, outcome.name, command.values)
    elif outcome.kind == "abort":
        fail(d, frame, node, "task." + outcome.name, "", outcome.name, command.values)
    else:
        finish(d, frame, node, outcome.name, command.values)


def occur(d: Decision, command: commands.Complete) -> None:
    """The occurrence of a timer or signal that waits: it begins by that."""
    offer = d.state.offers.get(command.path)
    place = (offer[0], offer[1]) if offer is not None else find(d.state, command.path)
    if place is None or (offer is None and not occurs(place[0], place[1])):
        return
    if d.state.paused_at >= 0:
        raise NotAvailable(f"the instance is suspended: {command.path} can't occur")
    if offer is None:
        check_outcome(place[0], place[1], command)
    elif not net.is_occurrence(offer[0], offer[1], offer[2]):
        raise NotRunning(f"{command.path} is offered and nobody has begun it")
    else:
        net.begin_offer(d, command)
        place = found(d, command.path)
    begin_task(d, place[0], place[1], "")


def found(d: Decision, path: str) -> tuple[Frame, int]:
    place = find(d.state, path)
    assert place is not None
    return place


def occurs(frame: Frame, node: int) -> bool:
    """Timers and signals wait while they are ready; their occurrence starts and ends them."""
    activity = frame.plan.activity[node]
    if frame.status[node] != status.READY or not isinstance(activity, Task):
        return False
    return isinstance(activity.handler, Timer | Signal)


def fail_task(plan: Plan, d: Decision, command: commands.Fail) -> None:
    frame, node = locate(d, command, "Fail")
    now = frame.status[node]
    execution = execution_of(frame, node)
    if frame.plan.kind[node] not in (TASK, PLACED) and now == status.STARTED:
        if frame.plan.kind[node] != CALL or body_of(frame, node).definition:
            raise NotRunning(f"{command.path} is a compound: cancel it instead")
        begin_abort(d, frame, node, "aborted", command.error, command.message)
    elif now == status.STOPPING or (now == status.DOUBTED and execution.is_stopped):
        if now == status.STOPPING and frame.plan.activity[node].undo is not None:
            path, round, attempt = names(frame, node)
            d.tell(frame, node, facts.Failed(path, round, attempt, command.error, command.message))
            start_side(d, frame, node, "undo")
        else:
            d.abort(frame, node, "aborted", execution.error)
    elif now == status.DOUBTED:
        d.abort(frame, node, "aborted", command.error or execution.error, command.message)
    elif now == status.GRANTED:
        d.abort(frame, node, "aborted", command.error, command.message)
    else:
        fail(d, frame, node, command.error, command.message)


def mark(plan: Plan, d: Decision, command: commands.Mark) -> None:
    frame, node = locate(d, command, "Mark")
    outcome = frame.plan.activity[node].outcome(command.mark)
    if outcome is None or outcome.kind != "mark":
        raise NotDeclared(f"{command.path} declares no mark {command.mark!r}")
    if command.mark in (execution_of(frame, node).marks or {}):
        raise NotRunning(f"{command.path} has given mark {command.mark!r} in this round")
    check_values(frame.plan, outcome.types, command.values, f"mark {command.mark} of {command.path}")
    d.tell(frame, node, facts.Marked(*names(frame, node), command.mark, command.values))


def confirm(plan: Plan, d: Decision, command: commands.Confirm) -> None:
    frame, node = locate(d, command, "Confirm")
    execution = execution_of(frame, node)
    if frame.status[node] == status.STOPPING:
        if not execution.outcome:
            raise NotRunning(f"{command.path} was never granted")
        take_back(d, frame, node, execution.outcome, execution.values)
    else:
        d.commit(frame, node, execution.outcome, execution.values)


def settle_branch(plan: Plan, d: Decision, command: commands.Settle) -> None:
    key = (command.path, command.round or 0, command.attempt or 1)
    if key not in d.state.unsettled:
        raise NotRunning(f"{command.path} has no branch to settle")
    d.tell_kept(facts.Settled(*key))


def retry(plan: Plan, d: Decision, command: commands.Retry) -> None:
    frame, node = locate(d, command, "Retry")
    if d.state.paused_at >= 0:
        raise NotAvailable(f"the instance is suspended: {command.path} can't start again")
    if execution_of(frame, node).is_stopped:
        raise NotRunning(f"{command.path} was stopped: it can be done or failed, not tried again")
    again(d, frame, node)


def lease_ended(plan: Plan, d: Decision, command: commands.LeaseEnded) -> None:
    frame, node = locate(d, command, "LeaseEnded")
    activity = frame.plan.activity[node]
    path, round, attempt = names(frame, node)
    lost = "engine.lost"
    if not activity.idempotent:
        d.tell(frame, node, facts.Doubted(path, round, attempt, lost, "its worker is gone"))
        return
    is_stopping = frame.status[node] == status.STOPPING
    then = "fail" if is_stopping or is_drained(frame, node) else "again"
    if activity.undo is None and is_stopping:
        d.abort(frame, node, "aborted", execution_of(frame, node).error)
        return
    d.tell(frame, node, facts.Failed(path, round, attempt, lost, "its worker is gone", then))
    if activity.undo is not None:
        start_side(d, frame, node, "undo")
    else:
        after_failure(d, frame, node)


def cancel(plan: Plan, d: Decision, command: commands.Cancel) -> None:
    if d.state.root is None:
        raise NotFound("the instance has not started")
    target = About(command.path or d.state.root.path(0), command.round, command.attempt)
    frame, node = locate(d, target, "Cancel")
    if is_taking_back(frame):
        raise NotRunning(f"{target.path} takes back what was done: it can't be cancelled")
    if command.drain:
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
    d.tell(frame, node, facts.Drained(*names(frame, node)))
    todo = [(frame, node)]
    while todo:
        here, compound = todo.pop()
        execution = here.execution[compound]
        if execution is None or execution.body is None or here.status[compound] in status.ENDS:
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
    d.tell(frame, node, facts.Overdue(*names(frame, node), command.warning))
    if deadline.action == "fail" and command.warning < 0:
        stop(d, frame, node, "engine.deadline")


def go_on(plan: Plan, d: Decision, command: commands.Continue) -> None:
    root = d.state.root
    if root is None:
        raise NotFound("the instance has not started")
    for frame, node in unfinished(d.state):
        attend(d.state, frame, node)


def unfinished(state: State) -> list[tuple[Frame, int]]:
    """The compounds in which a decision stopped short: a round to begin, items to start, firings to make."""
    found: list[tuple[Frame, int]] = []
    for frame in frames_of(state):
        for node, kind in enumerate(frame.plan.kind):
            if kind in (TASK, PLACED):
                continue
            now = frame.status[node]
            if (
                (now == status.FIXED and body_of(frame, node).busy == 0)
                or (kind == EACH and now == status.STARTED and each.wants_more(frame, node))
                or (kind == NET and now == status.STARTED and net.wants_more(state, frame, node))
            ):
                found.append((frame, node))
    return found


def frames_of(state: State) -> list[Frame]:
    return [] if state.root is None else [state.root, *state.frames.values()]


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
            if now == status.READY and kind not in (TASK, PLACED):
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
    if root is None or root.status[0] in status.ENDS:
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


def abandon(plan: Plan, d: Decision, command: commands.Abandon) -> None:
    frame, node = locate(d, command, "Abandon")
    if frame.plan.kind[node] != PLACED:
        raise NotRunning(f"{command.path} is not placed elsewhere")
    d.tell(frame, node, facts.Abandoned(*names(frame, node)))
    d.abort(frame, node, "aborted", "engine.unreachable")


HANDLERS = cast(
    dict[type, Callable[[Plan, Decision, Command], None]],
    {
        commands.Start: start_instance,
        commands.Begin: begin,
        commands.Complete: complete,
        commands.Fail: fail_task,
        commands.Mark: mark,
        commands.Confirm: confirm,
        commands.Settle: settle_branch,
        commands.Retry: retry,
        commands.LeaseEnded: lease_ended,
        commands.Cancel: cancel,
        commands.Skip: skip,
        commands.Due: due,
        commands.Continue: go_on,
        commands.Suspend: suspend,
        commands.Resume: resume,
        commands.Add: add,
        commands.Finish: close,
        commands.Bind: bind,
        commands.Change: change,
        commands.Abandon: abandon,
    },
)
