"""What undo, compensation and alternates are given, when their parameters name objects of activities."""

import pytest

from weft.kernel import commands
from weft.kernel.decide import apply
from weft.kernel.effect_types import Dispatch
from weft.kernel.facts import Values
from weft.kernel.outstanding import effects
from weft.kernel.plan import plan_of
from weft.kernel.state import State
from weft.model.blocks import serial
from weft.model.definition import ABORTED, Input, InputSet, Named, Outcome, Output, Process, Rule, Source, Task

RESULT = (Outcome("done", types={"result": "int"}), ABORTED)


def given_to_alternate(source: Source) -> Values:
    """The inputs of the alternate of b, whose parameter x has that source; a gave 7, b was given y = 3."""
    other = Task(
        name="other", handler=Named("other"), input_sets=(InputSet("start", None, {"x": (source,)}, {"x": "int"}),)
    )
    first = Task(name="a", handler=Named("a"), outcomes=RESULT)
    second = Task(
        name="b",
        handler=Named("b"),
        input_sets=(InputSet("start", None, {"y": (Output("a", "done", "result"),)}, {"y": "int"}),),
        on_error=(Rule("alternate", alternate=other),),
    )
    root = InputSet("start", None, {}, {"n": "int"})
    block = serial(first, second, name="p")
    plan = plan_of(Process(name="p", body=type(block)(**{**fields(block), "input_sets": (root,)})))
    state = State()
    apply(plan, state, commands.Start({"n": 5}))
    apply(plan, state, commands.Begin("a"))
    apply(plan, state, commands.Complete("a", values={"result": 7}))
    apply(plan, state, commands.Begin("b"))
    told = apply(plan, state, commands.Fail("b"))
    asked = [one for one in effects(plan, state, told) if isinstance(one, Dispatch)]
    return asked[0].inputs


def fields(block: object) -> dict[str, object]:
    return {name: getattr(block, name) for name in block.__struct_fields__}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        (Output("a", "done", "result"), 7),
        (Input("b", "start", "y"), 7),
        (Input("p", "start", "n"), 5),
        (Output("a", "aborted", "result"), None),
        (Output("nobody", "done", "result"), None),
    ],
)
def test_an_alternate_reads_what_stands_around_it(source: Source, value: object) -> None:
    assert given_to_alternate(source) == {"x": value}
