"""Writers: a text that is written of what was read says the same, and what can't be said is listed, never dropped."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from tests.languages.examples import FOLDER
from weft import all_of, choice, flow, loop, process, race, run, signal, task, timer
from weft.languages.registry import named
from weft.model import blocks
from weft.model.definition import Application, Flow, Net, On, Person, Process, Task
from weft.model.json_form import pretty

WRITERS = ("openflow", "pdl", "mfdl")
SUFFIXES = (".wfs", ".pdl", ".mfdl")
TEXTS = sorted(place for place in FOLDER.glob("*/accept/*") if place.suffix in SUFFIXES)

Writer = Callable[[Process], tuple[str, list[str]]]


def writer(language: str) -> Writer:
    found: Writer = import_module(f"weft.languages.{language}.writing").write
    return found


def processes(place: Path) -> tuple[Process, ...]:
    language = next(one for one in ("openflow", "pdl", "mfdl") if place.suffix in named(one).suffixes)
    return named(language).read(place.read_bytes(), place.name).processes


@pytest.mark.parametrize("place", [one for one in TEXTS if one.stem != "sub_processes"], ids=lambda place: place.stem)
def test_a_text_that_is_written_in_its_own_language_says_the_same(place: Path) -> None:
    language = place.parts[-3]
    for one in processes(place):
        text, losses = writer(language)(one)
        assert losses == []
        [again] = named(language).read(text.encode(), place.name).processes
        assert pretty(again) == pretty(one)


@pytest.mark.parametrize("language", WRITERS)
@pytest.mark.parametrize("place", TEXTS, ids=lambda place: place.name)
def test_what_is_written_of_another_language_is_a_right_text(place: Path, language: str) -> None:
    for one in processes(place):
        text, losses = writer(language)(one)
        if not text:
            assert losses
            continue
        reading = named(language).read(text.encode(), place.name)
        again = reading.processes[0]
        assert [str(fault) for fault in reading.faults(again) if fault.severity == "error"] == []
        missing = tasks(one) - tasks(again)
        assert all(any(name in loss for loss in losses) for name in missing)


def tasks(process: Process) -> set[str]:
    assert isinstance(process.body, Flow)
    return {one.name for one in process.body.children if isinstance(one, Task)}


@task
def reserve(city: str) -> str:
    return city


@task
def pay(seat: str) -> int:
    return len(seat)


@task
def forget(city: str) -> None: ...


@task
def tell(number: int) -> None: ...


def test_pdl_passes_objects_on_in_the_context_and_waits_for_who_gives_them() -> None:
    graph = flow(reserve, pay.using(seat=reserve), tell.using(number=pay)).outcome("done", tell.on("done"))
    text, losses = writer("pdl")(process("trip", city=str)(graph))
    [again] = named("pdl").read(text.encode(), "trip.pdl").processes
    children = {one.name: one for one in again.body.children}  # type: ignore[union-attr]
    assert children["pay"].input_sets[0].guard == On("reserve", "committed")
    assert children["tell"].input_sets[0].guard == On("pay", "committed")
    assert losses == [
        "trip: the outcome done: it ends when nothing can start",
        "trip: the outcome aborted: it ends when nothing can start",
        "trip: that city must be given when it starts",
        "pay: that it knows reserve_result as seat",
        "tell: that it knows pay_result as number",
    ]


def test_a_script_has_the_blocks_of_other_languages_as_compound_tasks() -> None:
    both = all_of(timer("wait").using(seconds=3), signal("answer"))
    text, losses = writer("openflow")(process("trip", city=str)(reserve.into("seat") >> both >> pay.into("cents")))
    assert "compound task all_wait of All_wait {" in text
    assert "notification from all_wait if committed, all_wait if skipped;" in text
    assert "seat from result of reserve;" in text
    assert "trip: the variable seat; what reads it takes it from what writes it" in losses


@pytest.mark.parametrize("language", WRITERS)
def test_what_no_text_can_say_is_named(language: str) -> None:
    either = race(reserve.holds("desk").undone_by(forget), tell.using(number=1)).named("either")
    _, losses = writer(language)(process("trip", city=str)(either >> loop("2 > 1", pay.using(seat="x"))))
    if language == "pdl":
        assert "trip: either, which is a flow and no task" in losses
        return
    if language == "mfdl":
        assert losses[0] == "reserve: the names that it holds"
        return
    assert {
        "either: that only one of its tasks may commit",
        "reserve: the names that it holds",
        "reserve: its undo",
        "pay: a condition of input set start",
    } <= set(losses)


def test_a_process_in_python_runs_the_same_when_it_is_written_in_mfdl_and_read() -> None:
    python = process("trip", city=str)(
        reserve.into("seat").compensated_by(forget.using(city="x"))
        >> choice({"len(seat) < 4": pay.into("cents"), "True": choice({"city == 'Rome'": tell.using(number=2)})})
    )
    text, losses = writer("mfdl")(python)
    assert losses == [f"{one}: that {__name__}:{one} does it" for one in ("reserve", "forget", "pay", "tell")]
    [again] = named("mfdl").read(text.encode(), "trip.mfdl").processes
    for city in ("Rome", "Paris", "Ulm"):
        ours, theirs = run(python, city=city), run(again, reserve, pay, tell, forget, city=city)
        assert [(type(one), one.path) for one in ours.facts] == [(type(one), one.path) for one in theirs.facts]


def test_an_if_without_else_inside_an_if_with_one_stands_in_braces() -> None:
    inner = choice({"city == 'a'": tell.using(number=2)})
    text, losses = writer("mfdl")(
        process("trip", city=str)(choice({"city == 'b'": inner}, default=pay.using(seat="x")))
    )
    assert "trip: that choice:tell stands alone" in losses
    [again] = named("mfdl").read(text.encode(), "trip.mfdl").processes
    assert [one.name for one in again.body.children] == ["choice2:tell"]  # type: ignore[union-attr]


def test_a_process_that_is_no_flow_has_no_text() -> None:
    net = Process(name="n", body=Net(name="n", places=(), transitions=()))
    assert writer("pdl")(net) == ("", ["n is a net, and a workflow of PDL is made of tasks"])
    assert writer("mfdl")(net) == ("", ["n is a net, and MFDL has blocks only"])
    assert writer("openflow")(net) == ("", ["n is a net, and a script's process is made of tasks"])


@pytest.mark.parametrize("language", ["pdl", "openflow"])
def test_a_name_or_a_figure_that_no_text_can_have_is_another_or_lost(language: str) -> None:
    task = Task(name="odd--name--", handler=Person("clerk"), priority=10**20)
    odd = Process(name="p", body=Flow(name="p", children=(task,)))
    text, losses = writer(language)(odd)
    assert "odd--name--: its priority, which has too many figures" in losses
    [again] = named(language).read(text.encode(), "p").processes
    assert [one.name for one in again.body.children] == ["odd_name_"]  # type: ignore[union-attr]


def test_a_resource_or_application_whose_name_no_text_can_have_is_lost() -> None:
    task = Task(name="t", handler=Person("clerk"), transaction="transactional", resource=":ledger")
    odd = Process(name="p", body=blocks.serial(task, name="p"), applications={"1.2": Application("sh")})
    for language in WRITERS:
        text, losses = writer(language)(odd)
        assert named(language).read(text.encode(), "p").processes
        assert "t: its resource, whose name is :ledger" in losses or language == "pdl"
        assert any("the application 1.2" in loss for loss in losses)


def test_a_compound_without_tasks_has_no_script() -> None:
    assert writer("openflow")(Process(name="p", body=Flow(name="p", children=()))) == (
        "",
        ["p has no tasks, and a script's compound task has some"],
    )
