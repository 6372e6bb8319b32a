"""`weft.run`: the engine on a store in memory, turned by the thread that called it, on a clock that may jump.

Functions run in this thread, one after the other; coroutine functions side by side. Work for people is done by the
answers that were given beforehand, or by who is there to be asked; else it waits.
"""

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias

from weft.assembly import operations
from weft.assembly.alone import FACTS_MAX, Alone, Waiting, Watch
from weft.assembly.given import NO_ANSWER, Given, ended
from weft.assembly.inline import Inline
from weft.assembly.outside import outside
from weft.engine.ability import called_from, what_cannot_run
from weft.engine.clocks import Clock, RealClock, VirtualClock
from weft.engine.live import Live
from weft.engine.offers import Offers
from weft.engine.problems import CannotRun, Problem
from weft.engine.requests import Await, Ending
from weft.engine.result import Result
from weft.engine.standing import standing_of
from weft.handlers.desk import Desk
from weft.handlers.functions import Code, FindCode
from weft.handlers.jobs import OUTPUT, Answer, Marked, Saved
from weft.handlers.settings import Allowed
from weft.kernel.commands import Begin, Complete, Fail
from weft.kernel.effect_types import Dispatch
from weft.kernel.refusals import NotAvailable, NotDeclared, NotFitting
from weft.languages.binding import Tasks
from weft.languages.python.context import Start
from weft.languages.python.tasks import Task, lookup
from weft.languages.refining import refinements
from weft.model import definition
from weft.model.definition import Function, Named, Process
from weft.model.faults import Invalid
from weft.store.interface import Store


class Answers(dict[str, object]):
    """What people answer, by the names of their tasks: a value, or a function of the task's inputs that makes one.

    >>> weft.run(buy, Answers(approve=lambda order: order["cents"] < 1000), order=order)
    """


Option = Start | Answers | Process | Task[..., Any]
"""What may stand beside the process: how to start it, answers, processes that it calls, and tasks named in a text."""

People: TypeAlias = Callable[[Sequence[tuple[definition.Task, Dispatch]]], "tuple[Dispatch, object] | None"]
"""Chooses one of the works that wait for people, and answers it; None leaves them waiting."""


def run(process: Process, /, *options: Option, **inputs: object) -> Result:
    """Runs a process to its end in memory and says what it came to, whether it committed or aborted.

    >>> weft.run(buy, Start(key="order-17"), order=Order("17", 900)).outcome
    'done'

    Nothing is durable, and no time passes: timers occur at once when there is nothing else to do. Work for people
    waits, unless `Answers` say what they answer. Processes that it calls are given too: `weft.run(buy, pay, sku=…)`.
    """
    return in_memory(process, *options).run(inputs)


def in_memory(
    process: Process,
    *options: Option,
    clock: Clock | None = None,
    watch: Watch | None = None,
    people: People | None = None,
    facts_max: int = FACTS_MAX,
    store: Store | None = None,
    allow: Allowed | None = None,
) -> "Run":
    """The run that `run` makes, for those who want to watch it, or to go on with it.

    With a `store` it is kept there, and time is the machine's. `allow` says what it may reach outside.
    """
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

    process, *processes = _bound([process, *processes], implementations)

    def code_of(handler: Function | Named) -> Code | None:
        if isinstance(handler, Named):
            return tasks.get(handler.task)
        return tasks.get(handler.reference) or lookup(handler.reference)

    given = Given(answers)
    found = Run(process, start, given, people)
    routes = list(outside(code_of, found.hear, allow or Allowed()))
    found.hands = Inline(code_of, given, found.hear, Desk(routes, found.hear))
    _check(process, processes, code_of, found.hands, given)
    found.alone = Alone(
        found.hands,
        clock or (VirtualClock(time.time()) if store is None else RealClock()),
        rooms=[found.offers],
        watch=watch,
        facts_max=facts_max,
        store=store,
    )
    for one in processes:
        found.alone.ask(operations.deploy(one))
    return found


def _check(process: Process, others: list[Process], find: FindCode, hands: Inline, given: Given) -> None:
    """Raises `CannotRun` with every task, of the process and of what it may call, that nobody here can do."""
    called = called_from(process, [process, *others])
    reasons = [reason for one in called for reason in what_cannot_run(one, find, hands, given.names)]
    if reasons:
        hands.close()
        raise CannotRun(process.name, reasons)


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


