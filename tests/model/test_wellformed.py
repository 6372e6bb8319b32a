"""Definitions and what is wrong with them: each case's faults, word for word, are in wellformed_faults.txt."""

import re
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from weft.model import blocks
from weft.model.definition import (
    ABORTED,
    DONE,
    Activity,
    Assign,
    AtLeast,
    Call,
    Constant,
    Deadline,
    Declared,
    Each,
    Expression,
    Flow,
    Function,
    Guard,
    Input,
    InputSet,
    On,
    Outcome,
    Output,
    Process,
    Quiet,
    Rule,
    Sql,
    Task,
    TimeLimits,
    Timer,
    Variable,
    When,
    every,
    some,
)
from weft.model.faults import ERRORS, WARNINGS, Fault, Invalid
from weft.model.limits import Limits
from weft.model.types import Field, ObjectClass
from weft.model.wellformed import check, well_formed

CASES: dict[str, Process] = {}
EXPECTED = Path(__file__).with_name("wellformed_faults.txt")

VALUE = (Outcome("done", types={"value": "int"}), ABORTED)
COMPENSABLE = (Outcome("done", types={"seat": "str"}), ABORTED)
AGAIN = Outcome("again", "repeat", On("a", "committed"), {"n": (Output("a", "done", "value"),)}, {"n": "int"})


def task(name: str, guard: Guard | None = None, **fields: object) -> Task:
    fields = {"handler": Function(f"shop:{name}"), "input_sets": (InputSet(guard=guard),), **fields}
    return Task(name=name, **fields)  # type: ignore[arg-type]


def taking(name: str, kind: str, *sources: object, **fields: object) -> Task:
    """A task with one parameter `x`."""
    return task(name, input_sets=(InputSet(bindings={"x": sources}, types={"x": kind}),), **fields)  # type: ignore[dict-item]


def flow(*children: Activity, name: str = "p", **fields: object) -> Flow:
    fields = {"outcomes": (Outcome("done", guard=Quiet()), ABORTED), **fields}
    return Flow(name=name, children=children, **fields)  # type: ignore[arg-type]


def case(title: str, body: Activity, **fields: object) -> None:
    assert title not in CASES
    CASES[title] = Process(name="p", body=body, **fields)  # type: ignore[arg-type]


# Names.

case("the same name twice", flow(task("a"), flow(task("a"), name="b")))
case("a compensation with a name in use", flow(task("a", compensation=task("b")), task("b")))
case("an alternate with a name in use", flow(task("a", on_error=(Rule("alternate", alternate=task("a")),))))
case("a name with a blank", flow(task("a b")))
case("a name with two colons", flow(task("serial:a:b")))
case("a generated name is fine", flow(blocks.serial(task("a"), task("b"))))
case("a root with another name", flow(task("a"), name="q"))
case("an input set, an outcome and an object with bad names", flow(task(
    "a",
    input_sets=(InputSet("1", types={"x y": "int"}, bindings={"x y": (Constant(1),)}),),
    outcomes=(Outcome("do/ne", types={"": "int"}), ABORTED),
)))  # fmt: skip
case("an input set and an outcome twice", flow(task("a", input_sets=(InputSet(), InputSet()), outcomes=(DONE, DONE))))
case("no input set and no outcome", flow(task("a", input_sets=(), outcomes=())))
case("a hold and a variable with bad names", flow(task("a", holds=("a/b",)), variables={"x.y": Declared("int")}))

# Guards.

case("an unknown activity, nearly right", flow(task("credit"), task("b", On("credti", "committed"))))
case("an unknown activity, like nothing", flow(task("a"), task("b", On("zzzzzz", "committed"))))
case("a child of a sibling", flow(flow(task("inner"), name="q"), task("b", On("inner", "committed"))))
case("a sibling of the parent", flow(task("a"), flow(task("b", On("a", "committed")), name="q")))
case("itself", flow(task("a", On("a", "committed"))))
case("a compensation of a sibling", flow(task("a", compensation=task("undo-a")), task("b", On("undo-a", "committed"))))
case("a root that waits for itself", task("p", On("p", "started")))
case("a root that waits for its child", flow(task("a"), input_sets=(InputSet(guard=On("a", "committed")),)))
case("the outcome of a flow that speaks of a grandchild", flow(
    flow(task("inner"), name="q"), outcomes=(Outcome("done", guard=On("inner", "committed")), ABORTED)))  # fmt: skip
