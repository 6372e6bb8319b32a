"""Walks machines beside the kernel: for every flow of a running instance, what it may be in is kept fact by fact.

A machine is ahead of the facts: it goes at once to where the kernel comes to rest. So facts that it foresaw must agree
with it, other facts must be things that children may do, and at the end of each command both stand in the same place.
"""

from collections.abc import Iterable

from tests.random.driving import Run
from tests.random.records import Violation
from weft.analysis.machines import Machine
from weft.analysis.standings import (
    ABORTED,
    COMMITTED,
    ENDS,
    GRANTED,
    PARKED,
    READY,
    RUNNING,
    SKIPPED,
    STOPPING,
    WAITING,
    Standing,
)
from weft.analysis.standstills import End, Still
from weft.kernel import commands, facts, status
from weft.kernel.commands import Command
from weft.kernel.decide import apply
from weft.kernel.evolve import evolve
from weft.kernel.facts import AnyFact
from weft.kernel.outstanding import outstanding
from weft.kernel.refusals import Refused
from weft.kernel.state import Frame, State, find
from weft.kernel.tree import FLOW
from weft.model.definition import Signal, Task, Timer

KINDS = {
    status.WAITING: {WAITING},
    status.READY: {READY, RUNNING, STOPPING},
    status.STARTED: {RUNNING, STOPPING},
    status.FAILED: {RUNNING, STOPPING},
    status.UNDOING: {RUNNING, STOPPING},
    status.REPLACED: {RUNNING, STOPPING},
    status.DOUBTED: {RUNNING, STOPPING},
    status.FIXED: {RUNNING, STOPPING},
    status.ABORTING: {RUNNING, STOPPING},
    status.STOPPING: {STOPPING},
    status.TAKING_BACK: {STOPPING},
    status.PARKED: {PARKED},
    status.GRANTED: {GRANTED},
    status.COMMITTED: {COMMITTED},
    status.ABORTED: {ABORTED},
    status.SKIPPED: {SKIPPED},
}

Key = tuple[int, int]


class Tracked:
    """A flow that runs, its machine, and where it may be."""

    def __init__(self, frame: Frame, node: int, machine: Machine, states: Iterable[Still | End]) -> None:
        self.frame = frame
        self.node = node
        self.machine = machine
        self.states = set(states)

    def index(self, child: int) -> int:
        return self.frame.plan.children[self.node].index(child)


