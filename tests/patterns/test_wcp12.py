"""Multiple Instances without Synchronization: instances are started and nobody waits for them."""

from tests.kernel.driver import everywhere, guarded, task
from weft.model.definition import (
    ArcIn,
    ArcOut,
    Constant,
    Each,
    Flow,
    InputSet,
    Net,
    On,
    Outcome,
    Place,
    Quiet,
    Transition,
)


def test_what_follows_does_not_wait_for_the_instances() -> None:
    p = Flow(
        name="p",
        children=(
            Each(
                name="e",
                item="x",
                body=task("tell"),
                input_sets=(InputSet(bindings={"items": (Constant(["ann", "bob"]),)}),),
            ),
            guarded(task("next"), On("e", "started")),
        ),
        outcomes=(Outcome("ended", "commit", Quiet()),),
    )
    everywhere(
        p,
        """
        start   -> Ready p, Started p, Ready e, Started e, Ready next, Added e, Ready e[0], Ready e[1]
        do next -> Started next, Committed next
        do e[1] -> Started e[1], Committed e[1]
        do e[0] -> Started e[0], Committed e[0], Fixed e, Committed e, Fixed p:ended, Committed p:ended
        """,
    )


def test_net_starts_as_many_as_there_are_tokens() -> None:
    p = Net(
        name="p",
        places=(Place("in", tokens=(["ann", "bob"],)), Place("names"), Place("end", output=True)),
        transitions=(
            Transition(
                name="Spawn",
                inputs=(ArcIn("in", "all"),),
                outputs=(ArcOut("names", "all", each=True), ArcOut("end", "all")),
            ),
            Transition(name="Tell", inputs=(ArcIn("names", "x"),), operation=task("tell")),
        ),
    )
    everywhere(
        p,
        """
        start        -> Ready p, Started p, Moved p:Spawn, Fired p/Tell[1], Fired p/Tell[2]
        do p/Tell[2] -> Started p/Tell[2], Committed p/Tell[2], Arrived p/Tell[2]
        do p/Tell[1] -> Started p/Tell[1], Committed p/Tell[1], Arrived p/Tell[1], Fixed p, Committed p
        """,
    )
