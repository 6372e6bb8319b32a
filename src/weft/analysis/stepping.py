"""Plays a process one step at a time: what may happen next, in words, and what the kernel makes of the choice."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Final, NamedTuple

from weft.analysis.simulation_figures import sample
from weft.kernel import commands, effect_types, status
from weft.kernel.commands import Command
from weft.kernel.decide import apply
from weft.kernel.effect_types import AnyEffect
from weft.kernel.facts import AnyFact, Values
from weft.kernel.outstanding import outstanding
from weft.kernel.plan import plan_of
from weft.kernel.state import State, find
from weft.kernel.tree import TASK
from weft.model.definition import Outcome, Process, Signal, Task, Timer

AT_ONCE_MAX: Final = 10_000


class Step(NamedTuple):
    words: str
    command: Command
    outcome: Outcome | None = None
    """The outcome whose objects may be given."""
    seconds: float = 0.0
    """The clock is moved to this first."""


class Stepping:
    """One instance. What nobody chooses (looking up a process, settling a branch) is done at once."""

    def __init__(self, process: Process, inputs: Values, beside: Mapping[str, Process], seed: int = 0) -> None:
        self.process: Final = process
        self.beside: Final = beside
        self.random: Final = Random(seed)
        self.plan: Final = plan_of(process)
        self.state: Final = State()
        self.time = 0.0
        given = {**self._samples(process.body.input_sets[0].types), **inputs}
        self.told: list[AnyFact] = self.send(commands.Start(given, seed=seed))

    @property
    def has_ended(self) -> bool:
        return self.state.root is not None and self.state.root.status[0] in status.ENDS

    def take(self, step: Step, given: Values | None = None) -> list[AnyFact]:
        """What the step makes true; `given` are objects of its outcome, others are made up."""
        self.time = max(self.time, step.seconds)
        command = step.command
        if step.outcome is not None and isinstance(command, commands.Complete):
            values = {**self._samples(step.outcome.types), **(given or {})}
            command = commands.Complete(command.path, command.round, command.attempt, command.outcome, values)
        return self.send(command)

    def send(self, command: Command) -> list[AnyFact]:
        self.state.time = self.time
        told = list(apply(self.plan, self.state, command))
        for _ in range(AT_ONCE_MAX):
            following = [one for one in map(self._at_once, outstanding(self.plan, self.state)) if one is not None]
            if not following:
                break
            told += apply(self.plan, self.state, following[0])
        return told

    def _samples(self, types: Mapping[str, str]) -> Values:
        return {name: sample(text, self.process.classes, self.random) for name, text in types.items()}

    def _at_once(self, effect: AnyEffect) -> Command | None:
        about = effect.path, effect.round, effect.attempt
        match effect:
            case effect_types.SettleBranch():
                return commands.Settle(*about)
            case effect_types.Continue():
                return commands.Continue()
            case effect_types.Lookup(process=name):
                found = self.beside.get(name)
                if found is None:
                    return commands.Fail(*about, "engine.no_process")
                return commands.Bind(*about, f"simulated {name}", found)
            case _:
                return None

    def steps(self) -> list[Step]:
        """What may happen now, in the order of the definition."""
        found = [step for effect in outstanding(self.plan, self.state) for step in self._of(effect)]
        frames = [] if self.state.root is None else [self.state.root, *self.state.frames.values()]
        for frame in frames:
            for node, now in enumerate(frame.status):
                if now == status.STARTED and frame.plan.kind[node] == TASK:
                    execution = frame.execution[node]
                    attempt = 1 if execution is None else execution.attempt
                    found += self._ends(
                        frame.plan.activity[node].outcomes, (frame.path(node), frame.rounds[node], attempt)
                    )
        return found

    def _of(self, effect: AnyEffect) -> Iterator[Step]:
        about = effect.path, effect.round, effect.attempt
        path = effect.path
        match effect:
            case effect_types.Dispatch():
                place = find(self.state, path)
                task = None if place is None else place[0].plan.activity[place[1]]
                if isinstance(task, Task) and isinstance(task.handler, Timer | Signal):
                    first = next(one for one in task.outcomes if one.kind == "commit")
                    yield Step(f"{path} occurs", commands.Complete(*about, first.name), first)
                else:
                    yield Step(f"{path} starts", commands.Begin(*about))
            case effect_types.Stop(awaited=True):
                yield Step(f"{path} has stopped", commands.Fail(*about))
            case effect_types.Commit():
                yield Step(f"the resource of {path} commits", commands.Confirm(*about))
                yield Step(f"the resource of {path} refuses to commit", commands.Fail(*about))
            case effect_types.Timer(kind=kind, due_seconds=due, warning=warning):
                command = commands.Retry(*about) if kind == "retry" else commands.Due(*about, warning)
                yield Step(f"time passes until the {kind} of {path}", command, None, due)
            case effect_types.Ask(why="engine.open"):
                yield Step(f"a person says that {path} has all its items", commands.Finish(*about))
            case effect_types.Ask(why=why):
                yield Step(f"a person cancels {path} ({why})", commands.Cancel(path))
            case _:
                pass

    def _ends(self, outcomes: tuple[Outcome, ...], about: tuple[str, int, int]) -> Iterator[Step]:
        path = about[0]
        for one in outcomes:
            if one.kind == "mark":
                yield Step(f"{path} gives {one.name}", commands.Mark(*about, one.name, self._samples(one.types)))
            elif one.kind == "commit":
                yield Step(f"{path} commits as {one.name}", commands.Complete(*about, one.name), one)
            elif one.name != "aborted":
                yield Step(f"{path} aborts as {one.name}", commands.Complete(*about, one.name), one)
        yield Step(f"{path} fails", commands.Fail(*about))
