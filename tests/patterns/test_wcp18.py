"""Milestone: an activity may start only while a certain point has been reached and not been passed."""

from tests.kernel.driver import done, ended, everywhere, guarded, task
from weft.model.definition import ArcIn, ArcOut, Flow, Net, On, Person, Place, Transition


def enrolment() -> Flow:
    """Changes may begin after the enrolment and until it is closed."""
    return Flow(
        name="p",
        children=(
            task("enrol"),
            guarded(task("close"), On("enrol", "committed")),
            guarded(task("amend", until=On("close", "committed")), On("enrol", "committed")),
        ),
        outcomes=(done(ended("close", "amend")),),
    )


def test_what_begins_in_time_may_run_on() -> None:
    p = enrolment()
    everywhere(
        p,
        """
        start          -> Ready p, Started p, Ready enrol
        begin amend    -> refused NotRunning
        do enrol       -> Started enrol, Committed enrol, Ready close, Ready amend
        begin amend    -> Started amend
        do close       -> Started close, Committed close
        complete amend -> Committed amend, Fixed p, Committed p
        """,
    )


def test_what_has_not_begun_when_it_is_passed_is_withdrawn() -> None:
    p = enrolment()
    everywhere(
        p,
        """
        start       -> Ready p, Started p, Ready enrol
        do enrol    -> Started enrol, Committed enrol, Ready close, Ready amend
        do close    -> Started close, Committed close, Skipped amend, Fixed p, Committed p
        begin amend -> refused NotRunning
        """,
    )


def test_net_reads_the_milestone() -> None:
    p = Net(
        name="p",
        places=(Place("open", tokens=(None,)), Place("wish", tokens=(1, 2)), Place("end", output=True)),
        transitions=(
            Transition(
                name="Amend",
                inputs=(ArcIn("wish", "x"), ArcIn("open", kind="read")),
                outputs=(ArcOut("end", "x"),),
                operation=task("amend"),
                at_most=1,
            ),
            Transition(name="Close", inputs=(ArcIn("open"),), operation=task("close", handler=Person("clerk"))),
        ),
    )
    everywhere(
        p,
        """
        start         -> Ready p, Started p, Fired p/Amend[1], Offered p/Close[2]
        do p/Close[2] -> Fired p/Close[2], Started p/Close[2], Committed p/Close[2], Arrived p/Close[2]
        do p/Amend[1] -> Started p/Amend[1], Committed p/Amend[1], Arrived p/Amend[1], Fixed p, Committed p
        do p/Amend[3] -> refused NotFound, refused NotFound
        """,
    )
