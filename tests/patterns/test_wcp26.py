"""Cancel Multiple Instance Activity: all instances of one activity are stopped; those that ended stay."""

from tests.kernel.driver import done, ended, everywhere, task
from weft.model.definition import Constant, Each, Flow, InputSet, On


def test_guard_stops_those_that_run() -> None:
    p = Flow(
        name="p",
        children=(
            Each(
                name="e",
                item="x",
                body=task("a"),
                input_sets=(InputSet(bindings={"items": (Constant([1, 2, 3]),)}),),
                cancel=On("stop", "committed"),
            ),
            task("stop"),
        ),
        outcomes=(done(ended("e", "stop")),),
    )
    everywhere(
        p,
        """
        start         -> Ready p, Started p, Ready e, Started e, Ready stop, Added e, Ready e[0], Ready e[1],
                      -> Ready e[2]
        do e[0]       -> Started e[0], Committed e[0]
        begin e[1]    -> Started e[1]
        do stop       -> Started stop, Committed stop, Aborting e, Stopping e[1], Skipped e[2]
        complete e[1] -> Aborted e[1], Aborted e, Fixed p, Committed p
        """,
    )
