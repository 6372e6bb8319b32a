"""Tasks that a text names are bound to functions: by name, or by a choice, and only if they fit."""

from typing import NamedTuple

import pytest

from weft import task
from weft.languages.binding import AnyImplementation, Tasks, misfits, notes
from weft.languages.mfdl.reading import read
from weft.model.definition import Function, Process
from weft.model.faults import Fault
from weft.model.rewriting import with_tasks
from weft.model.wellformed import check

TEXT = b"""
TRANS_ACTIVITY charge (IN int cents, IN string tags[], OUT string receipt) ERRORS { no_money FROM 402; };
TRANS_ACTIVITY refund (IN string receipt);
NON_TRANS_ACTIVITY measure (OUT int width, OUT int height);
DEFINE_PROCESS buy (IN int cents)
{
    ACTIVITY charge pay, pay_again;
    ACTIVITY refund give_back;
    ACTIVITY measure measure;
    VAR string receipt, tags[];
    VAR int width, height;
    pay(cents, tags, receipt) COMPENSATED_BY give_back(receipt);
    pay_again(cents, tags, receipt);
    measure(width, height);
}
"""


class Size(NamedTuple):
    width: int
    height: int


@task(errors={"OSError": "task.gateway"}, idempotent=True, queue="tills")
def charge(cents: int, tags: list[str]) -> str:
    return "R"


@task(name="charge")
def charge_by_card(cents: int, tags: list[str], card: str = "") -> str:
    return "C"


@task
def refund(receipt: str) -> None: ...


@task
def measure() -> Size:
    return Size(1, 2)


def buy() -> Process:
    return read(TEXT, "buy.mfdl").processes[0]


def handlers(process: Process) -> dict[str, object]:
    found: dict[str, object] = {}

    def look(one: object) -> object:
        found[one.name] = one.handler  # type: ignore[attr-defined]
        return one

    with_tasks(process, look)  # type: ignore[arg-type]
    return found


def codes(faults: list[Fault]) -> list[tuple[str, str]]:
    return [(fault.code, fault.activity) for fault in faults]


def reference(implementation: AnyImplementation) -> Function:
    return Function(implementation.code.reference)


def test_a_task_is_bound_by_its_name_wherever_it_stands_and_the_definition_says_so() -> None:
    bound, faults = Tasks((charge, refund, measure)).bind(buy())
    assert faults == []
    assert handlers(bound) == {
        "pay": reference(charge), "pay_again": reference(charge), "give_back": reference(refund),
        "measure": reference(measure),
    }  # fmt: skip
    pay = bound.body.children[0]  # type: ignore[union-attr]
    assert (pay.errors, pay.idempotent, pay.queues) == (
        {"OSError": "task.gateway", "402": "task.no_money"},
        True,
        ("tills",),
    )
    assert bound.errors == ("task.no_money", "task.gateway")
    assert [fault for fault in check(bound) if fault.severity == "error"] == []


def test_what_is_not_there_is_unbound_and_the_rest_is_bound() -> None:
    bound, faults = Tasks((refund,)).bind(buy())
    assert codes(faults) == [("unbound", "pay"), ("unbound", "pay_again"), ("unbound", "measure")]
    assert handlers(bound)["give_back"] == reference(refund)
    assert {fault.severity for fault in notes(buy())} == {"warning"}
    assert Tasks((refund,)).bind(buy(), without={"pay", "pay_again", "measure"})[1] == []


def test_of_several_with_one_name_one_is_chosen_for_all_or_for_one() -> None:
    both = charge, charge_by_card, refund, measure
    _, faults = Tasks(both).bind(buy())
    assert codes(faults) == [("duplicate-name", "pay"), ("duplicate-name", "pay_again")]
    assert f"--bind charge={charge.code.reference}" in faults[0].advice
    choices = {"charge": charge.code.reference, "pay": charge_by_card.code.reference}
    bound, faults = Tasks(both, choices).bind(buy())
    assert faults == []
    assert (handlers(bound)["pay"], handlers(bound)["pay_again"]) == (reference(charge_by_card), reference(charge))


def test_a_choice_must_be_of_a_task_and_for_one() -> None:
    _, faults = Tasks((charge, refund, measure), {"charge": "chrage"}).bind(buy())
    assert "'chrage', which was chosen for it; did you mean 'charge'?" in str(faults[0])
    [problem] = Tasks((), {"chrage": "x", "pay": "y"}).unknown_choices([buy()])
    assert "no task 'chrage'; did you mean 'charge'?" in problem


@task
def wrong_parameter(cent: int, tags: list[str]) -> str: ...  # type: ignore[empty-body]
@task
def wrong_type(cents: str, tags: list[str]) -> str: ...  # type: ignore[empty-body]
@task
def wrong_result(cents: int, tags: list[str]) -> int: ...  # type: ignore[empty-body]
@task
def no_result(cents: int, tags: list[str]) -> None: ...
@task
def asks_more(cents: int, tags: list[str], card: str) -> str: ...  # type: ignore[empty-body]
@task(outcomes={"done": str, "late": int})
def ends_otherwise(cents: int, tags: list[str]) -> str | int: ...  # type: ignore[empty-body]
@task
def two_for_one(cents: int, tags: list[str]) -> Size: ...  # type: ignore[empty-body]
@task
def open_to_all(cents, tags): ...  # type: ignore[no-untyped-def]


@pytest.mark.parametrize(
    ("implementation", "told"),
    [
        (wrong_parameter, ["has no parameter 'cents'", "asks for 'cent', and is given cents, tags"]),
        (wrong_type, ["parameter 'cents' of", "is str, and is given int"]),
        (wrong_result, ["returns int for 'receipt', which is str"]),
        (no_result, ["returns nothing, and receipt is wanted"]),
        (asks_more, ["asks for 'card'"]),
        (ends_otherwise, ["may end as 'late'"]),
        (two_for_one, ["returns width, height, and receipt is wanted"]),
        (open_to_all, []),
    ],
)
def test_a_function_that_does_not_fit_is_refused_with_the_reason(
    implementation: AnyImplementation, told: list[str]
) -> None:
    pay = buy().body.children[0]  # type: ignore[union-attr]
    said = " ".join(fault.message for fault in misfits(pay, implementation))  # type: ignore[arg-type]
    assert bool(said) == bool(told)
    assert all(part in said for part in told)


def test_several_objects_come_by_name_or_in_one_value() -> None:
    @task
    def as_list() -> list[int]:
        return [1, 2]

    @task
    def as_number() -> int:
        return 1

    body = buy().body.children[2]  # type: ignore[union-attr]
    assert list(misfits(body, measure)) == list(misfits(body, as_list)) == []  # type: ignore[arg-type]
    assert "returns int, and width, height are wanted" in next(misfits(body, as_number)).message  # type: ignore[arg-type]
