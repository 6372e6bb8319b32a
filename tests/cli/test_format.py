"""`weft format`: writes, checks or prints."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from weft.cli import exits
from weft.cli.main import main

MESSY, LAID = "USER_ACTIVITY a( );\n", "USER_ACTIVITY a();\n"


def weft(*words: object, typed: str = "") -> Result:
    return CliRunner().invoke(main, ["format", *map(str, words)], input=typed)


def test_format_writes_the_file_once(tmp_path: Path) -> None:
    file = tmp_path / "a.mfdl"
    file.write_text(MESSY)
    assert weft(file).stdout == f"{file}: formatted\n"
    assert file.read_text() == LAID
    assert weft(file).stdout == ""


def test_check_writes_nothing_and_tells(tmp_path: Path) -> None:
    file = tmp_path / "a.mfdl"
    file.write_text(MESSY)
    told = weft("--check", "--json", file)
    assert (told.exit_code, json.loads(told.stdout)) == (exits.WRONG, [{"file": str(file), "changed": True}])
    assert weft("--check", file).stdout == f"{file}: would change\n"
    assert file.read_text() == MESSY
    file.write_text(LAID)
    assert weft("--check", file).exit_code == exits.DONE


def test_a_text_can_be_printed_and_come_from_the_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "a.mfdl"
    file.write_text(MESSY)
    assert weft("--stdout", file).stdout == LAID
    assert file.read_text() == MESSY
    assert weft("-", "--language", "mfdl", typed=MESSY).stdout == LAID


def test_what_can_not_be_formatted_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "a.mfdl"
    assert weft(file).exit_code == exits.WRONG
    file.write_text("USER_ACTIVITY a(")
    assert weft(file).exit_code == exits.WRONG
    assert file.read_text() == "USER_ACTIVITY a("
