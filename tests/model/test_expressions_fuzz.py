"""Expressions against Python itself, and against whoever would break out of them or make them never end."""

import functools
import math
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from weft.model.expressions import (
    Expression,
    ExpressionError,
    ExpressionFault,
    Limits,
    compile_expression,
    literal,
)
from weft.model.types import Field, ObjectClass, Type, check, fits, parse

SECONDS_MAX = 5.0  # far above what any of these takes, so that a slow machine does not fail
CLASSES = {"Order": ObjectClass("Order", None, {"cents": Field("int")})}
SCOPE: dict[str, Type] = {
    "i": parse("int"),
    "j": parse("int"),
    "f": parse("float"),
    "b": parse("bool"),
    "s": parse("str"),
    "t": parse("str"),
    "xs": parse("list[int]"),
    "ys": parse("list[int]"),
    "d": parse("dict[str, int]"),
    "z": parse("null"),
}
FUNCTIONS = {f.__name__: f for f in (len, min, max, sum, abs, round, any, all, str, int, float)}

environments = st.fixed_dictionaries(
    {
        "i": st.integers(-1000, 1000),
        "j": st.integers(-3, 3),
        "f": st.floats(-1e9, 1e9),
        "b": st.booleans(),
        "s": st.text("ab0", max_size=5),
        "t": st.text("ab0", max_size=2),
        "xs": st.lists(st.integers(-5, 5), max_size=5),
        "ys": st.lists(st.integers(-5, 5), max_size=3),
        "d": st.dictionaries(st.sampled_from("ab0"), st.integers(-5, 5)),
        "z": st.none(),
    }
)


