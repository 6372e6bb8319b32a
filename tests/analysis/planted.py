"""Processes with one planted fault each, and their repaired twins."""

from typing import NamedTuple

from msgspec.structs import replace

from weft.model import blocks
from weft.model.definition import (
    ABORTED,
    Activity,
    ArcIn,
    ArcOut,
    Declared,
    Flow,
    Function,
    InputSet,
    Net,
    On,
    Outcome,
    Place,
    Process,
    Rule,
    Task,
    Transition,
    Variable,
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


def shop(body: Flow, *names: str, **said: object) -> Process:
    variables = {name: Declared("int", None if name == "late" else 0) for name in names}
    return process(replace(body, variables=variables), **said)


def writing(name: str, variable: str, **said: object) -> Task:
    return task(name, writes={variable: "v"}, outcomes=(Outcome("done", types={"v": "int"}), ABORTED), **said)


def reading(name: str, variable: str) -> Task:
    return replace(task(name), input_sets=(InputSet(bindings={"p": (Variable(variable),)}, types={"p": "int"}),))


def lost_write() -> Pair:
    """Two branches write the same variable."""
    end = reading("end", "total")
    both = blocks.all_of(writing("left", "total"), writing("right", "total"), name="both")
    apart = blocks.all_of(writing("left", "total"), writing("right", "other"), name="both")
    ends = reading("end", "total"), reading("see", "other")
    return Pair(
        shop(blocks.serial(both, end, name="order"), "total"),
        "written-twice",
        "right",
        (),
        shop(blocks.serial(apart, *ends, name="order"), "total", "other"),
    )


def race_of_data() -> Pair:
    """One branch reads what the other writes."""
    write, read = writing("write", "total"), reading("read", "total")
    return Pair(
        shop(blocks.all_of(write, read, name="order"), "total"),
        "read-while-written",
        "read",
        (),
        shop(blocks.serial(write, read, name="order"), "total"),
    )


def too_early() -> Pair:
    """What is written later is read now."""
    write, read = writing("write", "late"), reading("read", "late")
    return Pair(
        shop(blocks.serial(read, write, name="order"), "late"),
        "read-before-written",
        "read",
        (),
        shop(blocks.serial(write, read, name="order"), "late"),
    )


def never_read() -> Pair:
    write, read = writing("write", "total"), reading("read", "total")
    return Pair(
        shop(blocks.serial(write, name="order"), "total"),
        "never-read",
        "write",
        (),
        shop(blocks.serial(write, read, name="order"), "total"),
    )


def gap() -> Pair:
    """Of two bookings only one can be taken back, and then something may still fail."""
    seat = task("seat", compensation=task("release"))
    pay, ship = task("pay"), task("ship")
    refunded = task("pay", compensation=task("refund"))
    return Pair(
        process(blocks.serial(seat, pay, ship, name="order")),
        "gap",
        "pay",
        ("seat commits", "pay commits", "ship aborts"),
        process(blocks.serial(seat, refunded, ship, name="order")),
    )


def idle_error() -> Pair:
    def made(rule: str) -> Process:
        retried = task("pay", on_error=(Rule("retry", rule, times=2),))
        return process(blocks.serial(retried, name="order"), errors=("task.no_money", "task.down"))

    both = task("pay", errors={"NoMoney": "task.no_money"}, on_error=(Rule("retry", "task.down", times=2),))
    mended = process(blocks.serial(both, name="order"), errors=("task.no_money", "task.down"))
    return Pair(made("task.down"), "unused-error", "order", (), mended)


def data_pairs() -> list[Pair]:
    return [lost_write(), race_of_data(), too_early(), never_read(), gap(), idle_error()]


def net_of(*transitions: Transition, places: tuple[Place, ...]) -> Process:
    return process(Net(name="order", places=places, transitions=transitions))


def moving(name: str, takes: str, *puts: str) -> Transition:
    inputs = tuple(ArcIn(place) for place in takes.split())
    return Transition(name=name, inputs=inputs, outputs=tuple(ArcOut(place) for place in puts))


PLACES = (Place("begin", tokens=(None,)), Place("middle"), Place("end", output=True))


def unbounded_net() -> Pair:
    more, stop = moving("more", "begin", "begin", "middle"), moving("stop", "begin middle", "end")
    once = moving("more", "begin", "middle")
    return Pair(
        net_of(more, stop, places=PLACES),
        "unbounded",
        "order",
        ("more",) * 8,
        net_of(once, moving("stop", "middle", "end"), places=PLACES),
    )


def unfilled_net() -> Pair:
    lost, kept = moving("lose", "begin"), moving("keep", "begin", "end")
    return Pair(
        net_of(lost, kept, places=(PLACES[0], PLACES[2])),
        "unfilled",
        "order",
        ("lose",),
        net_of(moving("lose", "begin", "end"), kept, places=(PLACES[0], PLACES[2])),
    )


def tokens_left() -> Pair:
    both = moving("split", "begin", "middle", "end")
    return Pair(
        net_of(both, places=PLACES),
        "tokens-left",
        "order",
        ("split",),
        net_of(moving("split", "begin", "middle"), moving("close", "middle", "end"), places=PLACES),
    )


def net_pairs() -> list[Pair]:
    return [unbounded_net(), unfilled_net(), tokens_left()]
