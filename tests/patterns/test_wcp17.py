"""Interleaved Parallel Routing: activities in a partial order, never two at the same time."""

from tests.kernel.driver import committed, done, everywhere, guarded, task
from weft.model.definition import Flow, On, every


def test_order_between_two_is_kept_and_one_runs_at_a_time() -> None:
    p = Flow(
        name="p",
        children=(
            task("blood", holds=("patient",)),
            guarded(task("talk", holds=("patient",)), On("blood", "committed")),
            task("xray", holds=("patient",)),
        ),
        outcomes=(done(every(*committed("blood", "talk", "xray"))),),
    )
    everywhere(
        p,
        """
        start          -> Ready p, Started p, Ready blood, Ready xray
        begin xray     -> Started xray
        begin blood    -> refused NotAvailable
        begin talk     -> refused NotRunning
        complete xray  -> Committed xray
        begin talk     -> refused NotRunning
        begin blood    -> Started blood
        complete blood -> Committed blood, Ready talk
        do talk        -> Started talk, Committed talk, Fixed p, Committed p
        """,
    )
