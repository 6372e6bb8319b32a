"""The functions that an expression may call, each bounded before it is done."""

import inspect
import keyword
from collections.abc import Callable

from weft.model.expression_meter import (
    KINDS,
    NUMBERS,
    ExpressionError,
    Meter,
    bounded,
    float_sized,
    kind_of,
    number_for,
    shown,
)
from weft.model.expression_syntax import FUNCTIONS
from weft.model.xpath import xpath, xpath_data

DIGITS_MAX = 1_000


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
        numbers = all(type(value) in NUMBERS for value in values)
        if not numbers and not all(isinstance(value, str) for value in values):
            odd = next(value for value in values if type(value) not in NUMBERS)
            raise ExpressionError(f"{function} wants only numbers or only text; there is {kind_of(odd)} among them")
        if not numbers:
            meter.walk(values)
        return choose(values)

    return extreme


def total(arguments: list[object], meter: Meter) -> object:
    values = _listed(arguments[0], "sum", meter)
    for value in values:
        number_for(value, "sum")
    return bounded(float_sized(sum, values))


def absolute(arguments: list[object], meter: Meter) -> object:
    return abs(number_for(arguments[0], "abs"))


def rounded(arguments: list[object], meter: Meter) -> object:
    value = number_for(arguments[0], "round")
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
        bounded(value)
    meter.walk(value)
    if type(value) not in KINDS:
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
        return int(bounded(int(value)))
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
    "xpath": (xpath, 1, 2),
    "xpath_data": (xpath_data, 1, 2),
}


_REGISTERED: dict[str, str] = {}
"""Functions of operators → the module and name of what was registered."""


def register(name: str, function: Callable[..., object]) -> None:
    """Adds a function to those that an expression may call. It must be pure: the same for the same values, always.

    What it may cost is the operator's to bound; what it gives must be plain data within the limits.
    """
    owner = f"{function.__module__}:{function.__qualname__}"
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"{name!r} can't be the name of a function in an expression")
    if name in FUNCTIONS and _REGISTERED.get(name) != owner:
        raise ValueError(
            f"expressions have a function {name!r} already, of {_REGISTERED.get(name, 'Weft')}; rename one"
        )
    least, most = _bounds(name, function)

    def call(arguments: list[object], meter: Meter) -> object:
        try:
            result = function(*arguments)
        except Exception as error:
            raise ExpressionError(f"{name} failed with {type(error).__name__}: {error}") from None
        if type(result) not in KINDS:
            raise ExpressionError(f"{name} gave {kind_of(result)}, which is no plain data")
        meter.walk(result)
        return result

    FUNCTIONS.add(name)
    _REGISTERED[name] = owner
    CALLS[name] = (call, least, most)


def _bounds(name: str, function: Callable[..., object]) -> tuple[int, int]:
    """The least and the most arguments, which an expression gives by their order."""
    least = most = 0
    for one in inspect.signature(function).parameters.values():
        if one.kind is inspect.Parameter.VAR_POSITIONAL:
            most = 1_000
        elif one.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD):
            most += 1
            least += one.default is inspect.Parameter.empty
        elif one.kind is inspect.Parameter.KEYWORD_ONLY and one.default is inspect.Parameter.empty:
            raise ValueError(f"{name} needs {one.name} by name, and an expression gives arguments by their order")
    return least, most
