"""Every setting of a handler is described, with the name that it has."""

import re

import msgspec
import pytest

from tests.tidy.tree import ROOT
from weft.handlers import settings

PAGE = (ROOT / "docs" / "reference" / "settings.md").read_text("utf-8")
SECTIONS = {
    "applications.NAME": settings.AllowedApplication,
    "commands": settings.Commands,
    "endpoints.NAME": settings.Endpoint,
    "http": settings.Calls,
    "resources.NAME": settings.Resource,
    "sql": settings.Databases,
    "files": settings.OpenFiles,
    "workers": settings.WorkerSettings,
    "executors.NAME": settings.ExecutorSettings,
}


@pytest.mark.parametrize("section", SECTIONS)
def test_every_setting_of_a_section_is_described(section: str) -> None:
    text = PAGE.partition(f"## `[{section}]`")[2].partition("\n## ")[0]
    described = {
        name for cell in re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE) for name in re.findall(r"`(\w+)`", cell)
    }
    assert described == set(SECTIONS[section].__struct_fields__)


def test_every_section_is_among_these() -> None:
    assert {section.partition(".")[0] for section in SECTIONS} == set(settings.Allowed.__struct_fields__)


def test_a_misspelt_setting_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `hostz`"):
        msgspec.convert({"file": "zip", "hostz": []}, settings.AllowedApplication)
