"""The durable engine: what is started is kept, goes on after a restart, and is answered when it is true."""

import asyncio
import inspect
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from weft import (
    AsyncEngine,
    Engine,
    Invalid,
    Start,
    all_of,
    assign,
    call,
    each,
    flow,
    given,
    person,
    process,
    race,
    signal,
    task,
    timer,
    var,
)
from weft.assembly import operations
from weft.engine.settings import Settings
from weft.kernel import facts
from weft.kernel.refusals import NotChangeable, NotDeclared, NotFitting, NotFound, NotRunning
from weft.store.interface import Filter


@task
def double(number: int) -> int:
    return 2 * number


@task
def fail(number: int) -> int:
    raise ValueError(f"not {number}")


@task(idempotent=True)
def again(number: int) -> int:
    return number + 1


chain = process("chain", number=int)(
    double.into("number") >> again.named("then").using(number=var("number")).into("number")
)
waits = process("waits", number=int, variables={"word": ""}, searchable=["number", "word"])(
    double.into("number") >> signal("go", gives=str).into("word") >> again.into("number")
)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        found: str = request.getfixturevalue("postgres_url")
        return found
    return "memory:" if request.param == "memory" else f"sqlite:///{tmp_path}/weft.db"


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    with Engine(url) as opened:
        yield opened


def test_a_process_runs_to_its_end_and_its_facts_are_in_the_store(engine: Engine) -> None:
    result = engine.run(chain, number=4)
    assert (result.outcome, result.values["number"], result.committed) == ("done", 9, True)
    told = [fact for decision in engine.history(result.instance) for fact in decision.facts]
    assert tuple(told) == result.facts
    assert isinstance(told[-1], facts.Committed)
    assert engine.history(result.instance, after=1)[0].number > 1


def test_an_abort_is_a_result_like_others_and_brings_the_exception(engine: Engine) -> None:
    result = engine.run(process("p", number=int)(fail), number=4)
    assert (result.outcome, result.error, result.message) == ("aborted", "task.ValueError", "not 4")
    assert isinstance(result.exception, ValueError)


def test_a_key_belongs_to_the_instance_that_took_it_first(engine: Engine) -> None:
    first = engine.start(waits, Start(key="a"), number=1)
    assert engine.start(waits, Start(key="a"), number=2) == first
    assert engine.start("waits", Start(key="b"), number=2) != first
    engine.signal(("waits", "a"), "go", "now")
    assert engine.result(("waits", "a")).values["number"] == 3


def test_a_signal_that_comes_before_its_instance_is_kept_for_the_key(engine: Engine) -> None:
    engine.deploy(waits)
    assert engine.signal(("waits", "late"), "go", "early") == 0
    assert engine.run("waits", Start(key="late"), number=3).outcome == "done"


def test_a_signal_that_nobody_waits_for_yet_is_kept(engine: Engine) -> None:
    two = process("two")(timer("sleep").using(seconds=0.05) >> signal("go", gives=str).into("word"))
    instance = engine.start(two)
    assert engine.signal(instance, "go", "soon") == instance
    assert engine.result(instance).values["word"] == "soon"


def test_a_signal_must_fit_and_its_instance_must_be_there(engine: Engine) -> None:
    instance = engine.start(waits, number=1)
    with pytest.raises(NotFitting, match="it is an int, not str"):
        engine.signal(_waiting(engine, instance), "go", 7)
    with pytest.raises(NotFound, match="there is no instance 5"):
        engine.signal(5, "go")
    engine.signal(instance, "go", "on")
    engine.result(instance)
    with pytest.raises(NotRunning, match="has ended"):
        engine.signal(instance, "go", "on")


def _waiting(engine: Engine, instance: int) -> int:
    """The instance, once it waits."""
    while not engine.instances(Filter(states=("waiting",))):
        pass
    return instance


def test_instances_are_found_by_state_key_and_searchable_variables(engine: Engine) -> None:
    ids = [engine.start(waits, Start(key=f"k{number}"), number=number) for number in range(5)]
    while len(engine.instances(Filter(states=("waiting",)))) < 5:
        pass
    assert [row.id for row in engine.instances()] == ids[::-1]
    assert [row.id for row in engine.instances(before=ids[3], at_most=2)] == [ids[2], ids[1]]
    assert [row.id for row in engine.instances(Filter(key="k3"))] == [ids[3]]
    assert [row.id for row in engine.instances(Filter(variables=(("number", "4"),)))] == [ids[2]]
    engine.cancel(ids[0])
    assert engine.result(ids[0]).error == "engine.cancelled"
    assert [row.id for row in engine.instances(Filter(states=("aborted",)))] == [ids[0]]


def test_bad_inputs_and_unknown_processes_are_refused_and_leave_nothing(engine: Engine) -> None:
    with pytest.raises(NotDeclared, match="number is missing"):
        engine.start(chain)
    with pytest.raises(NotFitting):
        engine.start(chain, number="four")
    with pytest.raises(NotFound, match="no process 'chains' is deployed"):
        engine.start("chains")
    assert not engine.instances()


def test_versions_are_numbered_and_never_change(engine: Engine) -> None:
    first = engine.deploy(chain)
    assert (first.version, first.is_new) == ("1", True)
    assert not engine.deploy(chain).is_new
    assert engine.deploy(process("chain", number=int)(double)).version == "2"
    named = process("chain", version="x", number=int)(again)
    assert engine.deploy(named).version == "x"
    with pytest.raises(NotFitting, match="a version never changes"):
        engine.deploy(process("chain", version="x", number=int)(double))
    assert engine.run("chain", Start(version="2"), number=1).values == {}


