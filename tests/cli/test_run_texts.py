"""`weft run` of a text: which functions do its tasks, and who does the work of people."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from weft.cli import exits
from weft.cli.main import main

TEXT = """
TRANS_ACTIVITY charge (IN int cents, OUT string receipt);
USER_ACTIVITY approve (IN int cents, OUT bool approved, OUT int limits[]) PARTICIPANT manager;
USER_ACTIVITY tell (IN string receipt) PARTICIPANT clerk;
USER_ACTIVITY call (IN string receipt) PARTICIPANT clerk;
DEFINE_PROCESS buy (IN int cents, OUT string receipt, OUT bool approved)
{
    ACTIVITY charge charge;
    ACTIVITY approve approve;
    ACTIVITY tell tell;
    ACTIVITY call call;
    VAR int limits[];
    WHILE (NOT approved) approve(cents, approved, limits);
    charge(cents, receipt);
    XOR_PARALLEL { tell(receipt); call(receipt); }
}
"""
TASKS = """
from weft import task
@task
def charge(cents: int) -> str:
    return f"R-{cents}"
@task(name="charge")
def charge_twice(cents: int) -> str:
    return f"R-{cents * 2}"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all, since a module is imported once."""
    folder = tmp_path_factory.mktemp("texts")
    (folder / "till.py").write_text(TASKS, "utf-8")
    (folder / "one.py").write_text(TASKS.partition("@task(name")[0], "utf-8")
    (folder / "none.py").write_text("")
    (folder / "buy.mfdl").write_text(TEXT, "utf-8")
    return folder


@pytest.fixture
def text(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(folder)
    yield folder / "buy.mfdl"
    (folder / "weft.toml").unlink(missing_ok=True)


def weft(*words: object, typed: str = "") -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], input=typed)


def said(result: Result) -> str:
    return re.sub(r"\s+", " ", result.stdout + result.stderr)


RUN = "run", "buy.mfdl", "--input", "cents=5"


def test_unbound_is_an_error_at_run_and_a_note_at_check(text: Path) -> None:
    ran = weft(*RUN)
    assert ran.exit_code == exits.WRONG
    assert "buy.mfdl:14:5: error unbound: there is no registered task 'charge'" in ran.stderr
    checked = weft("check", text)
    assert checked.exit_code == exits.DONE
    assert "warning unbound" in checked.stdout
    given = weft("check", text, "--tasks", "one.py")
    assert "unbound" not in given.stdout
    assert weft("check", text, "--tasks", "none.py").exit_code == exits.WRONG


def test_a_function_is_chosen_by_bind_or_by_the_settings(text: Path) -> None:
    results = text.parent / "results.json"
    results.write_text(json.dumps({"approve": [{"approved": True, "limits": None}], "call": [None]}))
    several = weft(*RUN, "--tasks", "till.py", "--results", results)
    assert "several tasks are called 'charge'; say which" in said(several)
    chosen = weft(*RUN, "--tasks", "till.py", "--results", results, "--bind", "charge=till:charge_twice", "--json")
    assert json.loads(chosen.stdout)["values"]["receipt"] == "R-10"
    assert "write TASK=FUNCTION" in said(weft(*RUN, "--bind", "charge"))
    assert "names no task 'chargee'; did you mean 'charge'?" in said(weft(*RUN, "--bind", "chargee=x"))
    (text.parent / "weft.toml").write_text('[tasks]\nmodules = ["one.py"]')
    assert weft(*RUN, "--results", results).exit_code == exits.DONE
    (text.parent / "weft.toml").write_text("[tasks]\nmodules = [3]")
    assert "weft.toml can't be used" in said(weft(*RUN))


def test_results_are_taken_in_their_order_and_then_people_are_waited_for(text: Path) -> None:
    results = text.parent / "results.json"
    no, yes = {"approved": False, "limits": [1]}, {"value": {"approved": True, "limits": None}}
    results.write_text(json.dumps({"approve": [no, yes], "charge": ["R-0"], "tell": [{"error": "task.ill"}]}))
    waiting = weft(*RUN, "--results", results, "--verbose")
    assert waiting.exit_code == exits.WAITING
    assert waiting.stdout.count("committed     (loop) approve") + waiting.stdout.count("committed     approve") >= 1
    assert "task.ill" in waiting.stdout
    assert "call" in waiting.stdout.splitlines()[-1]
    results.write_text(json.dumps({"approve": [no, yes], "charge": [{"error": "task.no", "message": "empty"}]}))
    failed = weft(*RUN, "--results", results)
    assert failed.exit_code == exits.ABORTED
    assert "task.no: empty" in failed.stdout
    results.write_text(
        json.dumps({"approve": [{"outcome": "done", "value": {"approved": True, "limits": []}}], "charge": []})
    )
    assert "handler.activate" in weft(*RUN, "--results", results).stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "are no JSON"),
        ("[1]", "are no object of lists"),
        ('{"approve": 1}', "are no object of lists"),
        ('{"aprove": []}', "for 'aprove', which is no task of the process; did you mean 'approve'?"),
    ],
)
def test_wrong_results_are_refused(text: Path, content: str, message: str) -> None:
    (text.parent / "results.json").write_text(content)
    told = weft(*RUN, "--results", "results.json")
    assert told.exit_code == exits.WRONG
    assert message in said(told)


def test_people_are_asked_at_the_terminal_by_type(text: Path) -> None:
    typed = ["done", "n", "[1, two]", "[1, 2]", "done", "y", "", "2", "done"]
    asked = weft(*RUN, "--tasks", "one.py", "--ask", typed="\n".join(typed) + "\n")
    assert asked.exit_code == exits.DONE, asked.stderr
    assert "approved: true" in asked.stdout
    assert "approve" in asked.stderr
    assert "(manager)" in asked.stderr
    assert "cents: 5" in asked.stderr
    assert "These wait for people" in asked.stderr
    assert "it is a str, not" in said(asked) or "no JSON" in said(asked)


def test_a_person_may_fail_and_may_go_away(text: Path) -> None:
    failed = weft(*RUN, "--tasks", "one.py", "--ask", typed="failed\nill today\n")
    assert failed.exit_code == exits.ABORTED
    assert "ill today" in failed.stdout
    gone = weft(*RUN, "--tasks", "one.py", "--ask", typed="done\n")
    assert gone.exit_code == exits.INTERRUPTED
    assert weft(*RUN, "--tasks", "one.py").exit_code == exits.WAITING
