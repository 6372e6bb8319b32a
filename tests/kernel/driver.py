"""Stories: what is asked of an instance, line by line, the facts that must follow, and the same from every point on.

A story has one command a line and after `->` the facts that it brings, each as `Kind path`, with `:name` of an outcome,
mark or answer that is not the usual one, `@2` for a round that is not 0 and `#3` for an attempt that is not 1:

    start {"n": 2}     -> Ready p, Started p, Ready a
    do a               -> Started a, Committed a, Committed p
    do a               -> refused NotRunning

`{…}` groups facts whose order says nothing. A line that begins with `->` goes on with the one before; of a line without
`->` nothing is said. Commands: `start`,
`begin complete do fail mark confirm settle retry lost cancel drain skip due add finish abandon PATH`, `bind PATH NAME`,
`continue`, `suspend`, `resume`, and `at SECONDS` which moves the clock. `do` is `begin` and `complete`.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from tests.random.same import difference
from weft.kernel import commands, effect_types, facts
from weft.kernel.commands import Command
from weft.kernel.decide import apply
from weft.kernel.effect_types import AnyEffect
from weft.kernel.evolve import evolve, replay
from weft.kernel.facts import AnyFact
from weft.kernel.outstanding import effects, outstanding
from weft.kernel.plan import Plan, plan_of
from weft.kernel.refusals import Refused
from weft.kernel.snapshot import dump, load
from weft.kernel.state import State
from weft.model.definition import (
    Activity,
    Common,
    Guard,
    Named,
    On,
    Outcome,
    Process,
    Task,
    every,
    parts,
)

Decisions = list[tuple[float, list[AnyFact]]]


# Definitions.


def task(name: str, **said: object) -> Task:
    return Task(name=name, handler=said.pop("handler", None) or Named(name), **said)  # type: ignore[arg-type]


def process(definition: Activity | Process) -> Process:
    return definition if isinstance(definition, Process) else Process(name=definition.name, body=definition)


# An instance.


class Driver:
    """One instance: its plan, its state, what was decided so far, and what was asked for and not answered."""

    def __init__(self, plan: Plan, state: State | None = None, decisions: Decisions | None = None) -> None:
        self.plan = plan
        self.state = state or State()
        self.decisions: Decisions = list(decisions or [])
        self.time = self.decisions[-1][0] if self.decisions else 0.0
        self.asked = Asked(plan)
        self.effects: list[AnyEffect] = []

    def send(self, command: Command) -> list[AnyFact]:
        """The facts that the command brings. A refusal must have changed nothing."""
        self.state.time = self.time
        try:
            told = apply(self.plan, self.state, command)
        except Refused:
            assert self.state.root is None or not difference(self.state, self.replayed()), "a refusal changed the state"
            raise
        self.decisions.append((self.time, told))
        self.effects = effects(self.plan, self.state, told)
        self.asked.learn(told, self.effects)
        return told

    def replayed(self) -> State:
        state = replay(self.plan, self.decisions)
        state.time = self.time
        return state

    def outstanding(self) -> list[AnyEffect]:
        return outstanding(self.plan, self.state)

    @property
    def told(self) -> list[AnyFact]:
        return [fact for _, told in self.decisions for fact in told]

    def last(self, path: str, kind: type[facts.Fact]) -> facts.Fact:
        """The latest fact of this kind about this path."""
        return next(fact for fact in reversed(self.told) if type(fact) is kind and fact.path == path)

    @property
    def path(self) -> list[str]:
        return [label(fact) for fact in self.told]


class Asked:
    """What effects asked for and no fact has answered: kept by rules of its own, to be compared with `outstanding`."""

    def __init__(self, plan: Plan) -> None:
        self.open: dict[tuple[object, ...], AnyEffect] = {}
        self.holds: dict[str, tuple[str, ...]] = {}
        self.root = plan.paths[0]
        todo: list[Activity] = [plan.activity[0]]
        while todo:
            one = todo.pop()
            self.holds[one.name] = one.holds
            for role in ("compensation", "undo"):
                self.holds[f"{one.name}/{role}"] = getattr(getattr(one, role), "holds", ())
            todo += parts(one)

    def learn(self, told: list[AnyFact], new: list[AnyEffect]) -> None:
        for fact in told:
            self.open = {key: effect for key, effect in self.open.items() if not self.answers(fact, effect)}
        for effect in new:
            if isinstance(effect, effect_types.Withdraw) or (
                isinstance(effect, effect_types.Stop) and not effect.awaited
            ):
                continue
            key = (
                type(effect),
                effect.path,
                getattr(effect, "kind", ""),
                getattr(effect, "warning", 0),
                getattr(effect, "why", ""),
            )
            if isinstance(effect, effect_types.SettleBranch):
                key = (*key, effect.round)
            self.open[key] = effect

    def answers(self, fact: AnyFact, effect: AnyEffect) -> bool:
        """Is this what the effect asked for, or has it become pointless?"""
        kind = type(fact).__name__
        here = fact.path == effect.path
        match effect:
            case effect_types.Dispatch():
                if kind == "Started" and not here:
                    return bool(self.held(fact.path) & self.held(effect.path))
                return kind == "Suspended" or (here and kind in ("Started", "Skipped", "Aborted", "Withdrawn"))
            case effect_types.Stop():
                return here and kind in ("Aborted", "Committed", "TakingBack", "Failed")
            case effect_types.Commit():
                return here and kind in ("Aborted", "Committed", "Stopping")
            case effect_types.Ask(why="engine.stuck"):
                inside = (fact.path.rpartition("/")[0] or self.root) == effect.path
                return (here and kind not in ("Stuck", "Drained")) or (inside and kind in ENDS)
            case effect_types.Ask():
                return here and kind not in ("Doubted", "Drained")
            case effect_types.Timer(kind="retry"):
                return here and kind in ("Ready", "Released", "Aborted", "Withdrawn")
            case effect_types.Timer():
                if kind == "Overdue":
                    return here and isinstance(fact, facts.Overdue) and fact.warning == effect.warning
                return here and kind in ENDING_DEADLINES
            case effect_types.Lookup():
                return here and kind in ("Bound", "Aborted", "Aborting")
            case effect_types.SettleBranch():
                return here and kind == "Settled" and fact.round == effect.round
            case effect_types.Continue():
                return True
        return False

    def held(self, path: str) -> set[str]:
        names = re.sub(r"\[\d+\]", "", path).split("/")
        return {*self.holds.get(names[-1], ()), *self.holds.get("/".join(names[-2:]), ())}


ENDS = ["Skipped", "Committed", "Aborted"]
ENDING_DEADLINES = [
    "Committed",
    "Aborted",
    "Skipped",
    "Parked",
    "Failed",
    "Doubted",
    "Stopping",
    "TakingBack",
    "Fixed",
    "Aborting",
    "Withdrawn",
]


def same(one: State, other: State) -> bool:
    return not difference(one, other)


# Stories.


@dataclass
class Line:
    command: str
    expected: list[str] | None = None


def label(fact: AnyFact) -> str:
    said = ""
    name = getattr(fact, "outcome", None) or getattr(fact, "mark", None) or getattr(fact, "transition", None) or ""
    if name and name not in ("done", "aborted"):
        said = ":" + name
    if isinstance(fact, facts.Answered):
        said = ":yes" if fact.answer else ":no"
    if isinstance(fact, facts.Compensated) and fact.given_up:
        said = ":given-up"
    round = f"@{fact.round}" if fact.round else ""
    attempt = f"#{fact.attempt}" if fact.attempt != 1 else ""
    return f"{type(fact).__name__} {fact.path}{said}{round}{attempt}"


def lines_of(story: str) -> list[Line]:
    found: list[Line] = []
    for text in story.splitlines():
        command, arrow, told = text.partition("->")
        if not text.strip() or text.strip().startswith("#"):
            continue
        if command.strip():
            found.append(Line(command.strip()))
        if arrow:
            more = [one.strip() for one in re.split(r",(?![^{]*\})", told) if one.strip()]
            found[-1].expected = [*(found[-1].expected or []), *more]
    return found


def commands_of(text: str, processes: Mapping[str, Process]) -> list[Command]:
    """The commands that one line stands for; none for a line about the clock."""
    verb, _, rest = text.partition(" ")
    rest, values = given(rest)
    words = rest.split()
    path = words[0] if words else ""
    name = words[1] if len(words) > 1 else ""
    make = MAKERS.get(verb)
    if make is not None:
        return make(path, name, values)
    if verb == "bind":
        return [commands.Bind(path, definition="hash of " + name, process=processes[name])]
    assert verb == "change", f"no command {verb!r}"
    return [commands.Change("hash of " + path, processes[path])]


def given(rest: str) -> tuple[str, dict[str, object]]:
    """The words, and the values in JSON behind them."""
    match = re.search(r"(?:^|\s)([{\[].*)$", rest)
    if match is None:
        return rest, {}
    values = json.loads(match.group(1))
    return rest[: match.start()], values if isinstance(values, dict) else {"": values}


Maker = Callable[[str, str, dict[str, object]], list[Command]]

MAKERS: dict[str, Maker] = {
    "start": lambda path, name, values: [commands.Start(values, path)],
    "begin": lambda path, name, values: [commands.Begin(path)],
    "complete": lambda path, name, values: [commands.Complete(path, outcome=name, values=values)],
    "do": lambda path, name, values: [commands.Begin(path), commands.Complete(path, outcome=name, values=values)],
    "fail": lambda path, name, values: [commands.Fail(path, error=name or "task")],
    "break": lambda path, name, values: [commands.Begin(path), commands.Fail(path, error=name or "task")],
    "mark": lambda path, name, values: [commands.Mark(path, mark=name, values=values)],
    "confirm": lambda path, name, values: [commands.Confirm(path)],
    "settle": lambda path, name, values: [commands.Settle(path, int(name or 0))],
    "retry": lambda path, name, values: [commands.Retry(path)],
    "lost": lambda path, name, values: [commands.LeaseEnded(path)],
    "cancel": lambda path, name, values: [commands.Cancel(path)],
    "drain": lambda path, name, values: [commands.Cancel(path, drain=True)],
    "skip": lambda path, name, values: [commands.Skip(path)],
    "due": lambda path, name, values: [commands.Due(path, warning=int(name or -1))],
    "add": lambda path, name, values: [commands.Add(path, items=tuple(values[""]))],  # type: ignore[arg-type]
    "finish": lambda path, name, values: [commands.Finish(path)],
    "abandon": lambda path, name, values: [commands.Abandon(path)],
    "continue": lambda path, name, values: [commands.Continue()],
    "suspend": lambda path, name, values: [commands.Suspend()],
    "resume": lambda path, name, values: [commands.Resume()],
}


def tell(driver: Driver, text: str, processes: Mapping[str, Process]) -> list[str]:
    """Does what one line asks; the labels of the facts that came, or what was refused."""
    if text.startswith("at "):
        driver.time = float(text.split()[1])
        return []
    found: list[str] = []
    for command in commands_of(text, processes):
        try:
            found += [label(fact) for fact in driver.send(command)]
        except Refused as refusal:
            found.append("refused " + type(refusal).__name__)
    return found


def agrees(found: list[str], expected: list[str] | None) -> bool:
    """In order, but for the members of a group in braces."""
    if expected is None:
        return True
    left = list(found)
    for one in expected:
        group = [each.strip() for each in one.strip("{}").split(",")] if one.startswith("{") else [one]
        if sorted(left[: len(group)]) != sorted(group):
            return False
        del left[: len(group)]
    return not left


def everywhere(definition: Activity | Process, story: str, processes: Mapping[str, Process] | None = None) -> Driver:
    """Plays the story, then from each of its decisions on again from a replay. Gives the instance at its end."""
    plan = plan_of(process(definition))
    lines = lines_of(story)
    known = processes or {}
    live = Driver(plan)
    snapshots: list[tuple[int, float]] = []
    for line in lines:
        found = tell(live, line.command, known)
        brought, expected = ", ".join(found) or "nothing", ", ".join(line.expected or ["nothing"])
        assert agrees(found, line.expected), f"{line.command}\n    brought  {brought}\n    expected {expected}"
        snapshots.append((len(live.decisions), live.time))
        check_replay(live)
    check_once(live)
    for number, (count, time) in enumerate(snapshots[:-1]):
        again = resumed(plan, live, count, time)
        for line in lines[number + 1 :]:
            found = tell(again, line.command, known)
            assert agrees(found, line.expected), f"after a stop at line {number + 1}, {line.command} brought {found}"
        assert again.told == live.told
        assert not difference(again.state, live.state)
    check_every_prefix(plan, live)
    return live


def resumed(plan: Plan, live: Driver, count: int, time: float) -> Driver:
    """From a snapshot of what a replay up to there gives."""
    state = load(plan, dump(plan, replay(plan, live.decisions[:count])))
    state.time = time
    again = Driver(plan, state, live.decisions[:count])
    again.time = time
    return again


def check_replay(live: Driver) -> None:
    """A replay gives the state; it still asks for what was asked and not answered."""
    if live.state.root is None:
        return
    state = live.replayed()
    assert not difference(live.state, state), difference(live.state, state)
    loaded = load(live.plan, dump(live.plan, live.state))
    assert not difference(live.state, loaded), difference(live.state, loaded)
    still = outstanding(live.plan, state)
    assert still == live.outstanding()
    told = live.decisions[-1:]
    assert known(still) == known(list(live.asked.open.values())), f"after {told}"


def known(asked: list[AnyEffect]) -> list[str]:
    """In an order that says nothing. Of a round or attempt that is over nothing may be asked, so they count."""
    return sorted(map(repr, asked))


def check_once(live: Driver) -> None:
    """Nothing starts twice for one (path, round, attempt)."""
    started = [(fact.path, fact.round, fact.attempt) for fact in live.told if isinstance(fact, facts.Started)]
    assert len(started) == len(set(started)), started


def check_every_prefix(plan: Plan, live: Driver) -> None:
    """Facts can be replayed up to any one of them, inside a decision too."""
    state = State()
    for time, told in live.decisions:
        state.time = time
        for fact in told:
            evolve(plan, state, fact)
            outstanding(plan, state)
        state.forget_looks()


def written(definition: Activity | Process, script: str, processes: Mapping[str, Process] | None = None) -> str:
    """The story that the kernel tells now: for those who write one, to be judged line by line."""
    live = Driver(plan_of(process(definition)))
    found: list[str] = []
    for line in lines_of(script):
        found.append(f"{line.command} -> {', '.join(tell(live, line.command, processes or {}))}")
    return "\n".join(found)


def with_fields(activity: Activity, **said: object) -> Activity:
    assert isinstance(activity, Common)
    return replace(activity, **said)


def guarded(activity: Activity, guard: Guard) -> Activity:
    """The activity, which starts when the guard holds."""
    return replace(activity, input_sets=tuple(replace(one, guard=guard) for one in activity.input_sets))


def committed(*names: str) -> list[Guard]:
    return [On(name, "committed") for name in names]


def ended(*names: str) -> Guard:
    return every(*[On(name, "ended") for name in names])


def done(guard: Guard | None = None) -> Outcome:
    return Outcome("done", "commit", guard)


def aborted(guard: Guard | None = None) -> Outcome:
    return Outcome("aborted", "abort", guard)
