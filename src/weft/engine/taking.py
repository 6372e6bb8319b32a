"""What each kind of input does: for requests see `weft.engine.requesting`; here are the answers of work, and our own.

A refusal is answered and changes nothing. Everything that must be read was read before the turn (`weft.engine.needs`).
"""

from collections.abc import Callable
from typing import Final, cast

import msgspec

from weft.engine import following, requesting, waking
from weft.engine.deciding import decide, seal
from weft.engine.following import settle, take_kept, try_to
from weft.engine.live import Live
from weft.engine.loading import SAVED
from weft.engine.parts import Parts
from weft.engine.problems import Elsewhere
from weft.engine.replying import reply
from weft.engine.requests import (
    Accepted,
    Await,
    Begin,
    Change,
    Collect,
    Declined,
    Deploy,
    Fire,
    LookUp,
    Mail,
    Remove,
    Revive,
    Send,
    Sweep,
    Tell,
    Unreadable,
)
from weft.engine.timing import command_of, path_of
from weft.engine.turn import GoOn, Input, Ready, Turn
from weft.handlers.jobs import OUTPUT, Beat, Begun, Confirmed, Done, Failed, Lost, Marked, Saved
from weft.kernel import commands
from weft.kernel.commands import Command
from weft.kernel.refusals import NotDeclared, NotFitting, Refused
from weft.store.rows import WorkRow

_encode = msgspec.json.Encoder().encode


# What the engine says to itself.


def fire(core: Parts, turn: Turn, fire: Fire) -> None:
    timer = fire.timer
    turn.batch.timers[timer.instance, timer.name] = None
    live = waking.live_of(core, turn, timer.instance)
    if live is None:
        return
    path = path_of(timer.name)
    timers = live.timers.get(path, {})
    due = timers.get(timer.name)
    if due != timer.due:  # it was cleared, or set anew
        if due is not None:
            del turn.batch.timers[timer.instance, timer.name]
        return
    del timers[timer.name]
    if not timers:
        del live.timers[path]
    say(core, turn, live, command_of(timer.name))


def say(core: Parts, turn: Turn, live: Live, command: Command) -> None:
    """A command of the engine's own; nobody hears of its refusal."""
    try_to(turn, live, command)
    settle(core, turn, live)
    seal(turn, live, "", type(command).__name__, core.ids)


def revive(core: Parts, turn: Turn, revive: Revive) -> None:
    waking.live_of(core, turn, revive.instance)


def mail(core: Parts, turn: Turn, mail: Mail) -> None:
    live = waking.live_of(core, turn, mail.instance)
    if live is None or not live.mailbox:
        return
    if live.row.ended is not None:  # nobody will hear them
        turn.batch.signals.update(dict.fromkeys((row.id for row in live.mailbox), None))
        live.mailbox.clear()
        return
    for row in list(live.mailbox):
        listening = (work for signal, work in live.listening.values() if signal == row.name)
        work = next(listening, None)
        if work is not None and live.state.paused_at < 0:
            take_kept(turn, live, work, row)
            settle(core, turn, live)
            seal(turn, live, row.actor, f"Signal {row.name}", core.ids)


def collect(core: Parts, turn: Turn, request: Collect) -> None:
    requesting.the(core, turn, request.whom)
    mail(core, turn, Mail(request.whom))
    reply(turn, request.token, Accepted())


def look_up(core: Parts, turn: Turn, wanted: LookUp) -> None:
    live = waking.live_of(core, turn, wanted.instance)
    if live is not None:
        following.bind(core, turn, live, wanted)
        settle(core, turn, live)
        seal(turn, live, "", "Bind", core.ids)


def go_on(core: Parts, turn: Turn, rest: GoOn) -> None:
    live = waking.live_of(core, turn, rest.instance)
    if live is not None:
        settle(core, turn, live)
        if rest.is_short:
            try_to(turn, live, commands.Continue())
            settle(core, turn, live)
        seal(turn, live, "", "Continue", core.ids)


def ready(core: Parts, turn: Turn, ready: Ready) -> None:
    about = ready.about
    live = waking.live_of(core, turn, about[0])
    if live is None or about in core.jobs:
        return
    work = following.work_at(live, about)
    task = following.task_at(live, about[1]) if work is not None else None
    if work is None or task is None:
        if about not in turn.begun:
            live.busy.discard(about)
        return
    if turn.rooms.get(ready.lane, 0) <= 0:
        core.queues.add(ready.lane, about, live.row.priority + task.priority)
        return
    following.begin(core, turn, live, task, work, about, ready.lane)
    settle(core, turn, live)
    seal(turn, live, "", "Begin", core.ids)


