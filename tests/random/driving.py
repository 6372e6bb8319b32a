"""Drives an instance of a random process through random commands, and holds every decision against the invariants."""

from collections.abc import Callable

from tests.random.draw import Draw, Seeded
from tests.random.invariants import Watch
from tests.random.processes import Made, process
from tests.random.records import Violation
from tests.random.same import difference
from weft.kernel import commands, effect_types, facts, status
from weft.kernel.commands import Command
from weft.kernel.decide import apply
from weft.kernel.effect_types import AnyEffect
from weft.kernel.evolve import evolve, replay
from weft.kernel.facts import AnyFact, Values
from weft.kernel.failing import is_drained
from weft.kernel.outstanding import effects, outstanding
from weft.kernel.plan import Plan, plan_of
from weft.kernel.refusals import Refused
from weft.kernel.snapshot import definitions_in, dump, load
from weft.kernel.state import Frame, State, find
from weft.kernel.tree import TASK
from weft.model.definition import Each, Flow, Outcome, Process, Signal, Task, Timer

ERRORS = ("task", "task.a", "task.a.b", "task.c", "task.bad", "handler.down", "engine.odd")
STEPS = 60
END_STEPS = 3_000
SAME = "hash of the same"
"""Under which a change brings the definition that is there already."""
FACTS_AT_MOST = 5_000
"""A net that fires for ever is cancelled after so many."""
FACTS_TO_THE_END = 40_000
"""What told more is not watched to its end."""
SNAPSHOT_EVERY = 7
Decision = tuple[float, Command, list[AnyFact]]


