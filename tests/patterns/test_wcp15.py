"""Multiple Instances without a priori Run-Time Knowledge: more instances may join while the first ones run."""

from tests.kernel.driver import committed, done, everywhere, task
from weft.model.definition import Each, Flow, Outcome, Output, every


def test_a_mark_of_a_sibling_brings_more() -> None:
    p = Flow(
        name="p",
        children=(
            task(
                "witness",
                outcomes=(
                    Outcome("early", "mark", types={"names": "any"}),
                    Outcome("late", "mark", types={"names": "any"}),
                    Outcome("done"),
                ),
            ),
            Each(
                name="e",
                item="x",
                body=task("hear"),
                adds=(Output("witness", "early", "names"), Output("witness", "late", "names")),
            ),
        ),
        outcomes=(done(every(*committed("witness", "e"))),),
    )
    everywhere(
        p,
        """
        start                  -> Ready p, Started p, Ready witness, Ready e, Started e
        begin witness          -> Started witness
        mark witness early {"names": ["ann"]} -> Marked witness:early, Added e, Ready e[0]
        do e[0]                -> Started e[0], Committed e[0]
        mark witness late {"names": ["bob", "eve"]} -> Marked witness:late, Added e, Ready e[1], Ready e[2]
        do e[2]                -> Started e[2], Committed e[2]
        complete witness       -> Committed witness
        do e[1]                -> Started e[1], Committed e[1], Fixed e, Committed e, Fixed p, Committed p
        """,
    )


def test_a_person_adds_and_says_when_it_is_all() -> None:
    p = Each(name="p", item="x", body=task("hear"), open=True)
    everywhere(
        p,
        """
        start         -> Ready p, Started p
        add p ["ann"] -> Added p, Ready p[0]
        begin p[0]    -> Started p[0]
        add p ["bob"] -> Added p, Ready p[1]
        complete p[0] -> Committed p[0]
        do p[1]       -> Started p[1], Committed p[1]
        finish p      -> Closed p, Fixed p, Committed p
        """,
    )
