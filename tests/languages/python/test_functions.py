"""Functions of the operator's in expressions: called by name, bounded in what they give, never taking a name."""

from collections.abc import Iterator

import pytest

import weft
from weft import Mistake, assign, process, pure
from weft.model.expression_functions import CALLS
from weft.model.expression_meter import ExpressionError
from weft.model.expression_syntax import FUNCTIONS
from weft.model.expressions import ExpressionFault, compile_expression


@pytest.fixture(autouse=True)
def forgets() -> Iterator[None]:
    before = set(FUNCTIONS)
    yield
    for name in FUNCTIONS - before:
        FUNCTIONS.discard(name)
        del CALLS[name]


def evaluated(text: str, **values: object) -> object:
    return compile_expression(text, None, {})(values)


def test_a_pure_function_is_called_in_an_expression() -> None:
    @pure
    def area(width: float, height: float = 2) -> float:
        return width * height

    assert area(2, 4) == 8
    assert evaluated("area(w, 4) + area(w)", w=3) == 18
    with pytest.raises(ExpressionFault, match="area takes 1 to 2, not 3"):
        evaluated("area(1, 2, 3)")


def test_a_process_uses_it() -> None:
    @pure
    def doubled(number: int) -> int:
        return 2 * number

    double = process("double", n=int)(assign("calculate", m="doubled(n)"))
    assert weft.run(double, n=4).values == {"m": 8}


def test_what_it_raises_or_gives_wrong_is_an_error_of_the_expression() -> None:
    @pure
    def broken(value: object) -> object:
        return {1, 2} if value else 1 // 0

    with pytest.raises(ExpressionError, match="broken failed with ZeroDivisionError"):
        evaluated("broken(0)")
    with pytest.raises(ExpressionError, match="which is no plain data"):
        evaluated("broken(1)")

    @pure
    def endless(*parts: object) -> list[object]:
        return ["x" * 1000] * 1000

    with pytest.raises(ExpressionError):
        evaluated("endless(1, 2, 3)")


def test_a_name_that_is_taken_or_a_parameter_by_name_is_refused() -> None:
    def len(value: object) -> int:
        return 0

    with pytest.raises(Mistake, match="a function 'len' already, of Weft"):
        pure(len)

    def named(*, by: str) -> str:
        return by

    with pytest.raises(Mistake, match="needs by by name"):
        pure(named)
    with pytest.raises(Mistake, match="can't be the name"):
        pure(lambda value: value)
