"""An instance that was just loaded: what waits, listens and runs is found in its state, and what was lost is told."""

from weft.engine.deciding import decide, seal
from weft.engine.following import FOLLOWS, settle, task_at
from weft.engine.live import Live
from weft.engine.parts import Parts
from weft.engine.requests import Ending
from weft.engine.turn import Turn
from weft.kernel import commands, status
from weft.kernel.effect_types import Dispatch, Timer
from weft.kernel.outstanding import outstanding, running
from weft.model import definition


def live_of(core: Parts, turn: Turn, instance: int) -> Live | None:
    """An instance for this turn; None when there is none with this id."""
    live = turn.touched.get(instance)
    if live is None:
        live = core.lives.get(instance)
        if live is not None:
            turn.touched[instance] = live
            if live.is_asleep:
                wake(core, turn, live)
    return live


def wake(core: Parts, turn: Turn, live: Live) -> None:
    """Its timers run in the store already. Work that began and that nobody here does any more is lost."""
    rest = []
    for effect in outstanding(live.plan, live.state):
        if is_time(live, effect):
            FOLLOWS[type(effect)](core, turn, live, effect)
        else:
            rest.append(effect)
    live.is_asleep = False
    live.asked.extend(rest)
    for path, round, attempt in list(running(live.plan, live.state)):
        about = live.id, path, round, attempt
        if about in core.jobs:
            live.busy.add(about)
        else:
            decide(turn, live, commands.LeaseEnded(path, round, attempt))
    settle(core, turn, live)
    seal(turn, live, "", "LeaseEnded", core.ids)


def is_time(live: Live, effect: object) -> bool:
    if type(effect) is Dispatch:
        task = task_at(live, effect.path)
        return task is not None and type(task.handler) is definition.Timer
    return type(effect) is Timer


def ending(live: Live) -> Ending:
    """How it ended."""
    root = live.state.root
    assert root is not None
    execution = root.execution[0]
    assert execution is not None
    return Ending(
        live.id,
        live.row.process,
        execution.outcome,
        root.status[0] == status.COMMITTED,
        execution.values,
        execution.error,
        execution.message,
        live.exceptions.get(execution.error),
    )
