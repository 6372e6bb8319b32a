"""MFDL: right texts have their model and guards, wrong ones their faults, and the paper's example runs."""

import re
import time
from pathlib import Path

import pytest

from tests.languages import examples
from tests.model.test_guard_table import printed
from weft import Answers, run, task
from weft.kernel import facts
from weft.languages.mfdl.grammar import GRAMMAR
from weft.languages.mfdl.reading import read
from weft.languages.text.source import TextLimits
from weft.model.definition import Call, Process
from weft.model.faults import Invalid
from weft.model.guard_table import guard_table

CHECK_UP = examples.FOLDER / "mfdl/accept/check_up.mfdl"


@pytest.mark.parametrize("place", examples.texts("mfdl", "accept"), ids=lambda place: place.stem)
def test_a_right_text_has_its_model_and_its_guards(place: Path) -> None:
    for file, content in examples.accepted(place):
        assert content == file.read_text("utf-8"), file.name


@pytest.mark.parametrize("place", examples.texts("mfdl", "reject"), ids=lambda place: place.stem)
def test_a_wrong_text_has_these_faults_and_no_others(place: Path) -> None:
    for file, content in examples.rejected(place):
        assert content == file.read_text("utf-8"), file.name


def process_of(place: Path) -> Process:
    reading = read(place.read_bytes(), place.name)
    return next(one for one in reading.processes if one.name == reading.main)


# The paper's example.


def test_the_check_up_of_the_paper_has_the_guards_of_table_3_2() -> None:
    rows = guard_table(process_of(CHECK_UP))
    ours = [
        [str(row.label), row.start, row.start_condition, row.abort, row.commit, row.commit_condition] for row in rows
    ]
    assert [[cell.replace("null", "Null") for cell in row] for row in ours] == printed()
    names = "check_up IF register delete examine AND blood WHILE roent restart check XOR cash credit"
    assert [row.name for row in rows] == names.split()


@task
def register_patient() -> int:
    return 8


@task
def delete_patient(patient_id: int) -> None:
    raise AssertionError("nothing is taken back here")


@pytest.mark.parametrize(("patient_id", "registered"), [(0, 1), (7, 0)])
def test_the_check_up_runs(patient_id: int, registered: int) -> None:
    pictures: list[list[str] | None] = [None, ["clear"]]

    def roent(patient_id: int, roentgen_list: list[int]) -> list[str] | None:
        assert (patient_id, roentgen_list) == (8 if registered else 7, [2])
        return pictures.pop(0)

    answers = Answers(
        examine={"blood_test_type_list": [1], "roentgen_list": [2]},
        blood=["normal"],
        roent=roent,
        check=None,
        cash=None,
    )
    result = run(process_of(CHECK_UP), answers, register_patient, delete_patient, patient_id=patient_id).expect("done")
    committed = [fact.path for fact in result.facts if isinstance(fact, facts.Committed)]
    assert [path for path in committed if ":" not in path] == [
        *["register"] * registered, "examine", "blood", "roent", "roent", "check", "cash", "check_up",
    ]  # fmt: skip
    assert not pictures


# What files alone can't show.


def test_a_sub_process_is_called_with_its_parameters() -> None:
    reading = read((examples.FOLDER / "mfdl/accept/sub_processes.mfdl").read_bytes(), "sub_processes.mfdl")
    trip, booking = reading.processes
    assert reading.main == "trip"
    held: list[str] = []

    @task
    def hold(what: str) -> int:
        held.append(what)
        return len(held)

    @task
    def free(number: int) -> None:
        held.clear()

    run(trip, booking, hold, free, where="Ankara").expect("done")
    assert sorted(held) == ["Ankara", "Ankara centre"]
    calls = [child for block in trip.body.children for child in block.children]  # type: ignore[union-attr]
    assert all(isinstance(one, Call) and one.process == "booking" for one in calls)


def test_a_broken_text_has_no_faults_of_what_could_not_be_read() -> None:
    text = b"""
    USER_ACTIVITY ask (OUT string answer;
    DEFINE_PROCESS p () {
        ACTIVITY ask a
        VAR strin x;
        a(x);
        b(x);
    }"""
    with pytest.raises(Invalid) as invalid:
        read(text, "t")
    told = [re.sub(r"\n[\s\S]*", "", str(fault)) for fault in invalid.value.faults]
    assert told == [
        "t:2:41: error syntax: ')' is missing after 'answer'",
        "t:4:23: error syntax: ';' is missing after 'a'",
        "t:5:13: error bad-type: 'strin' is no type; did you mean 'string'?",
        "t:7:9: error unknown-activity: no ACTIVITY 'b' is declared in this process; declare it first, ACTIVITY …",
    ]


def test_only_so_much_is_read() -> None:
    for text, limits in ((b"x" * 20, TextLimits(characters=10)), (b"DEFINE_PROCESS p () {" + b"{" * 500, TextLimits())):
        with pytest.raises(Invalid, match="too-large"):
            read(text, "t", limits)


def test_ten_thousand_lines_are_read_in_two_seconds() -> None:
    text = CHECK_UP.read_text("utf-8")
    at = text.index("DEFINE_PROCESS")
    many = text[:at] + "".join(text[at:].replace("check_up", f"check_up_{number}") for number in range(310))
    assert many.count("\n") > 10_000
    read(text.encode(), "warm")
    began = time.process_time()
    assert len(read(many.encode(), "many.mfdl").processes) == 310
    assert time.process_time() - began < 2


def test_the_reference_shows_the_grammar() -> None:
    assert examples.grammar_on("mfdl.md") == examples.shown(GRAMMAR)
