"""Random nets with operations: places, arcs of every kind, joins, priorities."""

from typing import TYPE_CHECKING

from weft.model.definition import ABORTED, DONE, ArcIn, ArcOut, Net, Outcome, Place, Quiet, Transition, When

if TYPE_CHECKING:
    from tests.random.processes import Around, Maker


def net(maker: "Maker", around: "Around") -> Net:
    draw = maker.draw
    around.is_bounded = False
    name = maker.name("n")
    names = [f"{name}p{number}" for number in range(draw.number(2, 4))]
    places = tuple(
        Place(one, "int", tuple(draw.number(0, 2) for _ in range(draw.number(0, 3 if not number else 1))))
        for number, one in enumerate(names)
    )
    transitions = tuple(transition(maker, around, names, f"T{number}") for number in range(draw.number(1, 4)))
    outcomes = [Outcome("done", guard=draw.one([Quiet(), When(f"{names[-1]} >= 2")])) if draw.chance(70) else DONE]
    outcomes.append(ABORTED)
    if draw.chance(20):
        outcomes.append(Outcome("k", "mark", When(f"{names[-1]} >= 1")))
    return Net(name=name, places=places, transitions=transitions, outcomes=tuple(outcomes))


def transition(maker: "Maker", around: "Around", names: list[str], name: str) -> Transition:
    """Mostly from earlier places to later ones, so that most nets come to rest."""
    draw = maker.draw
    first = draw.number(0, len(names) - 1)
    inputs = [ArcIn(names[first], "a", weight=1)]
    if draw.chance(25):
        inputs.append(ArcIn(draw.one(names), draw.one(["a", "b"])))
    if draw.chance(20):
        kind = draw.one(["read", "inhibit", "reset"])
        inputs.append(ArcIn(draw.one(names), kind=kind))
    operation = None
    if draw.chance(60):
        maker.left -= 1
        operation = maker.activity(around) if draw.chance(25) else maker.task(around)
        operation = plain(operation)
    outputs = [ArcOut(draw.one(names[first:] if draw.chance(85) else names), "a") for _ in range(draw.number(0, 2))]
    if operation is not None and draw.chance(20):
        outputs.append(ArcOut(draw.one(names), "a", error="task"))
    return Transition(
        name=name,
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        guard=draw.one(["a > 0", "a < 2"]) if draw.chance(15) else "",
        operation=operation,
        priority=draw.one([0, 0, 1]),
        at_most=draw.one([None, None, 1]),
        join=draw.one(["and", "and", "and", "or"]),
    )


def plain(operation):  # type: ignore[no-untyped-def]
    """Arcs do what is left out."""
    from msgspec.structs import replace

    return replace(operation, vital=True, input_sets=operation.input_sets[:1])
