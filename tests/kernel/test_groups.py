"""A compound in another group: a task that is not idempotent for its owner, the root for its own (SEMANTICS 6)."""

import pytest
from msgspec.structs import replace

from tests.kernel.driver import Driver, label, process, task
from tests.random.same import difference
from weft.kernel import commands, effect_types, facts
from weft.kernel.commands import Command
from weft.kernel.effect_types import AnyEffect
from weft.kernel.plan import plan_of
from weft.kernel.refusals import NotFound, NotRunning
from weft.kernel.state import Base, State
from weft.model.blocks import race, serial
from weft.model.definition import Declared, Process, Rule

EAST = "east"


def placed(**said: object) -> object:
    inside = serial(task("a", compensation=task("un_a")), task("b", compensation=task("un_b")), name="part")
    return replace(inside, placement=EAST, **said)  # type: ignore[arg-type]


def whole(part: object, last: object = None) -> Process:
    body = serial(task("x", compensation=task("un_x")), part, last or task("z"), name="p")  # type: ignore[arg-type]
    return process(replace(body, variables={"v": Declared("int", 0)}))


def owner(part: object = None, last: object = None) -> Driver:
    """The group that owns what is around the part, when the part has just begun elsewhere."""
    driver = Driver(plan_of(whole(part or placed(), last), group=""))
    for command in (commands.Start(), commands.Begin("x"), commands.Complete("x")):
        driver.send(command)
    return driver


def part(definition: object = None) -> Driver:
    """The group that runs the part. Where its root lies is no fact of its own, so it is not replayed."""
    plan = plan_of(process(definition or placed()), group=EAST)  # type: ignore[arg-type]
    state = State()
    state.base = Base("part", "part/", 0, 1, [0] * len(plan.kind), {"v": 1})
    driver = Driver(plan, state)
    driver.replayed = lambda: driver.state  # type: ignore[method-assign]
    return driver


def told(driver: Driver, command: Command) -> list[str]:
    """What the command brings; replaying the log of an owner must give the same state."""
    found = [label(fact) for fact in driver.send(command)]
    assert not difference(driver.state, driver.replayed())
    return found


def of(driver: Driver, kind: type[AnyEffect]) -> list[str]:
    return [one.path for one in driver.outstanding() if isinstance(one, kind)]


# At the owner.


def test_a_placed_compound_is_asked_of_its_group_and_its_commit_is_taken() -> None:
    driver = owner()
    assert of(driver, effect_types.Place) == ["part"]
    assert driver.path[-2:] == ["Ready part", "Started part"]
    ended = commands.Return("part", 0, 1, is_commit=True, outcome="done", variables={"v": 7}, keeps=True)
    assert told(driver, ended) == ["Reported part", "Committed part", "Ready z"]
    assert driver.state.root is not None
    body = driver.state.root.execution[0].body  # type: ignore[union-attr]
    assert body is not None
    assert body.variables["v"] == 7
    assert of(driver, effect_types.Place) == []
    with pytest.raises(NotRunning):
        driver.send(ended)


def test_what_another_group_keeps_is_taken_back_there_before_what_came_first() -> None:
    driver = owner()
    driver.send(commands.Return("part", 0, 1, is_commit=True, outcome="done", keeps=True))
    driver.send(commands.Begin("z"))
    assert told(driver, commands.Fail("z")) == ["Aborted z", "Aborting p", "Compensating part"]
    assert of(driver, effect_types.Reverse) == ["part"]
    with pytest.raises(NotRunning, match="not being taken back"):
        driver.send(commands.Restore("x"))
    restored = told(driver, commands.Restore("part", 0, variables={"v": 1}))
    assert restored[:2] == ["Compensated part", "Compensating x"]


def test_what_can_not_be_reached_is_given_up_by_a_person_while_it_is_taken_back() -> None:
    driver = owner()
    driver.send(commands.Return("part", 0, 1, is_commit=True, outcome="done", keeps=True))
    driver.send(commands.Begin("z"))
    driver.send(commands.Fail("z"))
    assert told(driver, commands.Abandon("part"))[:2] == ["Compensated part:given-up", "Compensating x"]


def test_what_can_not_be_reached_is_given_up_while_it_runs() -> None:
    driver = owner()
    assert told(driver, commands.Abandon("part"))[:2] == ["Abandoned part", "Aborted part"]
    fact = driver.last("part", facts.Aborted)
    assert isinstance(fact, facts.Aborted)
    assert fact.error == "engine.unreachable"


