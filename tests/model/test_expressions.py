"""Expressions: what they accept, what they mean, what they refuse and where, what they cost."""

import math

import pytest

from weft.model import types
from weft.model.expression_syntax import FUNCTIONS
from weft.model.expressions import (
    Expression,
    ExpressionError,
    ExpressionFault,
    Limits,
    compile_expression,
    literal,
)
from weft.model.types import Field, ObjectClass, Type, parse

CLASSES = {
    "Order": ObjectClass(
        "Order",
        None,
        {
            "cents": Field("int"),
            "note": Field("str", ""),
            "hours": Field("int", optional=True),
            "lines": Field("list[Line]", []),
            "_secret": Field("int", 0),
            "wrong": Field("list[", 0),
        },
    ),
    "Rush": ObjectClass("Rush", "Order", {"fee": Field("int", 7)}),
    "Line": ObjectClass("Line", None, {"item": Field("str")}),
}
SCOPE: dict[str, Type] = {
    name: parse(of)
    for name, of in {
        "n": "int",
        "f": "float",
        "b": "bool",
        "s": "str",
        "xs": "list[int]",
        "words": "list[str]",
        "d": "dict[str, int]",
        "order": "Order",
        "rush": "Rush",
        "maybe": "Order | null",
        "nothing": "null",
        "anything": "any",
        "lists": "list[list[int]]",
        "many": "int | str | list[int]",
        "file": "File",
        "due": "date",
        "choice": "1 | 'one'",
    }.items()
}
ORDER = {"cents": 900, "lines": [{"item": "tea"}]}
ENVIRONMENT: dict[str, object] = {
    "n": 7,
    "f": 2.5,
    "b": True,
    "s": "tea",
    "xs": [3, 1, 2],
    "words": ["b", "a"],
    "d": {"k": 1},
    "order": ORDER,
    "rush": ORDER | {"hours": 2},
    "maybe": None,
    "nothing": None,
    "anything": {"a": [1, "x"]},
    "lists": [[1], [2, 3]],
    "many": 5,
    "file": {"name": "f", "size": 3, "sha256": "", "reference": ""},
    "due": "2031-05-01",
    "choice": 1,
}


DEFAULT = Limits()


def compiled(text: str, limits: Limits = DEFAULT) -> Expression:
    return compile_expression(text, SCOPE, CLASSES, limits)


