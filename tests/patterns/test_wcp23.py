"""Transient Trigger: a signal starts an activity only if that waits for it just then; else it is lost."""

from tests.kernel.driver import everywhere, task
from weft.model.blocks import serial
from weft.model.definition import Signal


def test_signal_comes_while_it_is_awaited() -> None:
    p = serial(task("a"), task("alarm", handler=Signal("fire", keep=False)), task("b"), name="p")
    everywhere(
        p,
        """
        start          -> Ready p, Started p, Ready a
        complete alarm -> refused NotRunning
        do a           -> Started a, Committed a, Ready alarm
        complete alarm -> Started alarm, Committed alarm, Ready b
        do b           -> Started b, Committed b, Fixed p, Committed p
        """,
    )
