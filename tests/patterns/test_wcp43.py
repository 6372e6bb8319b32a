"""Explicit Termination: one activity's end ends the process, whatever else still runs."""

from tests.kernel.driver import done, everywhere, guarded, task
from weft.model.definition import Flow, On


def test_end_node_stops_everything() -> None:
    p = Flow(
        name="p",
        children=(task("a"), guarded(task("end"), On("a", "committed")), task("b", idempotent=True), task("c")),
        outcomes=(done(On("end", "committed")),),
    )
    everywhere(
        p,
        """
        start   -> Ready p, Started p, Ready a, Ready b, Ready c
        begin b -> Started b
        do a    -> Started a, Committed a, Ready end
        do end  -> Started end, Committed end, Fixed p, Aborted b, Skipped c, Committed p
        """,
    )
