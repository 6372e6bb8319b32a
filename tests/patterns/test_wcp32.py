"""Cancelling Partial Join: the k-th of n branches leads on and the rest is stopped."""

from tests.kernel.driver import everywhere, task
from weft.model.blocks import at_least, serial


def test_second_of_three_stops_the_third() -> None:
    p = serial(at_least(2, task("a"), task("b"), task("c"), name="two"), task("d"), name="p")
    everywhere(
        p,
        """
        start       -> Ready p, Started p, Ready two, Started two, Ready two/a, Ready two/b, Ready two/c
        begin two/a -> Started two/a
        do two/b    -> Started two/b, Committed two/b
        do two/c    -> Started two/c, Committed two/c, Fixed two, Stopping two/a
        fail two/a  -> Aborted two/a, Committed two, Ready d
        do d        -> Started d, Committed d, Fixed p, Committed p
        """,
    )


def test_join_that_can_t_be_reached_any_more_aborts() -> None:
    p = serial(at_least(2, task("a"), task("b"), task("c"), name="two"), task("d"), name="p")
    everywhere(
        p,
        """
        start       -> Ready p, Started p, Ready two, Started two, Ready two/a, Ready two/b, Ready two/c
        break two/a -> Started two/a, Aborted two/a
        break two/b -> Started two/b, Aborted two/b, Aborting two, Skipped two/c, Aborted two, Aborting p,
                    -> Skipped d, Aborted p
        """,
    )
