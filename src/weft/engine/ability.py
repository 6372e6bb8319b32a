"""What the runner in memory can do of a process, known before it starts."""

from collections.abc import Container, Iterable, Iterator

from weft.engine.hands import Hands
from weft.handlers.functions import FindCode
from weft.model.definition import Activity, Call, Command, Function, Http, Named, Process, Read, Sql, Task, parts


def called_from(process: Process, known: Iterable[Process]) -> list[Process]:
    """The process, and of those known the ones that it may call, however far away."""
    by_name: dict[str, list[Process]] = {}
    for one in known:
        by_name.setdefault(one.name, []).append(one)
    found, rest = [process], [process]
    while rest:
        for task in activities(rest.pop()):
            for called in by_name.get(task.process, []) if isinstance(task, Call) else []:
                if called not in found:
                    found.append(called)
                    rest.append(called)
    return found


def activities(process: Process) -> Iterator[Activity]:
    rest: list[Activity] = [process.body]
    while rest:
        activity = rest.pop()
        rest += parts(activity)
        yield activity


def what_cannot_run(process: Process, tasks: FindCode, hands: Hands, answered: Container[str] = ()) -> Iterator[str]:
    """Why this runner can't do a task, for each that it can't; those in `answered` it need not do."""
    for task in activities(process):
        if task.name in answered:
            continue
        match task:
            case Task(handler=Function(reference) as handler) if tasks(handler) is None:
                module = reference.partition(":")[0]
                way = f"import {module} first, or weft run --tasks {module}"
                yield f"{task.name}: no task {reference!r} is known here; {way}"
            case Task(handler=Named(name) as handler) if tasks(handler) is None:
                yield f"{task.name}: no registered task is called {name!r}; give the module that has it"
            case Task(handler=Command() | Http() | Sql() | Read()) if reason := hands.why_not(task, process):
                yield f"{task.name}: {reason}"
            case _:
                pass
