"""Simple Merge: whichever of exclusive branches was taken, what follows starts once."""

from tests.kernel.driver import committed, done, everywhere, guarded, task
from weft.model.definition import AtLeast, Flow, On, When


def test_branch_taken_leads_on() -> None:
    p = Flow(
        name="p",
        children=(
            guarded(task("a"), When("True")),
            guarded(task("b"), On("a", "skipped")),
            guarded(task("c"), AtLeast(1, tuple(committed("a", "b")))),
        ),
        outcomes=(done(On("c", "committed")),),
    )
    everywhere(
        p,
        """
        start -> Ready p, Started p, Answered a:yes, Ready a
        do a  -> Started a, Skipped b, Committed a, Ready c
        do c  -> Started c, Committed c, Fixed p, Committed p
        """,
    )


def test_other_branch_leads_on_too() -> None:
    p = Flow(
        name="p",
        children=(
            guarded(task("a"), When("False")),
            guarded(task("b"), On("a", "skipped")),
            guarded(task("c"), AtLeast(1, tuple(committed("a", "b")))),
        ),
        outcomes=(done(On("c", "committed")),),
    )
    everywhere(
        p,
        """
        start -> Ready p, Started p, Answered a:no, Skipped a, Ready b
        do b  -> Started b, Committed b, Ready c
        do c  -> Started c, Committed c, Fixed p, Committed p
        """,
    )
