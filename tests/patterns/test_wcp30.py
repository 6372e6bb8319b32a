"""Structured Partial Join: the k-th of n branches leads on, the others end unheeded."""

from tests.kernel.driver import committed, done, ended, everywhere, guarded, task
from weft.model.definition import AtLeast, Flow


def test_second_of_three_leads_on_once() -> None:
    p = Flow(
        name="p",
        children=(task("a"), task("b"), task("c"), guarded(task("d"), AtLeast(2, tuple(committed("a", "b", "c"))))),
        outcomes=(done(ended("a", "b", "c", "d")),),
    )
    everywhere(
        p,
        """
        start   -> Ready p, Started p, Ready a, Ready b, Ready c
        do c    -> Started c, Committed c
        begin d -> refused NotRunning
        do a    -> Started a, Committed a, Ready d
        do d    -> Started d, Committed d
        do b    -> Started b, Committed b, Fixed p, Committed p
        """,
    )
