"""The Python in the pages runs, and prints what the page says; the commands in them exist.

The Python fences of a page are one program, run from top to bottom. An `output` fence after one holds what it prints.
A fence under a comment `<!-- not run: REASON -->` is left out.
"""

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from pages import parser
from tests.tidy.tree import ROOT, named, pages

MARK = "\x1e"
"""Printed between two fences, to tell whose output is whose."""


@dataclass
class Fence:
    language: str
    text: str
    line: int
    left_out: str


def fences(page: Path) -> list[Fence]:
    """The fenced blocks of a page, each with the reason why it is not run, if one stands above it."""
    found, above = [], ""
    for token in parser().parse(page.read_text("utf-8")):
        if token.type == "fence":
            language = token.info.split()[0] if token.info.strip() else ""
            found.append(Fence(language, token.content, (token.map or [0])[0] + 1, above))
        reason = re.fullmatch(r"<!-- not run: (.+) -->\s*", token.content) if token.type == "html_block" else None
        above = reason.group(1) if reason else ""
    return found


def program(page: Path) -> tuple[str, list[tuple[Fence, str | None]]]:
    """The program of a page, its lines where they are in the page, and each fence with what it should print."""
    lines: list[str] = []
    expected: list[tuple[Fence, str | None]] = []
    all_of_them = fences(page)
    for fence, following in zip(all_of_them, [*all_of_them[1:], None], strict=False):
        if fence.language != "python" or fence.left_out:
            continue
        lines += [""] * (fence.line - len(lines))
        lines += fence.text.splitlines()
        lines.append(f"print({MARK!r})")
        expected.append((fence, following.text if following and following.language == "output" else None))
    return "\n".join(lines) + "\n", expected


WITH_PYTHON = [page for page in pages() if program(page)[1]]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=named)
def test_python_in_a_page_runs_and_prints_what_the_page_says(page: Path, tmp_path: Path) -> None:
    text, expected = program(page)
    (tmp_path / "page.py").write_text(text, "utf-8")
    command = [sys.executable, "-W", "error", "page.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, f"{named(page)} (the lines are the page's):\n{done.stderr}"
    for (fence, output), printed in zip(expected, done.stdout.split(MARK), strict=False):
        if output is not None:
            assert printed.strip() == output.strip(), f"{named(page)}:{fence.line} prints something else"


def test_every_fence_that_is_left_out_says_why() -> None:
    for page in pages():
        for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
            if re.search(r"<!--\s*not run", line):
                assert re.search(r"<!-- not run: \S+ \S+.* -->", line), f"{named(page)}:{number} gives no reason"


# Commands.


def commands(page: Path) -> Iterator[tuple[int, list[str]]]:
    """The command lines of a page's console fences, as words, up to a pipe or redirection."""
    for fence in fences(page):
        if fence.language != "console":
            continue
        for offset, line in enumerate(re.sub(r"\\\n\s*>?", " ", fence.text).splitlines(), 1):
            if line.startswith("$ "):
                words = shlex.split(re.split(r" [|><&]|;", line[2:])[0], comments=True)
                yield fence.line + offset, words


def weft_arguments(words: list[str]) -> list[str] | None:
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words = words[1:]
    if words[:3] in (["python", "-m", "weft"], ["python3", "-m", "weft"]):
        return words[3:]
    return words[1:] if words[:1] == ["weft"] else None


def options(command: click.Command) -> set[str]:
    names = {name for option in command.params if isinstance(option, click.Option) for name in option.opts}
    return names | {
        name for option in command.params if isinstance(option, click.Option) for name in option.secondary_opts
    }


def misuse(command: click.Command, words: list[str]) -> str:
    """What is wrong with the words after `weft`, or nothing."""
    known = {"--help"} | options(command)
    for word in words:
        if word.startswith("-") and word != "-":
            if word.partition("=")[0] not in known and not re.fullmatch(r"-\d+", word):
                return f"no option {word}"
        elif isinstance(command, click.Group):
            if word not in command.commands:
                return f"no command {word}"
            command = command.commands[word]
            known |= options(command)
    return ""


def weft_command() -> click.Group:
    from weft.cli.main import main  # a page without commands is tested before the command line is there

    return main


def test_every_weft_command_in_a_page_exists() -> None:
    for page in pages():
        for line, words in commands(page):
            arguments = weft_arguments(words)
            if arguments is not None:
                fault = misuse(weft_command(), arguments)
                assert not fault, f"{named(page)}:{line}: {' '.join(words)}: {fault}"


def test_every_make_target_in_a_page_exists() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for page in pages():
        for line, words in commands(page):
            wanted = {word for word in words[1:] if "=" not in word and not word.startswith("-")}
            assert words[:1] != ["make"] or wanted <= targets, f"{named(page)}:{line} names no target of the Makefile"


def test_every_extra_in_a_page_exists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for page in pages():
        for extras in re.findall(r"weftwork\[([\w,-]+)\]", page.read_text("utf-8")):
            assert set(extras.split(",")) <= set(project["optional-dependencies"]), f"{named(page)}: [{extras}]"
