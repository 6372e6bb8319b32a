"""The reference pages have every name, option and exit code that there is."""

import re
from pathlib import Path

import weft
from weft.cli import exits
from weft.languages.python.activities import Activity
from weft.testing import Trial

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


def test_the_page_of_the_command_line_has_every_exit_code() -> None:
    text = (REFERENCE / "cli.md").read_text("utf-8")
    rows = {int(code): meaning for code, meaning in re.findall(r"^\| (\d+) \| (.+) \|$", text, re.MULTILINE)}
    assert rows == exits.MEANING


def test_the_page_of_python_has_every_public_name() -> None:
    text = (REFERENCE / "python.md").read_text("utf-8")
    missing = [name for name in weft.__all__ if not re.search(rf"`@?{name}\b", text)]
    assert not missing


def test_the_page_of_python_has_every_method_of_an_activity_and_of_a_trial() -> None:
    text = (REFERENCE / "python.md").read_text("utf-8")
    for owner in (Activity, Trial):
        names = [name for name in vars(owner) if not name.startswith("_") and name not in ("said", "operator", "name")]
        missing = [name for name in names if name not in ("offer", "withdraw", "stop") and f".{name}" not in text]
        assert not missing, owner
