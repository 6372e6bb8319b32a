"""Importing the module or file that a command line names, and what is said when that can't be done."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from weft import Process
from weft.languages.python.load import NotFound, load_module

SHOP = """
from weft import process, task

@task
def greet(name: str) -> str:
    return "hello " + name

hello = process("hello", name=str)(greet.into("greeting"))
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "weft_shop.py").write_text(SHOP)
    (tmp_path / "weft_lost.py").write_text("import weft_missing_thing\n")
    (tmp_path / "weft_broken.py").write_text("raise ValueError('broken')\n")
    (tmp_path / "two words.py").write_text(SHOP)
    (tmp_path / "json.py").write_text(SHOP)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "weft_text").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one])
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("weft_")]:
        del sys.modules[name]


@pytest.mark.parametrize("place", ["weft_shop", "weft_shop.py", "./weft_shop.py"])
def test_a_module_is_found_and_run_once(here: Path, place: str) -> None:
    module = load_module(place)
    assert isinstance(module.hello, Process)
    assert load_module(f"{here}/weft_shop.py") is load_module("weft_shop") is module


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("weft_nothing", "there is no module 'weft_nothing' here or among the installed ones"),
        ("two words", "'two words' is neither a module nor a file"),
        ("", "'' is neither a module nor a file"),
        ("weft_nothing.py", "there is no file 'weft_nothing.py'"),
        ("two words.py", "can't be imported, since 'two words' is no name: rename the file"),
        ("json.py", "would be imported as 'json', which is another module already: rename the file"),
        ("folder/weft_text", "'weft_text' is no Python file"),
    ],
)
def test_what_is_not_found_is_told(here: Path, place: str, message: str) -> None:
    with pytest.raises(NotFound) as caught:
        load_module(place)
    assert message in str(caught.value)


def test_an_error_of_the_module_itself_is_its_own(here: Path) -> None:
    with pytest.raises(ModuleNotFoundError, match="weft_missing_thing"):
        load_module("weft_lost")
    with pytest.raises(ValueError, match="broken"):
        load_module("weft_broken.py")
    assert "weft_broken" not in sys.modules
