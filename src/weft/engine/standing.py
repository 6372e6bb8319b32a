"""How an instance stands, in words: whether it has ended, and else what it waits for or what is in the way."""

from collections.abc import Mapping

from weft.engine.instance import Instance
from weft.engine.result import Result, RunStatus
from weft.kernel import facts, status
from weft.kernel.effect_types import AnyEffect, Ask, Dispatch, Lookup, Stop, Timer
from weft.kernel.outstanding import outstanding
from weft.model.definition import Group, Person, Signal
from weft.model.definition import Timer as TimerHandler


def result_of(instance: Instance, exceptions: Mapping[str, BaseException]) -> Result:
    name = instance.process.name
    told = tuple(fact for _, decided in instance.decisions for fact in decided)
    root = instance.state.root
    ended = instance.ended
    if ended is not None:
        assert root is not None
        execution = root.execution[0]
        return Result(
            name,
            "ended",
            ended.outcome,
            ended.values,
            ended.error,
            execution.message if execution is not None else "",
            lambda: told,
            committed=root.status[0] == status.COMMITTED,
            exception=exceptions.get(ended.error),
        )
    open_effects = outstanding(instance.plan, instance.state)
    stuck = [one for one in open_effects if isinstance(one, Ask) and one.why == "engine.stuck"]
    standing: RunStatus = "stuck" if stuck else "waiting"
    asked = stuck or open_effects
    words = [waiting for effect in asked if (waiting := waits_for(instance, effect))]
    words += ["resume"] if instance.state.paused_at >= 0 else []
    return Result(
        name, standing, told=lambda: told, waits=tuple(dict.fromkeys(words)), error="engine.stuck" if stuck else ""
    )


def waits_for(instance: Instance, effect: AnyEffect) -> str:
    """What one open effect waits for; nothing for those that wait for nobody."""
    match effect:
        case Dispatch(path):
            return _work(instance, path)
        case Ask(path, why="engine.stuck"):
            return f"{path} can't go on: {', '.join(_in_the_way(instance, path))}"
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


def _work(instance: Instance, path: str) -> str:
    match instance.task_at(path).handler:
        case Person(role):
            return f"{path} (a task for {'the role ' + role if role else 'people'})"
        case Group(users, role):
            return f"{path} (a task for {'the role ' + role if role else ', '.join(users) or 'people'} together)"
        case Signal(signal):
            return f"the signal {signal!r} ({path})" if signal != path else f"the signal {signal!r}"
        case TimerHandler():
            return f"the timer {path}"
        case _:
            return f"{path} to begin"


def _in_the_way(instance: Instance, path: str) -> tuple[str, ...]:
    told = (fact for _, decided in reversed(instance.decisions) for fact in decided)
    return next((fact.guards for fact in told if isinstance(fact, facts.Stuck) and fact.path == path), ())
