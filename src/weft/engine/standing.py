"""How an instance that has not ended stands, in words: what it waits for, or what is in the way."""

from weft.engine.following import task_at
from weft.engine.live import Live
from weft.engine.result import Result, RunStatus
from weft.kernel.effect_types import AnyEffect, Ask, Dispatch, Lookup, Stop, Timer
from weft.kernel.flow import in_the_way
from weft.kernel.outstanding import outstanding
from weft.kernel.state import find
from weft.model.definition import Group, Person, Signal
from weft.model.definition import Timer as TimerHandler


def standing_of(live: Live) -> Result:
    open_effects = outstanding(live.plan, live.state)
    stuck = [one for one in open_effects if isinstance(one, Ask) and one.why == "engine.stuck"]
    standing: RunStatus = "stuck" if stuck else "waiting"
    words = [waiting for effect in stuck or open_effects if (waiting := waits_for(live, effect))]
    words += ["resume"] if live.state.paused_at >= 0 else []
    error = "engine.stuck" if stuck else ""
    return Result(live.row.process, standing, error=error, waits=tuple(dict.fromkeys(words)), instance=live.id)


def waits_for(live: Live, effect: AnyEffect) -> str:
    """What one open effect waits for; nothing for those that wait for nobody."""
    match effect:
        case Dispatch(path):
            return _work(live, path)
        case Ask(path, why="engine.stuck"):
            place = find(live.state, path)
            assert place is not None
            return f"{path} can't go on: {', '.join(in_the_way(*place))}"
        case Ask(path, why="engine.open"):
            return f"more items for {path}, or its end"
        case Ask(path, why=why):
            return f"somebody to decide about {path}, which failed with {why or 'an error'}"
        case Timer(path, kind="retry"):
            return f"the next attempt of {path}"
        case Stop(path):
            return f"{path} to stop"
        case Lookup(path):
            return f"the process that {path} calls"
        case _:
            return ""


def _work(live: Live, path: str) -> str:
    task = task_at(live, path)
    match task.handler if task is not None else None:
        case Person(role):
            return f"{path} (a task for {'the role ' + role if role else 'people'})"
        case Group(users, role):
            return f"{path} (a task for {'the role ' + role if role else ', '.join(users) or 'people'} together)"
        case Signal(signal):
            return f"the signal {signal!r} ({path})" if signal != path else f"the signal {signal!r}"
        case TimerHandler():
            return f"the timer {path}"
        case _:
            return f"{path}: {live.unable[path]}" if path in live.unable else f"{path} to begin"
