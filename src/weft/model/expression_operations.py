"""What operators and functions of expressions do to plain values, each bounded before it is done."""

import operator
from collections.abc import Callable
from typing import NoReturn

from weft.model.expression_tokens import INT_BITS_MAX, MESSAGE_MAX, Limits

INT_END = 1 << INT_BITS_MAX
DIGITS_MAX = 1_000
SIZE_UNBOUNDED = 1 << 62
_CHARACTERS_A_STEP = 256  # text is that much cheaper to look at than the parts of a list
_SEARCHED_A_STEP = 4_096


class ExpressionError(Exception):
    """An expression failed on these values: what failed and why, and in which text."""

    def __init__(self, message: str) -> None:
        self.message = message if len(message) <= MESSAGE_MAX else message[:MESSAGE_MAX] + "…"
        self.text = ""
        super().__init__(self.message)

    def __str__(self) -> str:
        shown = self.text if len(self.text) <= 200 else self.text[:200] + "…"
        return f"{self.message}, in: {shown}" if shown else self.message


class Meter:
    """What one evaluation may still cost."""

    __slots__ = ("left", "limits")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.left = limits.steps

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise ExpressionError(f"it takes more than {self.limits.steps} steps; do this in a task")

    def text(self, length: int) -> None:
        self.spend(length // _CHARACTERS_A_STEP)

    def room(self, size: int) -> None:
        if size > self.limits.value:
            raise ExpressionError(f"the result would be larger than {self.limits.value} bytes")

    def look(self, value: object) -> None:
        """Pays for looking at every part of a value, however large it is."""
        self.spend(measure(value, SIZE_UNBOUNDED, self.left)[1])

    def walk(self, value: object) -> int:
        """The size of a value, every part of which costs a step."""
        size, steps = measure(value, self.limits.value, self.left)
        self.spend(steps)
        self.room(size)
        return size


def measure(value: object, size_max: int, steps_max: int) -> tuple[int, int]:
    """About how large a value is and how many steps it takes to look at; counting ends soon after a bound is passed."""
    size = steps = 0
    rest = [value]
    while rest and size <= size_max and steps <= steps_max:
        part = rest.pop()
        if isinstance(part, str):
            size += len(part) + 2
            steps += len(part) // _CHARACTERS_A_STEP
        elif isinstance(part, list):
            size += len(part) + 2
            steps += len(part)
            rest.extend(part)
        elif isinstance(part, dict):
            size += 2 * len(part) + 2
            steps += 2 * len(part)
            rest.extend(part)
            rest.extend(part.values())
        elif type(part) is int:
            size += 1 + part.bit_length() // 3
        else:
            size += 4
    return size, steps


_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "a bool",
    int: "an int",
    float: "a float",
    str: "text",
    list: "a list",
    dict: "a dict",
}
_NUMBERS = frozenset((bool, int, float))


def kind_of(value: object) -> str:
    return _KINDS.get(type(value), f"a Python {type(value).__name__}")


def shown(value: object) -> str:
    """A value in a message."""
    if type(value) is int and value.bit_length() > 200:
        return "a very large int"
    return f"{value!r:.60}" if type(value) in (bool, int, float, str, type(None)) else kind_of(value)


def _refuse(verb: str, left: object, right: object) -> NoReturn:
    hint = "; test for None first" if left is None or right is None else ""
    raise ExpressionError(f"{kind_of(left)} and {kind_of(right)} can't be {verb}{hint}")


def _bounded(value: int | float) -> int | float:
    if type(value) is int and not -INT_END < value < INT_END:
        raise ExpressionError(f"the number gets too large, more than {INT_BITS_MAX} bits")
    return value


def _are_numbers(left: object, right: object) -> bool:
    if type(left) in _NUMBERS and type(right) in _NUMBERS:
        _bounded(left)  # type: ignore[arg-type]
        _bounded(right)  # type: ignore[arg-type]
        return True
    return False


def add(left: object, right: object, meter: Meter) -> object:
    if _are_numbers(left, right):
        return _bounded(_float_sized(operator.add, left, right))
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
        return _bounded(_float_sized(operator.sub, left, right))
    _refuse("subtracted", left, right)


def multiply(left: object, right: object, meter: Meter) -> object:
    if _are_numbers(left, right):
        if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right.bit_length() > INT_BITS_MAX:
            raise ExpressionError(f"the number gets too large, more than {INT_BITS_MAX} bits")
        return _float_sized(operator.mul, left, right)
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
    return _float_sized(operation, left, right)


def _float_sized(operation: Callable[..., object], *operands: object) -> "int | float":
    try:
        return operation(*operands)  # type: ignore[return-value]
    except OverflowError:
        raise ExpressionError("the int is too large to become a float") from None


ARITHMETIC: dict[str, Callable[[object, object, Meter], object]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "//": floor_divide,
    "%": remainder,
}


def negate(value: object) -> object:
    return -_number(value, "-")


