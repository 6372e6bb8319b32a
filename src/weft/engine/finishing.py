"""The end of a turn: what the facts mean for the rows beside them, for each instance that the turn touched."""

from typing import Final

import msgspec

from weft.engine.live import Live
from weft.engine.parts import Parts
from weft.engine.replying import reply
from weft.engine.requests import Mail
from weft.engine.turn import Turn
from weft.engine.waking import ending
from weft.kernel import snapshot, status
from weft.kernel.effect_types import Ask
from weft.kernel.outstanding import outstanding
from weft.store.rows import InstanceRow, KeyRow, SnapshotRow, VariableRow

RUNNING: Final = "running"
WAITING: Final = "waiting"
STUCK: Final = "stuck"
SUSPENDED: Final = "suspended"
COMMITTED: Final = "committed"
ABORTED: Final = "aborted"
STATES: Final = (RUNNING, WAITING, STUCK, SUSPENDED, COMMITTED, ABORTED)

_encode = msgspec.json.Encoder(order="deterministic").encode


def finish(core: Parts, turn: Turn) -> None:
    unfinished = turn.unfinished() if turn.later else set()
    for live in turn.touched.values():
        if live.ended is not None and live.row.ended is None:
            end(core, turn, live)
        else:
            stand(turn, live, live.id in unfinished)
            if live.log_bytes >= core.settings.snapshot_bytes_min and live.log_bytes >= live.snapshot_bytes:
                keep_snapshot(turn, live)
        if live.current.process.searchable:
            keep_searchable(turn, live)


def stand(turn: Turn, live: Live, is_unfinished: bool) -> None:
    """Its row, if it tells something else than before."""
    row = live.row
    is_active = bool(live.busy or live.unable or is_unfinished or live.state.unsettled)
    state = standing(live)
    if row.state != state or row.is_active != is_active or row.version != live.current.row.version:
        write(turn, live, state, is_active)


def standing(live: Live) -> str:
    if live.row.ended is not None:
        return live.row.state
    if live.state.paused_at >= 0:
        return SUSPENDED
    if live.asks:
        live.asks = is_asked(live)
        if live.asks:
            return STUCK
    return RUNNING if live.busy else WAITING


def is_asked(live: Live) -> bool:
    """Must a person decide something before it can go on? More items for an open each are no such thing."""
    asked = (one for one in outstanding(live.plan, live.state) if type(one) is Ask)
    return any(one.why != "engine.open" for one in asked)


def write(turn: Turn, live: Live, state: str, is_active: bool) -> None:
    row = live.row
    ended = None if live.ended is None else live.state.time
    live.row = turn.batch.instances[live.id] = InstanceRow(
        live.id,
        row.process,
        live.current.row.version,
        row.hash,
        state,
        is_active,
        row.started,
        turn.now,
        row.key,
        row.ended if row.ended is not None else ended,
        live.ended.outcome if live.ended is not None else "",
        live.ended.error if live.ended is not None else "",
        row.responsible,
        row.priority,
    )


def end(core: Parts, turn: Turn, live: Live) -> None:
    """It has ended: nothing of it waits any more, its key is kept for a while, and those who wait for the end hear."""
    root = live.state.root
    assert root is not None
    write(turn, live, COMMITTED if root.status[0] == status.COMMITTED else ABORTED, bool(live.state.unsettled))
    batch = turn.batch
    for timers in live.timers.values():
        for name in timers:
            batch.timers[live.id, name] = None
    if live.mailbox is None:  # what is kept for it is not known yet: the next turn looks
        turn.later.append(Mail(live.id))
    for row in live.mailbox or ():
        batch.signals[row.id] = None
    for path, round in live.checkpoints:
        batch.work[live.id, path, round, 0] = None
    live.timers, live.mailbox, live.checkpoints = {}, [], {}
    if live.snapshot_bytes:
        batch.snapshots[live.id] = None
    if live.row.key:
        key = (live.row.process, live.row.key)
        batch.keys[key] = KeyRow(*key, live.id, turn.now + core.settings.key_seconds)
    for about in live.busy:
        core.queues.discard(about)
    for token in [*core.waiters.get(live.id, ()), *(token for id, token in turn.waits if id == live.id)]:
        reply(turn, token, ending(live))


def keep_snapshot(turn: Turn, live: Live) -> None:
    payload = snapshot.dump(live.plan, live.state)
    turn.batch.snapshots[live.id] = SnapshotRow(live.id, live.sequence, live.state.time, snapshot.FORMAT, payload)
    live.log_bytes, live.snapshot_bytes = 0, len(payload)


def keep_searchable(turn: Turn, live: Live) -> None:
    root = live.state.root
    execution = root.execution[0] if root is not None else None
    if execution is None or execution.body is None:
        return
    variables = execution.body.variables
    for name in live.current.process.searchable:
        if name in variables:
            value = _encode(variables[name]).decode()
            if live.searchable.get(name) != value:
                live.searchable[name] = value
                turn.batch.variables[live.id, name] = VariableRow(live.id, name, value)
