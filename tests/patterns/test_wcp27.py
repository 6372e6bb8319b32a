"""Complete Multiple Instance Activity: instances that have not ended are stopped and the activity counts as done."""

from tests.kernel.driver import everywhere, task
from weft.model.blocks import serial
from weft.model.definition import Constant, Each, InputSet


def test_finish_stops_what_runs_and_commits() -> None:
    p = serial(
        Each(
            name="e",
            item="x",
            body=task("a"),
            input_sets=(InputSet(bindings={"items": (Constant([1, 2, 3]),)}),),
            at_most=2,
        ),
        task("b"),
        name="p",
    )
    everywhere(
        p,
        """
        start      -> Ready p, Started p, Ready e, Started e, Added e, Ready e[0], Ready e[1]
        do e[0]    -> Started e[0], Committed e[0], Ready e[2]
        begin e[1] -> Started e[1]
        finish e   -> Closed e, Fixed e, Stopping e[1], Skipped e[2]
        fail e[1]  -> Aborted e[1], Committed e, Ready b
        do b       -> Started b, Committed b, Fixed p, Committed p
        """,
    )