def test_suspended_instances_begin_nothing_and_their_clocks_stand(engine: Engine) -> None:
    slow = process("slow")(timer("sleep").using(seconds=0.05) >> double.using(number=2).into("n"))
    instance = engine.start(slow)
    engine.suspend(instance)
    with pytest.raises(TimeoutError):
        engine.result(instance, timeout=timedelta(seconds=0.15))
    assert engine.instances()[0].state == "suspended"
    engine.resume(instance)
    assert engine.result(instance).values["n"] == 4


def test_called_processes_eaches_and_races_run_in_the_store(engine: Engine) -> None:
    engine.deploy(chain)
    many = each("number", var("numbers"), double, into="doubled")
    whole = process("whole", numbers=list[int])(
        all_of(many, call(chain).using(number=3).named("inner").into("called"))
        >> race(double.named("one").using(number=1).into("first"), double.named("two").using(number=1).into("first"))
        >> assign("sum", total="len(doubled) + first")
    )
    assert engine.run(whole, numbers=[1, 2, 3]).expect().values["total"] == 5


def test_a_call_of_what_is_not_deployed_aborts_and_says_so(engine: Engine) -> None:
    outer = process("outer")(call(process("ghost")(double.using(number=1))).named("inner"))
    assert engine.run(outer).error == "engine.no_process"


def test_a_running_instance_goes_on_with_another_definition(engine: Engine) -> None:
    instance = engine.start(waits, number=1)
    other = process("waits", number=int, variables={"word": ""})(
        double.into("number")
        >> signal("go", gives=str).into("word")
        >> again.into("number")
        >> again.named("more").into("number")
    )
    engine.change(_waiting(engine, instance), other)
    assert engine.instances()[0].version == "2"
    engine.signal(instance, "go", "on")
    assert engine.result(instance).values["number"] == 4


def test_what_was_started_goes_on_after_a_restart(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/weft.db"
    with Engine(url) as engine:
        first = engine.start(waits, Start(key="k"), number=1)
        other = engine.start(process("slow")(timer("sleep").using(seconds=0.1) >> double.using(number=2).into("n")))
    with Engine(url) as engine:
        assert engine.result(other).values["n"] == 4
        engine.signal(("waits", "k"), "go", "now")
        assert engine.result(first).values["number"] == 3
        assert engine.result(first).values["number"] == 3, "and again, from the store"


def test_instances_leave_memory_and_come_back(tmp_path: Path) -> None:
    with Engine(f"sqlite:///{tmp_path}/weft.db", settings=Settings(instances_max=3)) as engine:
        ids = [engine.start(waits, number=number) for number in range(20)]
        for instance in ids:
            engine.signal(instance, "go", "now")
        assert [engine.result(instance).values["number"] for instance in ids] == [2 * n + 1 for n in range(20)]


def test_large_values_lie_in_blobs_and_long_logs_in_snapshots(tmp_path: Path) -> None:
    @task
    def grow(text: str, n: int) -> str:
        return text + "x" * 100_000

    p = process("p", n=given(int, 1), variables={"text": ""})(
        grow.into("text") >> grow.named("b").into("text") >> signal("go") >> grow.named("c").into("text")
    )
    url = f"sqlite:///{tmp_path}/weft.db"
    with Engine(url, settings=Settings(snapshot_bytes_min=1000)) as engine:
        instance = engine.start(p)
        _waiting(engine, instance)
    with Engine(url) as engine:
        engine.signal(instance, "go")
        assert len(engine.result(instance).values["text"]) == 300_000


def test_a_closed_engine_answers_nobody(url: str) -> None:
    with Engine(url) as engine:
        instance = engine.start(waits, number=1)
        waiting = engine._serving.ask(operations.result(instance))
    with pytest.raises(Exception, match="closed"):
        waiting.result(5)
    with pytest.raises(Exception, match="closed"):
        engine.start(waits, number=1)


def test_people_are_waited_for(engine: Engine) -> None:
    instance = engine.start(process("p")(person("approve", role="manager", gives=bool).into("ok")))
    assert engine.instances()[0].state == "waiting"
    with pytest.raises(TimeoutError):
        engine.result(instance, timeout=timedelta(seconds=0.01))


def test_both_engines_have_the_same_methods() -> None:
    def methods(kind: type) -> dict[str, list[str]]:
        found = {name: one for name, one in vars(kind).items() if not name.startswith("_")}
        return {name: list(inspect.signature(one).parameters) for name, one in found.items()}

    assert methods(Engine) == methods(AsyncEngine)


def test_coroutines_may_use_the_engine_too(url: str) -> None:
    @task
    async def wait(number: int) -> int:
        await asyncio.to_thread(str, number)
        return number + 1

    async def main() -> list[object]:
        async with AsyncEngine(url) as engine:
            runs = [engine.run(process("p", number=int)(wait.into("number")), number=number) for number in range(10)]
            return [result.values["number"] for result in await asyncio.gather(*runs)]

    assert asyncio.run(main()) == list(range(1, 11))


def test_a_change_to_another_process_is_refused_with_the_reason(engine: Engine) -> None:
    instance = _waiting(engine, engine.start(waits, number=1))
    with pytest.raises(NotChangeable, match="paths begin with the name"):
        engine.change(instance, chain)


def test_a_process_that_can_not_go_on_is_deployed_only_by_force_and_that_is_kept(engine: Engine) -> None:
    never = again.named("never").using(number=var("number"))
    stuck = process("stuck", number=int)(
        flow(double, never.starts("start", double.on("aborted"))).outcome("done", never.on("committed"))
    )
    with pytest.raises(Invalid, match="stuck"):
        engine.deploy(stuck)
    assert engine.deploy(stuck, actor="ann", force="to show it").is_new
    row = engine._serving.reads.definition("stuck", "1")
    assert row is not None
    assert row.actor.startswith("ann, in spite of")