@pytest.mark.parametrize(
    ("text", "value", "of"),
    [
        ("n == 7", True, "bool"),
        ("n != 7", False, "bool"),
        ("n is None", False, "bool"),
        ("nothing is not None", False, "bool"),
        ("nothing == null", True, "bool"),
        ("s == 0", False, "bool"),
        ("1 < n <= 7 < 8", True, "bool"),
        ("1 < 0 < 1 / 0", False, "bool"),
        ("n > 7", False, "bool"),
        ("7 >= n", True, "bool"),
        ("s < 'z'", True, "bool"),
        ("lists < [[1], [3]]", True, "bool"),
        ("b < 2", True, "bool"),
        ("'e' in s", True, "bool"),
        ("2 not in xs", False, "bool"),
        ("'k' in d", True, "bool"),
        ("0 in d", False, "bool"),
        ("[1] in lists", True, "bool"),
        ("'b' in words", True, "bool"),
        ("n in [7, 'x']", True, "bool"),
        ("n not in (7, n)", False, "bool"),
        ("n in anything['a']", False, "bool"),
        ("not n == 7", False, "bool"),
        ("not b or b and n", 7, "bool | int"),
        ("n and s", "tea", "int | str"),
        ("0 or ''", "", "int | str"),
        ("n + 1", 8, "int"),
        ("n - 1 + 2 - 3", 5, "int"),
        ("n * f", 17.5, "float"),
        ("n / 2", 3.5, "float"),
        ("n // 2 % 2", 1, "int"),
        ("-7 // 2", -4, "int"),
        ("-n", -7, "int"),
        ("+f", 2.5, "float"),
        ("- -b", 1, "int"),
        ("s + '!' * 2", "tea!!", "str"),
        ("2 * s", "teatea", "str"),
        ("s * -1", "", "str"),
        ("xs + [n]", [3, 1, 2, 7], "list[int]"),
        ("xs * 2", [3, 1, 2, 3, 1, 2], "list[int]"),
        ("0 * xs", [], "list[int]"),
        ("xs + words", [3, 1, 2, "b", "a"], "list[int | str]"),
        ("many + 1", 6, "int"),
        ("anything['a'][0] + 1", 2, "any"),
        ("anything['a'][0] - 1", 0, "any"),
        ("anything['a'][0] / 1", 1.0, "float"),
        ("-anything['a'][0]", -1, "any"),
        ("n if b else s", 7, "int | str"),
        ("'a' if n < 5 else 'b' if n < 8 else 'c'", "b", "str"),
        ("xs[0]", 3, "int"),
        ("xs[-1]", 2, "int"),
        ("s[1]", "e", "str"),
        ("d['k']", 1, "int"),
        ("lists[1][0]", 2, "int"),
        ("many[0] if 0 else 1", 1, "str | int"),
        ("xs[1:]", [1, 2], "list[int]"),
        ("xs[:-1]", [3, 1], "list[int]"),
        ("s[:]", "tea", "str"),
        ("s[n:n + 1]", "", "str"),
        ("xs[None:2]", [3, 1], "list[int]"),
        ("anything['a'][1:]", ["x"], "any"),
        ("(many if 0 else s)[0:1]", "t", "list[int] | str"),
        ("order.cents", 900, "int"),
        ("order.note", "", "str"),
        ("order.hours", None, "int | null"),
        ("order['cents']", 900, "int"),
        ("order['other'] if 0 else 1", 1, "any"),
        ("order[s] if 0 else 1", 1, "any"),
        ("order.lines[0].item", "tea", "str"),
        ("rush.cents + rush.hours", 902, "int"),
        ("rush.fee", 7, "int"),
        ("file.size > 2", True, "bool"),
        ("maybe is not None and maybe.cents > 5", False, "bool"),
        ("len(xs) + len(s) + len(d)", 7, "int"),
        ("min(xs)", 1, "int"),
        ("max(n, f)", 7, "int | float"),
        ("max(words)", "b", "str"),
        ("min(s, 'a')", "a", "str"),
        ("sum(xs)", 6, "int"),
        ("sum([f, 1])", 3.5, "int | float"),
        ("sum([])", 0, "any"),
        ("abs(-n)", 7, "int"),
        ("choice + 'x' if 0 else choice", 1, 'str | 1 | "one"'),
        ("xs * n if 0 else many * n if 0 else 1", 1, "any"),
        ("float(n - 2) / 2", 2.5, "float"),
        ("round(f)", 2, "int"),
        ("round(2.675, 1)", 2.7, "float"),
        ("round(n, -1)", 10, "int"),
        ("round(2.7, None if b else 1)", 3, "any"),
        ("any(xs)", True, "bool"),
        ("all([b, 0])", False, "bool"),
        ("str(n) + str(f) + str(None) + str(True)", "72.5NoneTrue", "str"),
        ("str(xs)", "[3, 1, 2]", "str"),
        ("int('12') + int(f) + int(b)", 15, "int"),
        ("float(n) + float('1.5')", 8.5, "float"),
        ("due < '2032-01-01'", True, "bool"),
        ("[n, 'x', [1], (2,), ()]", [7, "x", [1], [2], []], "list[int | str | list[int] | list[any]]"),
        ("{'a': n, s: f}", {"a": 7, "tea": 2.5}, "dict[str, int | float]"),
        ("{}", {}, "dict[str, any]"),
        ("[1, 2,]", [1, 2], "list[int]"),
        ("{'a': 1,}['a']", 1, "int"),
        ("(n)", 7, "int"),
        ("None", None, "null"),
        ("1_000 + 0x1F + 0b11 + 0o7 + 0_0", 1041, "int"),
        ("1.5e3 + .5 + 1. + 1e2", 1601.5, "float"),
        ("'a' \"b\"\n r'\\d'", "ab\\d", "str"),
        (r"'\x41\u00e9\U0001F600\n\\\'\101'", "Aé😀\n\\'A", "str"),
        ("\n n # the number\n + 1 # more", 8, "int"),
    ],
)
def test_an_expression_has_a_value_and_a_type(text: str, value: object, of: str) -> None:
    expression = compiled(text)
    result = expression(ENVIRONMENT)
    assert result == value
    assert type(result) is type(value)
    assert types.text(expression.type) == of


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "expected a value, found the end"),
        ("n +", 4, "expected a value, found the end"),
        ("n s", 3, "the expression should end here, found s"),
        ("1, 2", 2, "the expression should end here; a list is written [a, b], found ,"),
        ("(n", 3, "expected ',' or ')', found the end"),
        ("[n s]", 4, "expected ',' or ']', found s"),
        ("xs[n", 5, "expected ']' after the index, found the end"),
        ("xs[1:n", 7, "expected ']' after the slice, found the end"),
        ("xs[1, 2]", 5, "expected ']' after the index; a list is written [a, b], found ,"),
        ("xs[::2]", 5, "a slice has a start and a stop, and no step"),
        ("{n}", 3, "there are no sets; a list is written [a, b]"),
        ("{'a' 1}", 6, "expected ':' after the key, found 1"),
        ("{'a': 1 'b': 2}", 9, "expected '}' after the last entry, found 'b'"),
        ("{1: 2}", 2, "a dict wants keys that are text, and this is int"),
        ("n if b", 7, "expected 'else' after the condition, found the end"),
        ("n not 1", 7, "expected 'in' after not, found 1"),
        ("n == not b", 6, "not binds less tightly than what is before it: write (not …)"),
        ("order.1", 6, "the expression should end here, found .1"),
        ("order.", 7, "expected the name of a field after '.', found the end"),
        ("*xs", 1, "* can't unpack a list here; join lists with +"),
        ("n ** 2", 3, "there is no power; multiply instead"),
        ("n << 2", 3, "there are no shifts; multiply instead"),
        ("n $ 2", 3, "$ has no meaning in an expression"),
        ("n \x00 2", 3, "an expression can't have the character '\\x00'"),
        ("'abc", 1, "this string is not closed before the end of the line"),
        ("'abc\n'", 1, "this string is not closed before the end of the line"),
        ("f'{n}'", 1, "there are no f-strings; join text with +, and turn a number into text with str"),
        ("b'x'", 1, "there are no bytes in an expression; leave the b away"),
        ("q'x'", 1, "a string can't follow 'q'"),
        (r"'a\d'", 3, "\\d is no escape; a backslash itself is written \\\\"),
        (r"'a\x4'", 3, "\\x is no escape; a backslash itself is written \\\\"),
        (r"'\U00110000'", 2, "\\U00110000 is no escape; a backslash itself is written \\\\"),
        (r"'\ud800'", 1, "this string has half of a surrogate pair, which UTF-8 can't hold"),
        ("n + '\ud800'", 6, "an expression can't have half of a surrogate pair"),
        ("1x", 1, "'1x' is not a number"),
        ("1.5.2", 1, "'1.5.' is not a number"),
        ("1" * 5000, 1, "this number is too large; ints may have 4096 bits"),
        ("1" * 1300, 1, "this number is too large; ints may have 4096 bits"),
        ("lambda: 1", 1, "a function can't be made in an expression"),
        ("await n", 1, "'await' has no meaning in an expression"),
        ("[x for x in xs]", 4, None),
        ("a.__class__", 3, "'__class__' can't be used: names with double underscores belong to Python itself"),
        ("n(1)", 1, None),
        ("'a'.join(words)", 5, "there are no methods; .join(…) can't be called"),
        (
            "xs[0](1)",
            6,
            "only functions can be called: " + ", ".join(sorted(FUNCTIONS)),
        ),
        ("len", 1, "len is a function; call it: len(…)"),
        ("len()", 1, "len takes 1, not 0"),
        ("round(1, 2, 3)", 1, "round takes 1 to 2, not 3"),
        ("len(n)", 1, "int has no length"),
        ("min(n)", 1, "min wants a list, and this is int"),
        ("any(s)", 1, "any wants a list, and this is str"),
        ("sum(words)", 1, "sum wants numbers, and this is str"),
        ("abs(s)", 1, "abs wants a number, and this is str"),
        ("round(f, s)", 1, "round wants its digits as an int, and this is str"),
        ("int(xs)", 1, "list[int] can't become int"),
        ("float(nothing)", 1, "null can't become float"),
        ("n - s", 3, "int - str can't be"),
        ("n + 1 + s", 7, "int + str can't be"),
        ("nothing + 1", 9, "null + int can't be"),
        ("s % n", 3, "% does not format text here; join text with + and str(…)"),
        ("-s", 1, "- wants a number, and this is str"),
        ("n < s", 3, "int < str can't be"),
        ("nothing in nothing", 9, "`in` wants a list, a dict or text, and this is null"),
        ("n - choice - xs", 12, "int - list[int] can't be"),
        ("d < d", 3, "dict[str, int] < dict[str, int] can't be"),
        ("n in f", 3, "`in` wants a list, a dict or text, and this is float"),
        ("n[0]", 2, "int has no item at int"),
        ("xs[s]", 3, "list[int] has no item at str"),
        ("d[n]", 2, "dict[str, int] has no item at int"),
        ("s[s]", 2, "str has no item at str"),
        ("order[n]", 6, "Order has no item at int"),
        ("n[1:]", 2, "int can't be sliced; a list or text can"),
        ("xs[s:]", 4, "a slice wants ints, and this is str"),
        ("xs['a':]", 4, "a slice wants ints"),
        ("nothing.cents", 9, "null has no fields"),
        ("n.real", 3, "only records of a declared class have fields, and this is int"),
        ("anything.a", 10, 'only records of a declared class have fields, and this is any; write ["a"]'),
        ("d.k", 3, 'only records of a declared class have fields, and this is dict[str, int]; write ["k"]'),
        ("order._secret", 7, "'_secret' can't be read: fields don't begin with _"),
        ("order.wrong", 7, "the type of this field is wrong: expected a type, found 'the end'"),
        ("unheard_of_name", 1, "there is no 'unheard_of_name'; there are n, f, b, s, xs, …"),
    ],
)
def test_a_wrong_expression_is_refused_at_its_place(text: str, column: int, message: str | None) -> None:
    with pytest.raises(ExpressionFault) as caught:
        compiled(text)
    assert caught.value.column == column
    assert message is None or caught.value.message == message


