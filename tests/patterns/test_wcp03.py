"""Synchronization: what follows starts when every branch has committed."""

from tests.kernel.driver import committed, done, everywhere, guarded, task
from weft.model.definition import AtLeast, Flow, On


def test_last_of_three_branches_lets_the_next_start() -> None:
    p = Flow(
        name="p",
        children=(task("a"), task("b"), task("c"), guarded(task("d"), AtLeast(3, tuple(committed("a", "b", "c"))))),
        outcomes=(done(On("d", "committed")),),
    )
    everywhere(
        p,
        """
        start   -> Ready p, Started p, Ready a, Ready b, Ready c
        do c    -> Started c, Committed c
        do a    -> Started a, Committed a
        begin d -> refused NotRunning
        do b    -> Started b, Committed b, Ready d
        do d    -> Started d, Committed d, Fixed p, Committed p
        """,
    )


def test_branch_that_aborts_skips_what_waits_for_all() -> None:
    p = Flow(
        name="p",
        children=(task("a"), task("b"), guarded(task("d"), AtLeast(2, tuple(committed("a", "b"))))),
        outcomes=(done(On("d", "committed")),),
    )
    everywhere(
        p,
        """
        start   -> Ready p, Started p, Ready a, Ready b
        break a -> Started a, Aborted a, Skipped d, Aborting p, Skipped b, Aborted p
        begin b -> refused NotRunning
        """,
    )