case("the body of an each in its outcome", flow(Each(
    name="e", item="i", body=task("b"), input_sets=(InputSet(bindings={"items": (Constant([1]),)}),),
    outcomes=(Outcome("done", guard=On("b", "committed")), ABORTED),
)))  # fmt: skip
case("no such event", flow(task("a"), task("b", On("a", "comitted"))))
case("no such outcome, set, and mark", flow(task("a"), task("b", every(
    On("a", "committed:dne"), On("a", "started:normal"), On("a", "mark:half"), On("a", "aborted:aborted"),
))))  # fmt: skip
case("an abort outcome as committed, a repeat as an event", flow(
    task("a"), flow(task("c"), name="q", outcomes=(DONE, Outcome("again", "repeat", On("c", "aborted")))),
    task("b", every(On("a", "committed:aborted"), On("q", "committed:again"))),
))  # fmt: skip
case("errors by name", flow(task("a"), task("b", some(
    On("a", "error:task"), On("a", "error:task.gateway"), On("a", "error:handler"), On("a", "error:gateway"),
))))  # fmt: skip
case("an error that is not declared", flow(task("a"), task("b", some(
    On("a", "error:task.gateway.late"), On("a", "error:task.gatewya"), On("a", "error:task")))),
    errors=("task.gateway", "gateway"))  # fmt: skip
case("the end of the compound around", flow(task("a", some(On("p", "committed"), On("p", "started")))))
case("counts that can't be", flow(task("a"), task("b", AtLeast(2, (On("a", "ended"),))), task("c", AtLeast(-1, ()))))
case("never and always", flow(task("a", AtLeast(1, ())), task("b", AtLeast(0, ()))))
case("quiet in an input set", flow(task("a", Quiet())))
case("a condition that can't be read", flow(task("a", When("1 +"))))
case(
    "a condition with an unknown name",
    flow(task("a", When("stok > 0"))),
)
case("conditions of every scope", flow(
    flow(
        Each(name="e", item="i", body=task("b", When("i > top and outer and param == 1")),
             input_sets=(InputSet(types={"items": "list[int]", "top": "int"},
                                  bindings={"items": (Constant([1]),), "top": (Variable("outer"),)}),),
             outcomes=(Outcome("done", guard=When("committed + aborted + running == total and top == 1")), ABORTED)),
        name="q", input_sets=(InputSet(types={"given": "bool"}, bindings={"given": (Constant(True),)}),),
    ),
    variables={"outer": Declared("int")}, input_sets=(InputSet(types={"param": "int"}),),
))  # fmt: skip
case(
    "an input of a compound further out",
    flow(
        flow(
            flow(task("a", When("given")), name="r"),
            name="q",
            input_sets=(InputSet(bindings={"given": (Constant(1),)}),),
        )
    ),
)
case("a guard on a task whose end is immediate", flow(
    task("a"), task("b", outcomes=(Outcome("done", guard=On("a", "committed")), ABORTED))))  # fmt: skip
case("a guard on a transactional task's end", flow(
    task("a"),
    task("b", transaction="transactional", outcomes=(Outcome("done", guard=On("a", "committed")), ABORTED)),
))  # fmt: skip
case("guards on the abort and the mark of a task", flow(task("a"), task("b", outcomes=(
    DONE, Outcome("aborted", "abort", On("a", "aborted")), Outcome("half", "mark", On("a", "ready"))))))  # fmt: skip