@pytest.mark.parametrize(
    ("text", "column", "suggestion"),
    [
        ("odrer.cents", 1, "order"),
        ("n == none", 6, "None"),
        ("b == true", 6, "True"),
        ("order.cent", 7, "cents"),
        ("rush.Fee", 6, "fee"),
        ("n = 7", 3, "=="),
        ("(n := 7)", 4, "=="),
        ("n && b", 3, "and"),
        ("n || b", 3, "or"),
        ("n & b", 3, "and"),
        ("!b", 1, "not"),
        ("~b", 1, "not"),
        ("n is 7", 3, "=="),
        ("n is not 7", 3, "!="),
        ("n == 007", 6, "7"),
    ],
)
def test_what_was_meant_is_suggested(text: str, column: int, suggestion: str) -> None:
    with pytest.raises(ExpressionFault) as caught:
        compiled(text)
    assert (caught.value.column, caught.value.suggestion) == (column, suggestion)
    assert str(caught.value).endswith(f"; did you mean {suggestion}?")


def test_a_function_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(ExpressionFault, match=r"there is no function 'print'; there are abs, all, .*sum"):
        compiled("print(1)")


def test_an_empty_scope_has_no_names() -> None:
    with pytest.raises(ExpressionFault, match="there is no 'n'; nothing can be named here"):
        compile_expression("n", {}, {})


