"""A drain lets what runs end: skipping what waits must not make an outcome hold that stops it."""

from weft.kernel import commands, facts
from weft.kernel.decide import apply
from weft.kernel.plan import Plan, plan_of
from weft.kernel.state import State
from weft.model.blocks import all_of, serial
from weft.model.definition import (
    ABORTED,
    Activity,
    ArcIn,
    ArcOut,
    Constant,
    Each,
    Function,
    InputSet,
    Net,
    Outcome,
    Place,
    Process,
    Task,
    Transition,
    When,
)


def work(name: str, **fields: object) -> Task:
    return Task(name=name, handler=Function("shop:" + name), **fields)  # type: ignore[arg-type]


def test_what_runs_in_a_drained_serial_block_may_end() -> None:
    a = work("a", compensation=work("undo_a"))
    plan = plan_of(Process(name="p", body=serial(a, work("b"), name="p")))
    state = State()
    apply(plan, state, commands.Start())
    apply(plan, state, commands.Begin("a"))
    told = apply(plan, state, commands.Cancel(drain=True))
    assert not any(isinstance(fact, facts.Stopping) for fact in told)
    told = apply(plan, state, commands.Complete("a"))
    assert facts.Committed("a") in told


def drained(body: Activity, *begun: str) -> tuple[Plan, State]:
    plan, state = plan_of(Process(name="p", body=body)), State()
    apply(plan, state, commands.Start())
    for name in begun:
        apply(plan, state, commands.Begin(name))
    apply(plan, state, commands.Cancel(drain=True))
    return plan, state


def test_a_failure_counts_more_than_what_the_drain_skipped() -> None:
    plan, state = drained(serial(work("a"), work("b"), name="p"), "a")
    told = apply(plan, state, commands.Fail("a", error="task.broken"))
    assert told[-1] == facts.Aborted("p", error="task.broken")


def test_a_failure_does_not_stop_what_runs_beside_it_in_a_drained_block() -> None:
    plan, state = drained(all_of(work("a"), work("b"), name="p"), "a", "b")
    assert apply(plan, state, commands.Fail("a", error="task.broken")) == [facts.Aborted("a", error="task.broken")]
    told = apply(plan, state, commands.Complete("b"))
    assert told[0] == facts.Committed("b")
    assert told[-1] == facts.Aborted("p", error="task.broken")


def test_a_drained_each_lets_its_items_end_although_it_has_enough() -> None:
    items = InputSet(types={"items": "list[int]"}, bindings={"items": (Constant([1, 2]),)})
    plan, state = drained(Each(name="p", item="i", body=work("a"), input_sets=(items,), enough=1), "p[0]", "p[1]")
    assert apply(plan, state, commands.Complete("p[0]")) == [facts.Committed("p[0]")]
    told = apply(plan, state, commands.Complete("p[1]"))
    assert told[-1] == facts.Committed("p", values={"outcome": ["done", "done"]})


def test_a_drained_net_lets_its_firings_end_before_their_tokens_come() -> None:
    net = Net(
        name="p",
        places=(Place("in", tokens=(1, 2)), Place("out", output=True)),
        transitions=(
            Transition(name="t", inputs=(ArcIn("in", "x"),), outputs=(ArcOut("out", "x"),), operation=work("a")),
        ),
        outcomes=(Outcome("done", guard=When("out >= 1")), ABORTED),
    )
    plan, state = drained(net, "p/t[1]", "p/t[2]")
    assert apply(plan, state, commands.Complete("p/t[1]")) == [facts.Committed("p/t[1]")]
    told = apply(plan, state, commands.Complete("p/t[2]"))
    assert not any(isinstance(fact, facts.Stopping) for fact in told)
    assert told[-1] == facts.Committed("p", values={"out": 1})