def test_only_what_is_placed_elsewhere_returns_or_is_given_up() -> None:
    driver = owner()
    for command in (commands.Return("p"), commands.Abandon("p"), commands.Return("z"), commands.Abandon("z")):
        with pytest.raises(NotRunning):
            driver.send(command)
    with pytest.raises(NotFound):
        driver.send(commands.Decide())


def test_its_failure_goes_by_the_rules_of_its_owner() -> None:
    driver = owner(placed(on_error=(Rule("retry", times=1),)))
    failed = commands.Return("part", 0, 1, error="task.a", message="it broke")
    assert told(driver, failed)[:2] == ["Reported part", "Failed part"]
    assert driver.last("part", facts.Failed).then == "retry"  # type: ignore[attr-defined]
    assert of(driver, effect_types.Place) == ["part"]
    assert told(driver, commands.Return("part", 0, 2, error="task.a"))[-1].startswith(
        ("Aborted", "Compensating", "Ready")
    )


def test_a_part_that_was_stopped_says_that_it_has_taken_back_what_is_inside() -> None:
    driver = owner()
    assert told(driver, commands.Cancel("part"))[0] == "Stopping part"
    assert of(driver, effect_types.Stop) == ["part"]
    crossed = told(driver, commands.Return("part", 0, 1, is_commit=True, outcome="done", keeps=True))
    assert crossed == ["Reported part"]
    assert told(driver, commands.Return("part", 0, 1, work_done=True))[:2] == ["Reported part", "Aborted part"]


def test_what_is_prepared_elsewhere_is_rolled_back_when_its_owner_aborts() -> None:
    driver = owner()
    prepared = commands.Return("part", 0, 1, is_commit=True, outcome="done", keeps=True, is_prepared=True)
    driver.send(prepared)
    driver.send(commands.Begin("z"))
    assert "RolledBack part" in told(driver, commands.Fail("z"))


def test_what_has_its_own_compensation_is_taken_back_by_its_owner() -> None:
    driver = owner(placed(compensation=task("un_part")))
    driver.send(commands.Return("part", 0, 1, is_commit=True, outcome="done", keeps=True, is_prepared=True))
    driver.send(commands.Begin("z"))
    driver.send(commands.Fail("z"))
    assert "Ready part/compensation" in driver.path


def test_a_drained_part_is_drained_in_its_group() -> None:
    driver = owner()
    assert "Drained p" in told(driver, commands.Cancel(drain=True))
    assert of(driver, effect_types.Drain) == ["part"]
    driver.send(commands.Return("part", 0, 1, is_commit=True, outcome="done", keeps=True))
    assert not driver.state.kept.get(("part", 0))


def test_of_parts_that_exclude_each_other_one_has_leave() -> None:
    one, other = (replace(serial(task(n), name=f"{n}s"), placement=EAST) for n in ("a", "b"))
    driver = Driver(plan_of(process(race(one, other, name="p")), group=""))
    driver.send(commands.Start())
    assert of(driver, effect_types.Place) == ["as", "bs"]
    taken = told(driver, commands.Return("as", 0, 1, is_commit=True, outcome="done"))
    assert "Committed as" in taken
    assert "Stopping bs" in taken


# In the group that runs it.


def run(driver: Driver, *names: str) -> None:
    for name in names:
        driver.send(commands.Begin(f"part/{name}"))
        driver.send(commands.Complete(f"part/{name}"))


def test_in_its_own_group_it_is_the_root_and_is_taken_back_in_reverse_order() -> None:
    driver = part()
    driver.send(commands.Start())
    with pytest.raises(NotRunning, match="nothing to take back"):
        driver.send(commands.TakeBack("part"))
    with pytest.raises(NotRunning, match="has not ended"):
        driver.send(commands.Decide())
    run(driver, "a", "b")
    assert driver.path[-1] == "Committed part"
    assert told(driver, commands.TakeBack("part"))[:2] == ["Aborting part", "Compensating part/b"]


def test_when_the_instance_has_ended_nothing_is_kept_of_the_part() -> None:
    driver = part()
    driver.send(commands.Start())
    run(driver, "a", "b")
    assert driver.state.kept
    assert told(driver, commands.Decide(commit=True)) == ["Decided part"]
    assert not driver.state.kept


def test_what_is_prepared_in_a_part_is_rolled_back_when_its_owner_says_so() -> None:
    first = task("a", transaction="two_phase", resource="bank", critical=True)
    inside = replace(serial(first, task("b"), name="part"), placement=EAST)
    driver = part(inside)
    driver.send(commands.Start())
    run(driver, "a")
    assert told(driver, commands.RollBack())[0] == "RolledBack part/a"
