"""Nets as they are written: every feature of a net's definition can be reached."""

import pytest

from weft import Invalid, Net, person, process, serial, task, var, when
from weft.model import definition
from weft.model.definition import ArcIn, ArcOut, Constant, Declared, Outcome, Place, Process, Variable, When


@task
def double(x: int) -> int:
    return 2 * x


@task
def split(batch: list[int]) -> list[int]:
    return batch


@task
def tell(x: int) -> None: ...


def net_of(made: Process) -> definition.Net:
    found = made.body if isinstance(made.body, definition.Net) else definition.parts(made.body).__next__()
    assert isinstance(found, definition.Net)
    return found


def test_a_pipeline() -> None:
    net = Net("pipeline")
    raw, done = net.place("raw", int, tokens=[1, 2]), net.place("done", int, output="all")
    net.transition("double", take={"x": raw}, put={"result": done}, do=double, guard="x > 1", priority=2, at_most=3)
    made = net_of(process("pipeline")(net))
    assert made.places == (Place("raw", "int", (1, 2)), Place("done", "int", output=True))
    (transition,) = made.transitions
    assert (transition.guard, transition.priority, transition.at_most) == ("x > 1", 2, 3)
    assert transition.inputs == (ArcIn("raw", "x"),)
    assert transition.outputs == (ArcOut("done", "result"),)
    assert transition.operation is not None
    assert transition.operation.input_sets[0].bindings == {"x": (Variable("x"),)}
    assert made.outcomes[0].types == {"done": "list[int]"}


def test_every_kind_of_arc() -> None:
    net = Net("n")
    a, b, c, d, bad = (net.place(name, int) for name in ("a", "b", "c", "d", "bad"))
    lists = net.place("lists", list[int])
    net.transition(
        "t",
        take={"batch": a.arc(3), "x": [b, c]},
        read={"y": d},
        inhibit=[b.arc(2), c],
        reset=d,
        put={"z": [a, b.arc(2)], "batch": c.arc(each=True)},
        assigns={"z": "x + y"},
        cancels=["u"],
        join="or",
    )
    net.transition(
        "u",
        take=[a],
        put={"result": d.arc(each=True, outcome="done"), "batch": lists.arc(error="task")},
        do=split.using(batch=[1]),
    )
    net.transition(
        "v",
        take={"batch": a.arc(2)},
        put={"y": d.arc(each=True), "batch": bad.arc(2, error="task.x")},
        do=split.into("y"),
    )
    t, u, v = net.transitions
    assert t.inputs == (
        ArcIn("a", "batch", weight=3), ArcIn("b", "x"), ArcIn("c", "x"), ArcIn("d", "y", "read"),
        ArcIn("b", "", "inhibit", 2), ArcIn("c", "", "inhibit"), ArcIn("d", "", "reset"),
    )  # fmt: skip
    assert t.outputs == (ArcOut("a", "z"), ArcOut("b", "z", weight=2), ArcOut("c", "batch", each=True))
    assert (t.assigns, t.cancels, t.join) == ({"z": "x + y"}, ("u",), "or")
    assert u.inputs == (ArcIn("a"),)
    assert u.outputs[1] == ArcOut("lists", "batch", error="task")
    assert v.outputs[0].variable == "y"


def test_the_result_of_an_operation_may_have_another_name() -> None:
    net = Net("n")
    a, b = net.place("a", int, tokens=[1]), net.place("b", int)
    net.transition("t", take={"x": a}, put={"y": b, "x": b}, do=double.into("y"))
    (transition,) = net_of(process("n")(net)).transitions
    assert transition.outputs == (ArcOut("b", "result"), ArcOut("b", "x"))
    assert transition.operation is not None
    assert transition.operation.writes == {}


def test_a_net_inside_takes_inputs_and_gives_outputs() -> None:
    net = Net("inner")
    start, end = net.place("start", int, input=True), net.place("end", int, output=True)
    net.transition("t", take={"x": start}, put={"result": end}, do=double)
    made = process("p", n=int)(net.using(start=var("n")).into("m") >> double.named("again").using(x=var("m")))
    inner = net_of(made)
    assert inner.input_sets[0].bindings == {"start": (Variable("n"),)}
    assert inner.input_sets[0].types == {"start": "int"}
    assert inner.writes == {"m": "end"}
    assert made.body.variables["m"] == Declared("int")  # type: ignore[union-attr]


def test_a_net_as_a_process_is_filled_by_its_inputs() -> None:
    net = Net("pipeline")
    start, end = net.place("start", int, input=True), net.place("end", int, output=True)
    net.transition("t", take={"x": start}, put={"x": end})
    made = process("pipeline", start=int)(net)
    assert made.body.input_sets[0].types == {"start": "int"}
    assert made.body.outcomes[0] == Outcome("done", types={"end": "int"})


def test_a_net_may_say_when_it_ends() -> None:
    net = Net("n")
    a, b = net.place("a", int, tokens=[1]), net.place("b", int)
    net.transition("t", take={"x": a}, put={"x": b})
    made = net_of(process("n")(net.outcome("done", when("b > 0"))))
    assert [(one.name, one.guard) for one in made.outcomes] == [("done", When("b > 0")), ("aborted", None)]


def test_a_block_in_a_net_keeps_what_it_makes_to_itself() -> None:
    net = Net("n")
    a = net.place("a", int, tokens=[1])
    net.transition("t", take={"x": a}, do=serial(double.into("y"), tell.using(x=var("y"))))
    operation = net_of(process("n")(net)).transitions[0].operation
    assert isinstance(operation, definition.Flow)
    assert operation.variables == {"y": Declared("int")}


def test_people_work_in_nets_too() -> None:
    net = Net("n")
    a = net.place("a", int, tokens=[1])
    net.transition("t", take={"x": a}, do=person("check").using(x=var("x"), why="audit"))
    operation = net_of(process("n")(net)).transitions[0].operation
    assert operation is not None
    assert operation.input_sets[0].bindings == {"x": (Variable("x"),), "why": (Constant("audit"),)}


def test_a_net_with_a_wrong_place_or_missing_data_is_refused() -> None:
    net = Net("n")
    a, other = net.place("a", int, tokens=[1]), Net("m").place("elsewhere", int)
    net.transition("t", take={"y": a}, put={"result": a}, do=double)
    with pytest.raises(Invalid, match="nothing gives the parameter 'x' of double"):
        process("n")(net)
    net = Net("n")
    net.transition("t", take={"x": other}, put={"result": other}, do=double)
    with pytest.raises(Invalid, match="elsewhere"):
        process("n")(net)
    net = Net("n")
    net.place("c", complex)
    with pytest.raises(Invalid, match="the place 'c': complex is no type of values"):
        process("n")(net)
