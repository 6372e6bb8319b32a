"""Processes with one planted fault each, and their repaired twins."""

from typing import NamedTuple

from msgspec.structs import replace

from weft.model import blocks
from weft.model.definition import (
    ABORTED,
    Activity,
    Declared,
    Flow,
    Function,
    InputSet,
    On,
    Outcome,
    Process,
    Task,
    every,
    some,
)


class Pair(NamedTuple):
    """A faulty process, the code and activity of its one fault, its shortest trace, and the repaired twin."""

    faulty: Process
    code: str
    activity: str
    trace: tuple[str, ...]
    repaired: Process


def task(name: str, guard: object = None, **said: object) -> Task:
    sets = (InputSet(guard=guard),)  # type: ignore[arg-type]
    return Task(name=name, handler=Function(f"work:{name}"), input_sets=sets, **said)  # type: ignore[arg-type]


def graph(*children: Activity, done: object, name: str = "order", more: tuple[Outcome, ...] = ()) -> Flow:
    fails = Outcome("aborted", "abort", some(*[On(child.name, "aborted") for child in children]))
    return Flow(name=name, children=children, outcomes=(Outcome("done", "commit", done), *more, fails))  # type: ignore[arg-type]


def process(body: Activity, **said: object) -> Process:
    return Process(name=body.name, body=body, **said)  # type: ignore[arg-type]


def committed(*names: str) -> object:
    return every(*[On(name, "committed") for name in names])


def deadlock() -> Pair:
    """Two branches of which one is taken, and an end that waits for both."""
    check = task("check", outcomes=(Outcome("good"), Outcome("bad"), ABORTED))
    ship, tell = task("ship", On("check", "committed:good")), task("tell", On("check", "committed:bad"))
    ended = some(On("ship", "committed"), On("tell", "committed"))
    return Pair(
        process(graph(check, ship, tell, done=committed("ship", "tell"))),
        "deadlock",
        "order",
        ("check commits as bad", "tell commits"),
        process(graph(check, ship, tell, done=ended)),
    )


def choosing(*branches: tuple[str, Activity]) -> Process:
    return process(replace(blocks.choice(branches, name="order"), variables={"cents": Declared("int", 0)}))


def never_runs() -> Pair:
    """A branch that waits for what the condition before it excludes."""
    dear, cheap = task("dear"), task("cheap")
    return Pair(
        choosing(("cents > 500", dear), ("cents > 900", cheap)),
        "never-runs",
        "cheap",
        (),
        choosing(("cents > 900", dear), ("cents > 500", cheap)),
    )


def endless() -> Pair:
    """A loop whose condition never becomes false."""
    poll = task("poll")
    again = Outcome("again", "repeat", some(On("poll", "committed"), On("poll", "aborted")))

    def looped(*ends: Outcome) -> Process:
        return process(Flow(name="order", children=(poll,), outcomes=(*ends, again)))

    lost = Outcome("done", "commit", On("poll", "skipped"))
    return Pair(looped(lost), "endless", "order", (), looped(Outcome("done", "commit", On("poll", "committed"))))


def unreachable() -> Pair:
    """An outcome for an end that the task does not have any more."""
    check = task("check", outcomes=(Outcome("good"), Outcome("bad", "abort"), ABORTED))
    refused = Outcome("refused", "commit", every(On("check", "aborted:bad"), On("check", "committed")))
    mended = Outcome("refused", "commit", On("check", "aborted:bad"))

    def made(end: Outcome) -> Process:
        done = Outcome("done", "commit", On("check", "committed"))
        fails = Outcome("aborted", "abort", On("check", "aborted:aborted"))
        return process(Flow(name="order", children=(check,), outcomes=(done, end, fails)))

    return Pair(made(refused), "unreachable", "order", (), made(mended))


def left_over() -> Pair:
    """The process ends well when the first of two is done, and stops the other."""
    pack, bill = task("pack"), task("bill")
    return Pair(
        process(graph(pack, bill, done=committed("bill"))),
        "left-over",
        "order",
        ("bill commits",),
        process(graph(pack, bill, done=committed("pack", "bill"))),
    )


def no_end() -> Pair:
    """An end that asks for more than there can be."""
    first, second = task("first"), task("second", On("first", "aborted"))
    fails = Outcome("aborted", "abort", some(*[On("second", event) for event in ("aborted", "committed", "skipped")]))

    def made(done: object) -> Process:
        ends = (Outcome("done", "commit", done), fails)  # type: ignore[arg-type]
        return process(Flow(name="order", children=(first, second), outcomes=ends))

    one = some(On("first", "committed"), On("second", "committed"))
    return Pair(made(committed("first", "second")), "no-end", "order", (), made(one))


def control_pairs() -> list[Pair]:
    return [deadlock(), never_runs(), endless(), unreachable(), left_over(), no_end()]
