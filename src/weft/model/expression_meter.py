"""What one evaluation of an expression may cost, how large its numbers may get, and how one fails."""

from collections.abc import Callable

from weft.model.expression_tokens import INT_BITS_MAX, MESSAGE_MAX, Limits

INT_END = 1 << INT_BITS_MAX
SIZE_UNBOUNDED = 1 << 62
CHARACTERS_A_STEP = 256  # text is that much cheaper to look at than the parts of a list


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
        self.spend(length // CHARACTERS_A_STEP)

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
            steps += len(part) // CHARACTERS_A_STEP
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


KINDS: dict[type, str] = {
    type(None): "null",
    bool: "a bool",
    int: "an int",
    float: "a float",
    str: "text",
    list: "a list",
    dict: "a dict",
}
NUMBERS = frozenset((bool, int, float))


def kind_of(value: object) -> str:
    return KINDS.get(type(value), f"a Python {type(value).__name__}")


def shown(value: object) -> str:
    """A value in a message."""
    if type(value) is int and value.bit_length() > 200:
        return "a very large int"
    return f"{value!r:.60}" if type(value) in (bool, int, float, str, type(None)) else kind_of(value)


def bounded(value: int | float) -> int | float:
    if type(value) is int and not -INT_END < value < INT_END:
        raise ExpressionError(f"the number gets too large, more than {INT_BITS_MAX} bits")
    return value


def number_for(value: object, of: str) -> "int | float":
    if not isinstance(value, int | float):
        raise ExpressionError(f"{of} wants a number, not {kind_of(value)}")
    return bounded(value)


def float_sized(operation: Callable[..., object], *operands: object) -> "int | float":
    try:
        return operation(*operands)  # type: ignore[return-value]
    except OverflowError:
        raise ExpressionError("the int is too large to become a float") from None
