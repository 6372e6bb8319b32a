"""`weft check`: what may go wrong in a run, with its trace, as lines, JSON and SARIF."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from tests.analysis.planted import deadlock
from weft.cli.main import main
from weft.model.json_form import pretty


def checked(tmp_path: Path, *options: str, repaired: bool = False) -> Result:
    pair = deadlock()
    (tmp_path / "order.json").write_text(pretty(pair.repaired if repaired else pair.faulty))
    return CliRunner().invoke(main, ["check", str(tmp_path / "order.json"), *options])


def test_a_deadlock_is_told_with_the_steps_that_lead_to_it(tmp_path: Path) -> None:
    result = checked(tmp_path)
    assert result.exit_code == 2
    assert "error deadlock at order" in result.output
    assert "    1. check commits as bad\n    2. tell commits\n" in result.output


def test_the_repaired_process_ends_with_0(tmp_path: Path) -> None:
    result = checked(tmp_path, repaired=True)
    assert (result.exit_code, result.output) == (0, "order: nothing is wrong\n")


def test_the_trace_is_in_the_json(tmp_path: Path) -> None:
    (fault,) = [one for one in json.loads(checked(tmp_path, "--json").output)["faults"] if one["code"] == "deadlock"]
    assert fault["trace"] == ["check commits as bad", "tell commits"]


def test_sarif_has_the_rule_the_place_and_the_trace(tmp_path: Path) -> None:
    found = json.loads(checked(tmp_path, "--sarif").output)
    run = found["runs"][0]
    (result,) = [one for one in run["results"] if one["ruleId"] == "deadlock"]
    assert found["version"] == "2.1.0"
    assert "deadlock" in [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert result["level"] == "error"
    assert result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "order"
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps] == ["check commits as bad", "tell commits"]


def test_a_fault_is_drawn_with_the_steps_that_lead_to_it(tmp_path: Path) -> None:
    checked(tmp_path, "--draw", str(tmp_path / "drawn"))
    (file,) = (tmp_path / "drawn").iterdir()
    assert file.name == "1-deadlock-order.svg"
    text = file.read_text("utf-8")
    assert text.lstrip().startswith("<")
    assert "tell" in text
    plain = CliRunner().invoke(main, ["draw", str(tmp_path / "order.json")])
    assert text != plain.output
