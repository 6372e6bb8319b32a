"""Modules and functions stay small, and a module's first line says what it is about."""

import ast

from tests.tidy.tree import ROOT, functions, modules, named, parsed

MODULE_LINES = 400
FUNCTION_LINES = 60
FOLDERS = ("src", "tools", "bench")

LONGER: dict[str, str] = {}
"""A module (`src/weft/x.py`) or function (`src/weft/x.py:name`) that is longer, and the reason why it is right so."""


def lengths() -> dict[str, int]:
    """Every module and function, and how many lines it has."""
    found = {}
    for module in modules(*FOLDERS):
        found[named(module)] = len(module.read_text("utf-8").splitlines())
        for function in functions(parsed(module)):
            found[f"{named(module)}:{function.name}"] = (function.end_lineno or 0) - function.lineno + 1
    return found


def too_long() -> dict[str, int]:
    return {
        name: lines for name, lines in lengths().items() if lines > (FUNCTION_LINES if ":" in name else MODULE_LINES)
    }


def test_modules_and_functions_are_small() -> None:
    excess = {name: lines for name, lines in too_long().items() if name not in LONGER}
    assert not excess, f"split these, or put them into LONGER with a reason: {excess}"


def test_every_exception_is_still_needed_and_has_its_reason() -> None:
    assert set(LONGER) <= set(too_long())
    assert all(len(reason.split()) > 3 for reason in LONGER.values())


def test_every_module_begins_with_a_line_that_says_its_subject() -> None:
    for module in modules(*FOLDERS, "examples"):
        if module.name == "__init__.py" and not module.read_text("utf-8").strip():
            continue
        docstring = ast.get_docstring(parsed(module)) or ""
        assert docstring, f"{named(module)} has no docstring"
        assert docstring.splitlines()[0].rstrip().endswith((".", ":", "?", ",")) or len(docstring.splitlines()) > 1, (
            f"the first line of {named(module)} is no sentence"
        )


OPEN = {"weft", "testing"}
"""What users import from; their names are listed in the package itself."""


def test_inner_packages_are_empty() -> None:
    full = [
        named(path)
        for path in (ROOT / "src" / "weft").rglob("__init__.py")
        if path.parent.name not in OPEN and path.read_text("utf-8").strip()
    ]
    assert not full, f"import from the module that owns the name; these should be empty: {full}"
