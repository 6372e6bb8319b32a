"""Structured Synchronizing Merge: what follows waits for exactly those branches that were taken."""

from tests.kernel.driver import done, everywhere, guarded, task
from weft.model.definition import AtLeast, Flow, InputSet, On, When


def chosen() -> Flow:
    """Two branches, each with a condition of its own, and what follows them."""
    return Flow(
        name="p",
        input_sets=(InputSet(types={"fire": "bool", "hurt": "bool"}),),
        children=(
            guarded(task("firemen"), When("fire")),
            guarded(task("doctor"), When("hurt")),
            guarded(task("report"), AtLeast(2, (On("firemen", "ended"), On("doctor", "ended")))),
        ),
        outcomes=(done(On("report", "committed")),),
    )


def test_waits_for_both_when_both_were_taken() -> None:
    p = chosen()
    everywhere(
        p,
        """
        start {"fire": true, "hurt": true} -> Ready p, Started p, Answered firemen:yes, Answered doctor:yes,
                               -> Ready firemen, Ready doctor
        do firemen             -> Started firemen, Committed firemen
        begin report           -> refused NotRunning
        do doctor              -> Started doctor, Committed doctor, Ready report
        do report              -> Started report, Committed report, Fixed p, Committed p
        """,
    )


def test_waits_for_one_when_one_was_taken() -> None:
    p = chosen()
    everywhere(
        p,
        """
        start {"fire": true, "hurt": false} -> Ready p, Started p, Answered firemen:yes, Answered doctor:no,
                               -> Ready firemen, Skipped doctor
        do firemen             -> Started firemen, Committed firemen, Ready report
        do report              -> Started report, Committed report, Fixed p, Committed p
        """,
    )