def joined(left: st.SearchStrategy[str], operators: list[str], right: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds("{} {} {}".format, left, st.sampled_from(operators), right)


def bracketed(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return inner.map("({})".format)


@functools.cache
def sources(kind: str = "any", levels: int = 3) -> st.SearchStrategy[str]:
    """Texts of expressions that are nearly always of that kind, with few brackets, so that precedence matters."""
    if kind == "any":
        return st.one_of([sources(one, levels) for one in ("number", "text", "list", "truth")])
    leaves = {
        "number": st.sampled_from(["i", "j", "f", "d['a']", "xs[0]", "len(xs)"]) | st.integers(0, 9).map(str),
        "text": st.sampled_from(["s", "t", "'ab'", '"0"', "s[j]", "s[1:]"]),
        "list": st.sampled_from(["xs", "ys", "[i, 2]", "[]", "xs[:j]", "ys[1:]"]),
        "truth": st.sampled_from(["b", "True", "z is None", "'a' in d", "not b", "i == 0", "s != 'a'"]),
    }
    if levels == 0:
        return leaves[kind]

    def part(of: str) -> st.SearchStrategy[str]:
        inner = sources(of, levels - 1)
        return inner | bracketed(inner)

    def safe(of: str) -> st.SearchStrategy[str]:
        return bracketed(sources(of, levels - 1))

    shapes = {
        "number": [
            joined(part("number"), ["+", "-", "*", "/", "//", "%"], part("number")),
            joined(safe("number"), ["+", "-", "*"], part("number")),
            part("number").map("-{}".format),
            st.builds("min({}, {})".format, part("number"), part("number")),
            st.builds("max({}, {}, {})".format, part("number"), part("number"), part("number")),
            st.builds("{}({})".format, st.sampled_from(["sum", "len", "min"]), part("list")),
            st.builds("{}({})".format, st.sampled_from(["abs", "round", "int", "float"]), part("number")),
            st.builds("{}[{}]".format, safe("list"), part("number")),
            part("text").map("len({})".format),
        ],
        "text": [
            joined(part("text"), ["+"], part("text")),
            st.builds("{} * {}".format, safe("text"), st.integers(0, 3)),
            part("number").map("str({})".format),
            st.builds(
                "{}[{}:{}]".format, safe("text"), st.sampled_from(["", "1", "-2"]), st.sampled_from(["", "j", "2"])
            ),
            part("text").map("min({}, 'b')".format),
        ],
        "list": [
            joined(part("list"), ["+"], part("list")),
            st.builds("{} * {}".format, safe("list"), st.integers(0, 3)),
            st.builds("[{}, {}]".format, part("number"), part("number")),
            st.builds("{}[{}:]".format, safe("list"), st.sampled_from(["", "1", "j"])),
        ],
        "truth": [
            joined(part("number"), ["==", "!=", "<", "<=", ">", ">="], part("number")),
            joined(part("text"), ["==", "!=", "<", ">", "in", "not in"], part("text")),
            joined(part("list"), ["==", "!=", "<", ">="], part("list")),
            joined(part("number"), ["in", "not in"], part("list")),
            joined(joined(part("number"), ["<", "=="], safe("number")), ["<", ">="], part("number")),
            joined(part("truth"), ["and", "or"], part("truth")),
            part("truth").map("not {}".format),
            part("list").map("any({})".format),
            part("list").map("all({})".format),
        ],
    }
    condition = safe("truth") | leaves["truth"]  # Python takes no conditional there without brackets
    either = st.builds("{} if {} else {}".format, part(kind), condition, part(kind))
    return st.one_of([*shapes[kind], either, leaves[kind]])


def same(ours: object, theirs: object) -> bool:
    if isinstance(ours, float) and isinstance(theirs, float) and math.isnan(theirs):
        return math.isnan(ours)
    return type(ours) is type(theirs) and repr(ours) == repr(theirs)


@settings(max_examples=1500, deadline=None)
@given(sources(), environments)
@example("1 if b else 2 if i else 3", {"b": False, "i": 0})
@example("not i == j and b or - i ", {"b": True, "i": 0, "j": 3})
def test_an_expression_means_what_python_means(text: str, environment: dict[str, object]) -> None:
    expression: Expression | None = None
    try:
        expression = compile_expression(text, None, {})
        ours: object = expression(environment)
    except ExpressionFault as fault:
        pytest.fail(f"{text!r} was refused: {fault}")
    except ExpressionError as error:
        ours = error
    try:
        theirs: object = eval(text, {"__builtins__": FUNCTIONS}, environment)
    except (TypeError, ValueError, IndexError, KeyError, ZeroDivisionError, OverflowError) as error:
        theirs = error
    if isinstance(theirs, Exception):
        assert isinstance(ours, ExpressionError), (text, ours, theirs)
    else:
        assert same(ours, theirs), (text, ours, theirs)


@settings(max_examples=500, deadline=None)
@given(sources(), environments)
def test_the_type_that_was_found_is_that_of_the_value(text: str, environment: dict[str, object]) -> None:
    try:
        expression = compile_expression(text, SCOPE, CLASSES)
        value = expression(environment)
    except (ExpressionFault, ExpressionError):
        return
    if not (isinstance(value, float) and not math.isfinite(value)):
        assert check(value, expression.type, CLASSES) is None or isinstance(value, bool), (text, value, expression.type)
    assert fits(expression.type, expression.type, CLASSES)


FRAGMENTS = [
    '(', ')', '[', ']', '{', '}', ',', ':', '.', '+', '-', '*', '/', '//', '%', '**', '<', '>', '==', '!=', '<=',
    'in', 'not', 'is', 'and', 'or', 'if', 'else', 'None', 'True', 'null', 'i', 'xs', 's', 'd', 'order', '.cents',
    'len(', 'min(', 'str(', 'round(', "'a'", '"b"', "'", '"', '\\', '0', '1', '9999999999', '1e308', '1.5',
    '0x1F', "f'", "r'", 'lambda', 'for', ':=', '=', '~', '@', '__class__', '#', "'%s'", '1000000', '[0]', '(1,)',
    "{'a':", '1}', '[1:]', '[-1]', 'int(', 'float(', 'sum(', 'any(', 'all(', 'abs(', 'max(', '\n',
]  # fmt: skip
fragments = st.sampled_from(FRAGMENTS)
mutations = st.lists(fragments, max_size=40).map(" ".join) | st.lists(fragments, max_size=30).map("".join)
OPEN_ENVIRONMENT: dict[str, object] = {
    "i": 2**60,
    "xs": list(range(3000)),
    "s": "ab" * 50_000,
    "d": {"a": {"b": [1.5]}},
    "order": {"cents": 9},
}


def attempt(text: str) -> None:
    """Compiles and evaluates in bounded time, or raises one of ours."""
    began = time.process_time()
    for scope in (None, SCOPE | {"order": parse("Order")}):
        failed = failure(text, scope)
        assert len(str(failed)) < 1000
        if isinstance(failed, ExpressionFault):
            assert 1 <= failed.column <= len(text) + 1
    assert time.process_time() - began < SECONDS_MAX


def failure(text: str, scope: dict[str, Type] | None) -> Exception | None:
    try:
        compile_expression(text, scope, CLASSES)(OPEN_ENVIRONMENT)
    except (ExpressionFault, ExpressionError) as error:
        return error
    return None


@settings(max_examples=3000, deadline=None)
@given(mutations)
def test_pieces_of_expressions_are_never_more_than_refused(text: str) -> None:
    attempt(text)


@settings(max_examples=1000, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_never_more_than_refused(text: str) -> None:
    attempt(text)


@settings(max_examples=1000, deadline=None)
@given(sources(), st.data())
def test_a_damaged_expression_is_never_more_than_refused(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    to = data.draw(st.integers(at, len(text)))
    attempt(text[:at] + data.draw(fragments | st.text(max_size=5)) + text[to:])


@settings(max_examples=300, deadline=None)
@given(fragments, fragments, fragments, st.integers(1, 30_000))
def test_repetition_is_bounded(before: str, repeated: str, after: str, times: int) -> None:
    attempt(before + f" {repeated} " * times + after)
    attempt((before + repeated) * times + after)


ESCAPES = [
    "().__class__.__bases__[0].__subclasses__()",
    "''.__class__.__mro__[1]",
    "order.__class__",
    "order.__dict__['x']",
    "xs.__len__",
    "len.__self__",
    "len.__globals__",
    "s.format(order)",
    "'{0.__class__}'.format(order)",
    "'{0.__class__}'.format_map(d)",
    "'%s' % order",
    "'%1000000000d' % i",
    "f'{order.__class__}'",
    "F'{i}'",
    "rf'{i}'",
    "[x for x in ().__class__.__base__.__subclasses__()]",
    "{x for x in xs}",
    "{x: x for x in xs}",
    "(x for x in xs)",
    "sum(x for x in xs)",
    "(lambda: 1)()",
    "(lambda x=__import__('os'): x)()",
    "lambda: (yield)",
    "type(i)",
    "type('X', (), {})",
    "getattr(order, 'cents')",
    "setattr(order, 'cents', 1)",
    "globals()",
    "locals()",
    "vars()",
    "dir()",
    "open('/etc/passwd')",
    "eval('1')",
    "exec('1')",
    "compile('1', '', 'eval')",
    "input()",
    "breakpoint()",
    "__import__('os').system('true')",
    "__builtins__",
    "__builtins__['eval']",
    "import os",
    "(i := 1)",
    "i = 1",
    "i; i",
    "del i",
    "yield i",
    "await i",
    "*xs",
    "[*xs]",
    "{**d}",
    "len(*xs)",
    "round(number=1)",
    "min(xs, key=len)",
    "max(xs, default=1)",
    "int('1', 36)",
    "9 ** 9 ** 9",
    "pow(9, 9999999)",
    "1 << 10000000000",
    "range(10000000000)",
    "list(range(9))",
    "bytes(10000000000)",
    "b'a' * 10",
    "i.real",
    "i.bit_length()",
    "1.0.hex()",
    "s.encode",
    "xs.append(1)",
    "xs.sort",
    "d.items()",
    "d.pop('a')",
    "len.x",
    "len[0]",
    "(len)(xs)",
    "str(xs).join",
    "min(xs)(1)",
    "...",
    "1j",
    "'a' @ 'b'",
    "`i`",
    "i++",
    "print(1)",
    "\N{MATHEMATICAL BOLD SMALL L}en(xs)",
    "order._cents",
    "order.c\N{COMBINING ACUTE ACCENT}ents",
    "_＿class_＿",
    "ｏrder.cents",
]


@pytest.mark.parametrize("text", ESCAPES)
def test_known_ways_out_are_refused_when_compiled(text: str) -> None:
    with pytest.raises(ExpressionFault):
        compile_expression(text, SCOPE | {"order": parse("Order")}, CLASSES)


@pytest.mark.parametrize("text", ESCAPES)
def test_known_ways_out_fail_without_a_scope_too(text: str) -> None:
    try:
        expression = compile_expression(text, None, CLASSES)
    except ExpressionFault:
        return
    with pytest.raises(ExpressionError):
        expression({"order": {}, "i": 1, "d": {}, "s": "", "xs": []})


HOSTILE = [
    "(" * 65_536,
    "(" * 30_000 + ")" * 30_000,
    "[" * 65_536,
    "{'a':" * 13_000,
    "-" * 65_535 + "1",
    "not " * 16_383 + "1",
    "1" + "+1" * 32_000,
    "1" + "*9" * 32_000,
    "i" + "*i" * 32_000,
    "1" + "<1" * 32_000,
    "s" + "+s" * 32_000,
    "xs" + "+xs" * 21_000,
    "xs" + "==xs" * 16_000,
    "[" + "xs," * 21_000 + "] == [" + "xs," * 10 + "]",
    "[s]" + "*9" * 32_000,
    "str(" * 16_000,
    "i" + "[0]" * 21_000,
    "order" + ".cents" * 10_000,
    "'" * 65_535,
    '"' + "\\" * 65_534,
    "'" + "\\x41" * 16_000 + "'",
    "#" * 65_536,
    "#\n" * 32_000,
    " " * 65_536,
    "\n" * 65_536,
    "9" * 65_536,
    "9_" * 32_768,
    "0x" + "f" * 65_000,
    "1e" + "9" * 65_000,
    "0." + "0" * 65_000,
    "." * 65_536,
    "a" * 65_536,
    "a " * 32_768,
    "1 if 1 else " * 5_000 + "1",
    "i if i else " * 5_000 + "1",
    "i in " * 13_000 + "xs",
    "'ab' in s or " * 5_000 + "1",
    "'" + "a" * 90 + "b' in s or " * 600 + "1",
    "sum(xs) + " * 6_500 + "1",
    "len(xs + xs) + " * 4_000 + "1",
    "len(s + s) + " * 4_000 + "1",
    "len(s[1:]) + " * 4_000 + "1",
    "(s < s) + " * 6_000 + "1",
    "len(str(xs)) + " * 4_000 + "1",
    "[[[[[[xs] * 9] * 9] * 9] * 9] * 9] * 9",
    "[[[[[xs, xs], [xs, xs]], [[xs, xs], [xs, xs]]]]]" * 1,
    "min(" + "xs, " * 16_000 + "xs)",
    "round(i, -1000) + " * 3_000 + "1",
    "int('" + "9" * 999 + "') * 1 + " * 60 + "1",
    "int('9' * 1000000)",
    "float('9' * 1000000)",
    "{" + "'a': xs, " * 7_000 + "}",
    "1" * 65_537,
]


@pytest.mark.parametrize("text", HOSTILE, ids=[f"{n}: {text[:12]!r}" for n, text in enumerate(HOSTILE)])
def test_hostile_texts_take_bounded_time(text: str) -> None:
    attempt(text)


plain_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)


@settings(deadline=None)
@given(plain_values)
def test_a_literal_is_an_expression_for_its_value(value: object) -> None:
    expression = compile_expression(literal(value), {}, {}, Limits(value=1_000_000))
    assert same(expression({}), value)
    assert expression.names == frozenset()
