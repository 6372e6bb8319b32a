"""Where parameters get their values, which variables there are and of which type, and what is missing."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

import pytest

from weft import (
    Invalid,
    all_of,
    any_of,
    assign,
    call,
    choice,
    contingency,
    each,
    expr,
    first_of,
    flow,
    given,
    http,
    loop,
    person,
    process,
    race,
    serial,
    signal,
    task,
    timer,
    var,
    when,
)
from weft.languages.python.activities import Activity
from weft.model import definition
from weft.model.definition import (
    Constant,
    Declared,
    Expression,
    Flow,
    Input,
    InputSet,
    On,
    Output,
    Process,
    Source,
    Variable,
    parts,
)


@dataclass
class Order:
    cents: int


class Paid(NamedTuple):
    amount: int
    receipt: str


@task
def make() -> int:
    return 1


@task
def pay(order: Order, method: str = "card") -> Paid:
    return Paid(order.cents, method)


@task
def use(n: int) -> None: ...


@task
def look(n: int | None) -> None: ...


@task
def text(order: str) -> None: ...


@task
def tell() -> None: ...


def find(process: Process, name: str) -> definition.Activity:
    rest: list[definition.Activity] = [process.body]
    while rest:
        one = rest.pop()
        if one.name == name:
            return one
        rest += parts(one)
    raise AssertionError(f"{name} is not in the process")


def sources(process: Process, name: str) -> dict[str, tuple[Source, ...]]:
    return find(process, name).input_sets[0].bindings


BINDINGS: dict[str, tuple[Callable[[], Process], dict[str, tuple[Source, ...]]]] = {
    "the variable of its name": (lambda: process("p", n=int)(use), {"n": (Variable("n"),)}),
    "what an earlier step made": (lambda: process("p")(make.into("n") >> use), {"n": (Variable("n"),)}),
    "a constant": (lambda: process("p")(use.using(n=3)), {"n": (Constant(3),)}),
    "a variable": (lambda: process("p", m=int)(use.using(n=var("m"))), {"n": (Variable("m"),)}),
    "an expression": (lambda: process("p", m=int)(use.using(n=expr("m + 1"))), {"n": (Expression("m + 1"),)}),
    "an activity": (lambda: process("p")(make >> use.using(n=make)), {"n": (Output("make", "done", "result"),)}),
    "an object": (
        lambda: process("p", order=Order)(pay >> use.using(n=pay.output("amount"))),
        {"n": (Output("pay", "done", "amount"),)},
    ),
    "an object of an outcome": (
        lambda: process("p", order=Order)(pay >> use.using(n=pay.output("amount", "done"))),
        {"n": (Output("pay", "done", "amount"),)},
    ),
    "an input of a sibling": (
        lambda: process("p", n=int)(use.named("first") >> use.using(n=use.named("first").input("n"))),
        {"n": (Input("first", "start", "n"),)},
    ),
    "the first of several": (
        lambda: process("p", m=int)(make >> use.using(n=first_of(make, var("m"), 7))),
        {"n": (Output("make", "done", "result"), Variable("m"), Constant(7))},
    ),
    "a variable with a value": (lambda: process("p", variables={"n": 5})(use), {"n": (Variable("n"),)}),
    "a parameter of the block around": (
        lambda: process("p", m=int)(serial(tell, use).named("inner").using(n=var("m"))),
        {"n": (Input("inner", "start", "n"),)},
    ),
    "a parameter of either set of the block around": (
        lambda: process("p")(serial(tell, use).named("inner").starts("one", n=1).starts("two", n=2)),
        {"n": (Input("inner", "one", "n"), Input("inner", "two", "n"))},
    ),
    "a variable of the block around": (
        lambda: process("p")(serial(tell, use).named("inner").variables(n=1)),
        {"n": (Variable("n"),)},
    ),
    "the item of an each": (lambda: process("p", ns=list[int])(each("n", "ns", use)), {"n": (Variable("n"),)}),
    "what a step beside it, which it waits for, made": (
        lambda: process("p")(all_of(make.into("n"), use.starts("late", make.on("done")))),
        {"n": (Variable("n"),)},
    ),
    "what a step of a graph made": (
        lambda: process("p")(flow(use.starts("late", make.on("done")), make.into("n"))),
        {"n": (Variable("n"),)},
    ),
    "a default of the function": (lambda: process("p", order=Order)(pay.named("use")), {"order": (Variable("order"),)}),
}


@pytest.mark.parametrize("case", BINDINGS)
def test_a_parameter_takes(case: str) -> None:
    made, bindings = BINDINGS[case]
    assert sources(made(), "use") == bindings


def test_ways_to_start_have_their_own_sources() -> None:
    wait = timer("wait", timedelta(seconds=1))
    step = use.using(n=1).starts("normal", make.on("done"), n=make).starts("late", wait.on("done") & when("1 < 2"))
    normal, late = find(process("p")(flow(make, wait, step)), "use").input_sets
    assert (normal.name, normal.guard) == ("normal", On("make", "committed:done"))
    assert normal.bindings == {"n": (Output("make", "done", "result"),)}
    assert late.bindings == {"n": (Constant(1),)}


def test_an_activity_with_several_commits_gives_whichever_happened() -> None:
    @task(outcomes={"few": int, "many": float})
    def count() -> int | float:
        return 1

    @task
    def show(n: float) -> None: ...

    made = process("p")(count >> show.using(n=count))
    assert sources(made, "show") == {"n": (Output("count", "few", "result"), Output("count", "many", "result"))}


def test_what_takes_back_sees_what_that_took_and_gave() -> None:
    @task
    def refund(receipt: str, order: Order, who: str) -> None: ...

    @task
    def clean(order: Order, receipt: str) -> None: ...

    body = (pay.into("amount", "receipt").compensated_by(refund).undone_by(clean)) >> make.into("who2")
    made = process("p", order=Order, who=str)(body)
    assert sources(made, "refund") == {
        "receipt": (Output("pay", "done", "receipt"),),
        "order": (Input("pay", "start", "order"),),
        "who": (Variable("who"),),
    }
    assert sources(made, "clean") == {"order": (Input("pay", "start", "order"),), "receipt": (Variable("receipt"),)}


def test_what_takes_back_may_read_what_is_written_later() -> None:
    made = process("p")(tell.compensated_by(serial(use, tell.named("t2")).named("back")) >> make.into("n"))
    assert sources(made, "use") == {"n": (Variable("n"),)}


def test_work_that_is_no_function_asks_what_it_is_given() -> None:
    ask = (
        http("ask", "bank", gives={"rate": float, "day": str})
        .using(order=var("order"), currency="EUR")
        .into(rate="rate")
    )
    made = process("p", order=Order)(ask)
    assert sources(made, "ask") == {"order": (Variable("order"),), "currency": (Constant("EUR"),)}
    assert find(made, "ask").input_sets[0].types == {"order": "Order", "currency": "str"}
    assert find(made, "ask").writes == {"rate": "rate"}
    assert made.body.variables["rate"].type == "float"  # type: ignore[union-attr]


# Variables.


def declared(made: Process) -> dict[str, tuple[str, object]]:
    assert isinstance(made.body, Flow)
    return {name: (one.type, one.default) for name, one in made.body.variables.items()}


VARIABLES: dict[str, tuple[Callable[[], Process], dict[str, tuple[str, object]]]] = {
    "inputs": (lambda: process("p", n=int, order=Order)(tell), {"n": ("int", None), "order": ("Order", None)}),
    "results": (lambda: process("p")(make.into("n")), {"n": ("int", None)}),
    "several objects in order": (
        lambda: process("p", order=Order)(pay.into("a", "r")),
        {"order": ("Order", None), "a": ("int", None), "r": ("str", None)},
    ),
    "several objects by name": (
        lambda: process("p", order=Order)(pay.into(r="receipt")),
        {"order": ("Order", None), "r": ("str", None)},
    ),
    "written by two": (
        lambda: process("p")(choice({"1 < 2": make.into("x")}, person("ask", gives=str).into("x"))),
        {"x": ("int | str", None)},
    ),
    "null at first": (lambda: process("p", variables={"n": None})(look >> make.into("n")), {"n": ("int | null", None)}),
    "a value of the type": (lambda: process("p", variables={"n": 0})(make.into("n")), {"n": ("int", 0)}),
    "a value of another type": (
        lambda: process("p", variables={"n": "none"})(make.into("n")),
        {"n": ("int | str", "none")},
    ),
    "only a value": (
        lambda: process("p", variables={"a": 1, "b": [1], "c": [1, ""], "d": {}, "e": None, "f": True})(tell),
        {"a": ("int", 1), "b": ("list[int]", [1]), "c": ("list[any]", [1, ""]), "d": ("any", {}), "e": ("any", None),
         "f": ("bool", True)},
    ),
    "an input that is written": (lambda: process("p", n=int)(use >> make.into("n")), {"n": ("int", None)}),
    "counted": (
        lambda: process("p", variables={"n": 0})(loop("n < 3", assign("up", n="n + 1", half="n / 2"))),
        {"n": ("int", 0), "half": ("float", None)},
    ),
    "computed from an unknown": (
        lambda: process("p", x=list)(assign("a", y="x[0]")),
        {"x": ("list[any]", None), "y": ("any", None)},
    ),
    "each": (
        lambda: process("p", ns=list[int])(each("n", "ns", make, into=("made", "ends"))),
        {"ns": ("list[int]", None), "made": ("list[int | null]", None), "ends": ("list[str | null]", None)},
    ),
    "of a call": (
        lambda: process("p")(call(process("inner", m=given(int, 3))(make.into("n"))).into("k")),
        {"k": ("int", None)},
    ),
    "of a call by name": (
        lambda: process("p")(call("inner", gives={"n": int}).using(m=3).into(k="n")),
        {"k": ("int", None)},
    ),
    "of a block": (
        lambda: process("p")(serial(make, tell).named("s").outcome("done", n=make).into("k")),
        {"k": ("int", None)},
    ),
    "of a signal": (lambda: process("p")(signal("s", gives=Order).into("o")), {"o": ("Order", None)}),
}  # fmt: skip


@pytest.mark.parametrize("case", VARIABLES)
def test_the_variables_of_a_process_are(case: str) -> None:
    made, variables = VARIABLES[case]
    assert declared(made()) == variables


ASKED: dict[str, tuple[Callable[[], Process], str]] = {
    "an item": (lambda: process("p", ns=list[int])(each("n", "ns", ask(var("n")))), "int"),
    "an item inside": (
        lambda: process("p", ns=list[list[int]])(each("m", "ns", make >> each("n", "m", ask(var("n"))))),
        "int",
    ),
    "an item of anything": (lambda: process("p", ns=dict)(each("n", "ns['a']", ask(var("n")))), "any"),
    "an input of a task": (lambda: process("p", n=int)(use >> ask(use.input("n"))), "int"),
    "an input of other work": (
        lambda: process("p")(person("a").using(x="text") >> ask(person("a").input("x"))),
        "str",
    ),
    "one or the other": (lambda: process("p", n=str)(make >> ask(first_of(make, var("n"), None))), "int | str | null"),
    "an expression": (lambda: process("p", n=int)(ask(expr("n / 2"))), "float"),
    "a list": (lambda: process("p")(ask([1, 2])), "list[int]"),
}


def ask(source: object) -> Activity:
    return person("ask").using(x=source)


@pytest.mark.parametrize("case", ASKED)
def test_work_that_is_no_function_has_parameters_of_the_type_of(case: str) -> None:
    made, of_type = ASKED[case]
    assert find(made(), "ask").input_sets[0].types == {"x": of_type}


def test_the_process_gives_what_its_steps_keep() -> None:
    done = process("p", n=int)(use >> make.into("m")).body.outcomes[0]
    assert (done.types, done.bindings) == ({"m": "int"}, {"m": (Variable("m"),)})


def test_inputs_may_have_defaults_and_several_sets() -> None:
    made = process("p", input_sets={"card": {"number": str, "n": int}, "cash": {"n": str}}, searchable=["n"])(
        look.using(n=1)
    )
    assert made.body.input_sets == (
        InputSet("card", types={"number": "str", "n": "int"}),
        InputSet("cash", types={"n": "str"}),
    )
    assert made.body.variables["n"] == Declared("any")  # type: ignore[union-attr]
    made = process("p", n=given(int, 3))(use)
    assert made.body.input_sets == (InputSet("start", bindings={"n": (Constant(3),)}, types={"n": "int"}),)


def test_a_body_of_an_each_keeps_what_it_makes_to_itself() -> None:
    made = process("p", orders=list[Order])(each("order", "orders", pay.into("a", "r") >> use.using(n=var("a"))))
    assert declared(made).keys() == {"orders"}
    assert find(made, "serial:pay").variables.keys() == {"a", "r"}  # type: ignore[union-attr]


def test_an_each_may_keep_the_last_in_a_declared_variable() -> None:
    made = process("p", ns=list[int], variables={"last": 0})(each("n", "ns", make.into("last"), at_most=1))
    assert find(made, "make").writes == {"last": "result"}


def test_an_each_reaches_every_feature() -> None:
    @task(marks={"more": list[int]})
    def feed() -> None: ...

    body = flow(
        feed, each("n", feed.output("result", "more"), use, enough=2, adds=[feed.output("result", "more")], open=True)
    )
    made = find(process("p")(body), "each:use")
    assert isinstance(made, definition.Each)
    assert (made.item, made.enough, made.open, made.adds) == ("n", 2, True, (Output("feed", "more", "result"),))
    assert made.input_sets[0].types == {"items": "list[int]"}


def test_a_called_process_has_its_interface() -> None:
    inner = process("inner", input_sets={"a": {"n": int}, "b": {"n": int, "m": given(int, 1)}})(use)
    both = find(process("p", n=int)(call(inner)), "inner")
    assert [(one.name, list(one.bindings)) for one in both.input_sets] == [("a", ["n"]), ("b", ["n"])]
    one = find(process("p", n=int)(call(inner, version="2").starts("b", m=2)), "inner")
    assert isinstance(one, definition.Call)
    assert [(one.name, list(one.bindings)) for one in one.input_sets] == [("b", ["n", "m"])]
    assert (one.process, one.version) == ("inner", "2")


# What is missing.

LATE = "read before it is written; give it a value to begin with, process(…, variables={'n': None}), or write it before"

FAULTS: dict[str, tuple[Callable[[], object], str]] = {
    "no source": (lambda: process("p")(use), "nothing gives the parameter 'n' of use; say it, .using(n=…)"),
    "a near name": (
        lambda: process("p", orders=str)(text),
        "nothing gives the parameter 'order' of text; did you mean 'orders'?",
    ),
    "too deep for a parameter": (
        lambda: process("p")(serial(tell, any_of(use, make)).named("s").using(n=1)),
        "nothing gives the parameter 'n' of use",
    ),
    "no such parameter": (
        lambda: process("p", order=Order)(pay.using(methd="x")),
        "pay has no parameter 'methd'; did you mean 'method'?",
    ),
    "no variable": (
        lambda: process("p", m=int)(use.using(n=var("mm"))),
        "use reads 'mm', which is no variable; did you mean 'm'?",
    ),
    "before it is written": (lambda: process("p")(use >> make.into("n")), LATE),
    "in the first round": (lambda: process("p")(loop("1 < 2", use, make.into("n"))), LATE),
    "in a condition": (lambda: process("p")(loop("n < 2", make.into("n"))), LATE),
    "in a choice": (lambda: process("p")(choice({"n > 1": tell}) >> make.into("n")), LATE),
    "in a guard": (lambda: process("p")(tell.starts("s", when("n > 1")) >> make.into("n")), LATE),
    "in a rule": (lambda: process("p")(tell.retry(2, when="n > 1") >> make.into("n")), LATE),
    "in an expression": (lambda: process("p")(use.using(n=expr("n + 1")) >> make.into("n")), LATE),
    "beside it": (lambda: process("p")(all_of(make.into("n"), use)), LATE),
    "in another branch": (lambda: process("p")(choice({"1 < 2": make.into("n")}, use)), LATE),
    "in a race": (lambda: process("p")(race(make.into("n"), use)), LATE),
    "by an alternate": (lambda: process("p")(tell.on_error("task", use) >> make.into("n")), LATE),
    "nothing to keep": (
        lambda: process("p")(tell.into("x")),
        "tell gives nothing, so there is nothing to put into 'x'",
    ),
    "too little to keep": (
        lambda: process("p")(make.into("x", "y")),
        "make gives only result, so there is nothing to put into 'y'",
    ),
    "items at once": (
        lambda: process("p", ns=list[int])(each("n", "ns", make.into("x"))),
        "every item of an each would write 'x' at once; collect them, each(…, into='x')",
    ),
    "which object": (
        lambda: process("p", order=Order)(pay >> use.using(n=pay)),
        "use takes the result of pay, which gives amount, receipt: say which; write pay.output(…)",
    ),
    "no object": (lambda: process("p")(tell >> use.using(n=tell)), "use takes the result of tell, which gives nothing"),
    "a wrong object": (
        lambda: process("p", order=Order)(pay >> use.using(n=pay.output("amont"))),
        "use takes 'amont' of pay, which does not give it; did you mean 'amount'?",
    ),
    "an object of a wrong outcome": (
        lambda: process("p", order=Order)(pay >> use.using(n=pay.output("amount", "aborted"))),
        "use takes 'amount' of outcome 'aborted' of pay, which does not give it; it gives nothing",
    ),
    "an activity elsewhere": (lambda: process("p")(use.using(n=make)), "use takes from 'make', which is not there"),
    "a name twice": (lambda: process("p")(tell >> tell), "the name 'tell' is used twice"),
    "the name of the process": (lambda: process("tell")(tell), "the name 'tell' is used twice"),
    "a wrong event": (
        lambda: process("p")(flow(make, tell.starts("s", make.on("dome")))),
        "tell waits for 'dome' of 'make', no event or outcome of it; did you mean 'done'?",
    ),
    "a guard on nobody": (
        lambda: process("p")(tell.starts("s", make.on("done"))),
        "speaks of 'make', which does not exist",
    ),
    "an outcome that a task has not": (
        lambda: process("p")(tell.outcome("found")),
        ".outcome('found', …) of a task can only guard an outcome that it has",
    ),
    "a set that a process has not": (
        lambda: process("p")(call(process("inner")(tell)).starts("begin")),
        "inner has no input set 'begin'; it has start",
    ),
    "a type of no value": (lambda: process("p", n=complex)(tell), "the input 'n': complex is no type of values"),
    "two classes of one name": (
        lambda: process("p", order=Order)(two_orders()),
        "two different classes are called 'Order'",
    ),
    "an expression that is wrong": (lambda: process("p")(use.using(n=expr("1 +"))), "condition"),
    "a computed value that is wrong": (lambda: process("p")(assign("a", n="1 +")), "condition"),
    "an expression of wrong types": (lambda: process("p", n=str)(person("a").using(x=expr("n - 1"))), "condition"),
    "work of somebody unknown": (lambda: process("p")(person("a").using(x=make)), "a takes from 'make', which is not"),
    "an input of somebody unknown": (lambda: process("p")(person("a").using(x=use.input("n"))), "speaks of 'use'"),
    "a type that does not fit": (lambda: process("p", order=Order)(text), "wants str"),
}  # fmt: skip


def two_orders() -> Activity:
    @dataclass
    class Order:
        euros: float

    @task
    def take(order: Order) -> None: ...

    return take.using(order=var("order"))


@pytest.mark.parametrize("case", FAULTS)
def test_what_is_wrong_is_told_when_the_process_is_built(case: str) -> None:
    wrong, message = FAULTS[case]
    with pytest.raises(Invalid) as caught:
        wrong()
    assert message in str(caught.value)


def test_everything_wrong_is_told_at_once_and_each_thing_once() -> None:
    with pytest.raises(Invalid) as caught:
        process("p")(use >> use.named("u2").using(m=3) >> tell.into("x") >> contingency(make, make))
    assert len(caught.value.faults) == 5


EVENTS = {
    "done": "committed:done", "aborted": "aborted", "few": "committed:few", "late": "aborted:late", "half": "mark:half",
    "ready": "ready", "started": "started", "skipped": "skipped", "ended": "ended", "committed": "committed",
    "started:start": "started:start", "error:task.x": "error:task.x", "committed:few": "committed:few",
}  # fmt: skip


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_gets_its_full_name(event: str) -> None:
    @task(outcomes={"done": int, "few": str}, aborts={"late": None}, marks={"half": int})
    def work() -> int | str:
        return 1

    made = process("p")(flow(work, tell.starts("s", work.on(event))))
    assert find(made, "tell").input_sets[0].guard == On("work", EVENTS[event])


def test_a_graph_ends_as_it_says() -> None:
    body = flow(make, tell).outcome("early", make.on("done"), n=make).outcome("again", when("1 > 2"), kind="repeat")
    outcomes = process("p")(body).body.outcomes
    assert [(one.name, one.kind) for one in outcomes] == [
        ("early", "commit"),
        ("again", "repeat"),
        ("aborted", "abort"),
    ]
    assert outcomes[0].bindings == {"n": (Output("make", "done", "result"),)}
    assert [one.name for one in process("p")(all_of(make, tell).outcome("early", make.on("done"))).body.outcomes] == [
        "early", "done", "aborted",
    ]  # fmt: skip


def test_a_block_may_be_placed_and_have_rules() -> None:
    inner = find(
        process("p")(tell >> all_of(make, look.using(n=1)).named("apart").placed("north").non_vital()), "apart"
    )
    assert (inner.placement, inner.vital) == ("north", False)
