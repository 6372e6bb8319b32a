"""The reference page of the check has every code, with its severity."""

import re
from pathlib import Path

from weft.analysis import places

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "check.md"


def test_the_page_has_every_code_with_its_severity() -> None:
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (error|warning) \|", PAGE.read_text("utf-8"), re.MULTILINE))
    assert rows == dict.fromkeys(places.ERRORS, "error") | dict.fromkeys(places.WARNINGS, "warning")
