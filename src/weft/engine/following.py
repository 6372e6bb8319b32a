"""What each effect means for the engine: work to begin, timers to set, signals to listen for, calls to look up.

An effect may come when what it was about is over, since others were followed before; the kernel then refuses.
"""

from collections.abc import Callable
from typing import Final, cast

import msgspec

from weft.engine import deciding
from weft.engine.deciding import decide
from weft.engine.live import Live
from weft.engine.parts import Parts
from weft.engine.requests import LookUp, Mail
from weft.engine.timing import name_of, occurrence
from weft.engine.turn import GoOn, Turn
from weft.handlers.jobs import OUTPUT, About, Job
from weft.kernel import commands, effect_types, status
from weft.kernel.commands import Command
from weft.kernel.committing import is_exclusive
from weft.kernel.effect_types import AnyEffect, Dispatch
from weft.kernel.refusals import Refused
from weft.kernel.state import find
from weft.model import definition
from weft.model.definition import Assign, Net, Signal, Task
from weft.model.expressions import ExpressionError
from weft.store.rows import SignalRow, TimerRow

_values = msgspec.json.Decoder(dict[str, object])

FOLLOWED_MAX: Final = 1_000
"""Effects that one input follows; what is left then waits for the next turn, so that nobody holds up the others."""


def settle(core: Parts, turn: Turn, live: Live) -> None:
    """Follows every effect that is open, and what comes of that."""
    asked, left = live.asked, FOLLOWED_MAX
    while asked:
        if left == 0:
            turn.later.append(GoOn(live.id))
            return
        left -= 1
        effect = asked.popleft()
        if core.rooms:
            turn.effects.append((live.id, effect))
        FOLLOWS[type(effect)](core, turn, live, effect)
        if turn.has_queued and not asked:
            begin_queued(core, turn, live)


def begin_queued(core: Parts, turn: Turn, live: Live) -> None:
    """What this instance queued begins, the most urgent first, as far as there is room and no other's comes before.

    Another instance is not in this turn's hands; what it has in the queue is taken first by the next.
    """
    turn.has_queued = False
    for lane, about in core.queues.take(turn.rooms, live.id):
        task, work = task_at(live, about[1]), work_at(live, about)
        if task is not None and work is not None:
            begin(core, turn, live, task, work, about, lane)
        else:
            live.busy.discard(about)


def try_to(turn: Turn, live: Live, command: Command) -> bool:
    """For what may come too late; False if it was refused."""
    try:
        decide(turn, live, command)
    except Refused:
        return False
    return True


def task_at(live: Live, path: str) -> Task | None:
    """The task that a path leads to, be it one that a net only offers."""
    offer = live.state.offers.get(path) if live.state.offers else None
    if offer is None:
        place = find(live.state, path)
        activity = place[0].plan.activity[place[1]] if place is not None else None
    else:
        frame, node, number = offer
        net, execution = frame.plan.activity[node], frame.execution[node]
        assert isinstance(net, Net)
        assert execution is not None
        assert execution.body is not None
        activity = net.transitions[execution.body.firings[number].transition].operation
    return activity if isinstance(activity, Task) else None


def work_at(live: Live, about: About) -> Dispatch | None:
    """The work that is ready there, if it is this attempt; else None."""
    _, path, round, attempt = about
    offer = live.state.offers.get(path)
    if offer is not None:
        frame, node, number = offer
        body = frame.execution[node].body  # type: ignore[union-attr]
        return Dispatch(path, round, attempt, body.firings[number].inputs)  # type: ignore[union-attr]
    place = find(live.state, path)
    if place is None or place[0].status[place[1]] != status.READY or place[0].rounds[place[1]] != round:
        return None
    execution = place[0].execution[place[1]]
    if execution is None or execution.attempt != attempt:
        return None
    return Dispatch(path, round, attempt, execution.inputs)


# Tasks that are ready, by the kind of their handler.


def dispatch(core: Parts, turn: Turn, live: Live, work: Dispatch) -> None:
    task = task_at(live, work.path)
    if task is not None:
        KINDS[type(task.handler)](core, turn, live, task, work)


def queue(core: Parts, turn: Turn, live: Live, task: Task, work: Dispatch) -> None:
    """Work for hands: it begins now if there is a place and nothing more urgent waits for it."""
    lane = core.hands.lane(task, live.current.process)
    if not lane:
        live.unable[work.path] = core.hands.why_not(task, live.current.process)
        return
    about = live.id, work.path, work.round, work.attempt
    priority = live.row.priority + task.priority
    room = turn.rooms.setdefault(lane, 0 if core.is_closing else 1)
    if room > len(live.asked) and core.queues.is_first(lane, priority):
        begin(core, turn, live, task, work, about, lane)
    elif about not in core.jobs:
        live.busy.add(about)
        core.queues.add(lane, about, priority)
        turn.has_queued = room > 0