case("cancel and until", flow(task("a"), task("b", cancel=On("a", "comitted"), until=On("c", "aborted"))))
case(
    "guards on a compensation",
    flow(
        task("a", compensation=task("b", On("a", "aborted"), cancel=On("a", "aborted")), undo=task("c", until=Quiet()))
    ),
)
case("a guard on an alternate", flow(task("a", on_error=(
    Rule("alternate", alternate=task("b", On("a", "aborted"), cancel=On("p", "started"))),))))  # fmt: skip
case("a guard on the outcome of a call", flow(Call(name="c", process="", outcomes=(Outcome("done", guard=Quiet()),))))
case("a flow that ends at once", flow(task("a"), outcomes=(DONE, ABORTED, Outcome("m", "mark"))))

# Circles.

case("two that wait for each other's skip", flow(task("a", On("b", "skipped")), task("b", On("a", "skipped"))))
case("a circle of three with one ended", flow(
    task("a", some(On("p", "started"), On("c", "ended"))), task("b", On("a", "committed")),
    taking("c", "int", Output("b", "done", "value")), name="p"))  # fmt: skip
case("a circle of three by data", flow(
    taking("a", "int", Output("c", "done", "value"), outcomes=VALUE),
    taking("b", "int", Output("a", "done", "value"), outcomes=VALUE),
    taking("c", "int", Output("b", "done", "value"), outcomes=VALUE)))  # fmt: skip
case("a circle that may never start", flow(task("a", On("b", "committed")), task("b", On("a", "committed"))))
case("an end that waits for what its start allows", flow(
    task("a", transaction="transactional", outcomes=(Outcome("done", guard=On("b", "ended")), ABORTED)),
    task("b", On("a", "started"))))  # fmt: skip
case("ends that wait for each other", flow(*(
    task(one, transaction="transactional", outcomes=(Outcome("done", guard=On(other, "ended")), ABORTED))
    for one, other in (("a", "b"), ("b", "a")))))  # fmt: skip
case("a later one, no circle", flow(task("a", On("b", "skipped")), task("b", On("p", "started"))))
case("two circles and a bystander", flow(
    task("a", On("b", "ended")), task("b", On("a", "ended")), task("c"),
    task("d", On("e", "started")), task("e", On("d", "started"))))  # fmt: skip

# Data.

case("a parameter with no source", flow(task("a", input_sets=(InputSet(types={"x": "int"}),))))
case("a parameter with an empty list of sources", flow(taking("a", "int")))
case("parameters of the root come from outside", task("p", input_sets=(InputSet(types={"x": "int"}),)))
case("a default of the root", task("p", input_sets=(InputSet(types={"x": "int"}, bindings={"x": (Constant("1"),)}),)))
case("an output that does not fit", flow(task("a", outcomes=VALUE), taking("b", "str", Output("a", "done", "value"))))
case("sources that name what is not there", flow(
    task("a", outcomes=VALUE),
    taking("b", "int", Output("a", "dne", "value"), Output("a", "done", "valeu"), Input("a", "begin", "x"),
           Input("a", "start", "x"), Variable("v"), Output("z", "done", "x"))))  # fmt: skip
case("every source that fits", flow(
    taking("a", "int", Constant(1), outcomes=(*VALUE, Outcome("m", "mark", types={"half": "int"}))),
    taking("b", "float", Output("a", "m", "half"), Input("a", "start", "x"), Variable("v"), Expression("v + 1"),
           Input("p", "start", "top"), Constant(None)),
    variables={"v": Declared("int")}, input_sets=(InputSet(types={"top": "int"}),)))  # fmt: skip
case("a variable that is a parameter", flow(flow(taking("a", "int", Variable("given")), name="q",
    input_sets=(InputSet(types={"given": "int"}, bindings={"given": (Constant(1),)}),))))  # fmt: skip
