"""Nets and what is wrong with them."""

import pytest

from weft.model.definition import (
    ABORTED,
    DONE,
    Activity,
    ArcIn,
    ArcOut,
    Call,
    Constant,
    Function,
    InputSet,
    Net,
    On,
    Outcome,
    Place,
    Process,
    Quiet,
    Task,
    Transition,
    Variable,
    When,
)
from weft.model.limits import Limits
from weft.model.wellformed import check

VALUE = (Outcome("done", types={"value": "int"}), ABORTED)
NUMBERS = (Place("in", "int", (1, 2)), Place("out", "int"), Place("names", "str"))


def work(name: str = "work", **fields: object) -> Task:
    return Task(name=name, handler=Function("m:f"), **fields)  # type: ignore[arg-type]


def fire(*arcs: ArcIn | ArcOut, **fields: object) -> Transition:
    inputs = tuple(arc for arc in arcs if isinstance(arc, ArcIn))
    outputs = tuple(arc for arc in arcs if isinstance(arc, ArcOut))
    return Transition(inputs=inputs, outputs=outputs, **{"name": "t", **fields})  # type: ignore[arg-type]


def net(*transitions: Transition, places: tuple[Place, ...] = NUMBERS, **fields: object) -> Net:
    return Net(name="p", places=places, transitions=transitions, **fields)  # type: ignore[arg-type]


def faults(body: Activity) -> list[tuple[str, str]]:
    return [(fault.code, fault.message) for fault in check(Process(name="p", body=body))]


FINE = {
    "a pipeline": net(fire(ArcIn("in", "x"), ArcOut("out", "x"))),
    "an operation that takes its arcs' variables by name or as variables": net(
        fire(
            ArcIn("in", "x"),
            ArcIn("names", "who"),
            ArcOut("out", "value"),
            ArcOut("names", "who", error="task.late"),
            ArcOut("names", "who", outcome="aborted"),
            operation=work(
                outcomes=VALUE,
                input_sets=(InputSet(types={"x": "int", "y": "str"}, bindings={"y": (Variable("who"),)}),),
            ),
        )
    ),
    "weights, lists and each": net(
        fire(ArcIn("in", "two", weight=2), ArcOut("out", "two", each=True), ArcOut("out", "two", weight=2)),
        fire(ArcIn("in", "one"), ArcOut("out", "one", weight=3), ArcOut("names"), name="u"),
    ),
    "guards, assignments and the net's parameters": net(
        fire(
            ArcIn("in", "x"),
            ArcIn("in", "x", "read"),
            ArcIn("out", kind="inhibit", weight=3),
            ArcIn("out", kind="reset"),
            ArcOut("out", "y"),
            guard="x > least",
            assigns={"y": "x + least"},
            cancels=("t",),
            at_most=1,
        ),
        input_sets=(InputSet(types={"least": "int"}),),
        outcomes=(Outcome("done", guard=When("out == 3 and least > 0")), Outcome("aborted", "abort", Quiet())),
    ),
    "places for parameters and objects, as one token or a list": net(
        places=(Place("a", "int"), Place("b", "int"), Place("c", "int", output=True), Place("d", "int", output=True)),
        input_sets=(InputSet(types={"a": "int", "b": "list[int]"}),),
        outcomes=(Outcome("done", types={"c": "int", "d": "list[int]"}), ABORTED),
    ),
    "an operation with two ends that make the same": net(
        fire(
            ArcIn("in"),
            ArcOut("out", "value"),
            operation=work(outcomes=(*VALUE, Outcome("late", types=VALUE[0].types))),
        ),
    ),
}


@pytest.mark.parametrize("title", FINE)
def test_a_net_is_well_formed(title: str) -> None:
    assert faults(FINE[title]) == []


