"""`weft convert`: what survives is written, what does not is listed, and nothing is lost without being asked."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.languages.samples import HERE, texts
from weft.cli.main import main
from weft.languages import registry
from weft.model.definition import Net

EXAMPLES = HERE.parents[1] / "examples"
CONDITION = str(HERE / "gworkflowdl" / "accept" / "condition.gwdl")
PAGES = str(HERE / "pnml" / "accept" / "pages.pnml")


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["convert", *arguments])
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize("path", [*texts("gworkflowdl", "accept"), *texts("jdl", "accept")], ids=lambda path: path.name)
def test_the_json_form_says_everything(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert run(str(path), str(out))[0] == 0
    language = registry.language_of(path.name, path.read_bytes())
    before = language.read(path.read_bytes(), path.name).processes
    assert registry.named("json").read(out.read_bytes(), "out.json").processes == before


def test_a_plain_net_survives_in_both_directions(tmp_path: Path) -> None:
    there, back = tmp_path / "net.gwdl", tmp_path / "net.pnml"
    assert run(PAGES, str(there), "--lossy")[0] == 0
    assert run(str(there), str(back), "--lossy")[0] == 0
    first, last = (
        registry.named("pnml").read(Path(path).read_bytes(), "x").processes[0].body for path in (PAGES, back)
    )
    assert isinstance(first, Net)
    assert isinstance(last, Net)
    assert [(one.name, len(one.tokens)) for one in first.places] == [(one.name, len(one.tokens)) for one in last.places]
    assert [[arc.place for arc in one.inputs] for one in first.transitions] == [
        [arc.place for arc in one.inputs] for one in last.transitions
    ]


def test_nothing_is_lost_without_being_asked(tmp_path: Path) -> None:
    out = tmp_path / "net.pnml"
    code, _, said = run(CONDITION, str(out))
    assert code == 4
    assert "would be lost: the guard of A\n" in said
    assert not out.exists()
    code, _, said = run(CONDITION, str(out), "--lossy")
    assert code == 0
    assert "lost: the guard of A\n" in said
    assert b"<pnml" in out.read_bytes()


def test_what_a_language_can_say_nothing_of_is_not_written(tmp_path: Path) -> None:
    code, _, said = run(str(EXAMPLES / "check_up.py"), str(tmp_path / "x.pnml"), "--lossy")
    assert code == 4
    assert "choose another language" in said
    assert list(tmp_path.iterdir()) == []


def test_a_flow_is_written_in_the_languages_of_blocks(tmp_path: Path) -> None:
    out = tmp_path / "check_up.mfdl"
    code, _, said = run(str(EXAMPLES / "check_up.py"), str(out), "--lossy")
    assert code == 0, said
    assert registry.named("mfdl").read(out.read_bytes(), out.name).processes


def test_it_can_be_printed_and_told_to_programs(tmp_path: Path) -> None:
    code, text, _ = run(PAGES, "-", "--to", "json")
    assert (code, json.loads(text)["name"]) == (0, "order")
    code, said, _ = run(CONDITION, str(tmp_path / "x.pnml"), "--json")
    assert code == 4
    told = json.loads(said)
    assert told["written"] is False
    assert "the guard of A" in told["losses"]


def test_what_a_script_says_and_no_definition_keeps_is_listed(tmp_path: Path) -> None:
    code, _, said = run(str(HERE / "openflow" / "accept" / "order.wfs"), str(tmp_path / "x.json"))
    assert code == 4
    assert said.splitlines()[:2] == [
        "would be lost: pay: that the notification of pack, tell is required",
        "would be lost: tell: the implementations after the first, write_a_letter",
    ]


@pytest.mark.parametrize("to", ["x.jdl", "x.txt", "-", "x.py"])
def test_a_language_that_is_not_written_is_refused(to: str) -> None:
    code, _, said = run(PAGES, to)
    assert code == 2
    assert "what can be written is json" in said


def test_every_writer_is_a_module_with_a_function() -> None:
    writers = {one.name for one in registry.LANGUAGES.values() if one.writing}
    assert writers == {"json", "gworkflowdl", "pnml", "mfdl", "pdl", "openflow"}