def begin(core: Parts, turn: Turn, live: Live, task: Task, work: Dispatch, about: About, lane: str) -> None:
    """Work begins, unless the kernel says that it may not: then it is offered again when it may."""
    _, path, round, attempt = about
    if core.ids.is_leaving(live.id):  # the node that gets its slot begins it
        live.busy.add(about)
        return
    if not try_to(turn, live, commands.Begin(path, round, attempt)):
        live.busy.discard(about)
        return
    live.busy.add(about)
    turn.begun.add(about)
    turn.rooms[lane] -= 1
    checkpoint = live.checkpoints.get((path, round)) if live.checkpoints else None
    key = f"{live.id}/{path}@{round}" if round else f"{live.id}/{path}"
    holds = held_outcomes(live, task, path) if task.transaction != "none" else ()
    process = live.current.process
    turn.jobs.append(Job(task, live.id, path, round, attempt, key, work.inputs, checkpoint, process, holds))


def held_outcomes(live: Live, task: Task, path: str) -> tuple[str, ...]:
    """With which outcomes a transaction waits for leave: those that have a guard; in an exclusive flow all."""
    place = find(live.state, path)
    if place is None or not has_resource(task):
        return ()
    frame, node = place
    if is_exclusive(frame, node):
        return tuple(one.name for one in task.outcomes if one.kind == "commit")
    return tuple(frame.plan.leave.get(node, ()))


def has_resource(task: Task) -> bool:
    """Whether its work is a transaction of a resource, which must be told to commit."""
    return task.transaction == "transactional" and (task.resource != "" or isinstance(task.handler, definition.Sql))


def offer(core: Parts, turn: Turn, live: Live, task: Task, work: Dispatch) -> None:
    """Work for people waits for them, and for what the rooms make of it."""


def wait(core: Parts, turn: Turn, live: Live, task: Task, work: Dispatch) -> None:
    handler = cast(definition.Timer, task.handler)
    given = work.inputs.get("seconds")
    seconds = float(given) if isinstance(given, int | float) else handler.seconds
    place = find(live.state, work.path)
    execution = place[0].execution[place[1]] if place is not None else None
    since = live.state.clock if execution is None else execution.since
    set_timer(turn, live, work.path, occurrence(work), since + seconds)


def listen(core: Parts, turn: Turn, live: Live, task: Task, work: Dispatch) -> None:
    signal = cast(Signal, task.handler)
    live.listening[work.path] = signal.signal, work
    if not signal.keep:
        return
    if live.mailbox is None:
        turn.later.append(Mail(live.id))
        return
    kept = next((row for row in live.mailbox if row.name == signal.signal), None)
    if kept is not None:
        take_kept(turn, live, work, kept)


def take_kept(turn: Turn, live: Live, work: Dispatch, kept: SignalRow) -> None:
    """A signal that was kept is for this task; if it can't take it, the task has failed and the signal is gone."""
    assert live.mailbox is not None
    live.mailbox.remove(kept)
    turn.batch.signals[kept.id] = None
    live.listening.pop(work.path, None)
    about = work.path, work.round, work.attempt
    try:
        decide(turn, live, commands.Complete(*about, "", values_of(kept)))
    except Refused as refused:
        if try_to(turn, live, commands.Begin(*about)):
            try_to(turn, live, commands.Fail(*about, OUTPUT, str(refused)))


def values_of(kept: SignalRow) -> dict[str, object]:
    return _values.decode(kept.payload)


def assign(core: Parts, turn: Turn, live: Live, task: Task, work: Dispatch) -> None:
    about = work.path, work.round, work.attempt
    if not try_to(turn, live, commands.Begin(*about)):
        return
    place = find(live.state, work.path)
    assert place is not None
    library = place[0].plan.library
    handler = cast(Assign, task.handler)
    try:
        values = {name: library.expression(text)(work.inputs) for name, text in handler.objects.items()}
        decide(turn, live, commands.Complete(*about, "", values))
    except ExpressionError as error:
        try_to(turn, live, commands.Fail(*about, "engine.expression", str(error)))
    except Refused as refused:
        try_to(turn, live, commands.Fail(*about, OUTPUT, str(refused)))


# The other effects.


def withdraw(core: Parts, turn: Turn, live: Live, effect: effect_types.Withdraw) -> None:
    path = effect.path
    live.unable.pop(path, None)
    live.listening.pop(path, None)
    if path in live.timers:
        deciding.clear(turn, live, path)
    for about in [one for one in live.busy if one[1] == path and one not in core.jobs]:
        live.busy.discard(about)
        core.queues.discard(about)


