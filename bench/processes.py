"""The processes that are measured, as plain definitions: tasks that do nothing, in every shape."""

from msgspec.structs import replace

from weft.model.blocks import all_of, loop, serial
from weft.model.definition import (
    Activity,
    ArcIn,
    ArcOut,
    Declared,
    Each,
    Flow,
    InputSet,
    Named,
    Net,
    Outcome,
    Place,
    Process,
    Task,
    Transition,
)

FAN = 10
"""How many children each block of the nested process has."""


def work(name: str) -> Task:
    return Task(name=name, handler=Named("work"))


def tasks(count: int) -> list[Task]:
    return [work(f"step{number}") for number in range(count)]


def chain(count: int) -> Process:
    return Process(name="chain", body=serial(*tasks(count), name="chain"))


def fan_out(count: int) -> Process:
    return Process(name="fan", body=all_of(*tasks(count), name="fan"))


def nested(depth: int) -> Process:
    """Serial and parallel blocks by turns, ten in each, so deep; tasks at the bottom."""
    return Process(name="nested", body=block("nested", depth))


def block(name: str, depth: int) -> Flow:
    inside: list[Activity] = []
    for number in range(FAN):
        below = f"b{number}" if name == "nested" else f"{name}.{number}"
        inside.append(block(below, depth - 1) if depth > 1 else work(below))
    return serial(*inside, name=name) if depth % 2 else all_of(*inside, name=name)


def rounds(count: int) -> Process:
    """A loop of one task, which writes the number of its round into the variable that the condition reads."""
    counted = Outcome("done", types={"number": "int"})
    step = Task(name="step", handler=Named("work"), outcomes=(counted,), writes={"number": "number"})
    body = serial(loop(f"number < {count}", step, name="again"), name="rounds")
    return Process(name="rounds", body=replace(body, variables={"number": Declared("int", 0)}))


def items(count: int) -> Process:
    """An each over so many items, all at once."""
    given = InputSet("start", types={"items": "list[int]"})
    each = Each(name="items", item="item", body=work("one"), input_sets=(given,))
    return Process(name="items", body=each)


def pipeline(tokens: int, stages: int) -> Process:
    """A net in which every token passes through the operation of every stage."""
    first = Place("p0", tokens=tuple(range(tokens)))
    between = tuple(Place(f"p{number}") for number in range(1, stages))
    last = Place(f"p{stages}", output=True)
    transitions = tuple(
        Transition(
            name=f"t{number}",
            inputs=(ArcIn(f"p{number}", "x"),),
            outputs=(ArcOut(f"p{number + 1}", "x"),),
            operation=work(f"work{number}"),
        )
        for number in range(stages)
    )
    return Process(name="pipeline", body=Net(name="pipeline", places=(first, *between, last), transitions=transitions))
