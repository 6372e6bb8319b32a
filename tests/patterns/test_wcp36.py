"""Dynamic Partial Join for Multiple Instances: instances may still join, and enough of them lead on."""

from tests.kernel.driver import committed, done, everywhere, task
from weft.model.definition import Each, Flow, Outcome, Output, every


def test_enough_of_a_growing_number() -> None:
    p = Flow(
        name="p",
        children=(
            task(
                "ask",
                outcomes=(
                    Outcome("first", "mark", types={"names": "any"}),
                    Outcome("more", "mark", types={"names": "any"}),
                    Outcome("done"),
                ),
            ),
            Each(
                name="e",
                item="x",
                body=task("offer", idempotent=True),
                adds=(Output("ask", "first", "names"), Output("ask", "more", "names")),
                enough=2,
            ),
        ),
        outcomes=(done(every(*committed("ask", "e"))),),
    )
    everywhere(
        p,
        """
        start                  -> Ready p, Started p, Ready ask, Ready e, Started e
        begin ask              -> Started ask
        mark ask first {"names": ["a"]} -> Marked ask:first, Added e, Ready e[0]
        do e[0]                -> Started e[0], Committed e[0]
        mark ask more {"names": ["b", "c"]} -> Marked ask:more, Added e, Ready e[1], Ready e[2]
        begin e[1]             -> Started e[1]
        do e[2]                -> Started e[2], Committed e[2], Fixed e, Aborted e[1], Committed e
        complete ask           -> Committed ask, Fixed p, Committed p
        """,
    )