case("an expression that does not fit", flow(taking("a", "int", Expression("'x' + 'y'"), Expression("unknown"))))
case(
    "the outcome of the compound around as a source",
    flow(
        taking("a", "int", Output("p", "done", "value")),
        outcomes=(Outcome("done", guard=Quiet(), types={"value": "int"}, bindings={"value": (Constant(1),)}), ABORTED),
    ),
)
case("bad types", flow(
    taking("a", "in", Constant(1), outcomes=(Outcome("done", types={"value": "list[Oder]"}), ABORTED)),
    variables={"v": Declared("dict[int]")}), classes={"Order": ObjectClass("Order", None, {})})  # fmt: skip
case("bad classes", flow(), classes={"Order": ObjectClass("Order", "Base", {"cents": Field("itn")})})
case("an object class that inherits fits", flow(
    task("a", outcomes=(Outcome("done", types={"value": "Big"}), ABORTED)),
    taking("b", "Order", Output("a", "done", "value"))),
    classes={"Order": ObjectClass("Order"), "Big": ObjectClass("Big", "Order")})  # fmt: skip
case("constants", flow(
    taking("a", "int", Constant("x")), taking("b", "any", Constant((1,))), taking("c", "any", Constant(float("nan"))),
    taking("d", "any", Constant({1: 2})), taking("e", "any", Constant(object())),
    variables={"v": Declared("int", "x"), "w": Declared("int")}))  # fmt: skip
case("objects of a flow", flow(task("a", outcomes=VALUE), outcomes=(
    Outcome("done", guard=Quiet(), types={"x": "int", "y": "str", "z": "int"}, bindings={
        "x": (Output("a", "done", "value"),), "y": (Output("a", "done", "value"),), "w": ()}),
    ABORTED)))  # fmt: skip
case("bindings, repeats and marks of a task", flow(
    task("a", outcomes=(Outcome("done", bindings={"x": (Constant(1),)}), Outcome("again", "repeat"))),
    task("b", transaction="two_phase", outcomes=(DONE, Outcome("half", "mark")))))  # fmt: skip
case("no commit outcome", flow(task("a", outcomes=(ABORTED,)), outcomes=(Outcome("ended", "abort", Quiet()),)))
case("writes", flow(
    task("a", outcomes=VALUE, writes={"v": "value", "w": "value", "u": "valeu", "none": "value"}),
    variables={"v": Declared("int"), "w": Declared("str"), "u": Declared("int")}))  # fmt: skip
case("the writes of a compound", flow(
    flow(task("a", outcomes=VALUE), name="q", writes={"v": "x"}, outcomes=(
        Outcome("done", guard=Quiet(), bindings={"x": (Output("a", "done", "value"),)}), ABORTED)),
    variables={"v": Declared("int")}))  # fmt: skip
case("a variable written by the root", flow(task("a"), writes={"v": "value"}, variables={"v": Declared()}))
case("assignments", flow(
    task("a", handler=Assign({"x": "n + 1", "y": "n", "z": "m"}),
         input_sets=(InputSet(types={"n": "int"}, bindings={"n": (Constant(1),)}),),
         outcomes=(Outcome("done", types={"x": "int", "y": "str", "w": "int"}), ABORTED))))  # fmt: skip
case("a parameter that hides a variable", flow(flow(
    task("a"), name="q", variables={"x": Declared("int")},
    input_sets=(InputSet(types={"x": "int"}, bindings={"x": (Constant(1),)}),))))  # fmt: skip
case(
    "a parameter of the root that fills no variable",
    flow(
        task("a"),
        variables={"x": Declared("int"), "y": Declared()},
        input_sets=(InputSet(types={"x": "str", "y": "str"}),),
    ),
)
case("a parameter of two types", flow(
    taking("a", "int", Variable("x")), taking("b", "int | str", Variable("x")),
    input_sets=(InputSet("one", types={"x": "int"}), InputSet("two", types={"x": "str"}))))  # fmt: skip
case("what can be searched for", flow(variables={"x": Declared()}), searchable=("x", "xx"))
case("what can be searched for in a task", task("p", input_sets=(InputSet(types={"x": "int"}),)), searchable=("x", "y"))