def sweep(core: Parts, turn: Turn, sweep: Sweep) -> None:
    turn.batch.sweep_before = sweep.before


# Answers of those who work.


def done(core: Parts, turn: Turn, answer: Done) -> None:
    live = answered(core, turn, answer)
    job = answer.job
    if answer.outcome in job.holds:
        core.held[job.about] = job
    if live is None:
        turn.stops += [job.about] if job.holds else []
        return
    try:
        decide(turn, live, commands.Complete(job.path, job.round, job.attempt, answer.outcome, answer.values))
    except (NotDeclared, NotFitting) as refused:
        turn.stops += [job.about] if job.holds else []
        try_to(turn, live, commands.Fail(job.path, job.round, job.attempt, OUTPUT, str(refused)))
    except Refused:
        turn.stops += [job.about] if job.holds else []
        return
    settle(core, turn, live)
    seal(turn, live, "", "Complete", core.ids)


def confirmed(core: Parts, turn: Turn, answer: Confirmed) -> None:
    live = answered(core, turn, answer)
    if live is not None:
        say(core, turn, live, commands.Confirm(answer.job.path, answer.job.round, answer.job.attempt))


def answered(core: Parts, turn: Turn, answer: Done | Failed | Lost | Confirmed) -> Live | None:
    """The instance of an attempt that has ended; None when nobody waits for it any more."""
    job = answer.job
    about = job.about
    if about not in core.jobs:
        return None
    turn.over.append(about)
    live = waking.live_of(core, turn, job.instance)
    if live is not None:
        live.busy.discard(about)
    return live


def failed(core: Parts, turn: Turn, answer: Failed) -> None:
    live = answered(core, turn, answer)
    if live is not None:
        if answer.exception is not None:
            live.exceptions[answer.error] = answer.exception
        job = answer.job
        say(core, turn, live, commands.Fail(job.path, job.round, job.attempt, answer.error, answer.message))


def lost(core: Parts, turn: Turn, answer: Lost) -> None:
    live = answered(core, turn, answer)
    if live is not None:
        say(core, turn, live, commands.LeaseEnded(answer.job.path, answer.job.round, answer.job.attempt))


def marked(core: Parts, turn: Turn, answer: Marked) -> None:
    job = answer.job
    live = waking.live_of(core, turn, job.instance) if job.about in core.jobs else None
    if live is not None:
        say(core, turn, live, commands.Mark(job.path, job.round, job.attempt, answer.name, answer.values))


def saved(core: Parts, turn: Turn, answer: Saved) -> None:
    job = answer.job
    live = waking.live_of(core, turn, job.instance) if job.about in core.jobs else None
    if live is not None:
        live.checkpoints[job.path, job.round] = answer.checkpoint
        turn.batch.work[live.id, job.path, job.round, 0] = WorkRow(
            live.id, job.path, job.round, 0, job.task.name, SAVED, turn.now, payload=_encode(answer.checkpoint)
        )


def beat(core: Parts, turn: Turn, answer: Beat | Begun) -> None:
    """Whoever watches over the time limits has heard it."""


Take = Callable[[Parts, Turn, Input], None]

TAKES: Final = cast(
    dict[type, Take],
    {
        Done: done,
        Confirmed: confirmed,
        Failed: failed,
        Lost: lost,
        Marked: marked,
        Saved: saved,
        Beat: beat,
        Begun: beat,
        Ready: ready,
        Fire: fire,
        Revive: revive,
        Mail: mail,
        Collect: collect,
        LookUp: look_up,
        GoOn: go_on,
        Deploy: requesting.deploy,
        Begin: requesting.begin,
        Send: requesting.send,
        Tell: requesting.tell,
        Change: requesting.change,
        Await: requesting.wait,
        Remove: requesting.remove,
        Unreadable: requesting.unreadable,
        Sweep: sweep,
    },
)


def take(core: Parts, turn: Turn, input: Input) -> None:
    """One input. Its refusal is its answer."""
    try:
        TAKES[type(input)](core, turn, input)
    except Refused as refused:
        instance = refused.instance if isinstance(refused, Elsewhere) else 0
        reply(turn, getattr(input, "token", None), Declined(type(refused).__name__, str(refused), instance))
