"""Where a parameter's or an object's value comes from: sources with their names resolved to nodes."""

from collections.abc import Callable
from typing import Final

from weft.kernel.formula import Reach
from weft.model.definition import Activity, Constant, Expression, Input, Output, Source, Value, Variable
from weft.model.expressions import Expression as Compiled

FROM_OUTPUT: Final = 0
FROM_INPUT: Final = 1
FROM_VARIABLE: Final = 2
FROM_CONSTANT: Final = 3
FROM_EXPRESSION: Final = 4


class Supply:
    """A source with its names resolved."""

    def __init__(self, kind: int, node: int, name: str, object: str) -> None:
        self.kind = kind
        self.node = node
        self.name = name
        self.object = object
        self.value: Value = None
        self.expression: Compiled | None = None


def supplies(
    activities: list[Activity], reach: Reach, sources: tuple[Source, ...], expression: Callable[[str], Compiled]
) -> list[Supply]:
    """The sources in order of preference, without those that only the next round can have."""
    found: list[Supply] = []
    for source in sources:
        if isinstance(source, Output):
            node = reach.names[source.activity]
            outcome = activities[node].outcome(source.outcome)
            if outcome is None or outcome.kind != "repeat":
                found.append(Supply(FROM_OUTPUT, node, source.outcome, source.object))
        elif isinstance(source, Input):
            found.append(Supply(FROM_INPUT, reach.names[source.activity], source.set, source.object))
        else:
            found.append(loose(source, expression))
    return found


def loose(source: Source, expression: Callable[[str], Compiled]) -> Supply:
    """A source that needs no activity."""
    if isinstance(source, Variable):
        return Supply(FROM_VARIABLE, -1, source.name, "")
    if isinstance(source, Constant):
        supply = Supply(FROM_CONSTANT, -1, "", "")
        supply.value = source.value
        return supply
    assert isinstance(source, Expression)
    supply = Supply(FROM_EXPRESSION, -1, source.text, "")
    supply.expression = expression(source.text)
    return supply
