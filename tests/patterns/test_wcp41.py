"""Thread Merge: several threads of one branch become one."""

from tests.kernel.driver import everywhere, task
from weft.model.definition import ArcIn, ArcOut, Net, Place, Transition


def test_three_threads_become_one() -> None:
    p = Net(
        name="p",
        places=(Place("in", tokens=(1, 2, 3)), Place("done"), Place("end", output=True)),
        transitions=(
            Transition(name="Work", inputs=(ArcIn("in", "x"),), outputs=(ArcOut("done", "x"),), operation=task("work")),
            Transition(name="Merge", inputs=(ArcIn("done", "x", weight=3),), outputs=(ArcOut("end", "x"),)),
        ),
    )
    everywhere(
        p,
        """
        start        -> Ready p, Started p, Fired p/Work[1], Fired p/Work[2], Fired p/Work[3]
        do p/Work[2] -> Started p/Work[2], Committed p/Work[2], Arrived p/Work[2]
        do p/Work[1] -> Started p/Work[1], Committed p/Work[1], Arrived p/Work[1]
        do p/Work[3] -> Started p/Work[3], Committed p/Work[3], Arrived p/Work[3], Moved p:Merge, Fixed p,
                     -> Committed p
        """,
    )
