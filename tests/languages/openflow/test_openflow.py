"""OPENflow script: right texts have their model and guards, wrong ones their faults, and the paper's figures run."""

import re
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernel.driver import everywhere
from tests.languages import examples
from weft import Result, run, task
from weft.kernel import facts
from weft.languages import registry
from weft.languages.openflow.building import GRAMMAR
from weft.languages.openflow.reading import read
from weft.model.definition import Process
from weft.model.faults import Invalid
from weft.testing import Trial

ACCEPT = examples.FOLDER / "openflow/accept"


@pytest.mark.parametrize("place", examples.texts("openflow", "accept"), ids=lambda place: place.stem)
def test_a_right_text_has_its_model_and_its_guards(place: Path) -> None:
    for file, content in examples.accepted(place):
        assert content == file.read_text("utf-8"), file.name


@pytest.mark.parametrize("place", examples.texts("openflow", "reject"), ids=lambda place: place.stem)
def test_a_wrong_text_has_these_faults_and_no_others(place: Path) -> None:
    for file, content in examples.rejected(place):
        assert content == file.read_text("utf-8"), file.name


@pytest.mark.parametrize("place", examples.texts("openflow", "accept"), ids=lambda place: place.stem)
def test_a_text_that_was_laid_out_says_the_same_and_stays_as_it_is(place: Path) -> None:
    language, content = registry.named("openflow"), place.read_bytes()
    made = language.format(content, place.name).encode()
    assert read(made, place.name).processes == read(content, place.name).processes
    assert language.format(made, place.name).encode() == made


def process(name: str) -> Process:
    reading = read((ACCEPT / f"{name}.wfs").read_bytes(), f"{name}.wfs")
    return reading.processes[0]


def committed(result: Result) -> list[str]:
    return [fact.path for fact in result.facts if isinstance(fact, facts.Committed)]


# The figures of the paper.


def test_figure_1_sells_tickets_when_there_is_a_flight_and_the_credit_is_good() -> None:
    everywhere(
        process("travel"),
        """
        start {"traveller": "Ana", "city": "Rome"} -> Ready travel, Started travel, Ready travel_plan
        do travel_plan {"plan": {"traveller": "Ana", "city": "Rome", "days": 3}}
                                          -> Started travel_plan, Committed travel_plan:planned,
                                          -> Ready credit_check, Ready flights
        do credit_check ok                -> Started credit_check, Committed credit_check:ok
        do flights {"flight": {"number": "AZ 7"}} -> Started flights, Committed flights:found, Ready tickets
        do tickets {"ticket": "T"}        -> Started tickets, Committed tickets:sold, Fixed travel:booked,
                                          -> Committed travel:booked
        """,
    )


def test_figure_1_sells_nothing_without_the_notification() -> None:
    everywhere(
        process("travel"),
        """
        start {"traveller": "Ana", "city": "Rome"}
        do travel_plan {"plan": {"traveller": "Ana", "city": "Rome", "days": 3}}
        do flights {"flight": {"number": "AZ 7"}}
        do credit_check poor    -> Started credit_check, Committed credit_check:poor, Skipped tickets,
                                -> Aborting travel:refused, Aborted travel:refused
        """,
    )


def test_figure_3_the_first_set_wins_and_one_of_three_sources_is_enough() -> None:
    driver = everywhere(
        process("figure_3"),
        """
        start -> Ready figure_3, Started figure_3, Ready a, Ready b, Ready c, Ready d, Ready e
        do e
        do a {"o": 1}
        do b {"o": 2}        -> Started b, Committed b:made, Ready t
        do t O1 {"o1": 3}    -> Started t, Committed t:O1, Fixed figure_3:first, Skipped c, Skipped d,
                             -> Committed figure_3:first
        """,
    )
    ready = driver.last("t", facts.Ready)
    assert isinstance(ready, facts.Ready)
    assert (ready.set, ready.inputs) == ("I1", {"i1": 1, "i2": 2})
    driver = everywhere(process("figure_3"), 'start\n do d {"o": 4} -> Started d, Committed d:made, Ready t')
    ready = driver.last("t", facts.Ready)
    assert isinstance(ready, facts.Ready)
    assert (ready.set, ready.inputs) == ("I2", {"i3": 4})


def test_figure_4_an_object_may_come_from_the_input_set_of_another_task() -> None:
    driver = everywhere(
        process("figure_4"),
        """
        start                -> Ready figure_4, Started figure_4, Ready t1
        do t1 O1 {"x": 1}    -> Started t1, Committed t1:O1, Ready t2
        begin t2             -> Started t2, Ready t3
        do t3 {"sum": 1}     -> Started t3, Committed t3, Fixed figure_4, Stopping t2
        """,
    )
    ready = driver.last("t3", facts.Ready)
    assert isinstance(ready, facts.Ready)
    assert (ready.set, ready.inputs) == ("I2", {"i3": 1})