# Rounds.

case(
    "a parameter fed by a repeat",
    flow(
        flow(
            task("a", outcomes=VALUE),
            name="q",
            outcomes=(Outcome("done", guard=On("a", "skipped")), AGAIN),
            input_sets=(InputSet(types={"n": "int"}, bindings={"n": (Output("q", "again", "n"), Constant(0))}),),
        )
    ),
)
case("a parameter fed by a repeat alone, and one that does not fit", flow(flow(
    task("a", outcomes=VALUE), name="q", outcomes=(Outcome("done", guard=On("a", "skipped")), AGAIN),
    input_sets=(InputSet(types={"n": "int", "m": "str"}, bindings={
        "n": (Output("q", "again", "n"),), "m": (Output("q", "again", "n"), Constant(""))}),))))  # fmt: skip
case(
    "a repeat of a sibling, and an end of itself",
    flow(
        flow(task("a", outcomes=VALUE), name="q", outcomes=(Outcome("done", guard=On("a", "skipped")), AGAIN)),
        taking("b", "int", Output("q", "again", "n")),
        taking("c", "int", Output("c", "done", "value"), outcomes=VALUE),
    ),
)
case("a root that repeats", flow(
    task("a", outcomes=VALUE), outcomes=(Outcome("done", guard=On("a", "skipped")), AGAIN),
    input_sets=(InputSet(types={"n": "int"}, bindings={"n": (Output("p", "again", "n"),)}),)))  # fmt: skip

# Sides.

case("what a compensation can take", flow(
    task("reserve", outcomes=COMPENSABLE, writes={"taken": "seat"},
         input_sets=(InputSet(types={"who": "str"}, bindings={"who": (Variable("guest"),)}),),
         compensation=task("release", input_sets=(InputSet(
             types={"seat": "str", "who": "str", "a": "str", "b": "str", "c": "str", "taken": "str", "guest": "str"},
             bindings={"a": (Output("reserve", "done", "seat"),), "b": (Variable("guest"), Constant("")),
                       "c": (Input("reserve", "start", "who"), Expression("seat + who"))}),))),
    variables={"guest": Declared("str"), "taken": Declared("str")}))  # fmt: skip
case("what a compensation can't take", flow(
    task("first", outcomes=COMPENSABLE),
    task("reserve", outcomes=COMPENSABLE, compensation=task("release", input_sets=(InputSet(
        types={"seat": "int", "who": "str", "a": "str"}, bindings={"a": (Output("first", "done", "seat"),)}),)),
        undo=task("clean", input_sets=(InputSet(types={"b": "str"}, bindings={"b": ()}),)))))  # fmt: skip
case(
    "a compensation that is a flow",
    flow(
        task(
            "a",
            outcomes=VALUE,
            compensation=flow(
                taking("b", "int", Variable("value")),
                task("c", On("b", "committed")),
                task("d", On("a", "aborted")),
                name="q",
            ),
        )
    ),
)
case(
    "the compensation of the root",
    task("p", outcomes=VALUE, compensation=taking("b", "int", Output("p", "done", "value"))),
)
case("alternates", flow(task("a", outcomes=VALUE, on_error=(
    Rule("alternate", "task.gateway"),
    Rule("retry", alternate=task("b", outcomes=VALUE)),
    Rule("alternate", alternate=task("c")),
    Rule("alternate", alternate=task("d", outcomes=VALUE)),
))))  # fmt: skip

# What may stand together, and numbers.

case("critical and nothing for it", flow(task("a", critical=True), flow(task("b"), name="q", critical=True)))
case("critical with a compensation", flow(task("a", critical=True, transaction="two_phase", compensation=task("b"))))
case("critical in a loop and in eaches", flow(
    blocks.loop("True", task("a", critical=True, transaction="two_phase"), name="l"),
    *(Each(name=f"e{enough}", item="i", enough=enough, input_sets=(InputSet(bindings={"items": (Constant([1]),)}),),
           body=task(f"b{enough}", critical=True, transaction="two_phase")) for enough in (None, 2))))  # fmt: skip