def stop(core: Parts, turn: Turn, live: Live, effect: effect_types.Stop) -> None:
    live.unable.pop(effect.path, None)
    about = live.id, effect.path, effect.round, effect.attempt
    if about in live.busy:
        core.queues.discard(about)
        turn.stops.append(about)
        if not effect.awaited:
            live.busy.discard(about)


def confirm(core: Parts, turn: Turn, live: Live, effect: effect_types.Commit) -> None:
    about = live.id, effect.path, effect.round, effect.attempt
    task = task_at(live, effect.path)
    if task is None or not has_resource(task):
        try_to(turn, live, commands.Confirm(effect.path, effect.round, effect.attempt))
    elif about not in turn.begun and (about not in core.jobs or about in turn.over):  # not told already
        turn.begun.add(about)
        turn.commits.append(core.held.get(about) or Job(task, *about, process=live.current.process))


def settle_branch(core: Parts, turn: Turn, live: Live, effect: effect_types.SettleBranch) -> None:
    try_to(turn, live, commands.Settle(effect.path, effect.round, effect.attempt))


def ask(core: Parts, turn: Turn, live: Live, effect: effect_types.Ask) -> None:
    live.asks = True


def go_on(core: Parts, turn: Turn, live: Live, effect: effect_types.Continue) -> None:
    """The rest of a long decision is for the next turn, so that others have theirs in between."""
    turn.later.append(GoOn(live.id, is_short=True))


def time(core: Parts, turn: Turn, live: Live, effect: effect_types.Timer) -> None:
    set_timer(turn, live, effect.path, name_of(effect), effect.due_seconds)


def set_timer(turn: Turn, live: Live, path: str, name: str, due_seconds: float) -> None:
    """Sets a timer by the instance's clock, which lags behind by its pauses."""
    due = due_seconds + live.state.paused
    timers = live.timers.setdefault(path, {})
    if timers.get(name) != due:
        timers[name] = due
        if not live.is_asleep:
            turn.batch.timers[live.id, name] = TimerRow(live.id, name, due)


def look_up(core: Parts, turn: Turn, live: Live, effect: effect_types.Lookup) -> None:
    about = effect.path, effect.round, effect.attempt
    if not core.definitions.is_fresh(effect.process, effect.version, turn.now):
        turn.later.append(LookUp(live.id, *about, effect.process, effect.version))
        return
    bind(core, turn, live, LookUp(live.id, *about, effect.process, effect.version))


def bind(core: Parts, turn: Turn, live: Live, wanted: LookUp) -> None:
    about = wanted.path, wanted.round, wanted.attempt
    found = core.definitions.of(wanted.process, wanted.version)
    if found is not None:
        try_to(turn, live, commands.Bind(*about, found.hash, found.process))
        return
    version = f" in version {wanted.version}" if wanted.version else ""
    message = (
        f"no process {wanted.process!r}{version} is known here: deploy it, "
        f"or give it beside the one that calls it: weft.run({live.row.process}, {wanted.process}, …)"
    )
    try_to(turn, live, commands.Fail(*about, "engine.no_process", message))


def ended(core: Parts, turn: Turn, live: Live, effect: effect_types.Ended) -> None:
    live.ended = effect
    turn.ended.append(live)


def elsewhere(core: Parts, turn: Turn, live: Live, effect: AnyEffect) -> None:
    raise AssertionError(f"an instance in one group asked for {effect!r}")


Follow = Callable[[Parts, Turn, Live, AnyEffect], None]
Kind = Callable[[Parts, Turn, Live, Task, Dispatch], None]

FOLLOWS: Final = cast(
    dict[type, Follow],
    {
        Dispatch: dispatch,
        effect_types.Withdraw: withdraw,
        effect_types.Stop: stop,
        effect_types.Commit: confirm,
        effect_types.SettleBranch: settle_branch,
        effect_types.Ask: ask,
        effect_types.Continue: go_on,
        effect_types.Timer: time,
        effect_types.Lookup: look_up,
        effect_types.Ended: ended,
        effect_types.Place: elsewhere,
        effect_types.Drain: elsewhere,
        effect_types.Reverse: elsewhere,
    },
)

KINDS: Final[dict[type, Kind]] = {
    definition.Function: queue,
    definition.Named: queue,
    definition.Command: queue,
    definition.Http: queue,
    definition.Sql: queue,
    definition.Read: queue,
    definition.Person: offer,
    definition.Group: offer,
    definition.Timer: wait,
    definition.Signal: listen,
    Assign: assign,
}