class Run:
    """One instance on its way."""

    hands: Inline
    alone: Alone

    def __init__(self, process: Process, start: Start, given: Given, people: People | None) -> None:
        self.process = process
        self.offers = Offers(self._live_of)
        self._start = start
        self._given = given
        self._people = people
        self._live: Live | None = None
        self._end = Waiting()
        self._heard: SimpleQueue[Answer] = SimpleQueue()

    def run(self, inputs: Mapping[str, object]) -> Result:
        """Begins the instance, and goes on until it has ended or only people and signals could bring it on."""
        try:
            begun = self.alone.ask(operations.start(self.process, (self._start,), inputs))
            self.alone.put(Await(whom=begun.instance, token=self._end))
            self._instance = begun.instance
            return self.go_on()
        finally:
            self.hands.close()

    def signal(self, name: str, **values: object) -> Result:
        """Sends a signal, and goes on."""
        self.alone.ask(operations.signal(self._instance, name, None, values))
        return self.go_on()

    def go_on(self) -> Result:
        while self._step():
            pass
        end = self._end.reply
        if isinstance(end, Ending):
            return self._with_facts(operations.result_of(end))
        live = self._live_of(self._instance)
        assert live is not None
        return self._with_facts(standing_of(live))

    def hear(self, answer: Answer) -> None:
        """Of a function that runs meanwhile, what it says early is taken at once; so it may hear that it is to stop."""
        self._heard.put(answer)
        if isinstance(answer, Marked | Saved) and self.hands.is_running(answer.job.about):
            self._turn()

    # Within.

    def _step(self) -> bool:
        """One thing that there is to do; False when there is none."""
        if self._turn() or self.alone.fire_due() or self.hands.run_one() or self._answer_people():
            return True
        if self._end.reply is not None:
            return False
        clock, due = self.alone.clock, self.alone.next_due()
        if self.alone.core.jobs:
            seconds = max(0.0, due - clock.now()) if due is not None and clock.is_real else None
            return self._wait(seconds)
        return self._ask_people() or (due is not None and clock.wait_until(due))

    def _turn(self) -> bool:
        self._take_heard()
        return self.alone.turn()

    def _take_heard(self) -> None:
        while not self._heard.empty():
            self.alone.put(self._heard.get())

    def _wait(self, seconds: float | None) -> bool:
        """For coroutines, or until a timer is due."""
        with contextlib.suppress(Empty):
            self.alone.put(self._heard.get(timeout=seconds))
        return True

    def _answer_people(self) -> bool:
        for task, work in sorted(self.offers.waiting(), key=lambda one: -one[0].priority):
            if self._given.look(task, work.path) is not NO_ANSWER:
                self._do(task, work, partial(self._given.take, task, work.path))
                return True
        return False

    def _ask_people(self) -> bool:
        """Has somebody do one of the works that wait, if there is somebody."""
        waiting = self.offers.waiting() if self._people is not None else []
        chosen = self._people(waiting) if self._people is not None and waiting else None
        if chosen is None:
            return False
        work, value = chosen
        task = next(task for task, one in waiting if one is work)
        self._do(task, work, lambda: value)
        return True

    def _do(self, task: definition.Task, work: Dispatch, answer: Callable[[], object]) -> None:
        """A person takes the work, and ends it."""
        about = work.path, work.round, work.attempt
        self.offers.take(work.path)
        try:
            self._tell(Begin(*about))
        except NotAvailable:  # a name that it holds was taken meanwhile; it is offered again
            return
        try:
            self._tell(ended(task, about, work.inputs, answer()))
        except (NotDeclared, NotFitting) as refused:
            self._tell(Fail(*about, OUTPUT, str(refused)))

    def _tell(self, command: Begin | Complete | Fail) -> None:
        self.alone.ask(operations.tell(self._instance, command))

    def _live_of(self, instance: int) -> Live | None:
        return self.alone.live(instance)

    def _with_facts(self, result: Result) -> Result:
        told = tuple(self.alone.facts)
        return replace(result, told=lambda: told)
