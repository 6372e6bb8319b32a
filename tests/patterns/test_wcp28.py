"""Blocking Discriminator: the first thread goes on; the next round's threads wait until all of this round have come."""

from tests.kernel.driver import everywhere, task
from weft.model.definition import ArcIn, ArcOut, Net, Place, Transition


def test_threads_of_the_next_round_wait() -> None:
    p = Net(
        name="p",
        places=(
            Place("a", tokens=("a1", "a2")),
            Place("b", tokens=("b1", "b2")),
            Place("free", tokens=(None,)),
            Place("taken"),
            Place("end", output=True),
        ),
        transitions=(
            Transition(
                name="First",
                inputs=(ArcIn("a", "x"), ArcIn("free")),
                outputs=(ArcOut("taken"), ArcOut("end", "x")),
                operation=task("work"),
            ),
            Transition(name="Rest", inputs=(ArcIn("b", "y"), ArcIn("taken")), outputs=(ArcOut("free"),)),
        ),
    )
    everywhere(
        p,
        """
        start               -> Ready p, Started p, Fired p/First[1]
        do p/First[1]       -> Started p/First[1], Committed p/First[1], Arrived p/First[1], Moved p:Rest,
                            -> Fired p/First[2]
        begin p/First[2]    -> Started p/First[2]
        begin p/First[1]    -> refused NotFound
        complete p/First[2] -> Committed p/First[2], Arrived p/First[2], Moved p:Rest, Fixed p, Committed p
        """,
    )


def test_a_reset_forgets_what_came_besides() -> None:
    p = Net(
        name="p",
        places=(Place("in", tokens=(1, 2, 3)), Place("go", tokens=(None,)), Place("end", output=True)),
        transitions=(
            Transition(
                name="T",
                inputs=(ArcIn("in", "x"), ArcIn("go"), ArcIn("in", kind="reset")),
                outputs=(ArcOut("end", "x"),),
                operation=task("work"),
            ),
        ),
    )
    everywhere(
        p,
        """
        start     -> Ready p, Started p, Fired p/T[1]
        do p/T[1] -> Started p/T[1], Committed p/T[1], Arrived p/T[1], Fixed p, Committed p
        """,
    )
