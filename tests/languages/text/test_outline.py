"""What editors are told: names where they are declared, and what may stand behind an unfinished text."""

import pytest

import textmate
from tests.languages import examples
from weft.languages.registry import LANGUAGES, Language
from weft.languages.text.faults import TextReport
from weft.languages.text.source import Source

EACH = pytest.mark.parametrize("language", textmate.languages(), ids=lambda one: one.name)


@EACH
def test_every_symbol_of_an_example_points_at_its_name(language: Language) -> None:
    for place in examples.texts(language.name, "accept"):
        text = place.read_text("utf-8")
        outline = language.outlined(Source(place.name, text))
        names = [one.name for one in outline.symbols]
        assert all(text[one.span.start : one.span.end] == one.name for one in outline.symbols)
        assert all(one.name in one.detail for one in outline.symbols)
        processes = language.read(text.encode(), place.name).processes
        assert {process.name for process in processes} <= set(names)


@EACH
def test_a_text_that_is_cut_off_anywhere_has_an_outline_and_something_may_follow(language: Language) -> None:
    text = examples.texts(language.name, "accept")[0].read_text("utf-8")
    for end in range(0, len(text), max(1, len(text) // 25)):
        source = Source("cut", text[:end])
        language.outlined(source)
        assert language.parsed_by().accepted_behind(TextReport(source))


def test_the_nearest_declaration_is_meant() -> None:
    text = (
        "USER_ACTIVITY a (IN int n);\n"
        "DEFINE_PROCESS p (IN int n) { ACTIVITY a x; x(n); }\n"
        "DEFINE_PROCESS q (IN string n) { ACTIVITY a y; y(1); }\n"
    )
    outline = LANGUAGES["mfdl"].outlined(Source("t", text))
    found = {process: outline.meant("n", text.index(process)) for process in ("x(n)", "y(1)")}
    assert {process: one and one.detail for process, one in found.items()} == {
        "x(n)": "IN int n",
        "y(1)": "IN string n",
    }
    assert outline.meant("x", text.index("y(1)")) is None
    assert outline.meant("a", 0) is not None
    assert not LANGUAGES["json"].outlined(Source("t", "{}")).symbols
