"""Interleaved Routing: activities run one at a time, in any order."""

from tests.kernel.driver import everywhere, task
from weft.model.blocks import all_of


def test_any_order_but_one_at_a_time() -> None:
    p = all_of(task("a", holds=("one",)), task("b", holds=("one",)), task("c", holds=("one",)), name="p")
    everywhere(
        p,
        """
        start      -> Ready p, Started p, Ready a, Ready b, Ready c
        begin b    -> Started b
        begin a    -> refused NotAvailable
        begin c    -> refused NotAvailable
        complete b -> Committed b
        do c       -> Started c, Committed c
        do a       -> Started a, Committed a, Fixed p, Committed p
        """,
    )


def test_one_that_fails_lets_the_others_go_on() -> None:
    p = all_of(task("a", holds=("one",), vital=False), task("b", holds=("one",)), name="p")
    everywhere(
        p,
        """
        start   -> Ready p, Started p, Ready a, Ready b
        begin a -> Started a
        begin b -> refused NotAvailable
        fail a  -> Aborted a
        do b    -> Started b, Committed b, Fixed p, Committed p
        """,
    )