WRONG: list[tuple[Net, list[tuple[str, str]]]] = [
    (
        net(places=(Place("a"), Place("a"), Place("b c"))),
        [
            ("duplicate-name", "the place 'a' is there twice"),
            ("bad-name", "'b c' can't be the name of a place"),
        ],
    ),
    (
        net(fire(), fire(), fire(name="")),
        [
            ("duplicate-name", "the transition 't' is there twice"),
            ("bad-name", "'' can't be the name of a transition"),
        ],
    ),
    (
        net(places=(Place("a", "itn"), Place("b", "int", ("x",)))),
        [
            (
                "bad-type",
                (
                    "the type of the place 'a', 'itn', is wrong at column 1: there is no type 'itn': "
                    "it is neither built in nor a declared object class"
                ),
            ),
            ("bad-value", "a token of the place 'b' does not fit: it is a str, not int"),
        ],
    ),
    (
        net(fire(ArcIn("inn", "x"), ArcOut("ot", "x"), cancels=("tt",))),
        [
            ("unknown-place", "an arc of transition 't' names the place 'inn', which the net does not have"),
            ("unknown-place", "an arc of transition 't' names the place 'ot', which the net does not have"),
            ("unknown-place", "transition 't' cancels the transition 'tt', which the net does not have"),
        ],
    ),
    (
        net(fire(ArcIn("in", weight=0), ArcOut("out", weight=-1), at_most=0)),
        [
            ("number", "the weight of an arc from 'in' is 0"),
            ("number", "the weight of an arc to 'out' is -1"),
            ("number", "`at_most` of transition 't' is 0"),
        ],
    ),
    (
        net(
            fire(
                ArcIn("in", "x", "read", 2),
                ArcIn("out", "y", "reset"),
                ArcIn("out", "z", "inhibit"),
                ArcIn("in", "a b"),
            )
        ),
        [
            ("arc", "an arc of transition 't' reads 2 tokens of 'in'"),
            ("arc", "an arc of transition 't' binds 'y', but to reset carries nothing"),
            ("arc", "an arc of transition 't' binds 'z', but to inhibit carries nothing"),
            ("bad-name", "'a b' can't be the name of a variable"),
        ],
    ),
    (
        net(fire(ArcIn("in", "x"), ArcIn("names", "x"))),
        [
            ("misfit", "the arc from 'names' is str, but the same variable 'x' on another arc wants int"),
        ],
    ),
    (
        net(
            fire(
                ArcIn("in", "x"),
                ArcOut("names", "x"),
                ArcOut("out", "y"),
                ArcOut("out", "x", each=True),
                ArcOut("out", each=True),
                ArcOut("names", "x", weight=2),
            )
        ),
        [
            ("misfit", "what the arc of transition 't' puts is int, but the place 'names' wants str"),
            ("unknown-variable", "the arc of transition 't' to 'out' carries 'y', which nothing binds"),
            ("misfit", "what the arc of transition 't' puts is int, but an arc that puts each element wants list[any]"),
            ("arc", "an arc of transition 't' puts each element of nothing"),
            ("misfit", "what the arc of transition 't' puts is int, but the place 'names' wants str"),
        ],
    ),
    (
        net(fire(ArcOut("out", outcome="done"), ArcOut("out", error="task"))),
        [
            ("arc", "an arc of transition 't' waits for an outcome or error of no operation"),
            ("arc", "an arc of transition 't' waits for an outcome or error of no operation"),
        ],
    ),
    (
        net(
            fire(
                ArcOut("out", "value"),
                ArcOut("out", "value", "aborted"),
                ArcOut("out", outcome="dnoe"),
                ArcOut("out", outcome="half"),
                ArcOut("out", error="late"),
                operation=work(outcomes=(*VALUE, DONE.__class__("half", "mark"))),
            )
        ),
        [
            ("unknown-variable", "the arc of transition 't' to 'out' carries 'value', which nothing binds"),
            ("unknown-outcome", "an arc of transition 't' waits for 'dnoe', but 'work' has no outcome 'dnoe'"),
            ("arc", "an arc of transition 't' waits for 'half', a mark, which puts no tokens"),
            ("unknown-error", "an arc of transition 't' waits for 'late', but 'late' is no name of an error"),
        ],
    ),
    (
        net(fire(ArcIn("in", "x"), ArcOut("out", "y"), guard="x > z", assigns={"y": "'a'", "1": "x"})),
        [
            ("condition", "the guard of transition 't': 'x > z' is wrong at column 5: there is no 'z'; there are x"),
            ("bad-name", "'1' can't be the name of a variable"),
            ("misfit", "what the arc of transition 't' puts is str, but the place 'out' wants int"),
        ],
    ),
    (
        net(
            fire(
                operation=work(
                    input_sets=(InputSet("a", On("p", "started")), InputSet("b")),
                    cancel=Quiet(),
                    until=Quiet(),
                    vital=False,
                )
            )
        ),
        [
            ("net-child", "the operation of transition 't' has a guard on its input set, but arcs do that"),
            ("net-child", "the operation of transition 't' has several input sets, but arcs do that"),
            ("net-child", "the operation of transition 't' has `cancel`, but arcs do that"),
            ("net-child", "the operation of transition 't' has `until`, but arcs do that"),
            ("net-child", "the operation of transition 't' has vital=False, but arcs do that"),
        ],
    ),
    (
        net(
            fire(
                ArcIn("in", "x"),
                operation=work(
                    input_sets=(
                        InputSet(types={"x": "str", "z": "int", "v": "int"}, bindings={"v": (Variable("zz"),)}),
                    )
                ),
            )
        ),
        [
            ("misfit", "'x' by its name is int, but parameter 'x' of input set 'start' wants str"),
            ("no-source", "parameter 'z' of input set 'start' has no source"),
            (
                "unknown-variable",
                "parameter 'v' of input set 'start' reads the variable 'zz', which nothing around declares",
            ),
        ],
    ),
    (
        net(
            fire(operation=work()),
            fire(
                operation=Call(
                    name="c", process="q", input_sets=(InputSet(types={"x": "int"}, bindings={"x": (Constant(1),)}),)
                ),
                name="u",
            ),
            outcomes=(Outcome("done", guard=On("work", "committed")), ABORTED),
        ),
        [
            (
                "out-of-reach",
                (
                    "outcome 'done' speaks of 'work', which is out of reach, "
                    "because activities of a net hear of one another by tokens"
                ),
            ),
        ],
    ),
    (
        net(
            places=(Place("a", "int"), Place("c", "str", output=True)),
            input_sets=(InputSet(types={"a": "str"}),),
            outcomes=(Outcome("done", types={"c": "int", "d": "int"}), ABORTED),
        ),
        [
            ("no-source", "object 'd' of outcome 'done' has no source"),
            ("misfit", "parameter 'a' is str, but the place 'a' wants int"),
            ("misfit", "the place 'c' is str, but object 'c' of outcome 'done' wants int"),
        ],
    ),
    (
        net(outcomes=(Outcome("done", guard=When("nowhere > 1")), ABORTED)),
        [
            (
                "condition",
                "outcome 'done': 'nowhere > 1' is wrong at column 1: there is no 'nowhere'; there are in, out, names",
            ),
        ],
    ),
]


@pytest.mark.parametrize(("body", "expected"), WRONG, ids=range(len(WRONG)))
def test_a_net_has_exactly_these_faults(body: Net, expected: list[tuple[str, str]]) -> None:
    assert faults(body) == expected


def test_a_large_token_is_refused() -> None:
    process = Process(name="p", body=net(places=(Place("a", "str", ("x" * 50,)),)))
    (fault,) = check(process, Limits(value=50))
    assert (fault.code, fault.message) == ("too-large", "a token of the place 'a' has more than 50 bytes")


def test_an_output_place_is_an_object_to_its_siblings() -> None:
    body = net(places=(Place("c", "int", output=True),))
    taking = work(input_sets=(InputSet(types={"x": "int"}, bindings={"x": (Variable("v"),)}),))
    assert faults(net(fire(ArcIn("in", "v"), ArcOut("out"), operation=taking))) == []
    assert faults(body) == []
