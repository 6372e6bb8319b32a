"""What each request of a caller does: it tells the kernel, writes rows beside the facts, and is answered.

A refusal is raised before anything has changed. Everything that must be read was read before (`weft.engine.needs`).
"""

import msgspec

from weft.engine import waking
from weft.engine.deciding import decide, seal
from weft.engine.definitions import Known
from weft.engine.following import settle, try_to
from weft.engine.live import Live
from weft.engine.parts import Parts
from weft.engine.problems import Elsewhere
from weft.engine.replying import reply
from weft.engine.requests import (
    Accepted,
    Await,
    Begin,
    Begun,
    Change,
    Declined,
    Deploy,
    Deployed,
    Heard,
    Remove,
    Send,
    Tell,
    Token,
    Unreadable,
    Whom,
)
from weft.engine.turn import Turn
from weft.kernel import commands
from weft.kernel.refusals import NotFitting, NotFound, NotRunning
from weft.kernel.state import State
from weft.model.definition import Process
from weft.model.json_form import to_json
from weft.store.rows import DefinitionRow, InstanceRow, KeyRow, SignalRow

_encode = msgspec.json.Encoder().encode


def the(core: Parts, turn: Turn, whom: Whom) -> Live:
    """The instance that a caller means. Raises `NotFound`, and `Elsewhere` if it is another node's."""
    instance = whom if isinstance(whom, int) else turn.holders.get(whom, 0)
    if instance and not core.ids.owns(instance):
        raise Elsewhere(instance)
    live = waking.live_of(core, turn, instance) if instance else None
    if live is None:
        raise NotFound(
            f"there is no instance {whom}"
            if isinstance(whom, int)
            else f"no instance of {whom[0]} has the key {whom[1]!r}"
        )
    return live


def deploy(core: Parts, turn: Turn, request: Deploy) -> None:
    known, is_new = deployed(core, turn, request.process, request.actor)
    row = known.row
    reply(turn, request.token, Deployed(row.process, row.version, row.hash, is_new))


def deployed(core: Parts, turn: Turn, process: Process, actor: str) -> tuple[Known, bool]:
    """The definition, deployed now if its content is new. Raises `NotAvailable` when its version has other content."""
    definitions = core.definitions
    hash = definitions.hash_of(process)
    same = definitions.of(process.name, process.version) if process.version else definitions.get(hash)
    if same is not None and same.hash != hash:
        raise NotFitting(
            f"{process.name} {process.version} is deployed with other content, and a version never changes: "
            "give this one another version"
        )
    if same is not None:
        return same, False
    number = definitions.next_number(process.name)
    row = DefinitionRow(process.name, process.version or str(number), number, hash, turn.now, actor, to_json(process))
    known = definitions.add(row, turn.now, process, is_newest=True)
    turn.deployed.append(known)
    turn.batch.definitions.append(row)
    return known, True


def begin(core: Parts, turn: Turn, request: Begin) -> None:
    name = (request.name, request.key)
    holder = turn.holders.get(name, 0) if request.key else 0
    if holder:
        if request.is_awaited:
            await_end(turn, the(core, turn, holder), request.token)
        else:
            reply(turn, request.token, Begun(holder, is_new=False))
        return
    if not core.ids.slots:
        raise Elsewhere(0)
    known = _asked_for(core, turn, request)
    row = InstanceRow(
        core.ids.next(turn.now),
        known.row.process,
        known.row.version,
        known.hash,
        "",
        False,
        turn.now,
        turn.now,
        request.key,
        responsible=request.responsible,
        priority=request.priority,
    )
    live = Live(row, known, State(), 0)
    decide(turn, live, commands.Start(request.inputs, request.set, request.seed))
    core.lives[live.id] = turn.touched[live.id] = live
    if request.key:
        turn.batch.keys[name] = KeyRow(*name, live.id)
        turn.holders[name] = live.id
        live.mailbox = None
    settle(core, turn, live)
    seal(turn, live, request.actor, "Start", core.ids)
    if request.is_awaited:
        await_end(turn, live, request.token)
    else:
        reply(turn, request.token, Begun(live.id))


