"""Cancel Region: several activities of a process, not all, are stopped together."""

from tests.kernel.driver import done, ended, everywhere, task
from weft.model.definition import ArcIn, ArcOut, Flow, Net, On, Person, Place, Transition


def test_those_with_the_guard_stop_and_the_others_go_on() -> None:
    p = Flow(
        name="p",
        children=(
            task("a", cancel=On("stop", "committed")),
            task("b", cancel=On("stop", "committed")),
            task("c"),
            task("stop"),
        ),
        outcomes=(done(ended("a", "b", "c", "stop")),),
    )
    everywhere(
        p,
        """
        start      -> Ready p, Started p, Ready a, Ready b, Ready c, Ready stop
        begin a    -> Started a
        begin c    -> Started c
        do stop    -> Started stop, Committed stop, Stopping a, Skipped b
        begin b    -> refused NotRunning
        fail a     -> Aborted a
        complete c -> Committed c, Fixed p, Committed p
        """,
    )


def test_net_stops_firings_and_empties_places() -> None:
    p = Net(
        name="p",
        places=(Place("in", tokens=(1, 2)), Place("later"), Place("alarm", tokens=(None,)), Place("end", output=True)),
        transitions=(
            Transition(
                name="Work", inputs=(ArcIn("in", "x"),), outputs=(ArcOut("later", "x"),), operation=task("work")
            ),
            Transition(
                name="Alarm",
                inputs=(ArcIn("alarm"), ArcIn("later", kind="reset")),
                outputs=(ArcOut("end"),),
                operation=task("alarm", handler=Person("guard")),
                cancels=("Work",),
            ),
        ),
    )
    everywhere(
        p,
        """
        start              -> Ready p, Started p, Fired p/Work[1], Fired p/Work[2], Offered p/Alarm[3]
        do p/Work[1]       -> Started p/Work[1], Committed p/Work[1], Arrived p/Work[1]
        begin p/Work[2]    -> Started p/Work[2]
        do p/Alarm[3]      -> Fired p/Alarm[3], Started p/Alarm[3], Committed p/Alarm[3], Arrived p/Alarm[3],
                           -> Stopping p/Work[2]
        complete p/Work[2] -> Aborted p/Work[2], Arrived p/Work[2], Fixed p, Committed p
        """,
    )