case("non-vital where it changes nothing", blocks.serial(
    blocks.any_of(task("a", vital=False), task("b")), blocks.contingency(task("c", vital=False), task("d")),
    blocks.all_of(task("e", vital=False), task("f")), task("g", vital=False), name="p"))  # fmt: skip
case("losers", blocks.race(
    task("plain"), task("undone", undo=task("u")), task("compensated", compensation=task("c")),
    task("transactional", transaction="transactional"), task("timer", handler=Timer(1.0)),
    blocks.serial(task("inner", transaction="transactional"), task("prepared", transaction="two_phase"),
                  task("inside", compensation=task("d")), name="q"), name="p"))  # fmt: skip
case("a later task on a critical one's resource", blocks.serial(
    blocks.all_of(
        task("a", critical=True, transaction="two_phase", resource="db"),
        task("beside", transaction="transactional", resource="db")),
    task("other", transaction="transactional", resource="files"),
    task("later", transaction="transactional", handler=Sql("db", "select 1")), name="p"))  # fmt: skip
case("a task that is placed", flow(task("a", placement="site"), flow(task("b"), name="q", placement="site")))
case("a call of nothing", flow(Call(name="c", process="")))
case("errors of rules and tasks", flow(task("a", errors={"ValueError": "value", "OSError": "handler.io"}, on_error=(
    Rule("retry", "nothing"), Rule("retry", "", 3, when="attempts > 3")))))  # fmt: skip
case("raw errors that can't be read", flow(task("a", errors=dict.fromkeys(
    ("OSError", "shop.Full", "2", "2-9", "4xx", "~disk full", "OSError ~ disk*full", "9-2", "OSError ~ ", "[0-9]+", ""),
    "task.a"))))  # fmt: skip
case("limits and queues", flow(
    task("a", limits=TimeLimits(-1.0, float("nan"), 3.0), queues=("gpu", "no good")),
    task("b", limits=TimeLimits(1.0, 2.0, 3.0), queues=("gpu", "big"))))  # fmt: skip
case("numbers", flow(
    task("a", deadline=Deadline(-1.0, "tell", (5.0, float("nan"))), handler=Timer(float("inf"))),
    task("b", on_error=(Rule("retry", "", -1, -1.0, -2.0, -3.0),)),
    Each(name="e", item="i", body=task("c"), at_most=0, enough=-1,
         input_sets=(InputSet(bindings={"items": (Constant([1]),)}),))))  # fmt: skip

# Eaches.

case(
    "an each with no list, and one with a number",
    flow(
        Each(name="e", item="1st", body=task("a")),
        Each(
            name="f",
            item="i",
            body=task("b"),
            input_sets=(InputSet(types={"items": "int"}, bindings={"items": (Constant(1),)}),),
        ),
        Each(
            name="g",
            item="i",
            body=task("c"),
            input_sets=(InputSet(types={"items": "any"}, bindings={"items": (Constant(1),)}),),
        ),
        Each(name="h", item="i", body=task("d"), open=True),
    ),
)
case("results of an each", flow(
    Each(name="e", item="i", body=taking("a", "str", Variable("i"), outcomes=VALUE, writes={"i": "value"}),
         input_sets=(InputSet(types={"items": "list[int]"}, bindings={"items": (Constant([1]),)}),),
         outcomes=(Outcome("done",
                           types={"value": "list[int | null]", "outcome": "list[str]", "x": "int", "other": "int"},
                           bindings={"x": (Output("a", "done", "value"),)}), ABORTED)),
    taking("b", "list[int | null]", Output("e", "done", "value"))))  # fmt: skip
