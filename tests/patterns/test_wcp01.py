"""Sequence: an activity starts when the one before it has committed."""

from tests.kernel.driver import everywhere, task
from weft.model.blocks import serial


def test_one_after_the_other() -> None:
    p = serial(task("a"), task("b"), task("c"), name="p")
    everywhere(
        p,
        """
        start   -> Ready p, Started p, Ready a
        begin b -> refused NotRunning
        do a    -> Started a, Committed a, Ready b
        do b    -> Started b, Committed b, Ready c
        do c    -> Started c, Committed c, Fixed p, Committed p
        """,
    )
