"""A change that does not fit what has happened is refused, with every reason, and nothing has changed."""

import pytest
from msgspec.structs import replace

from tests.kernel.driver import Driver, process, task
from weft.kernel import commands, effect_types
from weft.kernel.plan import plan_of
from weft.kernel.refusals import NotChangeable, NotRunning
from weft.model.blocks import all_of, race, serial
from weft.model.definition import (
    ABORTED,
    Activity,
    ArcIn,
    ArcOut,
    Call,
    Declared,
    InputSet,
    Net,
    On,
    Outcome,
    Place,
    Quiet,
    Transition,
)
from weft.model.json_form import content_hash


def begun(body: Activity, *done: str, running: tuple[str, ...] = ()) -> Driver:
    driver = Driver(plan_of(process(body)))
    driver.send(commands.Start())
    for name in (*done, *running):
        driver.send(commands.Begin(name))
        if name in done:
            driver.send(commands.Complete(name))
    return driver


def reasons(driver: Driver, body: Activity) -> str:
    with pytest.raises(NotChangeable) as refused:
        driver.send(commands.Change(content_hash(process(body)), process(body)))
    return "\n".join(refused.value.reasons)


def test_what_has_begun_keeps_its_interface() -> None:
    driver = begun(serial(task("a"), task("b"), name="p"), "a", running=("b",))
    gives = (Outcome("done", types={"n": "int"}), ABORTED)
    other = serial(task("a", outcomes=gives), task("b", input_sets=(InputSet(types={"n": "int"}),)), name="p")
    assert reasons(driver, other).count("has begun, and its parameters or outcomes differ") == 2


def test_what_has_begun_stays_critical_or_not_and_exclusive_or_not() -> None:
    plain = task("a", transaction="two_phase", resource="bank")
    driver = begun(serial(plain, task("b"), name="p"), "a")
    assert "whether it is critical differs" in reasons(
        driver, serial(replace(plain, critical=True), task("b"), name="p")
    )
    driver = begun(race(task("a"), task("b"), name="p"), running=("a",))
    assert "whether it is exclusive differs" in reasons(
        driver, replace(race(task("a"), task("b"), name="p"), exclusive=False)
    )


def test_what_has_begun_must_have_been_allowed_to() -> None:
    driver = begun(all_of(task("a"), task("b"), name="p"), running=("b",))
    later = task("b", input_sets=(InputSet(guard=On("a", "committed")),))
    assert "b: has begun by its input set start, which does not hold" in reasons(
        driver, all_of(task("a"), later, name="p")
    )


def test_an_outcome_that_would_hold_at_once_is_told() -> None:
    driver = begun(serial(task("a"), task("b"), name="p"), "a")
    done = (Outcome("done", guard=On("a", "committed")), ABORTED)
    assert "outcome done would hold at once" in reasons(
        driver, replace(serial(task("a"), task("b"), name="p"), outcomes=done)
    )


def test_a_block_that_committed_must_still_have_been_able_to() -> None:
    driver = begun(serial(serial(task("a"), task("b"), name="q"), task("c"), name="p"), "q/a", "q/b")
    other = replace(
        serial(task("a"), task("b"), name="q"), outcomes=(Outcome("done", guard=On("b", "aborted")), ABORTED)
    )
    assert "q: has committed as done, which does not hold" in reasons(driver, serial(other, task("c"), name="p"))


def test_values_that_are_there_must_fit() -> None:
    body = replace(serial(task("a"), task("b"), name="p"), variables={"v": Declared("any", "text")})
    driver = begun(body, "a")
    assert "the value of v is no int" in reasons(driver, replace(body, variables={"v": Declared("int", 0)}))


def test_marks_that_were_given_must_be_declared() -> None:
    marks = (Outcome("done"), ABORTED, Outcome("half", "mark"))
    driver = begun(serial(task("a", outcomes=marks), task("b"), name="p"), running=("a",))
    driver.send(commands.Mark("a", mark="half"))
    assert "a:" in reasons(driver, serial(task("a"), task("b"), name="p"))


def net(*places: Place, name: str = "T", kind: str = "any") -> Activity:
    fires = Transition(
        name=name,
        inputs=(ArcIn("in", "t"),),
        outputs=(ArcOut("out", "t"),),
        operation=task("work"),
    )
    found = places or (Place("in", tokens=("x", "y")), Place("out", kind, output=True))
    return serial(
        Net(name="n", places=found, transitions=(fires,), outcomes=(Outcome("done", guard=Quiet()), ABORTED)), name="p"
    )


def test_tokens_keep_their_places_and_firings_their_transitions() -> None:
    driver = begun(net())
    assert "transition T fires and is not there" in reasons(driver, net(name="U"))
    first = next(one.path for one in driver.outstanding() if isinstance(one, effect_types.Dispatch))
    driver.send(commands.Begin(first))
    driver.send(commands.Complete(first))
    assert "a token in place out is no int" in reasons(driver, net(kind="int"))
    elsewhere = net(Place("in", tokens=("x", "y")), Place("to", output=True))
    moved = replace(elsewhere.children[0], transitions=())  # type: ignore[union-attr, call-arg]
    assert "place out has tokens and is not there" in reasons(driver, serial(moved, name="p"))


def test_a_process_of_another_name_and_one_that_ended_are_no_changes() -> None:
    driver = begun(serial(task("a"), task("b"), name="p"))
    assert "paths begin with the name" in reasons(driver, serial(task("a"), name="q"))
    ended = begun(serial(task("a"), name="p"), "a")
    with pytest.raises(NotRunning, match="nothing to change"):
        ended.send(commands.Change("other", process(serial(task("a"), name="p"))))


def test_a_process_that_does_not_fit_its_call_aborts_it() -> None:
    for other, why in (
        (replace(serial(task("a"), name="other"), input_sets=(InputSet(types={"n": "int"}),)), "needs n"),
        (replace(serial(task("a"), name="other"), outcomes=(Outcome("odd"), ABORTED)), "may end as odd"),
    ):
        driver = Driver(plan_of(process(serial(Call(name="c", process="other"), name="p"))))
        driver.send(commands.Start())
        driver.send(commands.Bind("c", definition="h", process=process(other)))
        assert "engine.interface" in [getattr(fact, "error", "") for fact in driver.told]
        assert any(why in getattr(fact, "message", "") for fact in driver.told)
