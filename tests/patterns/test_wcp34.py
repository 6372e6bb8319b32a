"""Static Partial Join for Multiple Instances: the k-th instance leads on, the others run to their ends."""

from tests.kernel.driver import committed, done, everywhere, guarded, task
from weft.model.definition import Constant, Each, Flow, InputSet, On, Outcome, When, every


def test_second_of_three_leads_on() -> None:
    p = Flow(
        name="p",
        children=(
            Each(
                name="e",
                item="x",
                body=task("a"),
                input_sets=(InputSet(bindings={"items": (Constant([1, 2, 3]),)}),),
                outcomes=(Outcome("two", "mark", When("committed >= 2")), Outcome("done")),
            ),
            guarded(task("b"), On("e", "mark:two")),
        ),
        outcomes=(done(every(*committed("e", "b"))),),
    )
    everywhere(
        p,
        """
        start   -> Ready p, Started p, Ready e, Started e, Added e, Ready e[0], Ready e[1], Ready e[2]
        do e[2] -> Started e[2], Committed e[2]
        do e[0] -> Started e[0], Committed e[0], Marked e:two, Ready b
        do b    -> Started b, Committed b
        do e[1] -> Started e[1], Committed e[1], Fixed e, Committed e, Fixed p, Committed p
        """,
    )
