"""Structured Discriminator: the first branch to commit leads on; when the others have ended too it can happen again."""

from tests.kernel.driver import committed, done, ended, everywhere, guarded, task
from weft.model.definition import DONE, AtLeast, Flow, On, Outcome, every


def test_first_leads_on_and_a_new_round_waits_for_all() -> None:
    p = Flow(
        name="p",
        children=(
            task("a"),
            task("b"),
            guarded(task("c", outcomes=(DONE, Outcome("again"))), AtLeast(1, tuple(committed("a", "b")))),
        ),
        outcomes=(
            done(every(ended("a", "b"), On("c", "committed:done"))),
            Outcome("once more", "repeat", every(ended("a", "b"), On("c", "committed:again"))),
        ),
    )
    everywhere(
        p,
        """
        start      -> Ready p, Started p, Ready a, Ready b
        do b       -> Started b, Committed b, Ready c
        do c again -> Started c, Committed c:again
        do a       -> Started a, Committed a, Fixed p:once more, Repeated p:once more, Ready a@1, Ready b@1
        do a       -> Started a@1, Committed a@1, Ready c@1
        do b       -> Started b@1, Committed b@1
        do c       -> Started c@1, Committed c@1, Fixed p, Committed p
        """,
    )
