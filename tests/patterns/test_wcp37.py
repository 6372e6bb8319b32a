"""Local Synchronizing Merge: what follows waits for branches that may still come, by what was taken nearby."""

from tests.kernel.driver import done, ended, everywhere, guarded, task
from weft.model.definition import Flow, InputSet, On, When, every


def unblocked() -> Flow:
    """`c` follows `a` only sometimes; `d` merges `b` and `c`, which no block holds together."""
    return Flow(
        name="p",
        input_sets=(InputSet(types={"n": "int"}),),
        children=(
            task("a"),
            guarded(task("b"), When("n > 1")),
            guarded(task("c"), every(On("a", "committed"), When("n > 2"))),
            guarded(task("d"), ended("b", "c")),
        ),
        outcomes=(done(On("d", "committed")),),
    )


def test_waits_for_both() -> None:
    p = unblocked()
    everywhere(
        p,
        """
        start {"n": 3} -> Ready p, Started p, Answered b:yes, Ready a, Ready b
        do b           -> Started b, Committed b
        do a           -> Started a, Committed a, Answered c:yes, Ready c
        begin d        -> refused NotRunning
        do c           -> Started c, Committed c, Ready d
        do d           -> Started d, Committed d, Fixed p, Committed p
        """,
    )


def test_knows_when_a_branch_is_skipped() -> None:
    p = unblocked()
    everywhere(
        p,
        """
        start {"n": 2} -> Ready p, Started p, Answered b:yes, Ready a, Ready b
        do b           -> Started b, Committed b
        begin d        -> refused NotRunning
        do a           -> Started a, Committed a, Answered c:no, Skipped c, Ready d
        do d           -> Started d, Committed d, Fixed p, Committed p
        """,
    )
