"""Multi-Merge: every thread that comes to the merge goes on, each on its own."""

from tests.kernel.driver import everywhere, task
from weft.model.definition import ArcIn, ArcOut, Net, Place, Transition


def test_what_follows_runs_once_for_each_thread() -> None:
    p = Net(
        name="p",
        places=(Place("left", tokens=(1,)), Place("right", tokens=(2,)), Place("merged"), Place("end", output=True)),
        transitions=(
            Transition(name="A", inputs=(ArcIn("left", "x"),), outputs=(ArcOut("merged", "x"),), operation=task("a")),
            Transition(name="B", inputs=(ArcIn("right", "x"),), outputs=(ArcOut("merged", "x"),), operation=task("b")),
            Transition(name="C", inputs=(ArcIn("merged", "x"),), outputs=(ArcOut("end", "x"),), operation=task("c")),
        ),
    )
    everywhere(
        p,
        """
        start           -> Ready p, Started p, Fired p/A[1], Fired p/B[2]
        do p/B[2]       -> Started p/B[2], Committed p/B[2], Arrived p/B[2], Fired p/C[3]
        begin p/C[3]    -> Started p/C[3]
        do p/A[1]       -> Started p/A[1], Committed p/A[1], Arrived p/A[1], Fired p/C[4]
        do p/C[4]       -> Started p/C[4], Committed p/C[4], Arrived p/C[4]
        complete p/C[3] -> Committed p/C[3], Arrived p/C[3], Fixed p, Committed p
        """,
    )
