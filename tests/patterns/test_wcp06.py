"""Multi-Choice: the thread goes into each branch whose condition is true, one, several or none."""

from tests.kernel.driver import done, ended, everywhere, guarded, task
from weft.model.definition import Flow, InputSet, On, When


def chosen() -> Flow:
    """Two branches, each with a condition of its own, and what follows them."""
    return Flow(
        name="p",
        input_sets=(InputSet(types={"fire": "bool", "hurt": "bool"}),),
        children=(
            guarded(task("firemen"), When("fire")),
            guarded(task("doctor"), When("hurt")),
            guarded(task("report"), ended("firemen", "doctor")),
        ),
        outcomes=(done(On("report", "committed")),),
    )


def test_both_branches_are_taken() -> None:
    p = chosen()
    everywhere(
        p,
        """
        start {"fire": true, "hurt": true} -> Ready p, Started p, Answered firemen:yes, Answered doctor:yes,
                               -> Ready firemen, Ready doctor
        do doctor              -> Started doctor, Committed doctor
        do firemen             -> Started firemen, Committed firemen, Ready report
        do report              -> Started report, Committed report, Fixed p, Committed p
        """,
    )


def test_one_branch_is_taken() -> None:
    p = chosen()
    everywhere(
        p,
        """
        start {"fire": false, "hurt": true} -> Ready p, Started p, Answered firemen:no, Answered doctor:yes,
                               -> Ready doctor, Skipped firemen
        begin firemen          -> refused NotRunning
        do doctor              -> Started doctor, Committed doctor, Ready report
        do report              -> Started report, Committed report, Fixed p, Committed p
        """,
    )


def test_no_branch_is_taken() -> None:
    p = chosen()
    everywhere(
        p,
        """
        start {"fire": false, "hurt": false} -> Ready p, Started p, Answered firemen:no, Answered doctor:no,
                               -> Skipped firemen, Skipped doctor, Ready report
        do report              -> Started report, Committed report, Fixed p, Committed p
        """,
    )