class Beside:
    """A second state that evolves by the facts, one by one, with the machines of its flows."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.state = State()
        self.tracked: dict[Key, Tracked] = {}
        self.machines: dict[tuple[int, int, str], Machine] = {}
        self.asked_of = ""
        self.compared = 0
        self.ends = 0

    def learn(self, command: Command, told: list[AnyFact]) -> None:
        self.asked_of = getattr(command, "path", "") if isinstance(command, commands.Cancel | commands.Skip) else ""
        for fact in told:
            before = find(self.state, fact.path) if self.state.root is not None else None
            evolve(self.run.plan, self.state, fact)
            place = before or find(self.state, fact.path)
            if place is not None:
                self.about(fact, *place)
        self.state.forget_looks()
        for key, one in list(self.tracked.items()):
            self.compare(one, command, told)
            if one.frame.status[one.node] != status.STARTED:
                del self.tracked[key]

    def about(self, fact: AnyFact, frame: Frame, node: int) -> None:
        if isinstance(fact, facts.Drained):
            self.tracked.clear()
        around = self.tracked.get((id(frame), frame.plan.parent[node])) if node else None
        own = self.tracked.get((id(frame), node))
        if isinstance(fact, facts.Answered):
            self.answered(fact, frame, node, around, own)
            return
        if own is not None:
            self.own(fact, own)
        if around is not None:
            self.child(fact, around, around.index(node))
        if frame.plan.kind[node] == FLOW and isinstance(fact, facts.Started | facts.Repeated):
            self.track(frame, node)

    def track(self, frame: Frame, node: int) -> None:
        execution = frame.execution[node]
        assert execution is not None
        key = (id(frame.plan), node, execution.set)
        machine = self.machines.get(key)
        if machine is None:
            machine = self.machines[key] = Machine(frame.plan, node, execution.set)
        marks = frozenset(execution.marks or ())
        self.tracked[id(frame), node] = Tracked(frame, node, machine, machine.start(marks))

    def answered(
        self, fact: facts.Answered, frame: Frame, node: int, around: Tracked | None, own: Tracked | None
    ) -> None:
        number = frame.plan.question_of[node, fact.key]
        for one in (around, own):
            if one is not None and number in one.machine.trees.questions:
                index = one.machine.trees.questions.index(number)
                one.states = {state for state in one.states if self.has_answer(state, index, fact.answer)}

    def has_answer(self, state: Still | End, index: int, answer: bool) -> bool:
        return isinstance(state, End) or state.answers[index] == (1 if answer else 2)

    def own(self, fact: AnyFact, one: Tracked) -> None:
        """The flow itself: its marks and ends were foreseen, unless they come from outside."""
        if isinstance(fact, facts.Marked):
            one.states = {state for state in one.states if fact.mark in state.marks}
        elif isinstance(fact, facts.Fixed | facts.Aborting | facts.Stuck):
            is_foreign = isinstance(fact, facts.Aborting) and (
                fact.is_stopped or fact.error in ("engine.expression", "engine.deadline")
            )
            if not is_foreign:
                ends = {(state.kind, state.outcome) for state in one.states if isinstance(state, End)}
                name = "aborted" if isinstance(fact, facts.Stuck) else fact.outcome
                if not any(outcome == name and self.agrees(kind, fact) for kind, outcome in ends):
                    raise Violation(f"{fact} was not foreseen: {ends or one.states}")
                self.ends += 1
            self.tracked.pop((id(one.frame), one.node), None)

    def agrees(self, kind: str, fact: AnyFact) -> bool:
        if isinstance(fact, facts.Stuck):
            return kind == "stuck"
        return kind == "abort" if isinstance(fact, facts.Aborting) else kind in ("commit", "repeat")

    def child(self, fact: AnyFact, one: Tracked, index: int) -> None:
        is_half = isinstance(fact, facts.Started) and one.machine.children[index].is_occurrence
        after: set[Still | End] = set()
        for state in one.states:
            if isinstance(state, End):
                after.add(state)
                continue
            for moved in self.moved(fact, one.machine, state, index):
                is_same = moved is state and not isinstance(fact, facts.Ready | facts.Failed)
                after.update([moved] if is_same or is_half else one.machine.settled(moved))
        if not after:
            raise Violation(f"{fact} can't be: {one.machine.flow.name} may be in {one.states}")
        one.states = after

    def moved(self, fact: AnyFact, machine: Machine, still: Still, index: int) -> Iterable[Still]:
        standing = still.children[index]
        kind = standing.kind
        match fact:
            case facts.Ready(attempt=1):
                yield from [still] * (kind != WAITING)
            case facts.Skipped(path=path):
                if kind == SKIPPED:
                    yield still
                elif path == self.asked_of:
                    yield machine.put(still, index, standing._replace(kind=SKIPPED, set=""))
            case facts.Started():
                yield machine.begun(still, index) if kind == READY else still
            case facts.Marked(mark=mark):
                yield machine.marked(still, index, mark)
            case facts.Parked(outcome=outcome):
                if kind == RUNNING:
                    yield machine.finished(still, index, outcome)
            case facts.Granted():
                yield from [still] * (kind in (GRANTED, COMMITTED))
            case facts.Committed(outcome=outcome):
                if kind == COMMITTED:
                    yield still
                elif kind in (RUNNING, GRANTED):
                    yield machine.finished(still, index, outcome)
                    yield machine.ignored(still, index, outcome)
            case facts.Aborted(outcome=outcome, error=error):
                if kind == ABORTED:
                    yield still
                elif kind not in ENDS:
                    yield machine.failed(still, index, outcome, error)
            case facts.Stopping() | facts.Aborting(is_stopped=True):
                if kind in (RUNNING, GRANTED, PARKED):
                    yield machine.put(still, index, standing._replace(kind=STOPPING))
                elif kind not in (COMMITTED, SKIPPED):
                    yield still
            case facts.Failed():
                yield (
                    machine.put(still, index, Standing(RUNNING, standing.set, marks=standing.marks, was_ready=True))
                    if (kind == GRANTED)
                    else still
                )
            case _:
                yield still

    def compare(self, one: Tracked, command: Command, told: list[AnyFact]) -> None:
        children = one.frame.plan.children[one.node]
        now = [one.frame.status[child] for child in children]
        standing = {state for state in one.states if isinstance(state, Still) and self.stands(state, now)}
        self.compared += 1
        if not standing:
            shown = [status.NAMES[each] for each in now]
            raise Violation(
                f"after {command}, {one.machine.flow.name} stands at {shown}, its machine at {one.states}: {told}"
            )
        one.states = standing  # type: ignore[assignment]

    def stands(self, still: Still, now: list[int]) -> bool:
        return all(one.kind in KINDS[there] for one, there in zip(still.children, now, strict=True))


class Walk(Run):
    """A run without the checks of others, with machines beside it."""

    beside: Beside

    def send(self, command: Command) -> bool:
        if not hasattr(self, "beside"):
            self.beside = Beside(self)
        self.state.time = self.time
        try:
            told = apply(self.plan, self.state, command)
        except Refused:
            return False
        self.decisions.append((self.time, command, told))
        self.asked = outstanding(self.plan, self.state)
        self.beside.state.time = self.time
        self.beside.learn(command, told)
        return True

    def interference(self) -> Command:
        found = super().interference()
        return commands.Continue() if isinstance(found, commands.Suspend | commands.Resume | commands.Change) else found

    def wrong(self) -> Command:
        return commands.Continue()


def walked(run: Walk, steps: int) -> Walk:
    run.begin()
    for _ in range(steps):
        if not run.step():
            break
    return run


class Calm(Walk):
    """A run in which nobody interferes, and timers and signals only come; it ends when something is stuck."""

    def send(self, command: Command) -> bool:
        self.state.time = self.time
        try:
            told = apply(self.plan, self.state, command)
        except Refused:
            return False
        self.decisions.append((self.time, command, told))
        self.asked = outstanding(self.plan, self.state)
        return True

    @property
    def all_told(self) -> list[AnyFact]:
        return [fact for _, _, told in self.decisions for fact in told]

    def step(self) -> bool:
        if any(isinstance(fact, facts.Stuck) for fact in self.all_told) or not self.choices():
            return False
        return super().step()

    def interference(self) -> Command:
        return commands.Continue()

    def complete(self, frame: Frame, node: int) -> commands.Complete:
        found = super().complete(frame, node)
        activity = frame.plan.activity[node]
        if not isinstance(activity, Task) or not isinstance(activity.handler, Timer | Signal):
            return found
        return commands.Complete(found.path, found.round, found.attempt)

    def work(self, frame: Frame, node: int) -> Command:
        activity = frame.plan.activity[node]
        if isinstance(activity, Task) and isinstance(activity.handler, Timer | Signal):
            return self.complete(frame, node)
        return super().work(frame, node)


def names_of(fact: AnyFact) -> str:
    """The activity that a fact is about; an item's own path is no name."""
    return fact.path.rpartition("/")[2]