def test_without_a_scope_every_name_is_allowed() -> None:
    expression = compile_expression("who.cents > 5 and other", None, CLASSES)
    assert expression.names == {"who", "other"}
    assert types.text(expression.type) == "any"
    assert expression({"who": {"cents": 9}, "other": 1}) == 1
    assert compile_expression("f.sha256", None, {})({"f": {"sha256": "x"}}) == "x"
    with pytest.raises(ExpressionFault, match="no declared object class has a field 'clas'"):
        compile_expression("who.clas", None, CLASSES)
    with pytest.raises(ExpressionError, match="the record lacks the field 'cents'"):
        expression({"who": {}})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("anything['b']", "there is no key 'b'"),
        ("anything[0]", "a key is text, not an int"),
        ("anything['a'][2]", "there is no item 2; a list of length 2 was given"),
        ("anything['a']['x']", "the index into a list is an int, not text"),
        ("anything['a'][0][0]", "an int has no items"),
        ("anything['a'][0:anything['a'][1]]", "a slice is between ints, not text"),
        ("anything[0:1]", "a dict can't be sliced; a list or text can"),
        ("anything + 1", "a dict and an int can't be added"),
        ("anything - 1", "a dict and an int can't be subtracted"),
        ("anything * 2", "a dict and an int can't be multiplied"),
        ("anything / 2", "a dict and an int can't be divided"),
        ("n / 0", "7 can't be divided by zero"),
        ("n // 0.0", "7 can't be divided by zero"),
        ("n % 0", "7 can't be divided by zero"),
        ("anything['a'][1] % 2", "% does not format text here; join text with + and str(…)"),
        ("-anything", "- wants a number, not a dict"),
        ("+anything", "+ wants a number, not a dict"),
        ("anything < 1", "a dict and an int can't be put in order"),
        ("1 > anything", "an int and a dict can't be put in order"),
        ("anything['a'] < ['x']", "these lists have parts that can't be put in order"),
        ("maybe.cents", "null has no field 'cents'"),
        ("1 in s", "only text can be in text, not an int"),
        ("s in anything['a'][0]", "nothing can be in an int; `in` wants a list, a dict or text"),
        ("len(anything['a'][0])", "an int has no length"),
        ("min(anything)", "min wants a list, not a dict"),
        ("max([])", "max of an empty list; test its length first"),
        ("max([s, n])", "max wants only numbers or only text; there is text among them"),
        ("min(lists)", "min wants only numbers or only text; there is a list among them"),
        ("sum(anything['a'])", "sum wants a number, not text"),
        ("abs(anything)", "abs wants a number, not a dict"),
        ("round(anything)", "round wants a number, not a dict"),
        ("round(f, 10000)", "round wants its digits as an int of at most 1000, not 10000"),
        ("round(f, n if 0 else f)", "round wants its digits as an int of at most 1000, not 2.5"),
        ("round(float('nan'))", "nan can't be rounded"),
        ("round(float('inf'))", "inf can't be rounded"),
        ("int(float('inf'))", "inf can't become an int"),
        ("int('x')", "'x' can't become an int"),
        ("int('1' * 2000)", "text of more than 1000 characters can't become an int"),
        ("int(anything)", "a dict can't become an int"),
        ("float('x')", "'x' can't become a float"),
        ("float('1' * 2000)", "text of more than 1000 characters can't become a float"),
        ("float(anything)", "a dict can't become a float"),
        ("float(HUGE)", "a very large int can't become a float"),
        ("HUGE / 1", "the int is too large to become a float"),
        ("HUGE * 1.0", "the int is too large to become a float"),
        ("HUGE + 1.0", "the int is too large to become a float"),
        ("sum([1.0, HUGE])", "the int is too large to become a float"),
        ("HUGE * HUGE", "the number gets too large, more than 4096 bits"),
        ("HUGER + 1", "the number gets too large, more than 4096 bits"),
        ("str(HUGER)", "the number gets too large, more than 4096 bits"),
        ("{anything['a'][0]: 1}", "a key is text, not an int"),
    ],
)
def test_what_can_not_be_evaluated_is_an_error_with_a_reason(text: str, message: str) -> None:
    scope = SCOPE | {"HUGE": types.INT, "HUGER": types.INT}
    environment = ENVIRONMENT | {"HUGE": 2**4000, "HUGER": 2**5000}
    expression = compile_expression(text, scope, CLASSES)
    with pytest.raises(ExpressionError) as caught:
        expression(environment)
    assert caught.value.message == message
    assert caught.value.text == text
    assert str(caught.value) == f"{message}, in: {text}"


