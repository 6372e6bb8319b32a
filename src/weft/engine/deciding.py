"""One input's decision about an instance, with all that follows from it at once: one row of the log.

`decide` asks the kernel, and `seal` makes the row of what was told since the last. In between, the effects are followed
by `weft.engine.following`. What runs by time or listens is kept true here, by the facts.
"""

from typing import Final

from weft.engine.ids import Ids
from weft.engine.live import Live
from weft.engine.records import INLINE_BYTES, encode, parted
from weft.engine.timing import is_occurrence
from weft.engine.turn import Turn
from weft.handlers.jobs import About
from weft.kernel import facts
from weft.kernel.commands import Command
from weft.kernel.decide import apply
from weft.kernel.facts import AnyFact
from weft.kernel.outstanding import effects
from weft.kernel.refusals import Refused
from weft.store.rows import BlobRow, FactRow

ENDING: Final = frozenset(
    (
        facts.Committed,
        facts.Aborted,
        facts.Skipped,
        facts.Failed,
        facts.Stopping,
        facts.Doubted,
        facts.Parked,
        facts.TakingBack,
        facts.Withdrawn,
    )
)
"""After these nothing of their execution waits for time or a signal, but for what their effects ask anew."""

PAUSING: Final = frozenset((facts.Suspended, facts.Changed))


def decide(turn: Turn, live: Live, command: Command) -> None:
    """Has the kernel decide. Raises `Refused`, and then nothing has changed."""
    state, before = live.state, live.state.time
    if turn.now > before:
        state.time = turn.now
    try:
        told = apply(live.plan, state, command)
    except Refused:
        state.time = before
        raise
    live.told += told
    if live.timers or live.listening or live.checkpoints:
        quiet(turn, live, told)
    if turn.held:
        roll_back(turn, live, told)
    live.asked += effects(live.plan, state, told)


def roll_back(turn: Turn, live: Live, told: list[AnyFact]) -> None:
    """A transaction that was held is not wanted any more."""
    for fact in told:
        if type(fact) is facts.Aborted:
            about = live.id, fact.path, fact.round, fact.attempt
            if about in turn.held:
                turn.stops.append(about)


def quiet(turn: Turn, live: Live, told: list[AnyFact]) -> None:
    for fact in told:
        kind = type(fact)
        if kind in ENDING:
            live.listening.pop(fact.path, None)
            if fact.path in live.timers:
                clear(turn, live, fact.path)
            if live.checkpoints and kind in (facts.Committed, facts.Aborted):
                drop_checkpoint(turn, live, fact.path, fact.round)
        elif kind in PAUSING:
            is_paused = kind is facts.Suspended
            if is_paused:
                live.listening.clear()
            for path in list(live.timers):
                clear(turn, live, path, keep_occurrences=not is_paused)


def clear(turn: Turn, live: Live, path: str, keep_occurrences: bool = False) -> None:
    """The timers of a path run no more."""
    timers = live.timers[path]
    for name in list(timers):
        if not (keep_occurrences and is_occurrence(name)):
            del timers[name]
            turn.batch.timers[live.id, name] = None
    if not timers:
        del live.timers[path]


def drop_checkpoint(turn: Turn, live: Live, path: str, round: int) -> None:
    if live.checkpoints.pop((path, round), None) is not None:
        turn.batch.work[live.id, path, round, 0] = None


def seal(turn: Turn, live: Live, actor: str, command: str, ids: Ids) -> int:
    """The row of all that was told since the last one; how many facts it has."""
    told = live.told
    if not told:
        return 0
    payload = encode(told)
    if len(payload) > INLINE_BYTES:
        payload, blobs = parted(payload, lambda: ids.next(turn.now))
        turn.batch.blobs += [BlobRow(id, live.id, turn.now, data) for id, data in blobs.items()]
    row = FactRow(live.id, live.sequence + 1, len(told), live.state.time, actor, command, facts.FORMAT, payload)
    turn.batch.facts.append(row)
    live.sequence += row.count
    live.log_bytes += len(payload)
    live.told = []
    return row.count


def about(live: Live, path: str, round: int, attempt: int) -> About:
    return live.id, path, round, attempt
