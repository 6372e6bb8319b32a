"""Blocking Partial Join: k of n threads go on together; the threads of the next round wait until all have come."""

from tests.kernel.driver import everywhere, task
from weft.model.definition import ArcIn, ArcOut, Net, Place, Transition


def test_two_of_three_go_on_and_the_third_opens_the_join_again() -> None:
    p = Net(
        name="p",
        places=(
            Place("in", tokens=(1, 2, 3, 4, 5, 6)),
            Place("open", tokens=(None,)),
            Place("shut"),
            Place("end", output=True),
        ),
        transitions=(
            Transition(
                name="Join",
                inputs=(ArcIn("in", "x", weight=2), ArcIn("open")),
                outputs=(ArcOut("shut"), ArcOut("end", "x")),
                operation=task("work"),
            ),
            Transition(name="Rest", inputs=(ArcIn("in"), ArcIn("shut")), outputs=(ArcOut("open"),)),
        ),
    )
    everywhere(
        p,
        """
        start              -> Ready p, Started p, Fired p/Join[1]
        begin p/Join[1]    -> Started p/Join[1]
        complete p/Join[1] -> Committed p/Join[1], Arrived p/Join[1], Moved p:Rest, Fired p/Join[2]
        do p/Join[2]
        """,
    )
