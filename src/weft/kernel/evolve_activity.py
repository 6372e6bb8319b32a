"""What the facts of an activity's life make of the state. Part of `weft.kernel.evolve`, which alone calls it."""

from weft.kernel import events, facts, status
from weft.kernel.agenda import (
    around,
    attend,
    body_of,
    decide,
    execution_of,
    tell,
    tell_aborted,
    tell_around,
)
from weft.kernel.evolve_begin import begin_compound, begin_round, tell_mark
from weft.kernel.holding import forget_net, hold, unhold, unwant, want
from weft.kernel.log import keep, top_of, unsettle
from weft.kernel.state import CALLED, COMPENSATION, FIRING, ITEM, ROOT, UNDO, Body, Execution, Frame, State
from weft.kernel.tree import FLOW, NET, PLACED, TASK, is_persons


def ready(state: State, frame: Frame, node: int, fact: facts.Ready) -> None:
    plan = frame.plan
    execution = frame.execution[node]
    if execution is None:
        execution = frame.execution[node] = Execution(fact.set, fact.inputs, state.clock)
        if node:
            body_of(frame, plan.parent[node]).busy += 1
        elif frame.parent is not None and frame.role <= CALLED:
            body_of(frame.parent, frame.parent_node).busy += 1
    else:
        execution.since = state.clock
        if plan.kind[node] != TASK:
            begin_round(state, frame, node)
    execution.attempt = fact.attempt
    if fact.seed:
        state.seed = fact.seed
    frame.status[node] = status.READY
    frame.rounds[node] = fact.round
    holds = plan.activity[node].holds
    if holds:
        want(state, frame, node, holds)
    if plan.hears[node] & events.BY_READY:
        tell_around(state, frame, node, events.ON_READY, "")


def started(state: State, frame: Frame, node: int, fact: facts.Started) -> None:
    plan = frame.plan
    execution = frame.execution[node]
    assert execution is not None
    frame.status[node] = status.STARTED
    execution.worker = fact.worker
    activity = plan.activity[node]
    if activity.holds:
        hold(state, frame, node, activity.holds)
    if activity.deadline is None or not is_persons(activity):
        execution.since = state.clock
    if FLOW <= plan.kind[node] <= NET:
        begin_compound(state, frame, node, execution)
    if plan.hears[node] & events.BY_STARTED:
        tell_around(state, frame, node, events.ON_STARTED, execution.set)
        if plan.parent[node] in plan.cycles:  # what waits in a circle for another set has one hope less
            attend(state, frame, plan.parent[node])


def answered(state: State, frame: Frame, node: int, fact: facts.Answered) -> None:
    question = frame.plan.questions[frame.plan.question_of[node, fact.key]]
    decide(state, frame, question.atom, 1 if fact.answer else 2)


def marked(state: State, frame: Frame, node: int, fact: facts.Marked) -> None:
    execution = execution_of(frame, node)
    if execution.marks is None:
        execution.marks = {}
    execution.marks[fact.mark] = fact.values
    tell_mark(state, frame, frame.plan.mentions[node] or [], fact.mark)
    tell_mark(state, frame, frame.plan.inner.get(node, []), fact.mark)
    feed(state, frame, node)


def feed(state: State, frame: Frame, node: int) -> None:
    """An each that takes items from this activity's marks looks again."""
    for each in frame.plan.fed.get(node, ()):
        if frame.status[each] == status.STARTED:
            attend(state, frame, each)


def parked(state: State, frame: Frame, node: int, fact: facts.Parked) -> None:
    execution = execution_of(frame, node)
    frame.status[node] = status.PARKED
    execution.outcome, execution.values = fact.outcome, fact.values
    over, above = around(frame, node)
    if above >= 0:
        body_of(over, above).asking.append(node)
        if node and above in over.plan.cycles:
            attend(state, over, above)


def granted(state: State, frame: Frame, node: int, fact: facts.Granted) -> None:
    frame.status[node] = status.GRANTED
    over, above = around(frame, node)
    if above >= 0:
        body = body_of(over, above)
        body.grant = node
        body.asking.remove(node)


