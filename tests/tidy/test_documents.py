"""The documents name only what exists, link only to what is there, and leave no command or version out."""

import ast
import importlib
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pages import ROOMS, broken_links, read
from tests.tidy.tree import ROOT, functions, named, pages, parsed

PAPERS = ROOT / "docs" / "reference" / "papers.md"
COMMAND_LINE = ROOT / "docs" / "reference" / "cli.md"
OWN_PATH = re.compile(r"(?:src|tests|tools|docs|examples)/[\w./*:\[\]-]+")


def code_in(page: Path) -> Iterator[str]:
    """What stands between backticks in a page's prose and tables."""
    for token in read(page).tokens:
        yield from (child.content for child in token.children or [] if child.type == "code_inline")


def is_there(reference: str) -> bool:
    """Whether `tests/x.py`, `tests/x_*.py` or `tests/x.py::test_name` exists."""
    place, _, name = reference.partition("::")
    found = list(ROOT.glob(place.rstrip("/")))
    if not name:
        return bool(found)
    wanted = name.split("::")[-1].partition("[")[0]
    return any(wanted in {function.name for function in functions(parsed(path))} for path in found)


def resolves(dotted: str) -> bool:
    """Whether a name like `weft.kernel.plan` or `weft.model.types.fits` can be imported."""
    words = dotted.split(".")
    for split in range(len(words), 0, -1):
        try:
            found: object = importlib.import_module(".".join(words[:split]))
        except ModuleNotFoundError:
            continue
        for word in words[split:]:
            if not hasattr(found, word):
                return False
            found = getattr(found, word)
        return True
    return False


@pytest.mark.parametrize("page", pages(), ids=named)
def test_every_path_in_a_page_exists(page: Path) -> None:
    missing = [code for code in code_in(page) if OWN_PATH.fullmatch(code) and not is_there(code)]
    assert not missing, f"{named(page)} names {missing}, which are not there"


@pytest.mark.parametrize("page", pages(), ids=named)
def test_every_link_in_a_page_leads_somewhere(page: Path) -> None:
    faults = list(broken_links(read(page), {}))
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("room", ROOMS)
def test_every_page_is_in_the_index_of_its_room(room: str) -> None:
    index = ROOT / "docs" / room / "index.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in read(index).links}
    missing = [path.name for path in index.parent.glob("*.md") if path != index and path not in linked]
    assert not missing, f"link these in {named(index)}: {missing}"


def test_no_page_stands_outside_the_four_rooms() -> None:
    outside = {path.relative_to(ROOT / "docs").parts[0] for path in (ROOT / "docs").rglob("*.md")}
    assert outside == {"index.md", *ROOMS}


# The table of the papers.


def paper_rows() -> list[list[str]]:
    lines = [line for line in PAPERS.read_text("utf-8").splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines]
    return [row for row in rows if not set("".join(row)) <= set("-: ")]


@pytest.mark.skipif(not PAPERS.exists(), reason="docs/reference/papers.md is not written yet")
def test_what_the_table_of_the_papers_names_can_be_imported() -> None:
    names = [code for code in code_in(PAPERS) if re.fullmatch(r"weft(\.\w+)+", code)]
    missing = [name for name in names if not resolves(name)]
    assert not missing, f"{named(PAPERS)} names {missing}, which are not there"


@pytest.mark.skipif(not PAPERS.exists(), reason="docs/reference/papers.md is not written yet")
def test_every_row_of_the_papers_names_a_test_or_says_why_there_is_none() -> None:
    rows = [row for row in paper_rows() if row[0].strip("* `").lower() not in ("part", "section", "where", "paper")]
    assert rows
    for row in rows:
        text = " ".join(row).lower()
        assert "`tests/" in text or "not yet" in text or "left out" in text, f"this row says neither: {row}"
        assert not text.rstrip(" .").endswith("left out"), f"left out, but not why: {row}"


# The command line and the version.


def command_paths(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from command_paths(inner, f"{path} {name}")


@pytest.mark.skipif(not COMMAND_LINE.exists(), reason="docs/reference/cli.md is not written yet")
def test_every_command_and_option_is_described() -> None:
    from weft.cli.main import main

    text = COMMAND_LINE.read_text("utf-8")
    for path, command in command_paths(main, "weft"):
        assert re.search(rf"(`|^#+ .*){re.escape(path)}\b", text, re.MULTILINE), f"{path} is not described"
        assert command.help, f"{path} has no help"
        for option in (param for param in command.params if isinstance(param, click.Option)):
            assert any(f"`{name}" in text for name in option.opts), f"{path} {option.opts} is not described"


@pytest.mark.skipif(not (ROOT / "CHANGELOG.md").exists(), reason="CHANGELOG.md is not written yet")
def test_the_changelog_has_the_present_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert re.search(rf"^## \[?{re.escape(version)}\b", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)


def test_the_version_is_written_once() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    constants = {
        named(path)
        for path in (ROOT / "src").rglob("*.py")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Constant) and node.value == version
    }
    assert not constants, f"ask importlib.metadata for the version of weftwork: {constants}"