class Run:
    """One instance, its twin that only replays, and all that was decided."""

    def __init__(self, draw: Draw, made: Made) -> None:
        self.draw = draw
        self.made = made
        self.plan = plan_of(made.process)
        self.state = State()
        self.twin = State()
        self.time = 0.0
        self.decisions: list[Decision] = []
        self.refused = 0
        self.told = 0
        self.watch = Watch(made.process, made.called)
        self.asked: list[AnyEffect] = []

    def definitions(self) -> dict[str, Process]:
        """Those that facts may name."""
        return {SAME: self.made.process, **{"hash of " + name: one for name, one in self.made.called.items()}}

    # One command.

    def send(self, command: Command) -> bool:
        """Applies it and looks at everything; False when it was refused."""
        self.state.time = self.time
        try:
            told = apply(self.plan, self.state, command)
        except Refused:
            self.refused += 1
            if self.state.root is not None and (found := difference(self.state, self.twin)):
                raise Violation(f"the refused {command} changed the state: {found}") from None
            return False
        self.decisions.append((self.time, command, told))
        self.told += len(told)
        self.check_replay(told)
        is_short = any(isinstance(one, effect_types.Continue) for one in outstanding(self.plan, self.state))
        self.watch.learn(command, told, is_short)
        self.check_numbers(command, told)
        self.check_effects(command, told)
        return True

    def check_replay(self, told: list[AnyFact]) -> None:
        self.twin.time = self.time
        for fact in told:
            evolve(self.plan, self.twin, fact)
        self.twin.forget_looks()
        if self.state.looks or (found := difference(self.state, self.twin)):
            raise Violation(f"replay gives another state: {found}")
        if len(self.decisions) % SNAPSHOT_EVERY == 0:
            self.twin = self.reloaded(self.plan)

    def reloaded(self, plan: Plan) -> State:
        """From a snapshot of the twin; it goes on from there."""
        payload = dump(self.plan, self.twin)
        for definition, known in self.definitions().items():
            if definition in definitions_in(payload):
                plan.library.learn(definition, known)
        loaded = load(plan, payload)
        if found := difference(self.twin, loaded):
            raise Violation(f"a snapshot gives another state: {found}")
        return loaded

    def check_numbers(self, command: Command, told: list[AnyFact]) -> None:
        """A decision is bounded by what there is."""
        size = sum(
            len(frame.status) + len(frame.value) for frame in [*self.state.frames.values(), self.state.root] if frame
        )
        if len(told) > 30_000 + 20 * size + 20 * len(self.plan):  # 1 000 firings of something small
            raise Violation(f"{command} brings {len(told)} facts, where there are {size} nodes and formulas")

    def check_effects(self, command: Command, told: list[AnyFact]) -> None:
        """What is newly to be done was asked for, and what was asked for is to be done."""
        new = effects(self.plan, self.state, told)
        left = outstanding(self.plan, self.state)
        known = {asked_for(one) for one in [*self.asked, *new]}
        for one in left:
            if asked_for(one) not in known and not isinstance(one, effect_types.Ended):
                raise Violation(f"{one} is outstanding after {command} but no effect asked for it: {told}")
        for one in new:
            is_news = isinstance(one, effect_types.Withdraw | effect_types.Ended)
            is_told = isinstance(one, effect_types.Stop) and not one.awaited
            if not is_news and not is_told and asked_for(one) not in map(asked_for, left):
                raise Violation(f"the effect {one} of {command} is not outstanding: {told}")
        self.check_withdrawn(told, new, left)
        self.asked = left

    def check_withdrawn(self, told: list[AnyFact], new: list[AnyEffect], left: list[AnyEffect]) -> None:
        """What was offered and is not any more was begun, or is withdrawn."""
        if self.state.paused_at >= 0:
            return
        gone = {(fact.path, fact.round) for fact in told if isinstance(fact, facts.Started)}
        gone |= {(one.path, one.round) for one in new if isinstance(one, effect_types.Withdraw | effect_types.Stop)}
        for one in self.asked:
            is_lost = isinstance(one, effect_types.Dispatch) and asked_for(one) not in map(asked_for, left)
            if is_lost and (one.path, one.round) not in gone and not self.waits_for_hold(one.path):
                raise Violation(f"{one} is not outstanding any more, but not withdrawn: {told}")

    def waits_for_hold(self, path: str) -> bool:
        place = find(self.state, path)
        is_ready = place is not None and place[0].status[place[1]] == status.READY
        return is_ready or path in self.state.offers

    # What an engine, handlers and people say.

    def started_tasks(self) -> list[tuple[Frame, int]]:
        return [
            (frame, node)
            for frame in ([] if self.state.root is None else [self.state.root, *self.state.frames.values()])
            for node, now in enumerate(frame.status)
            if now == status.STARTED and frame.plan.kind[node] == TASK
        ]

    def choices(self) -> list[Callable[[], Command]]:
        """For each thing that is to be done, one that does it; none of them may be refused."""
        found: list[Callable[[], Command]] = []
        is_paused = self.state.paused_at >= 0
        for one in self.asked:
            answer = ANSWERS.get(type(one))
            if answer is None or (is_paused and isinstance(one, effect_types.Dispatch | effect_types.Timer)):
                continue
            if is_paused and isinstance(one, effect_types.Ask) and find(self.state, one.path) is None:
                continue
            found.append(lambda one=one, answer=answer: answer(self, one))  # type: ignore[misc]
        found += [lambda frame=frame, node=node: self.work(frame, node) for frame, node in self.started_tasks()]  # type: ignore[misc]
        return found

    def work(self, frame: Frame, node: int) -> Command:
        """A task that was begun goes on."""
        draw, key = self.draw, self.key(frame, node)
        kind = draw.weighted({"complete": 66, "fail": 18, "lost": 6, "mark": 10})
        if kind == "fail":
            return commands.Fail(*key, draw.one(ERRORS))
        if kind == "lost":
            return commands.LeaseEnded(*key)
        execution = frame.execution[node]
        assert execution is not None
        given = execution.marks or {}
        marks = [one for one in frame.plan.activity[node].outcomes if one.kind == "mark" and one.name not in given]
        if kind == "mark" and marks:
            return commands.Mark(*key, marks[0].name, self.values(marks[0]))
        return self.complete(frame, node)

    def complete(self, frame: Frame, node: int) -> commands.Complete:
        ends = [one for one in frame.plan.activity[node].outcomes if one.kind in ("commit", "abort")]
        outcome = ends[0] if self.draw.chance(60) else self.draw.one(ends)
        return commands.Complete(*self.key(frame, node), outcome.name, self.values(outcome))

    def values(self, outcome: Outcome) -> Values:
        number = self.draw.number
        return {
            name: number(0, 3) if of != "list[int]" else [number(0, 3) for _ in range(number(0, 2))]
            for name, of in outcome.types.items()
        }

    def key(self, frame: Frame, node: int) -> tuple[str, int, int]:
        execution = frame.execution[node]
        return frame.path(node), frame.rounds[node], 1 if execution is None else execution.attempt

    def place(self, one: AnyEffect) -> tuple[Frame, int]:
        place = find(self.state, one.path)
        assert place is not None, one
        return place

    def on_dispatch(self, one: effect_types.Dispatch) -> Command:
        place = find(self.state, one.path)
        if place is not None:
            activity = place[0].plan.activity[place[1]]
            if isinstance(activity, Task) and isinstance(activity.handler, Timer | Signal):
                return self.complete(*place)
        return commands.Begin(one.path, one.round, one.attempt, "worker")

    def on_stop(self, one: effect_types.Stop) -> Command:
        frame, node = self.place(one)
        key = self.key(frame, node)
        execution = frame.execution[node]
        kinds = {"complete": 4, "fail": 3}
        if frame.status[node] == status.STOPPING:
            kinds["lost"] = 2
            if execution is not None and execution.outcome:
                kinds["confirm"] = 5
        kind = self.draw.weighted(kinds)
        if kind == "complete":
            return self.complete(frame, node)
        if kind == "fail":
            return commands.Fail(*key, self.draw.one(ERRORS))
        return commands.Confirm(*key) if kind == "confirm" else commands.LeaseEnded(*key)

    def on_commit(self, one: effect_types.Commit) -> Command:
        if self.draw.chance(20):
            return commands.Fail(one.path, one.round, one.attempt, "task.c")
        return commands.Confirm(one.path, one.round, one.attempt)

    def on_settle(self, one: effect_types.SettleBranch) -> Command:
        return commands.Settle(one.path, one.round, one.attempt)

    def on_ask(self, one: effect_types.Ask) -> Command:
        frame, node = self.place(one)
        key = self.key(frame, node)
        if one.why == "engine.open":
            return commands.Finish(*key) if self.draw.chance(60) else commands.Add(*key, (1, 2))
        if one.why == "engine.stuck":
            flow = frame.plan.activity[node]
            waiting = [child for child in frame.plan.children[node] if frame.status[child] == status.WAITING]
            if isinstance(flow, Flow) and waiting and self.draw.chance(60):
                return commands.Skip(frame.path(self.draw.one(waiting)))
            return commands.Cancel(frame.path(node))
        execution = frame.execution[node]
        assert execution is not None
        if (
            not execution.is_stopped
            and not is_drained(frame, node)
            and self.state.paused_at < 0
            and self.draw.chance(30)
        ):
            return commands.Retry(*key)
        return self.complete(frame, node) if self.draw.chance(60) else commands.Fail(*key, "task.c")

    def on_continue(self, one: effect_types.Continue) -> Command:
        return commands.Continue()

    def on_timer(self, one: effect_types.Timer) -> Command:
        paused = self.state.paused
        self.time = max(self.time, one.due_seconds + paused)
        if one.kind == "retry":
            return commands.Retry(one.path, one.round, one.attempt)
        return commands.Due(one.path, one.round, one.attempt, one.warning)

    def on_lookup(self, one: effect_types.Lookup) -> Command:
        depth = one.path.count("/")
        if self.draw.chance(12) or depth > 9:
            return commands.Fail(one.path, one.round, one.attempt, "engine.no_process")
        found = self.made.called[one.process]
        return commands.Bind(one.path, one.round, one.attempt, "hash of " + one.process, found)

    # What nobody waits for.

    def paths(self) -> list[str]:
        frames = [] if self.state.root is None else [self.state.root, *self.state.frames.values()]
        return [frame.path(node) for frame in frames for node in range(len(frame.status))]

    def interference(self) -> Command:
        draw = self.draw
        kinds = {
            "cancel": 30, "drain": 10, "suspend": 12, "resume": 8, "skip": 12, "items": 8, "continue": 2,
            "change": 12 if isinstance(draw, Seeded) else 0,
        }  # fmt: skip
        kind = draw.weighted(kinds)
        path = draw.one(self.paths())
        if kind == "change":
            return commands.Change(SAME, self.made.process)
        if kind == "suspend" or kind == "resume":
            return commands.Resume() if self.state.paused_at >= 0 else commands.Suspend()
        if kind == "cancel" or kind == "drain":
            return commands.Cancel("" if draw.chance(5) else path, drain=kind == "drain")
        if kind == "skip":
            return commands.Skip(path)
        if kind == "continue":
            return commands.Continue()
        eachs = [path for path in self.paths() if self.is_each(path)]
        if eachs:
            return commands.Add(draw.one(eachs), items=(1,)) if draw.chance(70) else commands.Finish(draw.one(eachs))
        return commands.Due(path)

    def is_each(self, path: str) -> bool:
        place = find(self.state, path)
        return place is not None and isinstance(place[0].plan.activity[place[1]], Each)

    def wrong(self) -> Command:
        """Late, repeated, or never right."""
        draw = self.draw
        old = [command for _, command, _ in self.decisions if isinstance(command, commands.About)]
        if old and draw.chance(60):
            return draw.one(old)
        path = draw.one([*self.paths(), "nowhere", "main/nowhere"])
        round, attempt = draw.number(0, 2), draw.number(1, 2)
        kind = draw.one(
            ["Begin", "Complete", "Fail", "Mark", "Confirm", "Retry", "LeaseEnded", "Settle", "Bind", "Abandon"]
        )
        if kind == "Complete" and draw.chance(50):
            return commands.Complete(path, round, attempt, "unheard", {"u": 1})
        if kind == "Mark":
            return commands.Mark(path, round, attempt, draw.one(["m", "unheard"]), {"v": draw.one([1, "text"])})
        return getattr(commands, kind)(path, round, attempt)  # type: ignore[no-any-return]

    def is_late(self, command: Command) -> bool:
        """Does it name a round or an attempt that is over, or work that has ended?"""
        if not isinstance(command, commands.About) or command.round is None or command.attempt is None:
            return False
        if isinstance(command, commands.Settle):
            return False
        record = self.watch.books.by_path.get(command.path)
        if record is None or record.round < 0:
            return True
        return (record.round, record.attempt or 1) != (command.round, command.attempt) or record.has_ended

    # The run.

    def begin(self) -> None:
        self.send(commands.Start(seed=7))

    def has_ended(self) -> bool:
        root = self.state.root
        return root is not None and root.status[0] in status.ENDS

    def step(self) -> bool:
        """One random command. False when nothing is left to do."""
        self.time += self.draw.number(0, 2)
        kind = self.draw.weighted({"right": 84, "interference": 7, "wrong": 9})
        choices = self.choices()
        if kind == "right" and not choices:
            if self.has_ended():
                return False
            kind = "interference"
        if kind == "right":
            command = self.draw.one(choices)()
            if not self.send(command):
                raise Violation(f"{command} is refused, but it is outstanding: {self.why(command)}")
        elif kind == "interference":
            self.interfere(self.interference())
        else:
            command = self.wrong()
            is_late = self.is_late(command)
            if self.send(command) and is_late:
                raise Violation(f"{command} is late and was accepted")
        return True

    def interfere(self, command: Command) -> None:
        """A change to the same definition is accepted at any moment, and changes nothing."""
        was_done = self.send(command)
        if not isinstance(command, commands.Change):
            return
        if not was_done and not self.has_ended():
            raise Violation(f"a change to the same definition is refused: {self.why(command)}")
        for fact in self.decisions[-1][2] if was_done else ():
            if isinstance(fact, facts.Changed) and (fact.withdrawn or fact.opened):
                raise Violation(f"a change to the same definition withdraws or opens: {fact}")

    def why(self, command: Command) -> str:
        try:
            apply(self.plan, self.state, command)
        except Refused as refused:
            return str(refused)
        return ""

    def finish(self) -> None:
        """People cancel the instance, whatever is asked is answered, and so it ends."""
        if self.state.paused_at >= 0:
            self.send(commands.Resume())
        if not self.has_ended():
            self.send(commands.Cancel())
        for _ in range(END_STEPS):
            choices = self.choices()
            if not choices:
                break
            if self.told > FACTS_TO_THE_END:
                return
            command = choices[0]()
            if not self.send(command):
                raise Violation(f"{command} is refused, but it is outstanding: {self.why(command)}")
        if not self.has_ended():
            raise Violation(f"cancelled, answered {END_STEPS} times, and has not ended: {self.asked}")
        if self.watch.taking_back.unsettled:
            raise Violation(f"never settled: {self.watch.taking_back.unsettled}")

    def check_twice(self) -> None:
        """The same commands bring the same facts; the whole log replays to the same state."""
        plan, state = plan_of(self.made.process), State()
        for time, command, told in self.decisions:
            state.time = time
            if apply(plan, state, command) != told:
                raise Violation(f"{command} does not bring the same facts again")
        self.reloaded(plan_of(self.made.process))
        plan = plan_of(self.made.process)
        for definition, known in self.definitions().items():
            plan.library.learn(definition, known)
        again = replay(plan, [(time, told) for time, _, told in self.decisions])
        if found := difference(self.state, again):
            raise Violation(f"replayed from the log alone it is another state: {found}")


