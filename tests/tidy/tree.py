"""What the tidy tests look at: the modules and pages of this checkout."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def modules(*folders: str) -> list[Path]:
    """The Python files of some folders, `src` if none is named."""
    return sorted(path for folder in folders or ("src",) for path in (ROOT / folder).rglob("*.py"))


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def called(node: ast.Call) -> str:
    """The last name of what is called: `sleep` for `time.sleep(1)`."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def pages() -> list[Path]:
    """Every document that a reader of the checkout meets."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def named(path: Path) -> str:
    """A path as tests and messages name it."""
    return path.relative_to(ROOT).as_posix()
