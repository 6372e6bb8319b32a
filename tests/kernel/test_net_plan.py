"""What a transition's arcs give when its operation ends, and what can reach what."""

import pytest

from weft.kernel.net_plan import NetPlan, NotAList, Put, TransitionPlan
from weft.model.definition import ArcIn, ArcOut, Function, Net, Person, Place, Signal, Task, Timer, Transition


def planned(*transitions: Transition, places: str = "abcdef") -> NetPlan:
    expressions = {"x + 1": add_one, "y * limit": times_limit}
    return NetPlan(Net(name="net", places=tuple(map(Place, places)), transitions=transitions), expressions.__getitem__)


def add_one(scope: dict[str, object]) -> object:
    assert isinstance(scope["x"], int)
    return scope["x"] + 1


def times_limit(scope: dict[str, object]) -> object:
    assert isinstance(scope["y"], int)
    assert isinstance(scope["limit"], int)
    return scope["y"] * scope["limit"]


def giving(*outputs: ArcOut) -> TransitionPlan:
    return planned(
        Transition(name="t", inputs=(ArcIn("a", "x"), ArcIn("b", "xs", weight=2)), outputs=outputs)
    ).transitions[0]


@pytest.mark.parametrize(
    ("arc", "value", "tokens"),
    [
        (ArcOut("c", "x"), 1, (1,)),
        (ArcOut("c"), 1, (None,)),
        (ArcOut("c", "unknown"), 1, (None,)),
        (ArcOut("c", "x", weight=3), 1, (1, 1, 1)),
        (ArcOut("c", "x", weight=2), [1, 2], ([1, 2], [1, 2])),
        (ArcOut("c", "xs", weight=2), [1, 2], (1, 2)),
        (ArcOut("c", "xs", weight=3), [1, 2], ([1, 2], [1, 2], [1, 2])),
        (ArcOut("c", "xs"), [1, 2], ([1, 2],)),
        (ArcOut("c", "x", each=True), [1, 2], (1, 2)),
        (ArcOut("c", "x", each=True, weight=2), [1, 2], (1, 2, 1, 2)),
        (ArcOut("c", "x", each=True), [], ()),
        (ArcOut("c", "x", each=True), None, ()),
    ],
)
def test_what_an_arc_puts(arc: ArcOut, value: object, tokens: tuple[object, ...]) -> None:
    assert giving(arc).put({"x": value, "xs": value}) == (("c", tokens),)


def test_an_arc_for_each_element_needs_a_list() -> None:
    with pytest.raises(NotAList, match="t → c: x is not a list"):
        giving(ArcOut("c", "x", each=True)).put({"x": 1})


LABELLED = (
    ArcOut("a"),
    ArcOut("b", outcome="done"),
    ArcOut("c", outcome="full"),
    ArcOut("d", error="task"),
    ArcOut("e", error="task.gateway"),
    ArcOut("f", outcome="aborted", error="task"),
)


@pytest.mark.parametrize(
    ("outcome", "error", "failed", "places"),
    [
        ("done", "", False, "ab"),
        ("full", "", False, "ac"),
        ("other", "", False, "a"),
        ("full", "task", True, "cd"),
        ("aborted", "task", True, "df"),
        ("aborted", "task.gateway", True, "def"),
        ("aborted", "task.gateway.slow", True, "def"),
        ("aborted", "tasks", True, None),
        ("aborted", "handler.lost", True, None),
    ],
)
def test_which_arcs_bear_an_end(outcome: str, error: str, failed: bool, places: str | None) -> None:
    put = giving(*LABELLED).put({}, outcome, error, failed)
    assert (None if put is None else "".join(place for place, _ in put)) == places


def test_a_failure_is_not_borne_by_plain_arcs() -> None:
    assert giving(ArcOut("a")).put({}, "aborted", "task", failed=True) is None


def test_a_transition_computes_variables_one_after_the_other() -> None:
    assigns = {"y": "x + 1", "z": "y * limit"}
    one = planned(Transition(name="t", inputs=(ArcIn("a", "x"),), outputs=(ArcOut("b", "z"),), assigns=assigns))
    variables = one.transitions[0].assigned({"x": 1}, {"limit": 10})
    assert variables == {"x": 1, "y": 2, "z": 20}
    put: Put = (("b", (20,)),)
    assert one.transitions[0].put(variables) == put


def test_resets_and_cancels_are_told() -> None:
    one = planned(Transition(name="t", inputs=(ArcIn("a"), ArcIn("b", kind="reset")), cancels=("u",))).transitions[0]
    assert (one.resets, one.cancels) == (("b",), ("u",))


def test_a_persons_task_and_a_trigger_are_offered() -> None:
    for handler in (Person(), Timer(), Signal("go")):
        operation = Task(name="wait", handler=handler)
        assert planned(Transition(name="t", operation=operation)).transitions[0].is_offered
    work = Task(name="work", handler=Function("shop:work"))
    assert not planned(Transition(name="t", operation=work)).transitions[0].is_offered
    assert not planned(Transition(name="t")).transitions[0].is_offered


def moving(name: str, source: str, target: str, kind: str = "take") -> Transition:
    arc = ArcIn(source, kind="take") if kind == "take" else ArcIn(source, kind="read")
    return Transition(name=name, inputs=(arc,), outputs=(ArcOut(target),))


def test_reach_goes_by_arcs_that_take_and_not_through_the_transition_itself() -> None:
    plan = planned(
        moving("t1", "a", "b"),
        moving("t2", "b", "c"),
        moving("t3", "c", "a"),
        moving("reads", "d", "b", "read"),
        moving("aside", "e", "f"),
    )
    a, b, c = 1, 2, 4
    assert plan.reach(plan.transition_number["aside"], 2) == a | b | c
    assert plan.reach(plan.transition_number["t1"], 2) == b | c
    assert plan.reach(plan.transition_number["t3"], 0) == a
    assert plan.reach(plan.transition_number["t3"], 0) == a
