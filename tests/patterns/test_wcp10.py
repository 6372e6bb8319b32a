"""Arbitrary Cycles: loops with more than one way in and out."""

from tests.kernel.driver import everywhere, task
from weft.model.definition import DONE, ArcIn, ArcOut, Net, Outcome, Place, Transition


def test_a_loop_is_entered_in_its_middle_and_left_at_two_points() -> None:
    a = task("a", outcomes=(DONE, Outcome("leave")))
    b = task("b", outcomes=(DONE, Outcome("leave")))
    p = Net(
        name="p",
        places=(Place("top", tokens=("one",)), Place("middle", tokens=("two",)), Place("end", output=True)),
        transitions=(
            Transition(
                name="A",
                inputs=(ArcIn("top", "x"),),
                outputs=(ArcOut("middle", "x", outcome="done"), ArcOut("end", "x", outcome="leave")),
                operation=a,
            ),
            Transition(
                name="B",
                inputs=(ArcIn("middle", "x"),),
                outputs=(ArcOut("top", "x", outcome="done"), ArcOut("end", "x", outcome="leave")),
                operation=b,
            ),
        ),
    )
    everywhere(
        p,
        """
        start           -> Ready p, Started p, Fired p/A[1], Fired p/B[2]
        do p/A[1]       -> Started p/A[1], Committed p/A[1], Arrived p/A[1], Fired p/B[3]
        do p/B[2]       -> Started p/B[2], Committed p/B[2], Arrived p/B[2], Fired p/A[4]
        do p/A[4] leave -> Started p/A[4], Committed p/A[4]:leave, Arrived p/A[4]
        do p/B[3]       -> Started p/B[3], Committed p/B[3], Arrived p/B[3], Fired p/A[5]
        do p/A[5]       -> Started p/A[5], Committed p/A[5], Arrived p/A[5], Fired p/B[6]
        do p/B[6] leave -> Started p/B[6], Committed p/B[6]:leave, Arrived p/B[6], Fixed p, Committed p
        """,
    )