def committed(state: State, frame: Frame, node: int, fact: facts.Committed) -> None:
    plan = frame.plan
    execution = frame.execution[node]
    assert execution is not None
    execution.outcome, execution.values, execution.error = fact.outcome, fact.values, fact.error
    activity = plan.activity[node]
    frame.status[node] = status.COMMITTED
    if activity.writes:
        for variable, name in activity.writes.items():
            write(frame, node, variable, fact.values.get(name))
    if activity.holds:
        unhold(state, frame, node, activity.holds)
    if plan.keeps[node] or execution.log is not None:
        keep(state, frame, node, execution)
    mentions = plan.mentions[node]
    if mentions is not None:
        tell(state, frame, mentions, events.ON_COMMITTED, fact.outcome)
    ended(state, frame, node)


def aborted(state: State, frame: Frame, node: int, fact: facts.Aborted) -> None:
    execution = execution_of(frame, node)
    execution.outcome, execution.values = fact.outcome, fact.values
    execution.error, execution.message = fact.error, fact.message
    frame.status[node] = status.ABORTED
    unhold(state, frame, node, frame.plan.activity[node].holds)
    over, above = around(frame, node)
    if above >= 0 and (node or frame.role <= CALLED):
        body = body_of(over, above)
        if body.grant == node and node:
            body.grant = -1
        if frame.plan.activity[node].vital and not body.first_error:
            body.first_error, body.first_message = fact.error or "task", fact.message
    tell_aborted(state, frame, node, fact.outcome, fact.error)
    if node:
        blame(frame, frame.plan.parent[node], fact)
    ended(state, frame, node)


def blame(frame: Frame, flow: int, fact: facts.Aborted) -> None:
    """The abort outcomes that this made true have its error."""
    body = body_of(frame, flow)
    for outcome, formula in zip(frame.plan.activity[flow].outcomes, frame.plan.outcomes[flow], strict=True):
        if outcome.kind == "abort" and frame.value[formula] == 1:
            body.causes = body.causes or {}
            body.causes.setdefault(outcome.name, (fact.error or "task", fact.message))


def skipped(state: State, frame: Frame, node: int, fact: facts.Skipped) -> None:
    was_ready = frame.status[node] == status.READY
    frame.status[node] = status.SKIPPED
    if fact.by:
        frame.told_to_skip.add(node)
    if was_ready:
        for name in frame.plan.activity[node].holds:
            unwant(state, name, frame, node)
    tell_around(state, frame, node, events.ON_SKIPPED, "")
    if was_ready:
        ended(state, frame, node)
    else:
        feed(state, frame, node)
        over = frame.plan.parent[node]
        body_of(frame, over).is_stuck = False
        attend(state, frame, over)


def ended(state: State, frame: Frame, node: int) -> None:
    """What every end of what was ready has in common: the compound around is less busy and looks."""
    if frame.plan.fed:
        feed(state, frame, node)
    execution = frame.execution[node]
    assert execution is not None
    if execution.body is not None:
        if execution.body.marking is not None:
            forget_net(state, frame, node)
        close_all(state, execution.body)
    elif execution.then == "alternate":
        beside = state.roots.get(frame.path(node) + "/alternate")
        if beside is not None:
            close_frame(state, beside)
    if node:
        over = frame.plan.parent[node]
        around_it = frame.execution[over]
        assert around_it is not None
        body = around_it.body
        assert body is not None
        body.busy -= 1
        body.is_stuck = False
        if body.asking:
            asks_no_more(frame, node)
        if over not in frame.agenda:
            attend(state, frame, over)
    elif frame.parent is not None:
        frame_ended(state, frame)
    elif frame.status[0] == status.COMMITTED and state.base is None:
        unsettle(state, commit=True)


