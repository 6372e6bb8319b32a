"""Generalised AND-Join: one thread from each branch goes on together, though a branch may have sent several already."""

from tests.kernel.driver import everywhere, task
from weft.model.definition import ArcIn, ArcOut, Net, Place, Transition


def test_threads_of_a_fast_branch_wait_for_the_slow_one() -> None:
    p = Net(
        name="p",
        places=(Place("a", tokens=(1, 2)), Place("b", tokens=(8, 9)), Place("right"), Place("end", output=True)),
        transitions=(
            Transition(
                name="Slow",
                inputs=(ArcIn("b", "y"),),
                outputs=(ArcOut("right", "y"),),
                operation=task("slow"),
                at_most=1,
            ),
            Transition(
                name="Join",
                inputs=(ArcIn("a", "x"), ArcIn("right", "y")),
                outputs=(ArcOut("end", "x"),),
                operation=task("join"),
            ),
        ),
    )
    everywhere(
        p,
        """
        start        -> Ready p, Started p, Fired p/Slow[1]
        do p/Slow[1] -> Started p/Slow[1], Committed p/Slow[1], Arrived p/Slow[1], Fired p/Slow[2],
                     -> Fired p/Join[3]
        do p/Slow[2] -> Started p/Slow[2], Committed p/Slow[2], Arrived p/Slow[2], Fired p/Join[4]
        do p/Join[4] -> Started p/Join[4], Committed p/Join[4], Arrived p/Join[4]
        do p/Join[3] -> Started p/Join[3], Committed p/Join[3], Arrived p/Join[3], Fixed p, Committed p
        """,
    )
