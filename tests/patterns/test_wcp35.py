"""Cancelling Partial Join for Multiple Instances: the k-th instance leads on and the rest is stopped."""

from tests.kernel.driver import everywhere, task
from weft.model.blocks import serial
from weft.model.definition import Constant, Each, InputSet


def test_two_of_three_are_enough() -> None:
    p = serial(
        Each(
            name="e",
            item="x",
            body=task("a"),
            input_sets=(InputSet(bindings={"items": (Constant([1, 2, 3]),)}),),
            enough=2,
        ),
        task("b"),
        name="p",
    )
    everywhere(
        p,
        """
        start         -> Ready p, Started p, Ready e, Started e, Added e, Ready e[0], Ready e[1], Ready e[2]
        begin e[0]    -> Started e[0]
        do e[1]       -> Started e[1], Committed e[1]
        do e[2]       -> Started e[2], Committed e[2], Fixed e, Stopping e[0]
        complete e[0] -> Aborted e[0], Committed e, Ready b
        do b          -> Started b, Committed b, Fixed p, Committed p
        """,
    )
