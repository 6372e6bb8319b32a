"""Plays a process without doing its work: the kernel decides, and figures say how long work takes and how it ends."""

from collections import Counter, deque
from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from random import Random
from typing import Final

from weft.analysis.simulation_figures import Figures, TaskFigures, sample, seconds_of
from weft.kernel import commands, effect_types, facts
from weft.kernel.commands import Command
from weft.kernel.decide import apply
from weft.kernel.effect_types import AnyEffect
from weft.kernel.facts import AnyFact, Values
from weft.kernel.outstanding import effects
from weft.kernel.plan import Plan, plan_of
from weft.kernel.refusals import Refused
from weft.kernel.state import State, find
from weft.model.definition import Activity, Assign, Outcome, Person, Process, Task, Timer, parts, sides
from weft.model.expression_meter import Meter
from weft.model.expressions import Environment, Expression, Limits
from weft.model.types import BOOL

COMMANDS_MAX: Final = 20_000
"""A run that takes more goes on for ever, as far as anybody will wait."""


class Tally:
    """What was seen of one activity over all runs."""

    __slots__ = ("aborted", "busy_seconds", "ended", "started", "wait_seconds")

    def __init__(self) -> None:
        self.started = self.ended = self.aborted = 0
        self.wait_seconds = self.busy_seconds = 0.0


class Instance:
    """One run: its state, when it began and how it ended."""

    def __init__(self, plan: Plan, began: float, inputs: Values) -> None:
        self.plan = plan
        self.state = State()
        self.began = began
        self.inputs = inputs
        self.ended = -1.0
        self.end = ""
        self.commands = 0
        self.ready: dict[tuple[str, int, int], float] = {}
        self.started: dict[tuple[str, int, int], float] = {}
        self.ran: list[str] = []


