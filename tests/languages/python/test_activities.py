"""Activities as they are written: operators, their two readings, and what can't be joined."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

import weft
from weft import (
    Mistake,
    Net,
    all_of,
    any_of,
    assign,
    at_least,
    choice,
    contingency,
    each,
    expr,
    flow,
    given,
    loop,
    person,
    pick,
    process,
    quiet,
    race,
    serial,
    signal,
    task,
    var,
    when,
)
from weft.languages.python.activities import Activity, Block
from weft.model.definition import AtLeast, Deadline, Flow, On, Process, Quiet, Rule, Task, When

A, B, C, D = (person(name) for name in "abcd")


def built(body: Activity) -> Process:
    return process("whole")(body)


def flow_of(body: Activity) -> Flow:
    made = built(body).body
    assert isinstance(made, Flow)
    return made


SAME: dict[str, tuple[Callable[[], Activity], Callable[[], Activity]]] = {
    ">>": (lambda: A >> B >> C, lambda: serial(A, B, C)),
    "&": (lambda: A & B & C, lambda: all_of(A, B, C)),
    "|": (lambda: A | B | C, lambda: any_of(A, B, C)),
    "^": (lambda: A ^ B ^ C, lambda: race(A, B, C)),
    "otherwise": (lambda: A.otherwise(B).otherwise(C), lambda: contingency(A, B, C)),
    "equal functions": (lambda: serial(serial(A, B), C), lambda: serial(A, B, C)),
    "equal operators, joined from the right": (lambda: A >> (B >> C), lambda: serial(A, B, C)),
    "a function's block after an operator": (lambda: A >> all_of(B, C), lambda: serial(A, all_of(B, C))),
    "an operator's block in brackets": (lambda: (A & B) >> C, lambda: serial(all_of(A, B), C)),
    "a name given to a chain": (lambda: (A ^ B ^ C).named("whole"), lambda: race(A, B, C)),
    "a contingency among others": (lambda: A.otherwise(B) & C, lambda: all_of(contingency(A, B), C)),
}


@pytest.mark.parametrize("case", SAME)
def test_two_ways_of_writing_it_give_the_same_process(case: str) -> None:
    one, other = SAME[case]
    assert built(one()) == built(other())


READINGS: dict[str, tuple[Callable[[], Activity], str]] = {
    "a & b >> c": (lambda: A & B >> C, "write all_of(a, b >> c) or all_of(a, b) >> c"),
    "a >> b & c": (lambda: A >> B & C, "write all_of(a >> b, c) or a >> all_of(b, c)"),
    "a | b & c": (lambda: A | B & C, "write any_of(a, b & c) or any_of(a, b) & c"),
    "a >> b >> c ^ d": (lambda: A >> B >> C ^ D, "write race(a >> b >> c, d) or a >> b >> race(c, d)"),
    "a ^ b | c": (lambda: A ^ B | C, "write any_of(a ^ b, c) or a ^ any_of(b, c)"),
}


@pytest.mark.parametrize("text", READINGS)
def test_mixed_operators_are_refused_and_both_readings_named(text: str) -> None:
    mixed, readings = READINGS[text]
    with pytest.raises(Mistake) as caught:
        mixed()
    assert str(caught.value).startswith(f"{text} can be read in two ways")
    assert str(caught.value).endswith(readings)


def test_what_has_a_name_may_be_joined_by_any_operator() -> None:
    assert [child.name for child in flow_of((A >> B).named("both") & C).children] == ["both", "c"]


def plain(order: int) -> int:
    return order


a: Any = A
loose: Any = weft  # what a type checker would refuse already


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "truth of an activity": (lambda: bool(a), "neither true nor false"),
    "and": (lambda: a and B, "join activities by >>, &, |, ^"),
    "truth of a guard": (lambda: A.on("done") and B.on("done"), "join guards by & and |"),
    "truth of a source": (lambda: not var("x"), "write the condition as text"),
    "a plain function": (lambda: a >> plain, "plain is only a function: decorate it with @task"),
    "a plain function in a block": (lambda: loose.serial(A, plain), "plain is only a function"),
    "a number": (lambda: a & 3, "wants an activity, not 3"),
    "nothing": (lambda: all_of(), "all_of of nothing: give it at least one activity"),
    "a name with a colon": (lambda: A.named("a:b"), "can't be a name"),
    "no name": (lambda: A.named(""), "can't be a name"),
    "an event of an unnamed block": (
        lambda: (A >> B).on("done"),
        "a >> b, since it has no name: give it one",
    ),
    "a number of seconds": (lambda: a.within(24), "within wants a timedelta, not 24"),
    "an unknown answer": (lambda: a.on_error("task", "retry"), 'give an activity that takes over, "ignore"'),
    "a guard that is none": (lambda: a.until("done"), 'wants a guard, not .done.: write a.on\\("done"\\)'),
    "half a guard": (lambda: a.on("done") & B, "& and | wants a guard, not b"),
    "choice of a list": (lambda: loose.choice([("x", A)]), "wants conditions with their activities"),
    "loop without condition": (lambda: loose.loop(A, B), "wants its condition first"),
    "too many": (lambda: at_least(3, A, B), "give a count from 1"),
    "a call of something": (lambda: loose.call(3), "wants a process or the name of one"),
    "a timer of a number": (lambda: loose.timer("t", 5), "wants a timedelta, not 5"),
    "an empty assignment": (lambda: assign("nothing"), "assigns nothing"),
    "a function as a constant": (lambda: A.using(x=plain), "the function plain can't be a constant"),
    "an object as a constant": (lambda: given(int, object()), "can't be a constant"),
    "a body that is none": (lambda: loose.process("p")(plain), "is called with its body, an activity"),
    "a net that does a function": (lambda: loose.Net("n").transition("t", do=plain), "no activity: decorate"),
    "an arc to a name": (
        lambda: loose.Net("n").transition("t", take={"x": ["raw"]}),
        "an arc leads to a place, not to 'raw'",
    ),
    "a strange arc in": (
        lambda: (net := Net("n")).transition("t", take={"x": net.place("p").arc(each=True)}),
        "has only a weight",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_told_where_it_is_made(case: str) -> None:
    wrong, message = MISTAKES[case]
    with pytest.raises(Mistake, match=message):
        wrong()


def test_activities_are_immutable() -> None:
    named = A.named("x").into("v").non_vital()
    assert (A.name, A.said.into, A.said.vital) == ("a", (), True)
    assert (named.name, named.said.into, named.said.vital) == ("x", (("v", ""),), False)


def test_an_activity_shows_itself_as_it_was_written() -> None:
    shown = [A, A >> B, (A >> B >> C >> D), all_of(A, B), choice({"x": A}), each("i", "list", A), Net("n")]
    assert [repr(one) for one in shown] == [
        "a", "a >> b", "a >> b >> c >> …", "all(a, b)", "choice(a)", "each('i', …, a)", "n",
    ]  # fmt: skip
    assert repr((A >> B).named("both")) == "both"


GUARDS = {
    "and": (A.on("x") & B.on("y") & C.on("z"), AtLeast(3, (On("a", "x"), On("b", "y"), On("c", "z")))),
    "or": (A.on("x") | B.on("y") | C.on("z"), AtLeast(1, (On("a", "x"), On("b", "y"), On("c", "z")))),
    "both": (A.on("x") & (B.on("y") | when("n")), AtLeast(2, (On("a", "x"), AtLeast(1, (On("b", "y"), When("n")))))),
    "some": (at_least(2, A.on("x"), B.on("y"), quiet()), AtLeast(2, (On("a", "x"), On("b", "y"), Quiet()))),
}


@pytest.mark.parametrize("case", GUARDS)
def test_guards_are_joined_into_one_formula(case: str) -> None:
    guard, formula = GUARDS[case]
    assert guard.formula == formula


def test_a_chain_of_a_hundred_thousand_steps_is_one_block() -> None:
    steps = [A.named(f"s{number}") for number in range(100_000)]
    chain: Activity = steps[0]
    for step in steps[1:]:
        chain = chain >> step
    assert isinstance(chain, Block)
    assert chain.children() == steps


def test_every_block_has_a_function() -> None:
    blocks = {
        "serial": serial(A, B), "all": all_of(A, B), "any": any_of(A, B), "race": race(A, B), "pick": pick(A, B),
        "contingency": contingency(A, B), "choice": choice({"1 < 2": A}, B), "loop": loop("1 < 2", A, B),
        "atleast": at_least(1, A, B), "": flow(A, B),
    }  # fmt: skip
    assert {flow_of(block).block for block in blocks.values()} == set(blocks)


def test_everything_that_can_be_said_of_a_task_is_in_its_definition() -> None:
    @task(transaction="two_phase", resource="shop", queue="slow")
    def pay(x: int) -> None: ...

    later = signal("later")
    step = (
        pay.using(x=expr("1 + 2")).critical().idempotent().priority(7).holds("desk", "till")
        .within(timedelta(hours=2), fail=True, warn=[timedelta(hours=1)])
        .until(later.on("done")).cancelled_when(later.on("aborted"))
        .retry(3, error="task.gateway", delay=timedelta(seconds=2), factor=2.0, when="1 < 2")
        .on_error("task.late", "ask").on_error("task", person("by_hand"))
        .outcome("done", later.on("done"))
    )  # fmt: skip
    root = process("p")(flow(later, step)).body
    assert isinstance(root, Flow)
    made = root.children[1]
    assert isinstance(made, Task)
    assert (made.critical, made.idempotent, made.priority, made.holds) == (True, True, 7, ("desk", "till"))
    assert (made.transaction, made.resource, made.queues) == ("two_phase", "shop", ("slow",))
    assert made.deadline == Deadline(7200.0, "fail", (3600.0,))
    assert (made.until, made.cancel) == (On("later", "committed:done"), On("later", "aborted"))
    assert made.outcomes[0].guard == On("later", "committed:done")
    retry, ask, alternate = made.on_error
    assert retry == Rule("retry", "task.gateway", 3, 2.0, 2.0, when="1 < 2")
    assert (ask.action, alternate.alternate and alternate.alternate.name) == ("ask", "by_hand")
