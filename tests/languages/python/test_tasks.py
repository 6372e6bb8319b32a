"""Functions as tasks: how they are found again, what they ask and give, and which can't be tasks."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

import pytest

import weft
from weft import Context, Invalid, Mistake, command, http, person, process, serial, signal, sql, task, timer
from weft.languages.python.tasks import Task, lookup
from weft.model.definition import Activity, Command, Function, Http, Outcome, Person, Signal, Sql, Timer, parts
from weft.model.definition import Task as Definition
from weft.model.types import ValueFault

loose: Any = weft


@dataclass
class Order:
    cents: int


@dataclass
class Found:
    seat: str


@dataclass
class Full:
    waiting: int


class Paid(NamedTuple):
    amount: int
    receipt: str


class GatewayDown(Exception):
    pass


@task(errors={GatewayDown: "task.gateway"})
def charge(order: Order, ctx: Context, method: str = "card") -> str:
    """Charges."""
    return f"{order.cents} by {method} as {ctx.key}"


@task(
    outcomes={"found": Found, "full": Full, "many": list[str]},
    aborts={"closed": None},
    marks={"half": int, "pair": Paid},
)
def look(order: Order) -> Found | Full | list[str] | None:
    return None


@task
async def wait(order: Order) -> Paid:
    return Paid(order.cents, "r")


def definition_of(step: weft.Activity) -> Definition:
    rest: list[Activity] = [process("p", order=Order)(step).body]
    while rest:
        one = rest.pop()
        if isinstance(one, Definition):
            return one
        rest += parts(one)
    raise AssertionError


def test_a_task_is_still_its_function() -> None:
    assert isinstance(charge, Task)
    assert asyncio.run(wait(Order(7))) == (7, "r")
    assert charge.__doc__ == "Charges."


def test_a_definition_names_its_function_and_never_holds_it() -> None:
    made = definition_of(charge)
    assert made.handler == Function(f"{__name__}:charge")
    assert made.errors == {"GatewayDown": "task.gateway"}
    assert list(made.input_sets[0].types.items()) == [("order", "Order")]
    assert made.outcomes == (Outcome("done", types={"result": "str"}), Outcome("aborted", "abort"))


def test_the_outcomes_of_a_task_are_declared() -> None:
    assert definition_of(look).outcomes == (
        Outcome("found", types={"result": "Found"}),
        Outcome("full", types={"result": "Full"}),
        Outcome("many", types={"result": "list[str]"}),
        Outcome("aborted", "abort"),
        Outcome("closed", "abort"),
        Outcome("half", "mark", types={"result": "int"}),
        Outcome("pair", "mark", types={"amount": "int", "receipt": "str"}),
    )
    assert definition_of(wait).outcomes[0] == Outcome("done", types={"amount": "int", "receipt": "str"})


def test_an_engine_finds_the_code_of_a_task() -> None:
    assert lookup(f"{__name__}:charge") is charge.code
    assert lookup("nowhere:nothing") is None
    assert (charge.code.context, charge.code.is_coroutine) == ("ctx", False)
    assert (wait.code.context, wait.code.is_coroutine) == ("", True)
    assert charge.code.arguments({"order": {"cents": 5}}) == {"order": Order(5)}
    assert repr(charge.code) == f"TaskCode('{__name__}:charge')"


RESULTS: dict[str, tuple[Task[..., Any], object, tuple[str, dict[str, object]]]] = {
    "the only one": (charge, "receipt", ("done", {"result": "receipt"})),
    "a class": (look, Full(3), ("full", {"result": {"waiting": 3}})),
    "another class": (look, Found("A1"), ("found", {"result": {"seat": "A1"}})),
    "a generic": (look, ["A1"], ("many", {"result": ["A1"]})),
    "none": (look, None, ("closed", {})),
    "a named tuple": (wait, Paid(1, "r"), ("done", {"amount": 1, "receipt": "r"})),
}


@pytest.mark.parametrize("case", RESULTS)
def test_what_is_returned_chooses_the_outcome(case: str) -> None:
    step, value, outcome = RESULTS[case]
    assert step.code.outcome_for(value) == outcome


def test_objects_may_be_given_by_name() -> None:
    @task(outcomes={"both": {"a": int, "b": str}, "none": None, "any": Any})
    def work() -> object: ...

    assert work.code.outcome_for({"a": 1, "b": "x"}) == ("both", {"a": 1, "b": "x"})
    assert work.code.outcome_for(None) == ("none", {})
    assert work.code.outcome_for(3) == ("any", {"result": 3})


def test_what_means_no_outcome_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"look returned set, which is none of its outcomes: Found, Full, list"):
        look.code.outcome_for({1})
    with pytest.raises(ValueFault):
        charge.code.outcome_for(object())


def test_marks_have_their_objects() -> None:
    assert look.code.mark_for("half", 3) == {"result": 3}
    assert look.code.mark_for("pair", 1, receipt="r") == {"amount": 1, "receipt": "r"}
    with pytest.raises(TypeError, match="has no mark 'whole'; declare it"):
        look.code.mark_for("whole", 1)


# Where functions live.


def references(*steps: Any) -> list[str]:
    return [step.code.reference.removeprefix(f"local:{__name__}:") for step in steps]


def closure(number: int) -> Task[[], int]:
    @task
    def work() -> int:
        return number

    return work


class Shop:
    def sell(self, order: Order) -> str:
        return "sold"

    def __call__(self) -> int:
        return 1


def test_what_cannot_be_found_by_its_name_is_local() -> None:
    here = "test_what_cannot_be_found_by_its_name_is_local.<locals>"

    def inner() -> None: ...

    shop = Shop()
    sell = task(shop.sell)
    assert references(task(inner), sell) == [f"{here}.inner", "Shop.sell"]
    assert references(task(lambda: 1, name="one")) == [f"{here}.<lambda>"]
    assert references(task(shop, name="shop")) == ["Shop"]
    assert references(task(partial(plain, 1), name="part")) == ["plain"]
    assert definition_of(task(partial(plain, 1), name="part").using(second=3)).input_sets[0].types == {"second": "int"}
    assert sell.name == "sell"
    assert definition_of(sell).input_sets[0].types == {"order": "Order"}
    assert definition_of(task(shop, name="shop")).outcomes[0].types == {"result": "int"}


def plain(first: int, second: int = 2) -> int:
    return first


def test_a_function_of_a_module_may_become_a_task_later() -> None:
    made = task(plain, name="other", idempotent=True)
    assert (made.name, made.code.reference) == ("other", f"{__name__}:plain")


def test_closures_of_one_name_are_told_apart_and_the_same_is_the_same() -> None:
    one, two = closure(1), closure(2)
    first, second = references(one, two)
    assert second != first
    assert second.startswith("closure.<locals>.work")
    codes = [lookup(step.code.reference) for step in (one, two)]
    assert [code.function() for code in codes if code] == [1, 2]
    assert references(task(one.function)) == [first]


def test_annotations_that_are_text_see_the_classes_around() -> None:
    @dataclass
    class Inner:
        x: int

    @task
    def work(inner: "Inner") -> "list[Inner]":
        return [inner]

    made = process("p", inner=Inner)(work)
    assert made.classes.keys() == {"Inner"}


def in_a_class() -> object:
    class Desk:
        @task
        def work(self) -> None: ...

    return Desk


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "a method": (in_a_class, r"Desk.work stands in a class, .* task\(obj.work\)"),
    "a task": (lambda: task(charge), "charge is a task already"),
    "a class": (lambda: task(Shop), "wants a function, not <class"),
    "a number": (lambda: loose.task(3), "wants a function, not 3"),
    "no name": (lambda: task(lambda: 1), "has no name of its own; give the task one"),
    "any number of arguments": (lambda: task(lambda *rest: 1, name="x"), r"the parameter .\*rest.; a task"),
    "by place only": (lambda: task(len, name="x"), "has the parameter 'obj'"),
    "no signature": (lambda: task(max, name="x"), "does not tell its parameters"),
}  # fmt: skip


@pytest.mark.parametrize("case", MISTAKES)
def test_what_can_not_be_a_task_is_refused(case: str) -> None:
    wrong, message = MISTAKES[case]
    with pytest.raises(Mistake, match=message):
        wrong()


def test_types_that_are_no_values_are_told_when_the_process_is_built() -> None:
    @task
    def work(x: complex) -> None: ...

    @task
    def other(x: "Missing") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(Invalid) as caught:
        process("p", x=int)(serial(work, other))
    assert "complex is no type of values, since it has no plain form; use two floats" in str(caught.value)
    assert "can't be resolved: name 'Missing' is not defined; define the class before the task" in str(caught.value)


def test_other_kinds_of_work() -> None:
    kinds = {
        person("a", role="manager", title="Approve"): Person("manager", "Approve"),
        timer("b", timedelta(minutes=2)): Timer(120.0),
        timer("c").using(seconds=5): Timer(0.0),
        signal("d"): Signal("d"),
        signal("e", "paid", keep=False): Signal("paid", False),
        command("f", "ffmpeg", "-i", "x"): Command("ffmpeg", ("-i", "x")),
        http("g", "bank", "/pay", method="PUT"): Http("bank", "PUT", "/pay"),
        sql("h", "shop", "select 1"): Sql("shop", "select 1"),
    }
    assert [definition_of(step).handler for step in kinds] == list(kinds.values())
    decided = person("ask", outcomes={"yes": None, "later": {"days": int}}, aborts={"no": str})
    assert [(one.name, one.kind, one.types) for one in definition_of(decided).outcomes] == [
        ("yes", "commit", {}),
        ("later", "commit", {"days": "int"}),
        ("aborted", "abort", {}),
        ("no", "abort", {"result": "str"}),
    ]
    assert definition_of(http("x", "bank", errors={"503": "task.gateway"})).errors == {"503": "task.gateway"}