class Simulation:
    """Runs of one process. Everything that is random comes from one seed."""

    def __init__(self, process: Process, figures: Figures, seed: int, beside: Mapping[str, Process]) -> None:
        self.process: Final = process
        self.figures: Final = figures
        self.random: Final = Random(seed)
        self.beside: Final = beside
        self.time = 0.0
        self.runs: list[Instance] = []
        self.tallies: Final[dict[str, Tally]] = {}
        self.busy: Final[Counter[str]] = Counter()
        self.busy_seconds: Final = dict.fromkeys(figures.roles, 0.0)
        self.queues: Final[dict[str, deque[Callable[[], None]]]] = {role: deque() for role in figures.roles}
        self._todo: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0
        self._plan: Final = plan_of(process)
        for text, likely in figures.conditions.items():
            self._plan.library.expressions[text] = self._chance(text, likely)

    def _chance(self, text: str, likely: float) -> Expression:
        def run(environment: Environment, meter: Meter) -> object:
            return self.random.random() < likely

        return Expression(text, frozenset(), BOOL, run, False, Limits())

    # The clock.

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        self._number += 1
        heappush(self._todo, (self.time + max(0.0, seconds), self._number, act))

    def run(self, count: int) -> None:
        """Each alone, or all on one clock if the figures say how often one begins."""
        for number in range(count):
            if self.figures.every_seconds is None:
                self.time = 0.0
                self.begin()
                self.work_off()
            else:
                self.later(number * self.figures.every_seconds - self.time, self.begin)
        self.work_off()

    def work_off(self) -> None:
        while self._todo:
            self.time, _, act = heappop(self._todo)
            act()

    # One instance.

    def begin(self) -> None:
        one = self.process.body.input_sets[0]
        inputs = {
            name: sample(text, self.process.classes, self.random)
            for name, text in one.types.items()
            if name not in one.bindings
        }
        run = Instance(self._plan, self.time, inputs)
        self.runs.append(run)
        self.send(run, commands.Start(inputs, one.name, self.random.randrange(1 << 30)))

    def send(self, run: Instance, command: Command) -> None:
        if run.ended >= 0:
            return
        run.commands += 1
        if run.commands > COMMANDS_MAX:
            self.finish(run, "goes on")
            return
        run.state.time = self.time
        try:
            told = apply(run.plan, run.state, command)
        except Refused:
            return
        for fact in told:
            self.note(run, fact)
        for effect in effects(run.plan, run.state, told):
            self.answer(run, effect)

    def note(self, run: Instance, fact: AnyFact) -> None:
        key = fact.path, fact.round, fact.attempt
        place = find(run.state, fact.path)
        name = fact.path.rpartition("/")[2] if place is None else place[0].plan.activity[place[1]].name
        tally = self.tallies.setdefault(name, Tally())
        match fact:
            case facts.Ready():
                run.ready[key] = self.time
            case facts.Started():
                tally.started += 1
                tally.wait_seconds += self.time - run.ready.get(key, self.time)
                run.started[key] = self.time
                run.ran.append(name)
            case facts.Committed() | facts.Aborted():
                tally.ended += 1
                tally.aborted += isinstance(fact, facts.Aborted)
                tally.busy_seconds += self.time - run.started.get(key, self.time)
            case _:
                pass

    def finish(self, run: Instance, end: str) -> None:
        run.ended, run.end = self.time, end

    # What the kernel asks for.

    def answer(self, run: Instance, effect: AnyEffect) -> None:
        about = effect.path, effect.round, effect.attempt
        match effect:
            case effect_types.Dispatch():
                self.dispatch(run, effect)
            case effect_types.Stop(awaited=True):
                self.later(0, lambda: self.send(run, commands.Fail(*about)))
            case effect_types.Commit():
                self.later(0, lambda: self.send(run, commands.Confirm(*about)))
            case effect_types.SettleBranch():
                self.later(0, lambda: self.send(run, commands.Settle(*about)))
            case effect_types.Continue():
                self.later(0, lambda: self.send(run, commands.Continue()))
            case effect_types.Timer(kind=kind, due_seconds=due, warning=warning):
                command = commands.Retry(*about) if kind == "retry" else commands.Due(*about, warning)
                self.later(due - self.time, lambda: self.send(run, command))
            case effect_types.Lookup(process=name):
                self.later(0, lambda: self.send(run, self.bound(about, name)))
            case effect_types.Ask(why="engine.open"):
                self.later(0, lambda: self.send(run, commands.Finish(*about)))
            case effect_types.Ask(why=why):
                self.finish(run, "hangs" if why == "engine.stuck" else "asks a person")
            case effect_types.Ended(outcome=outcome):
                self.finish(run, outcome)
            case _:
                pass

    def bound(self, about: tuple[str, int, int], name: str) -> Command:
        found = self.beside.get(name)
        if found is None:
            return commands.Fail(*about, "engine.no_process")
        return commands.Bind(*about, f"simulated {name}", found)

    def dispatch(self, run: Instance, effect: effect_types.Dispatch) -> None:
        place = find(run.state, effect.path)
        assert place is not None, effect
        task = place[0].plan.activity[place[1]]
        assert isinstance(task, Task)
        about = effect.path, effect.round, effect.attempt
        figures = self.figures.tasks.get(task.name, TaskFigures())
        if isinstance(task.handler, Timer):
            given = effect.inputs.get("seconds", task.handler.seconds)
            seconds = float(given) if isinstance(given, int | float) else task.handler.seconds
            self.later(seconds, lambda: self.send(run, self.ending(task, figures, about)))
            return
        role = task.handler.role if isinstance(task.handler, Person) else ""
        if role not in self.figures.roles:
            self.work(run, task, figures, about, "")
        elif self.busy[role] < self.figures.roles[role]:
            self.busy[role] += 1
            self.work(run, task, figures, about, role)
        else:
            self.queues[role].append(lambda: self.work(run, task, figures, about, role))

    def work(self, run: Instance, task: Task, figures: TaskFigures, about: tuple[str, int, int], role: str) -> None:
        """It begins now, or was withdrawn meanwhile; whoever did it is free again when it ends."""
        self.send(run, commands.Begin(*about))
        begun = about in run.started and run.ended < 0
        usual = 0.0 if isinstance(task.handler, Assign) else self.figures.seconds
        seconds = seconds_of(usual if figures.seconds is None else figures.seconds, self.random) if begun else 0.0

        def end() -> None:
            if role:
                self.busy_seconds[role] += seconds
                self.free(role)
            if begun:
                self.send(run, self.ending(task, figures, about))

        self.later(seconds, end)

    def free(self, role: str) -> None:
        if self.queues[role]:
            self.queues[role].popleft()()
        else:
            self.busy[role] -= 1

    def ending(self, task: Task, figures: TaskFigures, about: tuple[str, int, int]) -> Command:
        name = ""
        if figures.outcomes:
            names = list(figures.outcomes)
            name = self.random.choices(names, [figures.outcomes[one] for one in names])[0]
        outcome = next((one for one in task.outcomes if one.kind == "commit"), None) if not name else task.outcome(name)
        if outcome is None or (outcome.kind == "abort" and outcome.name == "aborted"):
            return commands.Fail(*about, figures.error)
        return commands.Complete(*about, outcome.name, self.values(outcome, figures))

    def values(self, outcome: Outcome, figures: TaskFigures) -> Values:
        return {
            name: self.random.choice(figures.values[name])
            if figures.values.get(name)
            else sample(text, self.process.classes, self.random)
            for name, text in outcome.types.items()
        }


def activities_of(process: Process) -> list[Activity]:
    """Those that may take time: everything but what takes back."""
    found: list[Activity] = []
    todo = [process.body]
    while todo:
        one = todo.pop(0)
        found.append(one)
        taking_back = list(sides(one))
        todo += [part for part in parts(one) if part not in taking_back]
    return found
