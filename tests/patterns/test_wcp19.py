"""Cancel Task: one activity is withdrawn, or stopped if it runs."""

from tests.kernel.driver import done, ended, everywhere, task
from weft.model.definition import Flow, On


def test_guard_withdraws_what_is_ready() -> None:
    p = Flow(name="p", children=(task("a", cancel=On("b", "committed")), task("b")), outcomes=(done(ended("a", "b")),))
    everywhere(
        p,
        """
        start   -> Ready p, Started p, Ready a, Ready b
        do b    -> Started b, Committed b, Skipped a, Fixed p, Committed p
        begin a -> refused NotRunning
        """,
    )


def test_guard_stops_what_runs_and_waits_for_it() -> None:
    p = Flow(name="p", children=(task("a", cancel=On("b", "committed")), task("b")), outcomes=(done(ended("a", "b")),))
    everywhere(
        p,
        """
        start      -> Ready p, Started p, Ready a, Ready b
        begin a    -> Started a
        do b       -> Started b, Committed b, Stopping a
        complete a -> Aborted a, Fixed p, Committed p
        """,
    )


def test_idempotent_work_is_stopped_at_once() -> None:
    p = Flow(
        name="p",
        children=(task("a", cancel=On("b", "committed"), idempotent=True), task("b")),
        outcomes=(done(ended("a", "b")),),
    )
    everywhere(
        p,
        """
        start      -> Ready p, Started p, Ready a, Ready b
        begin a    -> Started a
        do b       -> Started b, Committed b, Aborted a, Fixed p, Committed p
        complete a -> refused NotRunning
        """,
    )


def test_a_person_cancels_one_activity() -> None:
    p = Flow(name="p", children=(task("a"), task("b")), outcomes=(done(ended("a", "b")),))
    everywhere(
        p,
        """
        start    -> Ready p, Started p, Ready a, Ready b
        cancel a -> Skipped a
        do b     -> Started b, Committed b, Fixed p, Committed p
        """,
    )