def test_null_in_an_order_says_what_to_do() -> None:
    expression = compile_expression("x < 5", {"x": parse("int | null")}, {})
    with pytest.raises(ExpressionError, match="null and an int can't be put in order; test for None first"):
        expression({"x": None})


@pytest.mark.parametrize("text", ["x", "x == 1", "x < 1", "x + 1", "not x", "x in [1]", "1 < x < 2"])
def test_a_missing_value_is_an_error(text: str) -> None:
    with pytest.raises(ExpressionError, match="there is no value for 'x'"):
        compile_expression(text, None, {})({})


def test_a_long_text_is_shortened_in_the_error() -> None:
    with pytest.raises(ExpressionError) as caught:
        compiled("1 / 0" + " + 1" * 1000)(ENVIRONMENT)
    assert len(str(caught.value)) < 300
    assert str(ExpressionError("why")) == "why"


def test_foreign_values_are_told_by_their_python_type() -> None:
    with pytest.raises(ExpressionError, match="a Python set has no length"):
        compiled("len(anything)")({"anything": {1}})
    with pytest.raises(ExpressionError, match="a Python set can't become text"):
        compiled("str(anything)")({"anything": {1}})

    class Hostile:
        def __eq__(self, other: object) -> bool:
            raise TypeError("no")

        __hash__ = None  # type: ignore[assignment]

    with pytest.raises(ExpressionError, match="it can't be evaluated on these values: no"):
        compiled("anything == 1")({"anything": Hostile()})


