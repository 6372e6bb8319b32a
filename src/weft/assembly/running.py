"""`weft.run`: a process runs in memory, in this thread; the parts are put together here."""

import time
import uuid

from weft.engine.clocks import Clock, VirtualClock
from weft.engine.instance import DECISIONS_MAX, Watch
from weft.engine.problems import Problem
from weft.engine.result import Result
from weft.engine.runner import People, Runner
from weft.handlers.functions import Code
from weft.kernel import commands
from weft.languages.binding import Tasks
from weft.languages.python.context import Start
from weft.languages.python.tasks import Task, lookup
from weft.languages.refining import refinements
from weft.model.definition import Function, Named, Process
from weft.model.faults import Invalid
from weft.model.types import to_plain


class Answers(dict[str, object]):
    """What people answer, by the names of their tasks: a value, or a function of the task's inputs that makes one.

    >>> weft.run(buy, Answers(approve=lambda order: order["cents"] < 1000), order=order)
    """


Option = Start | Answers | Process | Task[..., object]
"""What may stand beside the process: how to start it, answers, processes that it calls, and tasks named in a text."""


def run(process: Process, /, *options: Option, **inputs: object) -> Result:
    """Runs a process to its end in memory and says what it came to, whether it committed or aborted.

    >>> weft.run(buy, Start(key="order-17"), order=Order("17", 900)).outcome
    'done'

    Nothing is durable, and no time passes: timers occur at once when there is nothing else to do. Work for people
    waits, unless `Answers` say what they answer. Processes that it calls are given too: `weft.run(buy, pay, sku=…)`.
    """
    return in_memory(process, *options).run(commands.Start({name: to_plain(value) for name, value in inputs.items()}))


def in_memory(
    process: Process,
    *options: Option,
    clock: Clock | None = None,
    watch: Watch | None = None,
    people: People | None = None,
    decisions_max: int = DECISIONS_MAX,
) -> Runner:
    """The runner that `run` uses, for those who want to watch it, or to go on with it."""
    if not isinstance(process, Process):
        raise Problem(f"{process!r} is no process: make one of it, process(name, …)(activity)")
    start, answers = Start(), Answers()
    processes: list[Process] = []
    tasks: dict[str, Code] = {}
    implementations: list[Task[..., object]] = []
    for option in options:
        match option:
            case Start():
                start = option
            case Answers():
                answers.update(option)
            case Process():
                processes.append(option)
            case Task():
                tasks[option.name] = tasks[option.code.reference] = option.code
                implementations.append(option)
            case _:
                raise Problem(f"{option!r} is no option of a run; the inputs of {process.name} are given by name")
    if start.version and start.version != process.version:
        raise Problem(f"process {process.name} has version {process.version!r}, and {start.version!r} was asked for")

    process, *processes = _bound([process, *processes], implementations)

    def code_of(handler: Function | Named) -> Code | None:
        if isinstance(handler, Named):
            return tasks.get(handler.task)
        return tasks.get(handler.reference) or lookup(handler.reference)

    return Runner(
        process,
        tasks=code_of,
        clock=clock or VirtualClock(time.time()),
        instance=start.key or f"run-{uuid.uuid4().hex[:12]}",
        processes=processes,
        answers=answers,
        people=people,
        watch=watch,
        decisions_max=decisions_max,
    )


def _bound(processes: list[Process], implementations: list[Task[..., object]]) -> list[Process]:
    """The processes with functions for the tasks that they only name, and for calls that a task refines."""
    if not implementations:
        return processes
    tasks = Tasks(tuple(implementations))
    found = [tasks.bind(one) for one in [*processes, *refinements(processes, implementations)]]
    faults = [fault for _, told in found for fault in told if fault.code != "unbound" and fault.severity == "error"]
    if faults:
        raise Invalid(f"the binding of {processes[0].name!r}", faults)
    return [one for one, _ in found]
