"""Persistent Trigger: a signal is kept until an activity waits for it."""

from tests.kernel.driver import everywhere, task
from weft.model.blocks import serial
from weft.model.definition import Signal


def test_signal_that_was_kept_occurs_when_it_is_awaited() -> None:
    p = serial(task("a"), task("paid", handler=Signal("paid")), task("b"), name="p")
    everywhere(
        p,
        """
        start         -> Ready p, Started p, Ready a
        do a          -> Started a, Committed a, Ready paid
        complete paid -> Started paid, Committed paid, Ready b
        do b          -> Started b, Committed b, Fixed p, Committed p
        """,
    )