def test_an_expression_names_what_it_reads() -> None:
    expression = compiled("n + len(xs) if b else order.cents")
    assert expression.names == {"n", "xs", "b", "order"}
    assert expression.text == "n + len(xs) if b else order.cents"
    assert repr(expression) == "Expression('n + len(xs) if b else order.cents')"
    with pytest.raises(AttributeError):
        expression.other = 1  # type: ignore[attr-defined]


def test_a_list_is_made_anew_each_time() -> None:
    expression = compiled("[1, 2]")
    first = expression({})
    assert isinstance(first, list)
    first.append(3)
    assert expression({}) == [1, 2]


# Bounds


def test_the_source_is_bounded() -> None:
    with pytest.raises(ExpressionFault, match="an expression may have 5 characters, this has 6"):
        compiled("n == 7", Limits(source=5))


@pytest.mark.parametrize(
    "text",
    [
        "(" * 60_000,
        "[" * 60_000,
        "-" * 60_000 + "n",
        "not " * 16_000 + "n",
        "(" * 101 + "n" + ")" * 101,
        "lists" + "[0]" * 101,
        "order" + ".lines" * 10_000,
        "str(" * 101 + "n" + ")" * 101,
        "[" * 101 + "]" * 101,
        "{'a': " * 101 + "1" + "}" * 101,
        "n if b else (" * 101 + "n" + ")" * 101,
        "(lists" + "[0]" * 60 + ")" + "[0]" * 60,
    ],
)
def test_nesting_is_bounded(text: str) -> None:
    with pytest.raises(ExpressionFault, match="an expression may be nested 100 deep"):
        compiled(text)


def test_nesting_past_python_s_own_stack_is_a_fault() -> None:
    with pytest.raises(ExpressionFault, match="nested"):
        compiled("(" * 5_000 + "n" + ")" * 5_000, Limits(nesting=10_000))
    with pytest.raises(ExpressionFault, match="nested too deep"):
        compile_expression("n" + "[0]" * 5_000, None, {}, Limits(nesting=10_000))


def test_long_chains_are_not_nested() -> None:
    assert compiled("n" + " + 1" * 10_000)(ENVIRONMENT) == 10_007
    assert compiled("n" + " and n" * 5_000)(ENVIRONMENT) == 7
    assert compiled("n" + " == n" * 5_000)(ENVIRONMENT) is True
    assert compiled("0 if n == 0 else " * 3_000 + "1")(ENVIRONMENT) == 1
    assert compiled("(" * 99 + "n" + ")" * 99)(ENVIRONMENT) == 7


