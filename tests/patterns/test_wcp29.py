"""Cancelling Discriminator: the first branch to commit leads on and the others are stopped."""

from tests.kernel.driver import committed, done, everywhere, task
from weft.model.blocks import serial
from weft.model.definition import AtLeast, Flow


def test_first_one_stops_the_others() -> None:
    race = Flow(
        name="race",
        children=(task("a", idempotent=True), task("b"), task("c")),
        outcomes=(done(AtLeast(1, tuple(committed("a", "b", "c")))),),
    )
    p = serial(race, task("d"), name="p")
    everywhere(
        p,
        """
        start        -> Ready p, Started p, Ready race, Started race, Ready race/a, Ready race/b, Ready race/c
        begin race/a -> Started race/a
        begin race/c -> Started race/c
        do race/b    -> Started race/b, Committed race/b, Fixed race, Aborted race/a, Stopping race/c
        fail race/c  -> Aborted race/c, Committed race, Ready d
        do d         -> Started d, Committed d, Fixed p, Committed p
        """,
    )
