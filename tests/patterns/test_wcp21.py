"""Structured Loop: a block is done again while a condition holds, asked before or after each round."""

from msgspec.structs import replace

from tests.kernel.driver import done, everywhere, task
from weft.model.blocks import loop
from weft.model.definition import DONE, Declared, Flow, On, Outcome


def test_condition_is_asked_before_each_round() -> None:
    p = replace(loop("n < 2", task("a", writes={"n": "n"}), name="p"), variables={"n": Declared("int", 0)})
    everywhere(
        p,
        """
        start         -> Ready p, Started p, Answered a:yes, Ready a
        do a {"n": 1} -> Started a, Committed a, Fixed p:again, Repeated p:again, Answered a:yes@1, Ready a@1
        do a {"n": 2} -> Started a@1, Committed a@1, Fixed p:again, Repeated p:again, Answered a:no@2,
                      -> Skipped a@2, Fixed p, Committed p
        """,
    )


def test_loop_of_no_round_commits() -> None:
    p = loop("False", task("a"), name="p")
    everywhere(
        p,
        """
        start -> Ready p, Started p, Answered a:no, Skipped a, Fixed p, Committed p
        """,
    )


def test_condition_is_asked_after_each_round() -> None:
    p = Flow(
        name="p",
        children=(task("a", outcomes=(DONE, Outcome("again"))),),
        outcomes=(done(On("a", "committed:done")), Outcome("once more", "repeat", On("a", "committed:again"))),
    )
    everywhere(
        p,
        """
        start      -> Ready p, Started p, Ready a
        do a again -> Started a, Committed a:again, Fixed p:once more, Repeated p:once more, Ready a@1
        do a again -> Started a@1, Committed a:again@1, Fixed p:once more, Repeated p:once more, Ready a@2
        do a       -> Started a@2, Committed a@2, Fixed p, Committed p
        """,
    )