def frame_ended(state: State, frame: Frame) -> None:
    """The activity that a frame belongs to looks; what it must still read from the frame stays open until then."""
    parent, node = frame.parent, frame.parent_node
    assert parent is not None
    execution = execution_of(frame, 0)
    if frame.role >= CALLED:
        state.rounds_used[frame.prefix] = max(frame.rounds) + 1
        state.attempts_used[frame.root_path, frame.rounds[0]] = execution.attempt
    if frame.role <= CALLED:
        body = body_of(parent, node)
        body.busy -= 1
        body.is_stuck = False
        if frame.role == ITEM:
            item_ended(body, frame, execution)
        elif frame.role == FIRING:
            body.ended.append(frame.number)
    if frame.role in (ITEM, UNDO, COMPENSATION):
        close_frame(state, frame)
    if frame.role == UNDO and parent.status[node] == status.UNDOING:
        parent.status[node] = status.FAILED
    if frame.entry is None:
        attend(state, parent, node)
    else:
        home = top_of(frame.entry)
        attend(state, home.frame, home.node)


def item_ended(body: Body, frame: Frame, execution: Execution) -> None:
    items = body.items
    assert items is not None
    index = frame.number - items.first
    items.running -= 1
    items.results[index] = execution.values
    items.outcomes[index] = execution.outcome or None
    if frame.status[0] == status.COMMITTED:
        items.committed += 1
    else:
        items.aborted += 1


def close_all(state: State, body: Body) -> None:
    for inside in list(body.frames.values()):
        close_frame(state, inside)


def close_frame(state: State, frame: Frame) -> None:
    state.roots.pop(frame.root_path, None)
    if state.frames.get(frame.prefix) is frame:
        del state.frames[frame.prefix]
    if frame.parent is not None:
        execution = frame.parent.execution[frame.parent_node]
        if execution is not None and execution.body is not None:
            execution.body.frames.pop(frame.number, None)


def write(frame: Frame, node: int, name: str, value: object) -> None:
    """The nearest compound around that declares the variable takes the value."""
    here, above = around(frame, node)
    while above >= 0:
        execution = here.execution[above]
        if execution is not None and execution.body is not None and name in execution.body.variables:
            execution.body.variables[name] = value
            return
        if above == 0 and here.role == ROOT and name in here.scope:
            here.scope[name] = value
            return
        here, above = around(here, above)


def failed(state: State, frame: Frame, node: int, fact: facts.Failed) -> None:
    execution = execution_of(frame, node)
    if not execution.is_stopped:
        execution.error, execution.message = fact.error, fact.message
    execution.then, execution.rule = fact.then, fact.rule
    execution.since = state.clock
    if fact.then == "retry":
        if execution.retries is None:
            execution.retries = {}
        execution.retries[fact.rule] = execution.retries.get(fact.rule, 0) + 1
    if execution.body is not None:
        close_all(state, execution.body)
    frame.status[node] = status.FAILED


def taking_back(state: State, frame: Frame, node: int, fact: facts.TakingBack) -> None:
    execution = execution_of(frame, node)
    execution.outcome, execution.values = fact.outcome, fact.values
    execution.is_stopped = True
    frame.status[node] = status.TAKING_BACK
    asks_no_more(frame, node)


def asks_no_more(frame: Frame, node: int) -> None:
    """What was parked and is stopped asks for no leave any more."""
    if node:
        asking = body_of(frame, frame.plan.parent[node]).asking
        if node in asking:
            asking.remove(node)


def stopping(state: State, frame: Frame, node: int, fact: facts.Stopping) -> None:
    execution = execution_of(frame, node)
    execution.is_stopped = True
    now = frame.status[node]
    if now == status.ABORTING:
        return
    execution.error = fact.error
    if now in (status.STARTED, status.GRANTED):
        frame.status[node] = status.STOPPING
    elif now == status.PARKED and frame.plan.kind[node] == PLACED:
        frame.status[node] = status.STOPPING
        asks_no_more(frame, node)


def doubted(state: State, frame: Frame, node: int, fact: facts.Doubted) -> None:
    execution = execution_of(frame, node)
    frame.status[node] = status.DOUBTED
    if not execution.is_stopped:
        execution.error, execution.message = fact.error, fact.message


def overdue(state: State, frame: Frame, node: int, fact: facts.Overdue) -> None:
    execution_of(frame, node).overdue += (fact.warning,)
