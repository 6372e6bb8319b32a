"""`pure`: a function of the operator's that expressions may call."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from weft.languages.python.mistakes import Mistake
from weft.model.expression_functions import register

P = ParamSpec("P")
R = TypeVar("R")


def pure(function: Callable[P, R]) -> Callable[P, R]:
    """Lets expressions of every language call the function, by its name.

    >>> @pure
    ... def area(width: float, height: float) -> float:
    ...     return width * height

    It must give the same for the same values, always and on every node, and plain data.
    """
    try:
        register(function.__name__, function)
    except ValueError as error:
        raise Mistake(str(error)) from None
    return function
