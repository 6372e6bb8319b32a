"""Multiple Instances with a priori Design-Time Knowledge: the definition says how many; all are waited for."""

from tests.kernel.driver import everywhere, task
from weft.model.blocks import serial
from weft.model.definition import Constant, Each, InputSet


def test_three_directors_sign() -> None:
    p = serial(
        Each(
            name="e", item="seat", body=task("sign"), input_sets=(InputSet(bindings={"items": (Constant([1, 2, 3]),)}),)
        ),
        task("send"),
        name="p",
    )
    everywhere(
        p,
        """
        start      -> Ready p, Started p, Ready e, Started e, Added e, Ready e[0], Ready e[1], Ready e[2]
        do e[2]    -> Started e[2], Committed e[2]
        do e[0]    -> Started e[0], Committed e[0]
        begin send -> refused NotRunning
        do e[1]    -> Started e[1], Committed e[1], Fixed e, Committed e, Ready send
        do send    -> Started send, Committed send, Fixed p, Committed p
        """,
    )
