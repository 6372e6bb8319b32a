"""XPath over plain values gives what libxml2 gives over the same values as XML."""

import contextlib
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from weft.model.expression_meter import ExpressionError, Meter
from weft.model.expressions import ExpressionFault, Limits, compile_expression
from weft.model.xpath import xpath, xpath_data
from weft.model.xpath_functions import string
from weft.model.xpath_syntax import parse_xpath, variables

VALUES = {
    "i": {"a": "5", "b": ["x", "y"], "@unit": "m"},
    "order": {"item": [{"sku": "lamp", "count": 3}, {"sku": "rug", "count": 1}], "paid": True},
    "text": "hello  world",
    "none": None,
}


def asked(text: str, values: object = VALUES) -> object:
    return xpath([text, values], Meter(Limits()))


def as_xml(values: dict[str, object]) -> etree._Element:
    root = etree.Element("data")
    for name, value in values.items():
        add(root, name, value)
    return root


def add(parent: etree._Element, name: str, value: object) -> None:
    for one in value if isinstance(value, list) else [value]:
        element = etree.SubElement(parent, name)
        if isinstance(one, dict):
            for key, inner in one.items():
                if key.startswith("@"):
                    element.set(key[1:], str(inner))
                else:
                    add(element, key, inner)
        elif one is not None:
            element.text = str(one).lower() if isinstance(one, bool) else str(one)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$i/a + 1", 6),
        ("$i/a = 5 and $i/b = 'y'", True),
        ("/data/i/a < 10", True),
        ("$i/b[2]", ["y"]),
        ("$i/b[last()] | $i/a", ["5", "y"]),
        ("$i/@unit", ["m"]),
        ("count($order/item[count > 2])", 1),
        ("sum($order//count) div 2", 2),
        ("string($order/item[sku = 'rug']/count)", "1"),
        ("normalize-space($text)", "hello world"),
        ("string-length($text/text())", 12),
        ("boolean($none)", True),
        ("boolean($none/x)", False),
        ("$order/paid = 'true'", True),
        ("substring('12345', 1.5, 2.6)", "234"),
        ("translate('bar', 'abc', 'AB')", "BAr"),
        ("substring-before('1999/04', '/')", "1999"),
        ("$order/item[1]/../paid", [True]),
        ("-(3 - 5) mod 3", 2),
        ("concat(name($i/*[1]), ':', position())", "a:1"),
        ("$i/gwdl:a", ["5"]),
        ("not($i/missing)", True),
        ("div div div", None),
    ],
)
def test_what_a_text_gives(text: str, expected: object) -> None:
    if expected is None:
        with pytest.raises(ExpressionError, match="NaN"):
            asked(text)
    else:
        assert asked(text) == expected


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("$i/b", {"b": ["x", "y"]}),
        ("$i/a | $order/paid", {"a": "5", "paid": True}),
        ("$i/a + 1", {"number": 6}),
        ("$i/a > 1", {"boolean": True}),
        ("concat('a', 'b')", {"string": "ab"}),
    ],
)
def test_the_data_of_a_token(text: str, data: object) -> None:
    assert xpath_data([text, VALUES], Meter(Limits())) == data


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a value, found the end"),
        ("$i/a <", "expected a value, found the end"),
        ("$i/ancestor::x", "there are the axes child, attribute, self and parent"),
        ("document('file:///etc/passwd')", "there is no XPath function 'document'"),
        ("count()", "count takes 1 arguments, not 0"),
        ("$i/a)", "the XPath should end here, found )"),
        ("$i/a # 1", "can't be read as XPath"),
        ("(" * 100, "nested 60 deep"),
        ("1" * 20_000, "10000 characters"),
    ],
)
def test_what_can_t_be_read(text: str, message: str) -> None:
    with pytest.raises(ExpressionFault) as caught:
        parse_xpath(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["$nobody", "1/a", "1 | 2", "1 div 0"])
def test_what_fails_on_values(text: str) -> None:
    with pytest.raises(ExpressionError):
        asked(text)


def test_the_variables_of_a_text() -> None:
    assert variables(parse_xpath("$i/a[$n] + sum(/data/order/item) > -$x | 3")) == {"i", "n", "order", "x"}


def test_an_expression_may_ask_by_xpath_and_a_wrong_text_is_found_early() -> None:
    assert compile_expression('xpath("$i/a + 1", {"i": i}) > 5', None, {})({"i": {"a": 5}}) is True
    with pytest.raises(ExpressionFault, match="character 4 of the XPath"):
        compile_expression('xpath("$i/a[", {"i": i})'.replace("/a[", "[)"), None, {})


def test_a_costly_text_is_stopped() -> None:
    wide = {"i": {"a": ["1"] * 300}}
    with pytest.raises(ExpressionError, match="steps"):
        asked("count($i/a[count(/data/i/a) > 2])", wide)
    deep: object = "x"
    for _ in range(200):
        deep = {"a": deep}
    with pytest.raises(ExpressionError, match="levels"):
        asked("count(//a)", {"i": deep})


# Beside libxml2.

NAMES = st.sampled_from(["a", "b", "c"])
LEAVES = st.sampled_from(["1", "2", "x", "", "3.5", "true"]) | st.none()
TREES = st.recursive(
    LEAVES,
    lambda inner: st.dictionaries(NAMES, inner | st.lists(inner, min_size=1, max_size=3), max_size=3),
    max_leaves=8,
)
STEPS = st.sampled_from(
    ["a", "b", "*", "a[1]", "*[last()]", "b[a]", ".", "..", "text()", "*[. = 2]", "*[position() > 1]"]
)
PATHS = st.builds(
    lambda start, steps, slash: start + "".join(slash + step for step in steps),
    st.sampled_from(["/data/i", "/data", "/data/*", "//a", "(//b)[1]"]),
    st.lists(STEPS, max_size=3),
    st.sampled_from(["/", "//"]),
)
SCALARS = (
    st.sampled_from(["1", "0", "'x'", "'2'", "true()"])
    | st.builds("count({})".format, PATHS)
    | st.builds("string({})".format, PATHS)
    | PATHS
)
TEXTS = PATHS | st.builds(
    "{} {} {}".format, SCALARS, st.sampled_from(["=", "!=", "<", ">=", "+", "-", "*", "and", "or", "|"]), SCALARS
)


@settings(max_examples=400, deadline=None)
@given(TREES, TEXTS)
def test_it_gives_what_libxml2_gives(tree: object, text: str) -> None:
    values = {"i": tree}
    document = etree.ElementTree(as_xml(values))
    try:
        expected = document.xpath(text)
    except etree.XPathError:
        return
    if isinstance(expected, list):
        for asks in (f"count({text})", f"string({text})"):
            assert xpath([asks, values], Meter(Limits())) == document.xpath(asks)
    elif isinstance(expected, float) and not math.isfinite(expected):
        assert xpath([f"string({text})", values], Meter(Limits())) == string(expected)
    else:
        assert xpath([text, values], Meter(Limits())) == expected


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="$ia/[]()*@.|=<>+- '\"10dvmo:,", max_size=25))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ExpressionFault, ExpressionError):
        asked(text)
