"""The parser tells every mistake once, with its place, and takes what is right behind it."""

import re

from hypothesis import given
from hypothesis import strategies as st
from lark import Token, Transformer

from weft.languages.text.faults import TextFault, TextReport
from weft.languages.text.parsing import Grammar
from weft.languages.text.source import Source, TextLimits


class Builder(Transformer[Token, object]):
    def start(self, items: list[object]) -> list[object]:
        return [one for one in items if one]

    def process(self, parts: list[object]) -> tuple[str, list[object]]:
        return str(parts[0]), [one for one in parts[1:] if one]

    def call(self, parts: list[object]) -> str:
        return str(parts[0])

    def when(self, parts: list[object]) -> tuple[object, ...]:
        return ("if", parts[1])

    def block(self, parts: list[object]) -> tuple[object, ...]:
        return ("all", *parts)

    def skipped(self, parts: list[object]) -> None:
        return None


TOY = Grammar(
    files=("tests.languages.text:toy.lark",),
    builder=Builder,
    words={"NAME": "a name"},
    broken={"OPEN_STRING": "the text that begins here has no end"},
    starters=frozenset(("ALL", "PROCESS")),
    tops=frozenset(("PROCESS",)),
)


def read(text: str, limits: TextLimits | None = None) -> tuple[object, list[str]]:
    report = TextReport(Source("toy", text), limits or TextLimits())
    result = TOY.parse(report)
    return result, [str(fault) for fault in report.ordered()]


def first_lines(faults: list[str]) -> list[str]:
    return [fault.partition("\n")[0] for fault in faults]


def test_a_right_text_has_no_faults() -> None:
    assert read("process p { a(x, y); all { b(); } if (c) d(); }") == ([("p", ["a", ("all", "b"), ("if", "d")])], [])


def test_a_fault_shows_the_line_and_points_at_the_place() -> None:
    _, faults = read("process p {\n\ta(x y);\n}")
    assert faults == ["toy:2:6: error syntax: expected ')' or ',', found 'y'\n    2 | \ta(x y);\n      | \t    ^"]


def test_a_missing_sign_is_told_behind_what_it_should_follow_and_nothing_is_lost() -> None:
    result, faults = read("process p {\n  a(x)\n  b(y;\n  c()\n}")
    assert result == [("p", ["a", "b", "c"])]
    assert first_lines(faults) == [
        "toy:2:7: error syntax: ';' is missing after ')'",
        "toy:3:6: error syntax: ')' is missing after 'y'",
        "toy:4:6: error syntax: ';' is missing after ')'",
    ]


def test_an_open_block_is_closed_before_what_can_only_stand_outside() -> None:
    result, faults = read("process p {\n  all {\n    a();\nprocess q {\n  b();\n}")
    assert result == [("p", [("all", "a")]), ("q", ["b"])]
    assert first_lines(faults) == [
        "toy:3:9: error syntax: '}' is missing after ';'; the '{' of line 2 is still open",
    ]


def test_every_wrong_statement_is_told_once_and_the_rest_is_read() -> None:
    text = "process p {\n  a(1 2 3);\n  b(x);\n  c d e f;\n  all { d(); }\n  if x e();\n  f();\n}"
    result, faults = read(text)
    assert [re.match(r"toy:(\d+)", fault)[1] for fault in faults] == ["2", "4", "6"]  # type: ignore[index]
    assert isinstance(result, list)
    assert "f" in result[0][1]
    assert ("all", "d") in result[0][1]


def test_a_wrong_block_is_skipped_with_all_that_is_in_it() -> None:
    result, faults = read("process p {\n  al { a(; }\n  b();\n}")
    assert result == [("p", ["b"])]
    assert len(faults) == 1


def test_a_near_word_is_proposed() -> None:
    _, faults = read("proces p { }")
    assert "did you mean 'process'?" in faults[0]


def test_a_word_of_the_language_is_a_name_where_only_a_name_can_stand() -> None:
    assert read("process all { a(if, all); }") == ([("all", ["a"])], [])


def test_a_sign_without_meaning_and_a_text_without_end_are_told() -> None:
    _, faults = read('process p {\n  a(§);\n  b("x);\n}')
    assert "'§' means nothing here" in faults[0]
    assert "the text that begins here has no end" in faults[1]


def test_a_long_line_is_cut_around_the_place() -> None:
    _, faults = read("process p { " + "a(); " * 400 + "a(1); " + "b(); " * 400 + "}")
    assert all(len(line) < 130 for line in faults[0].splitlines())
    line, marks = faults[0].splitlines()[1:]
    assert line[marks.index("^")] == "1"


def test_what_nests_too_deep_is_refused() -> None:
    result, faults = read("process p { " + "all {" * 200 + "a();" + "}" * 200 + "}")
    assert result is None
    assert "nested more than 100 deep" in faults[0]


def test_no_more_faults_than_allowed_are_told() -> None:
    _, faults = read("process p {" + "a(1);\n" * 1000 + "}", TextLimits(faults=7))
    assert len(faults) == 7


def test_a_text_of_more_signs_than_allowed_is_refused_before_it_is_parsed() -> None:
    result, faults = read("process p {" + "a(1);\n" * 1000 + "}", TextLimits(signs=50))
    assert result is None
    assert len(faults) == 1
    assert "the text has more than 50 words and signs" in faults[0]


def test_a_fault_as_data_has_its_place_and_what_was_expected() -> None:
    report = TextReport(Source("toy", "process { }"))
    TOY.parse(report)
    [fault] = report.faults
    assert isinstance(fault, TextFault)
    assert (fault.line, fault.column, fault.end_column, fault.expected) == (1, 9, 10, ("a name",))


WORDS = ["process", "p", "{", "}", "(", ")", ";", ",", "if", "all", "a", '"', "§", "\n", '"x"', "1"]


@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_no_text_hangs_or_breaks_the_parser(words: list[str]) -> None:
    read(" ".join(words))
