"""`weft analyse`: verdicts as JSON and as lines."""

import json
from pathlib import Path

from click.testing import CliRunner

from weft.cli.main import main

TWO_AT_ONCE = """<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="order" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">
<place id="i"/><place id="x"/><place id="y"/><place id="o"/>
<transition id="split"/><transition id="left"/><transition id="right"/>
<arc id="1" source="i" target="split"/><arc id="2" source="split" target="x"/><arc id="3" source="split" target="y"/>
<arc id="4" source="x" target="left"/><arc id="5" source="left" target="o"/>
<arc id="6" source="y" target="right"/><arc id="7" source="right" target="o"/>
</page></net></pnml>"""


def told(tmp_path: Path, *options: str) -> str:
    (tmp_path / "order.pnml").write_text(TWO_AT_ONCE)
    result = CliRunner().invoke(main, ["analyse", str(tmp_path / "order.pnml"), *options])
    assert result.exit_code == 0, result.output
    return result.output


def test_a_net_in_pnml_is_judged_as_json(tmp_path: Path) -> None:
    found = json.loads(told(tmp_path, "--json"))
    assert (found["workflow_net"], found["sound"], found["bound"]) == (True, False, 2)
    assert found["trace"] == ["split", "left"]
    assert "left over" in found["reason"]


def test_the_same_is_told_in_lines_with_what_the_arcs_say(tmp_path: Path) -> None:
    lines = told(tmp_path, "--structure")
    assert "after: split, left\n  tokens: y, o\n" in lines
    assert "constant: 2·i + x + y + o" in lines


def test_a_budget_that_ends_leaves_unknown_answers(tmp_path: Path) -> None:
    places = "".join(f'<place id="p{n}"><initialMarking><text>9</text></initialMarking></place>' for n in range(9))
    moves = "".join(
        f'<transition id="t{n}"/><arc id="a{n}" source="p{n}" target="t{n}"/><arc id="b{n}" source="t{n}" target="q"/>'
        for n in range(9)
    )
    text = f'<pnml><net id="n" type="ptnet"><page id="g"><place id="q"/>{places}{moves}</page></net></pnml>'
    (tmp_path / "large.pnml").write_text(text)
    result = CliRunner().invoke(main, ["analyse", str(tmp_path / "large.pnml"), "--json", "--states", "3000"])
    found = json.loads(result.output)
    assert (found["states"], found["deadlock"], found["live"]) == (None, None, None)
    assert 3000 <= found["explored"] < 100_000


def test_the_nets_of_a_process_are_written_as_they_are_analysed(tmp_path: Path) -> None:
    out = tmp_path / "out.pnml"
    place = Path(__file__).resolve().parents[2] / "examples" / "net_pipeline.py"
    before = CliRunner().invoke(main, ["analyse", str(place), "--pnml", str(out), "--json"])
    after = CliRunner().invoke(main, ["analyse", str(out), "--json"])
    told = [json.loads(one.output) for one in (before, after)]
    same = ("net", "places", "transitions", "states", "workflow_net", "free_choice", "bound", "never")
    assert [[one[key] for key in same] for one in told] == [[told[0][key] for key in same]] * 2
    assert told[0]["transitions"] > 1


def test_a_process_without_a_net_is_refused() -> None:
    place = Path(__file__).resolve().parents[2] / "examples" / "saga.py"
    result = CliRunner().invoke(main, ["analyse", str(place)])
    assert result.exit_code == 2
    assert "has no net" in result.output