LARGE = "the result would be larger than 262144 bytes"
LONG = "it takes more than 10000 steps; do this in a task"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("'a' * 1000000000", LARGE),
        ("1000000000 * 'a'", LARGE),
        ("[0] * 1000000000", LARGE),
        ("'a' * 200000 + 'b' * 200000", LARGE),
        ("s" + " * 1000" * 6, LARGE),
        ("[[0] * 1000] * 1000", LARGE),
        ("[big, big]", LARGE),
        ("{'a': big, 'b': big}", LARGE),
        ("big if 0 else [big, big]", LARGE),
        ("0 or [big, big]", LARGE),
        ("str([big, big])", LARGE),
        ("str(['\U000e0001' * 100000])", LARGE),
        ("numbers + numbers", LONG),
        ("[" + ", ".join(["numbers"] * 9) + "] == [" + ", ".join(["numbers"] * 9) + "]", LONG),
        ("numbers == copy and " * 2 + "True", LONG),
        ("numbers < copy or " * 2 + "False", LONG),
        ("[1] in [numbers, copy]", LONG),
        ("sum(numbers) + sum(numbers)", LONG),
        ("any(zeros) or any(zeros) or 1", LONG),
        ("max(numbers) + min(numbers)", LONG),
        ("str(numbers) + str(numbers)", LONG),
        ("numbers[1:] + numbers[1:]", LONG),
        ("n in numbers or n in numbers", LONG),
        ("long in words", LONG),
        (" + ".join(["len(big[1:])"] * 20), LONG),
        (" or ".join(["big == large"] * 20), LONG),
        (" or ".join(["big < large"] * 20), LONG),
        (" or ".join(["'" + "ab" * 50 + "' in big"] * 3), LONG),
    ],
)
def test_costs_and_sizes_are_bounded(text: str, message: str) -> None:
    big = "x" * 200_000
    environment = ENVIRONMENT | {
        "big": big,
        "large": "x" * 199_999 + "w",
        "numbers": list(range(10, 6010)),
        "copy": list(range(10, 6010)),
        "zeros": [0] * 6000,
        "long": "y" * 2560,
        "words": ["y"] * 1000,
    }
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text, None, {})(environment)
    assert caught.value.message == message


def test_a_large_value_may_be_passed_on() -> None:
    zeros = [0] * 100_000
    assert compile_expression("zeros if len(zeros) > 5 else None", None, {})({"zeros": zeros}) is zeros
    assert compile_expression("zeros[99999]", None, {})({"zeros": zeros}) == 0
    assert compile_expression("xs[0]", None, {}, Limits(value=10))({"xs": ["x" * 50]}) == "x" * 50
    assert compile_expression("([xs])[0]", None, {})({"xs": [0]}) == [0]


def test_limits_can_be_set() -> None:
    with pytest.raises(ExpressionError, match="it takes more than 2 steps"):
        compiled("sum(xs)", Limits(steps=2))(ENVIRONMENT)
    with pytest.raises(ExpressionError, match="larger than 3 bytes"):
        compiled("s + s", Limits(value=3))(ENVIRONMENT)
    assert compiled("sum(xs)", Limits(steps=3))(ENVIRONMENT) == 6


# Literals


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0,
        -5,
        2**70,
        1.5,
        -0.0,
        1e300,
        math.inf,
        -math.inf,
        "",
        'it\'s "x"\n\\\x00é😀',
        [],
        [1, [2]],
        {},
    ],
)
def test_a_literal_gives_its_value(value: object) -> None:
    result = compile_expression(literal(value), {}, {})({})
    assert result == value
    assert type(result) is type(value)


def test_literals_nest() -> None:
    value = {"a": [1, None, {"b'": "it's"}], "": {}}
    assert literal(value) == '{"a": [1, None, {"b\'": "it\'s"}], "": {}}'
    assert compile_expression(literal(value), {}, {})({}) == value
    assert literal((1,)) == "[1]"
    assert literal(math.nan) == 'float("nan")'


def test_what_is_not_plain_has_no_literal() -> None:
    deep: object = 1
    for _ in range(101):
        deep = [deep]
    for value, message in (
        (deep, "nested more than 100 deep"),
        ({1: 2}, "keys are not all text"),
        ({1}, "a set has no"),
    ):
        with pytest.raises(ValueError, match=message):
            literal(value)
