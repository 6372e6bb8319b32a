"""What the operators of expressions do to plain values, each bounded before it is done."""

import operator
from collections.abc import Callable
from typing import NoReturn

from weft.model.expression_meter import (
    CHARACTERS_A_STEP,
    NUMBERS,
    ExpressionError,
    Meter,
    bounded,
    float_sized,
    kind_of,
    number_for,
    shown,
)
from weft.model.expression_tokens import INT_BITS_MAX

_SEARCHED_A_STEP = 4_096


def _refuse(verb: str, left: object, right: object) -> NoReturn:
    hint = "; test for None first" if left is None or right is None else ""
    raise ExpressionError(f"{kind_of(left)} and {kind_of(right)} can't be {verb}{hint}")


def _are_numbers(left: object, right: object) -> bool:
    if type(left) in NUMBERS and type(right) in NUMBERS:
        bounded(left)  # type: ignore[arg-type]
        bounded(right)  # type: ignore[arg-type]
        return True
    return False


def add(left: object, right: object, meter: Meter) -> object:
    if _are_numbers(left, right):
        return bounded(float_sized(operator.add, left, right))
    if isinstance(left, str) and isinstance(right, str):
        meter.room(len(left) + len(right))
        meter.text(len(left) + len(right))
        return left + right
    if isinstance(left, list) and isinstance(right, list):
        meter.room(meter.walk(left) + meter.walk(right))
        return left + right
    _refuse("added", left, right)


def subtract(left: object, right: object, meter: Meter) -> object:
    if _are_numbers(left, right):
        return bounded(float_sized(operator.sub, left, right))
    _refuse("subtracted", left, right)


def multiply(left: object, right: object, meter: Meter) -> object:
    if _are_numbers(left, right):
        if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right.bit_length() > INT_BITS_MAX:
            raise ExpressionError(f"the number gets too large, more than {INT_BITS_MAX} bits")
        return float_sized(operator.mul, left, right)
    if isinstance(left, int):
        left, right = right, left
    if isinstance(right, int) and isinstance(left, str):
        meter.room(len(left) * max(right, 0))
        meter.text(len(left) * max(right, 0))
        return left * max(right, 0)
    if isinstance(right, int) and isinstance(left, list):
        meter.room(meter.walk(left) * max(right, 0))
        meter.spend(len(left) * max(right, 0))
        return left * max(right, 0)
    _refuse("multiplied", left, right)


def divide(left: object, right: object, meter: Meter) -> object:
    return _quotient(operator.truediv, left, right)


def floor_divide(left: object, right: object, meter: Meter) -> object:
    return _quotient(operator.floordiv, left, right)


def remainder(left: object, right: object, meter: Meter) -> object:
    if isinstance(left, str):
        raise ExpressionError("% does not format text here; join text with + and str(…)")
    return _quotient(operator.mod, left, right)


def _quotient(operation: Callable[[object, object], object], left: object, right: object) -> object:
    if not _are_numbers(left, right):
        _refuse("divided", left, right)
    if right == 0:
        raise ExpressionError(f"{shown(left)} can't be divided by zero")
    return float_sized(operation, left, right)


ARITHMETIC: dict[str, Callable[[object, object, Meter], object]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "//": floor_divide,
    "%": remainder,
}


def negate(value: object) -> object:
    return -number_for(value, "-")


def plus(value: object) -> object:
    return +number_for(value, "+")


def equal(left: object, right: object, meter: Meter) -> bool:
    """As Python's `==`; what is of different kinds is not equal."""
    if isinstance(left, str) and isinstance(right, str):
        if len(left) == len(right):
            meter.text(len(left))
    elif isinstance(left, list | dict) and type(left) is type(right):
        meter.look(left)
    return left == right


def unequal(left: object, right: object, meter: Meter) -> bool:
    return not equal(left, right, meter)


_ORDERS: dict[str, Callable[..., bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _ordered(symbol: str) -> Callable[[object, object, Meter], bool]:
    compare = _ORDERS[symbol]

    def order(left: object, right: object, meter: Meter) -> bool:
        if type(left) in NUMBERS and type(right) in NUMBERS:
            return compare(left, right)
        if isinstance(left, str) and isinstance(right, str):
            meter.text(min(len(left), len(right)))
            return compare(left, right)
        if isinstance(left, list) and isinstance(right, list):
            meter.walk(left)
            try:
                return compare(left, right)
            except TypeError:
                raise ExpressionError("these lists have parts that can't be put in order") from None
        _refuse("put in order", left, right)

    return order


def contains(part: object, whole: object, meter: Meter) -> bool:
    if isinstance(whole, list):
        if isinstance(part, list | dict):
            meter.look(whole)
        else:
            each = 1 + len(part) // CHARACTERS_A_STEP if isinstance(part, str) else 1
            meter.spend(len(whole) * each)
        return part in whole
    if isinstance(whole, dict):
        return isinstance(part, str) and part in whole
    if isinstance(whole, str):
        if not isinstance(part, str):
            raise ExpressionError(f"only text can be in text, not {kind_of(part)}")
        meter.spend(len(whole) * min(len(part), 128) // _SEARCHED_A_STEP)
        return part in whole
    raise ExpressionError(f"nothing can be in {kind_of(whole)}; `in` wants a list, a dict or text")


def lacks(part: object, whole: object, meter: Meter) -> bool:
    return not contains(part, whole, meter)


COMPARISONS: dict[str, Callable[[object, object, Meter], bool]] = {
    "==": equal,
    "!=": unequal,
    "in": contains,
    "not in": lacks,
    **{symbol: _ordered(symbol) for symbol in _ORDERS},
}


def index(holder: object, at: object) -> object:
    if isinstance(holder, dict):
        if not isinstance(at, str):
            raise ExpressionError(f"a key is text, not {kind_of(at)}")
        if at not in holder:
            raise ExpressionError(f"there is no key {shown(at)}")
        return holder[at]
    if not isinstance(holder, list | str):
        raise ExpressionError(f"{kind_of(holder)} has no items")
    if not isinstance(at, int):
        raise ExpressionError(f"the index into {kind_of(holder)} is an int, not {kind_of(at)}")
    if not -len(holder) <= at < len(holder):
        raise ExpressionError(f"there is no item {shown(at)}; {kind_of(holder)} of length {len(holder)} was given")
    return holder[at]


def cut(holder: object, start: object, stop: object, meter: Meter) -> object:
    between = slice(_slice_bound(start), _slice_bound(stop))
    if isinstance(holder, str):
        meter.text(len(holder))
        return holder[between]
    if isinstance(holder, list):
        meter.spend(len(holder))
        return holder[between]
    raise ExpressionError(f"{kind_of(holder)} can't be sliced; a list or text can")


def _slice_bound(bound: object) -> int | None:
    if bound is not None and not isinstance(bound, int):
        raise ExpressionError(f"a slice is between ints, not {kind_of(bound)}")
    return bound