def _asked_for(core: Parts, turn: Turn, request: Begin) -> Known:
    if request.process is not None:
        return deployed(core, turn, request.process, request.actor)[0]
    known = core.definitions.of(request.name, request.version)
    if known is None:
        version = f" in version {request.version}" if request.version else ""
        raise NotFound(f"no process {request.name!r}{version} is deployed")
    return known


def send(core: Parts, turn: Turn, request: Send) -> None:
    instance = request.whom if isinstance(request.whom, int) else turn.holders.get(request.whom, 0)
    if not instance:
        assert not isinstance(request.whom, int)
        if not core.ids.slots:
            raise Elsewhere(0)
        keep(core, turn, request, 0)
        turn.batch.keys.setdefault(request.whom, KeyRow(*request.whom, 0))
        reply(turn, request.token, Heard())
        return
    live = the(core, turn, instance)
    if live.ended is not None:
        raise NotRunning(f"instance {live.id} has ended: nobody will hear the signal {request.signal!r}")
    waiting = [work for signal, work in live.listening.values() if signal == request.signal]
    if not waiting or live.state.paused_at >= 0:
        keep(core, turn, request, live.id, live)
    for number, work in enumerate(waiting if live.state.paused_at < 0 else ()):
        if work.path in live.listening:  # another's occurrence may have withdrawn it
            command = commands.Complete(work.path, work.round, work.attempt, "", request.values)
            if number == 0:
                decide(turn, live, command)
            else:
                try_to(turn, live, command)
            settle(core, turn, live)
    seal(turn, live, request.actor, f"Signal {request.signal}", core.ids)
    reply(turn, request.token, Heard(live.id))


def keep(core: Parts, turn: Turn, request: Send, instance: int, live: Live | None = None) -> None:
    process, key = ("", "") if instance or isinstance(request.whom, int) else request.whom
    row = SignalRow(
        core.ids.next(turn.now),
        instance,
        process,
        key,
        request.signal,
        turn.now,
        request.actor,
        _encode(request.values),
    )
    turn.batch.signals[row.id] = row
    if live is not None and live.mailbox is not None:
        live.mailbox.append(row)


def tell(core: Parts, turn: Turn, request: Tell) -> None:
    live = the(core, turn, request.whom)
    decide(turn, live, request.command)
    follow(core, turn, live, request)


def follow(core: Parts, turn: Turn, live: Live, request: Tell | Change) -> None:
    settle(core, turn, live)
    name = type(request.command).__name__ if isinstance(request, Tell) else "Change"
    count = seal(turn, live, request.actor, name, core.ids)
    reply(turn, request.token, Accepted(count))


def change(core: Parts, turn: Turn, request: Change) -> None:
    live = the(core, turn, request.whom)
    if request.process is not None:
        known = deployed(core, turn, request.process, request.actor)[0]
    else:
        found = core.definitions.of(live.row.process, request.version)
        if found is None:
            raise NotFound(f"{live.row.process} {request.version} is not deployed")
        known = found
    decide(turn, live, commands.Change(known.hash, known.process))
    live.current = known
    follow(core, turn, live, request)


def wait(core: Parts, turn: Turn, request: Await) -> None:
    await_end(turn, the(core, turn, request.whom), request.token)


def await_end(turn: Turn, live: Live, token: Token) -> None:
    """Answers how it ended, now or, if it ends later, then."""
    if live.row.ended is not None:
        reply(turn, token, waking.ending(live))
    else:
        turn.waits.append((live.id, token))


def remove(core: Parts, turn: Turn, request: Remove) -> None:
    """Removes those that are this node's, and tells where to go on if there are others."""
    mine = [instance for instance in request.instances if core.ids.owns(instance)]
    turn.batch.removed += mine
    for instance in mine:
        core.lives.pop(instance, None)
    other = next((instance for instance in request.instances if not core.ids.owns(instance)), 0)
    if other:
        reply(turn, request.token, Declined(Elsewhere.__name__, str(Elsewhere(other)), other))
    else:
        reply(turn, request.token, Accepted(len(mine)))


def unreadable(core: Parts, turn: Turn, request: Unreadable) -> None:
    reply(turn, request.token, Declined("Broken", request.message))
