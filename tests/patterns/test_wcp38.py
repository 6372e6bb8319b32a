"""General Synchronizing Merge: what follows waits exactly as long as another thread may still come, in any net."""

from tests.kernel.driver import everywhere, task
from weft.model.definition import DONE, ArcIn, ArcOut, Net, Outcome, Place, Transition


def merge() -> Net:
    """`a` may send a thread into `right` or not; `Join` can't know before it has ended."""
    a = task("a", outcomes=(DONE, Outcome("none")))
    return Net(
        name="p",
        places=(Place("in", tokens=(1,)), Place("left", tokens=(2,)), Place("right"), Place("end", output=True)),
        transitions=(
            Transition(
                name="A", inputs=(ArcIn("in", "x"),), outputs=(ArcOut("right", "x", outcome="done"),), operation=a
            ),
            Transition(
                name="Join",
                inputs=(ArcIn("left", "l"), ArcIn("right", "r")),
                outputs=(ArcOut("end", "l"),),
                join="or",
                operation=task("join"),
            ),
        ),
    )


def test_waits_for_both_when_both_come() -> None:
    p = merge()
    everywhere(
        p,
        """
        start           -> Ready p, Started p, Fired p/A[1]
        begin p/A[1]    -> Started p/A[1]
        complete p/A[1] -> Committed p/A[1], Arrived p/A[1], Fired p/Join[2]
        do p/Join[2]    -> Started p/Join[2], Committed p/Join[2], Arrived p/Join[2], Fixed p, Committed p
        """,
    )


def test_goes_on_with_one_when_no_other_can_come() -> None:
    p = merge()
    everywhere(
        p,
        """
        start          -> Ready p, Started p, Fired p/A[1]
        do p/A[1] none -> Started p/A[1], Committed p/A[1]:none, Arrived p/A[1], Fired p/Join[2]
        do p/Join[2]   -> Started p/Join[2], Committed p/Join[2], Arrived p/Join[2], Fixed p, Committed p
        """,
    )
