"""A state as bytes and back. Every story and every random run goes through snapshots too; here are their edges."""

import pytest
from msgspec import msgpack

from tests.kernel.driver import Driver, process, task, tell
from tests.random.same import difference
from weft.kernel import commands, snapshot
from weft.kernel.decide import apply
from weft.kernel.outstanding import outstanding, running
from weft.kernel.plan import Plan, plan_of
from weft.kernel.snapshot import Unreadable, definitions_in, dump, load
from weft.kernel.state import Base, State
from weft.model.blocks import all_of, serial
from weft.model.definition import Call, InputSet, Person, Process, Task


def started(plan: Plan, *lines: str) -> Driver:
    live = Driver(plan)
    for line in ("start", *lines):
        tell(live, line, {"called": process(serial(task("x"), task("y"), name="called"))})
    return live


def chain(count: int) -> Process:
    return process(serial(*(task(f"t{at}") for at in range(count)), name="p"))


def test_what_was_never_touched_costs_nothing() -> None:
    small, large = plan_of(chain(10)), plan_of(chain(10_000))
    of_small, of_large = (dump(plan, started(plan, "do t0", "do t1").state) for plan in (small, large))
    assert len(of_large) < len(of_small) + 200  # the first block of each array, whole


def test_an_activity_that_ended_costs_few_bytes() -> None:
    plan = plan_of(chain(1_000))
    live = started(plan, *(f"do t{at}" for at in range(1_000)))
    assert len(dump(plan, live.state)) < 60 * 1_000


def test_an_empty_state_is_a_state() -> None:
    plan = plan_of(chain(2))
    assert not difference(State(), load(plan, dump(plan, State())))


def test_a_snapshot_of_another_format_is_refused() -> None:
    plan = plan_of(chain(2))
    later = msgpack.encode((snapshot.FORMAT + 1, [], "whatever comes"))
    with pytest.raises(Unreadable, match=r"format 2, and this release reads format 1"):
        load(plan, later)


@pytest.mark.parametrize("payload", [b"", b"\xc1", b"{}", msgpack.encode((1, [], [1, 2]))])
def test_bytes_that_are_no_snapshot_are_refused(payload: bytes) -> None:
    with pytest.raises(Unreadable):
        load(plan_of(chain(2)), payload)


def test_a_snapshot_of_a_larger_definition_is_refused() -> None:
    large = plan_of(chain(200))
    payload = dump(large, started(large, *(f"do t{at}" for at in range(150))).state)
    with pytest.raises(Unreadable, match="another definition"):
        load(plan_of(chain(20)), payload)


def calling() -> Process:
    return process(serial(task("a"), Call(name="c", process="called"), task("b"), name="p"))


def test_the_definitions_of_called_processes_are_named_and_must_be_known() -> None:
    plan = plan_of(calling())
    live = started(plan, "do a", "bind c called", "do c/called/x")
    payload = dump(plan, live.state)
    (definition,) = definitions_in(payload)
    fresh = plan_of(calling())
    with pytest.raises(Unreadable, match="were not learned"):
        load(fresh, payload)
    called = plan.library.plans[definition].library.process
    fresh.library.learn(definition, called)
    assert not difference(live.state, load(fresh, payload))


def test_after_a_change_the_new_definition_is_named_and_the_instance_goes_on_with_it() -> None:
    plan, longer = plan_of(chain(3)), chain(4)
    live = started(plan, "do t0")
    live.send(commands.Change("longer", longer))
    payload = dump(plan, live.state)
    assert definitions_in(payload) == ["longer"]
    fresh = plan_of(chain(3))
    fresh.library.learn("longer", longer)
    again = Driver(fresh, load(fresh, payload))
    for path in ("t1", "t2", "t3"):
        for command in (commands.Begin(path), commands.Complete(path)):
            assert apply(fresh, again.state, command) == live.send(command)
    assert not difference(live.state, again.state)


def test_a_part_of_an_instance_keeps_where_it_lies() -> None:
    plan = plan_of(chain(2), group="east")
    state = State()
    state.base = Base("whole/p", "whole/p/", 3, 2, [3, 4, 4], {"v": 1})
    apply(plan, state, commands.Start())
    loaded = load(plan, dump(plan, state))
    assert not difference(state, loaded)
    assert outstanding(plan, state) == outstanding(plan, loaded)


def test_running_tells_what_handlers_had_begun() -> None:
    approve = Task(name="approve", handler=Person("boss"), input_sets=(InputSet(),))
    plan = plan_of(process(all_of(task("a"), task("b"), approve, task("c"), name="p")))
    live = started(plan, "begin a", "begin approve", "begin b", "do c")
    assert list(running(plan, live.state)) == [("a", 0, 1), ("b", 0, 1)]
    tell(live, "cancel b", {})
    assert list(running(plan, live.state)) == [("a", 0, 1), ("b", 0, 1)]
    assert list(running(plan, State())) == []