def plus(value: object) -> object:
    return +_number(value, "+")


def _number(value: object, of: str) -> "int | float":
    if not isinstance(value, int | float):
        raise ExpressionError(f"{of} wants a number, not {kind_of(value)}")
    return _bounded(value)


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
        if type(left) in _NUMBERS and type(right) in _NUMBERS:
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
            each = 1 + len(part) // _CHARACTERS_A_STEP if isinstance(part, str) else 1
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


def length(arguments: list[object], meter: Meter) -> int:
    value = arguments[0]
    if not isinstance(value, list | str | dict):
        raise ExpressionError(f"{kind_of(value)} has no length")
    return len(value)


def _listed(value: object, function: str, meter: Meter) -> list[object]:
    if not isinstance(value, list):
        raise ExpressionError(f"{function} wants a list, not {kind_of(value)}")
    meter.spend(len(value))
    return value


def _extreme(function: str, choose: Callable[[list[object]], object]) -> Callable[[list[object], Meter], object]:
    def extreme(arguments: list[object], meter: Meter) -> object:
        values = _listed(arguments[0], function, meter) if len(arguments) == 1 else arguments
        if not values:
            raise ExpressionError(f"{function} of an empty list; test its length first")
        numbers = all(type(value) in _NUMBERS for value in values)
        if not numbers and not all(isinstance(value, str) for value in values):
            odd = next(value for value in values if type(value) not in _NUMBERS)
            raise ExpressionError(f"{function} wants only numbers or only text; there is {kind_of(odd)} among them")
        if not numbers:
            meter.walk(values)
        return choose(values)

    return extreme


def total(arguments: list[object], meter: Meter) -> object:
    values = _listed(arguments[0], "sum", meter)
    for value in values:
        _number(value, "sum")
    return _bounded(_float_sized(sum, values))


def absolute(arguments: list[object], meter: Meter) -> object:
    return abs(_number(arguments[0], "abs"))


def rounded(arguments: list[object], meter: Meter) -> object:
    value = _number(arguments[0], "round")
    digits = arguments[1] if len(arguments) == 2 else None
    if digits is not None and (not isinstance(digits, int) or abs(digits) > DIGITS_MAX):
        raise ExpressionError(f"round wants its digits as an int of at most {DIGITS_MAX}, not {shown(digits)}")
    try:
        return round(value) if digits is None else round(value, digits)
    except (ValueError, OverflowError):
        raise ExpressionError(f"{shown(value)} can't be rounded") from None


def is_any(arguments: list[object], meter: Meter) -> bool:
    return any(_listed(arguments[0], "any", meter))


def are_all(arguments: list[object], meter: Meter) -> bool:
    return all(_listed(arguments[0], "all", meter))


def to_text(arguments: list[object], meter: Meter) -> str:
    value = arguments[0]
    if type(value) is int:
        _bounded(value)
    meter.walk(value)
    if type(value) not in _KINDS:
        raise ExpressionError(f"{kind_of(value)} can't become text")
    try:
        result = str(value)
    except (ValueError, RecursionError):
        raise ExpressionError(f"{kind_of(value)} with so many digits or levels can't become text") from None
    meter.room(len(result))
    return result


def to_int(arguments: list[object], meter: Meter) -> int:
    value = arguments[0]
    if not isinstance(value, int | float | str):
        raise ExpressionError(f"{kind_of(value)} can't become an int")
    if isinstance(value, str) and len(value) > DIGITS_MAX:
        raise ExpressionError(f"text of more than {DIGITS_MAX} characters can't become an int")
    try:
        return int(_bounded(int(value)))
    except (ValueError, OverflowError):
        raise ExpressionError(f"{shown(value)} can't become an int") from None


def to_float(arguments: list[object], meter: Meter) -> float:
    value = arguments[0]
    if not isinstance(value, int | float | str):
        raise ExpressionError(f"{kind_of(value)} can't become a float")
    if isinstance(value, str) and len(value) > DIGITS_MAX:
        raise ExpressionError(f"text of more than {DIGITS_MAX} characters can't become a float")
    try:
        return float(value)
    except (ValueError, OverflowError):
        raise ExpressionError(f"{shown(value)} can't become a float") from None


# each with the least and the most arguments it takes
CALLS: dict[str, tuple[Callable[[list[object], Meter], object], int, int]] = {
    "len": (length, 1, 1),
    "min": (_extreme("min", min), 1, 1_000),  # type: ignore[arg-type]
    "max": (_extreme("max", max), 1, 1_000),  # type: ignore[arg-type]
    "sum": (total, 1, 1),
    "abs": (absolute, 1, 1),
    "round": (rounded, 1, 2),
    "any": (is_any, 1, 1),
    "all": (are_all, 1, 1),
    "str": (to_text, 1, 1),
    "int": (to_int, 1, 1),
    "float": (to_float, 1, 1),
}
