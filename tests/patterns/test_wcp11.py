"""Implicit Termination: the process ends when nothing is left to do, wherever its threads ran out."""

from tests.kernel.driver import everywhere, guarded, task
from weft.model.definition import Flow, On, Outcome, Quiet


def test_ends_when_every_thread_has_run_out() -> None:
    p = Flow(
        name="p",
        children=(task("a"), guarded(task("b"), On("a", "committed")), task("c")),
        outcomes=(Outcome("ended", "commit", Quiet()),),
    )
    everywhere(
        p,
        """
        start -> Ready p, Started p, Ready a, Ready c
        do a  -> Started a, Committed a, Ready b
        do c  -> Started c, Committed c
        do b  -> Started b, Committed b, Fixed p:ended, Committed p:ended
        """,
    )


def test_task_that_fails_does_not_abort_it() -> None:
    p = Flow(
        name="p",
        children=(task("a"), guarded(task("b"), On("a", "committed")), task("c")),
        outcomes=(Outcome("ended", "commit", Quiet()),),
    )
    everywhere(
        p,
        """
        start   -> Ready p, Started p, Ready a, Ready c
        break a -> Started a, Aborted a, Skipped b
        do c    -> Started c, Committed c, Fixed p:ended, Committed p:ended
        """,
    )
