"""Thread Split: one thread of a branch becomes several of the same branch."""

from tests.kernel.driver import everywhere, task
from weft.model.definition import ArcIn, ArcOut, Net, Outcome, Place, Transition


def test_one_thread_becomes_three() -> None:
    p = Net(
        name="p",
        places=(Place("in", tokens=("x",)), Place("split"), Place("end", output=True)),
        transitions=(
            Transition(name="Split", inputs=(ArcIn("in", "x"),), outputs=(ArcOut("split", "x", weight=3),)),
            Transition(
                name="Work", inputs=(ArcIn("split", "x"),), outputs=(ArcOut("end", "x"),), operation=task("work")
            ),
        ),
    )
    everywhere(
        p,
        """
        start        -> Ready p, Started p, Moved p:Split, Fired p/Work[1], Fired p/Work[2], Fired p/Work[3]
        do p/Work[2] -> Started p/Work[2], Committed p/Work[2], Arrived p/Work[2]
        do p/Work[1] -> Started p/Work[1], Committed p/Work[1], Arrived p/Work[1]
        do p/Work[3] -> Started p/Work[3], Committed p/Work[3], Arrived p/Work[3], Fixed p, Committed p
        """,
    )


def test_a_list_becomes_a_thread_for_each_element() -> None:
    p = Net(
        name="p",
        places=(Place("in", tokens=(["x", "y"],)), Place("split"), Place("end", output=True)),
        outcomes=(Outcome("done", types={"end": "list[any]"}),),
        transitions=(
            Transition(name="Split", inputs=(ArcIn("in", "all"),), outputs=(ArcOut("split", "all", each=True),)),
            Transition(
                name="Work", inputs=(ArcIn("split", "x"),), outputs=(ArcOut("end", "x"),), operation=task("work")
            ),
        ),
    )
    everywhere(
        p,
        """
        start        -> Ready p, Started p, Moved p:Split, Fired p/Work[1], Fired p/Work[2]
        do p/Work[2] -> Started p/Work[2], Committed p/Work[2], Arrived p/Work[2]
        do p/Work[1] -> Started p/Work[1], Committed p/Work[1], Arrived p/Work[1], Fixed p, Committed p
        """,
    )