case("an each that a sibling adds to", flow(
    task("a", outcomes=(DONE, Outcome("more", "mark", types={"found": "list[int]", "names": "list[str]"}))),
    *(Each(name=f"e{number}", item="i", body=task(f"b{number}"), adds=(source,),
           input_sets=(InputSet(types={"items": "list[int]"}, bindings={"items": (Constant([1]),)}),))
      for number, source in enumerate((
          Output("a", "more", "found"), Output("a", "more", "names"), Output("a", "more", "fond"),
          Output("a", "done", "found"), Output("a", "less", "found"), Output("z", "more", "found"))))))  # fmt: skip

TEN = flow(
    task("a", On("b", "skipped"), outcomes=VALUE, critical=True),
    task("b", On("a", "skipped"), outcomes=(Outcome("done", guard=On("a", "committed")), ABORTED)),
    taking("c", "str", Output("a", "done", "value")),
    taking("d", "int"),
    task("e", AtLeast(3, (On("a", "ended"), On("zz", "ended")))),
    task("e", When("no +")),
    variables={"v": Declared("integer")},
)
case("ten faults", TEN)


def expected() -> dict[str, list[str]]:
    sections = re.split(r"^## (.+)\n", EXPECTED.read_text("utf-8"), flags=re.MULTILINE)[1:]
    return {title: body.split("\n")[:-1] for title, body in zip(sections[::2], sections[1::2], strict=True)}


EXPECTATIONS = expected()


@pytest.mark.parametrize("title", CASES)
def test_a_definition_has_exactly_these_faults(title: str) -> None:
    assert [str(fault) for fault in check(CASES[title])] == [line for line in EXPECTATIONS[title] if line]


def test_every_expectation_has_its_case() -> None:
    assert list(EXPECTATIONS) == list(CASES)


def test_ten_faults_are_told_at_once() -> None:
    with pytest.raises(Invalid) as raised:
        well_formed(CASES["ten faults"])
    codes = sorted(fault.code for fault in raised.value.faults)
    assert codes == sorted([
        "bad-type", "condition", "count", "critical", "duplicate-name", "guard-cycle", "immediate-end", "misfit",
        "no-source", "unknown-activity",
    ])  # fmt: skip
    text = str(raised.value)
    assert text.startswith("the process 'p' is not well formed (10 errors):\n")
    assert all(str(fault) in text for fault in raised.value.faults)


def test_warnings_alone_are_well_formed() -> None:
    process = CASES["a circle that may never start"]
    assert well_formed(process) is process


def test_a_count_of_warnings_is_told_with_the_errors() -> None:
    error, warning = (Fault(one, "call", "p", "p", "m") for one in ("error", "warning"))  # type: ignore[arg-type]
    assert str(Invalid("x", [error, warning])).splitlines()[0] == "x is not well formed (1 error, 1 warning):"
    assert str(Invalid("x", [error, warning, warning])).splitlines()[0] == "x is not well formed (1 error, 2 warnings):"


def test_the_page_lists_every_fault() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "definition.md").read_text("utf-8")
    for severity, codes in (("error", ERRORS), ("warning", WARNINGS)):
        rows = re.findall(rf"^\| `([\w-]+)` \| {severity} \| (.+) \|$", page, re.MULTILINE)
        assert rows == list(codes.items())


def test_every_code_is_tried() -> None:
    """Here, but for what has a test file of its own: the JSON form, nets, limits, and what only texts do wrong."""
    texts = {"arguments", "left-out", "syntax", "unbound", "undo", "unknown-name"}
    elsewhere = {"json", "arc", "net-child", "unknown-place", "too-large", *texts}
    found = {line.split()[1] for lines in EXPECTATIONS.values() for line in lines if line}
    assert found.isdisjoint(texts)
    assert found | elsewhere == {*ERRORS, *WARNINGS}


# Limits.