def test_figure_5_an_output_of_a_compound_has_alternative_sources() -> None:
    for way, fails, outcome in (("bad", False, "made"), ("good", True, "kept")):
        trial = Trial(process("figure_5"), i=1)
        trial.finish("t2", 2, outcome=way)
        if fails:
            trial.fail("t3")
        assert (trial.outcome, trial.values) == (outcome, {"r": 2})
    trial = Trial(process("figure_5"), i=1)
    trial.finish("t2", 2, outcome="good")
    trial.finish("t3", 3)
    assert (trial.outcome, trial.values) == ("made", {"r": 3})


# What the figures don't show.


class More(NamedTuple):
    n: int


class Last(NamedTuple):
    total: int


@task(outcomes={"more": More, "last": Last})
def Step(n: int) -> More | Last:
    return More(n - 1) if n > 1 else Last(1)


@task(outcomes={"sum": Last})
def Adding(total: int, n: int) -> Last:
    return Last(total + n)


def test_a_genesis_task_that_names_what_is_around_it_is_a_recursion() -> None:
    count = process("genesis")
    result = run(count, count, Step, Adding, n=4)
    assert (result.outcome, result.values) == ("counted", {"total": 10})
    assert [path for path in committed(result) if path.endswith("step")] == [
        "step", "rest/step", "rest/rest/step", "rest/rest/rest/step",
    ]  # fmt: skip


ORDER = {"sku": "lamp", "wishes": ["red"]}


def paid_order() -> Trial:
    trial = Trial(process("order"), order=ORDER)
    trial.finish("pay", "R-1")
    return trial


def test_a_mark_is_told_and_the_first_input_set_that_is_available_starts_the_task() -> None:
    trial = paid_order()
    assert [fact.mark for fact in trial.facts if isinstance(fact, facts.Marked)] == ["accepted"]
    trial.signal("gift_wrapped")
    assert dict(trial.inputs("pack")) == {"order": ORDER}
    trial.finish("pack", outcome="packed")
    assert (trial.outcome, trial.values) == ("done", {"receipt": "R-1"})


def test_a_timer_brings_the_exceptional_input_set() -> None:
    trial = paid_order()
    trial.advance(timedelta(minutes=30))
    assert dict(trial.inputs("pack")) == {"order": ORDER, "box": "large"}
    trial.finish("pack", outcome="packed")
    assert trial.outcome == "late"


def test_a_repeat_outcome_begins_again_with_what_it_brings() -> None:
    trial = paid_order()
    trial.signal("gift_wrapped")
    trial.finish("pack", {**ORDER, "sku": "chair"}, outcome="wrong")
    assert trial.inputs("pay")["order"]["sku"] == "chair"


def test_errors_are_retried_or_asked_and_another_task_takes_the_place() -> None:
    trial = Trial(process("order"), order={**ORDER, "cents": 100})
    trial.fail("pay", "task.gateway")
    trial.advance(timedelta(minutes=2))
    trial.finish("pay", "R-2")
    trial.signal("gift_wrapped")
    trial.fail("pack", "task.broken")
    trial.finish("pack/alternate", outcome="packed")
    assert trial.outcome == "done"


def test_an_abort_outcome_of_a_compound_follows_from_what_is_told() -> None:
    trial = Trial(process("order"), order=ORDER)
    trial.fail("pay", "task.no_money")
    trial.finish("tell")
    assert trial.outcome == "failed"


def test_the_page_shows_the_grammar() -> None:
    assert examples.grammar_on("openflow-script.md") == examples.shown(GRAMMAR)


def test_ten_thousand_lines_are_read_in_two_seconds() -> None:
    text = (ACCEPT / "travel.wfs").read_text("utf-8")
    read(text.encode(), "warm")
    at = text.index("compound task")
    classes, one = text[:at], re.sub(r"travel(?=;| of| if)", "NAME", text[at:])
    many = classes + "".join(one.replace("NAME", f"w{number}") + "\n" for number in range(370))
    assert many.count("\n") > 10_000
    began = time.process_time()
    assert len(read(many.encode(), "many.wfs").processes) == 370
    assert time.process_time() - began < 2


WORDS = """class A extends { } x : int ; taskclass T input set go outcome ok abort repeat mark compound task w of
genesis definition if from notification , atomic implementation
"f" person timer 3 minutes error retry ( ) [ ] | = " /* § errors
alternative compensation required resource"""


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.lists(st.sampled_from(WORDS.split()), max_size=80).map(" ".join), st.text(max_size=200)))
def test_no_text_hangs_or_breaks_it(text: str) -> None:
    with suppress(Invalid):
        assert read(text.encode("utf-8", "surrogatepass"), "t.wfs").processes


def test_a_right_text_cut_anywhere_is_refused_and_nothing_else() -> None:
    text = (ACCEPT / "order.wfs").read_bytes().rstrip()
    for at in range(1, len(text) - 1, 41):
        with pytest.raises(Invalid):
            read(text[:at], "cut.wfs")


def test_classes_extend_one_another_only_so_deep() -> None:
    text = "".join(f"class C{number} extends C{number + 1} {{ }}\n" for number in range(300)) + "class C300 { }\n"
    with pytest.raises(Invalid, match="classes extend one another more than 100 deep"):
        read(text.encode(), "chain.wfs")
