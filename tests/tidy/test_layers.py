"""The layers of the packages, and what the pure ones may not know."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tidy.tree import ROOT, SOURCE, called, modules, named, parsed

PURE = ["weft/model", "weft/kernel"]
WORLDLY = {
    "asyncio", "concurrent", "io", "logging", "multiprocessing", "os", "pathlib", "random", "secrets",
    "shutil", "signal", "socket", "sqlite3", "subprocess", "tempfile", "threading", "time", "urllib",
}  # fmt: skip
"""Of the standard library, what brings a clock, randomness, threads or IO."""

IMPURE_CALLS = {"now", "today", "utcnow", "uuid1", "uuid4"}
"""A value may be a date or a UUID, but nothing pure asks what time it is or makes an id."""


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_packages_import_only_from_those_below() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", errors="replace")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("package", PURE)
def test_pure_packages_use_the_standard_library_and_msgspec_only(package: str) -> None:
    allowed = sys.stdlib_module_names | {"msgspec", "weft"}
    for module in modules(f"src/{package}"):
        strangers = {name for name in imported(parsed(module)) if name.partition(".")[0] not in allowed}
        assert not strangers, f"{named(module)} imports {strangers}"


@pytest.mark.parametrize("package", PURE)
def test_pure_packages_know_no_clock_no_randomness_and_no_io(package: str) -> None:
    for module in modules(f"src/{package}"):
        found = {name for name in imported(parsed(module)) if name.partition(".")[0] in WORLDLY}
        assert not found, f"{named(module)} imports {found}"
        calls = {called(node) for node in ast.walk(parsed(module)) if isinstance(node, ast.Call)}
        assert not calls & IMPURE_CALLS, f"{named(module)} calls {calls & IMPURE_CALLS}"


def test_no_import_hides_in_a_function_of_model_or_kernel() -> None:
    for module in (path for package in PURE for path in modules(f"src/{package}")):
        top = set(parsed(module).body)
        hidden = [
            node.lineno
            for node in ast.walk(parsed(module))
            if isinstance(node, ast.Import | ast.ImportFrom) and node not in top
        ]
        assert not hidden, f"{named(module)} imports inside, in lines {hidden}"


def test_the_source_has_one_package() -> None:
    assert [path.name for path in SOURCE.iterdir() if path.suffix != ".pth" and path.name != "__pycache__"] == ["weft"]
