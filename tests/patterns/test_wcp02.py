"""Parallel Split: one thread becomes several, which run at the same time."""

from tests.kernel.driver import everywhere, task
from weft.model.blocks import all_of, serial


def test_branches_start_together_and_run_in_any_order() -> None:
    p = serial(task("a"), all_of(task("b"), task("c"), name="both"), name="p")
    everywhere(
        p,
        """
        start           -> Ready p, Started p, Ready a
        do a            -> Started a, Committed a, Ready both, Started both, Ready both/b, Ready both/c
        begin both/c    -> Started both/c
        begin both/b    -> Started both/b
        complete both/c -> Committed both/c
        complete both/b -> Committed both/b, Fixed both, Committed both, Fixed p, Committed p
        """,
    )