def asked_for(one: AnyEffect) -> tuple[object, ...]:
    """What an effect asks; why a person is asked may become clearer later, and what time a clock reads."""
    kind = getattr(one, "why", "") if getattr(one, "why", "") in ("engine.stuck", "engine.open") else ""
    return type(one), one.path, one.round, one.attempt, kind, getattr(one, "kind", ""), getattr(one, "warning", 0)


ANSWERS: dict[type, Callable[[Run, AnyEffect], Command]] = {
    effect_types.Dispatch: Run.on_dispatch,
    effect_types.Stop: Run.on_stop,
    effect_types.Commit: Run.on_commit,
    effect_types.SettleBranch: Run.on_settle,
    effect_types.Ask: Run.on_ask,
    effect_types.Continue: Run.on_continue,
    effect_types.Timer: Run.on_timer,
    effect_types.Lookup: Run.on_lookup,
}  # type: ignore[dict-item]


def drive(run: Run, steps: int = STEPS) -> Run:
    run.begin()
    for _ in range(steps):
        if not run.step() or run.told > FACTS_AT_MOST:
            break
    run.finish()
    run.check_twice()
    return run


def made_of(seed: int) -> Made:
    """Small processes first: a fault in one is easier to read."""
    return process(Seeded(seed), 3 + seed % 16)


def run_seed(seed: int) -> Run:
    return drive(Run(Seeded(seed + 1_000_000_007), made_of(seed)))
