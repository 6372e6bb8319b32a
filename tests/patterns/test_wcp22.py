"""Recursion: an activity calls the process that it is part of."""

from msgspec.structs import replace

from tests.kernel.driver import everywhere, process, task
from weft.model.blocks import choice
from weft.model.definition import Call, Expression, InputSet, Process


def halves() -> Process:
    """Splits what is larger than one in two and calls itself for each half."""
    again = Call(name="again", process="p", input_sets=(InputSet(bindings={"n": (Expression("n - 1"),)}),))
    flow = choice([("n > 0", again)], task("leaf"), name="p")
    return process(replace(flow, input_sets=(InputSet(types={"n": "int"}),)))


def test_a_process_calls_itself_until_nothing_is_left() -> None:
    p = halves()
    everywhere(
        p,
        """
        start {"n": 2}      -> Ready p, Started p, Answered again:yes, Ready again, Started again,
                            -> Skipped leaf
        bind again p        -> Bound again, Ready again/p, Started again/p, Answered again/again:yes,
                            -> Ready again/again, Started again/again, Skipped again/leaf
        bind again/again p  -> Bound again/again, Ready again/again/p, Started again/again/p,
                            -> Answered again/again/again:no, Skipped again/again/again,
                            -> Ready again/again/leaf
        do again/again/leaf -> Started again/again/leaf, Committed again/again/leaf, Fixed again/again/p,
                            -> Committed again/again/p, Fixed again/again, Committed again/again,
                            -> Fixed again/p, Committed again/p, Fixed again, Committed again, Fixed p,
                            -> Committed p
        """,
        processes={"p": p},
    )