STARTED = On("p", "started")
SMALL = Limits(source=20, nesting=3, value=50, activities=5)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (flow(*(task(f"t{i}") for i in range(5))), "the process has more than 5 activities"),
        (flow(flow(flow(flow(name="d"), name="c"), name="b")), "activities are nested more than 3 deep"),
        (flow(task("a", every(every(every(every(STARTED, STARTED), STARTED), STARTED), STARTED))),
         "the guard of input set 'start' is nested more than 3 deep"),
        (flow(task("a", When("True or False or True"))),
         ("input set 'start': 'True or False or True' is wrong at column 1: an expression may have 20 characters, "
          "this has 21")),
        (flow(taking("a", "any", Constant("x" * 50))),
         "a constant of parameter 'x' of input set 'start' has more than 50 bytes"),
        (flow(variables={"v": Declared("str", "x" * 50)}), "the default of the variable 'v' has more than 50 bytes"),
    ],
)  # fmt: skip
def test_a_limit_is_a_fault(body: Activity, message: str) -> None:
    faults = check(Process(name="p", body=body), SMALL)
    assert [(fault.code, fault.message) for fault in faults] == [("too-large", message)]
    assert not check(Process(name="p", body=body))


def test_a_definition_may_be_much_too_deep() -> None:
    body: Activity = task("leaf")
    guard: Guard = On("p", "started")
    for level in range(20_000):
        body = Flow(name=f"f{level}", children=(body,), outcomes=(Outcome("done", guard=Quiet()), ABORTED))
        guard = AtLeast(1, (guard,))
    faults = check(Process(name="p", body=flow(body, task("a", guard))))
    assert [fault.code for fault in faults] == ["too-large", "too-large"]


def test_many_unknown_names_are_told_quickly() -> None:
    children = [task(f"t{i}", On(f"tt{i}", "committed")) for i in range(5_000)]
    faults = check(Process(name="p", body=flow(*children)))
    assert [fault.code for fault in faults] == ["unknown-activity"] * 5_000
    assert faults[0].advice.startswith("did you mean")
    assert faults[-1].advice == "name an activity of this process"


def test_paths_go_by_names_and_roles() -> None:
    inner = task("x", AtLeast(2, ()))
    body = flow(blocks.serial(task("a"), flow(task("b", compensation=flow(inner, name="c")), name="q")))
    (fault,) = check(Process(name="p", body=body))
    assert (fault.activity, fault.path) == ("x", "p/q/b/compensation/x")


def test_blocks_are_well_formed() -> None:
    tasks = iter([task(f"t{i}", vital=i % 3 > 0, compensation=task(f"c{i}")) for i in range(40)])
    two = [(next(tasks), next(tasks)) for _ in range(8)]
    body = blocks.serial(
        blocks.all_of(*two[0]), blocks.any_of(*two[1]), blocks.race(*two[2]), blocks.contingency(*two[3]),
        blocks.choice([("x > 1", two[4][0])], two[4][1]), blocks.loop("x == 0", *two[5]), blocks.pick(*two[6]),
        blocks.at_least(1, *two[7]), name="p",
    )  # fmt: skip
    process = Process(name="p", body=replace(body, variables={"x": Declared("int")}))
    assert {fault.code for fault in check(process)} <= {"non-vital"}


@pytest.mark.parametrize("is_fed", [False, True])
def test_the_cost_of_a_check_is_linear(is_fed: bool) -> None:
    """Counts looks, not seconds: ten times the tasks may cost at most twelve times the calls."""

    def calls(count: int) -> int:
        children = [
            taking(f"t{i}", "int", Output(f"t{i - 1}", "done", "value") if i else Constant(0), outcomes=VALUE)
            if is_fed
            else task(f"t{i}")
            for i in range(count)
        ]
        process = Process(name="p", body=blocks.serial(*children, name="p"))
        made = 0

        def count_call(frame: object, event: str, argument: object) -> None:
            nonlocal made
            made += event == "call"

        before = sys.getprofile()
        sys.setprofile(count_call)
        try:
            assert check(process) == []
        finally:
            sys.setprofile(before)
        return made

    assert calls(2_000) < 12 * calls(200)
