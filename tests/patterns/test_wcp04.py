"""Exclusive Choice: the thread goes into exactly one of several branches, chosen by data."""

from msgspec.structs import replace

from tests.kernel.driver import everywhere, process, task
from weft.model.blocks import choice
from weft.model.definition import InputSet, Process


def pays() -> Process:
    flow = choice([("n > 100", task("board")), ("n > 10", task("chief"))], task("clerk"), name="p")
    return process(replace(flow, input_sets=(InputSet(types={"n": "int"}),)))


def test_first_condition_that_is_true_chooses() -> None:
    p = pays()
    everywhere(
        p,
        """
        start {"n": 500} -> Ready p, Started p, Answered board:yes, Ready board
        do board         -> Started board, Skipped chief, Skipped clerk, Committed board, Fixed p, Committed p
        """,
    )


def test_later_condition_is_asked_when_the_first_was_false() -> None:
    p = pays()
    everywhere(
        p,
        """
        start {"n": 50} -> Ready p, Started p, Answered board:no, Skipped board, Answered chief:yes,
                        -> Ready chief
        do chief        -> Started chief, Skipped clerk, Committed chief, Fixed p, Committed p
        """,
    )


def test_default_is_chosen_when_no_condition_is_true() -> None:
    p = pays()
    everywhere(
        p,
        """
        start {"n": 5} -> Ready p, Started p, Answered board:no, Skipped board, Answered chief:no,
                       -> Skipped chief, Ready clerk
        begin board    -> refused NotRunning
        do clerk       -> Started clerk, Committed clerk, Fixed p, Committed p
        """,
    )
