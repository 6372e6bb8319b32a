"""Names that say nothing are not used, and tests neither sleep nor pretend."""

import ast

import pytest

from tests.tidy.tree import called, functions, modules, named, parsed

EMPTY_WORDS = {"utils", "util", "common", "helpers", "helper", "base", "manager", "misc", "shared"}


def test_no_module_has_a_name_that_says_nothing() -> None:
    found = [named(path) for path in modules("src", "tools", "bench", "tests") if EMPTY_WORDS & words_of(path.stem)]
    found += [named(path.parent) for path in modules("src", "tests") if path.parent.name in EMPTY_WORDS]
    assert not found


def words_of(name: str) -> set[str]:
    return set(name.removeprefix("test_").split("_")) if not name.startswith("test_") else set()


def test_no_test_sleeps() -> None:
    for module in modules("tests", "examples"):
        sleeping = [
            node.lineno for node in ast.walk(parsed(module)) if isinstance(node, ast.Call) and called(node) == "sleep"
        ]
        assert not sleeping, f"{named(module)} sleeps in lines {sleeping}: pass a clock instead"


def test_no_test_mocks() -> None:
    for module in modules("tests"):
        names = {
            name
            for node in ast.walk(parsed(module))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
        }
        assert not {name for name in names if "mock" in name.lower()}, f"{named(module)} mocks: use the real thing"


@pytest.mark.parametrize("module", modules("tests"), ids=named)
def test_every_test_name_is_a_sentence(module: object) -> None:
    short = [function.name for function in functions(parsed(module)) if is_curt(function.name)]  # type: ignore[arg-type]
    assert not short, f"{short} say too little: a test's name is a sentence"


def is_curt(name: str) -> bool:
    return name.startswith("test_") and name.count("_") < 2
