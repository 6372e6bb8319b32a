"""Multiple Instances with a priori Run-Time Knowledge: how many is known at the start; all are waited for."""

from tests.kernel.driver import everywhere, task
from weft.model.blocks import serial
from weft.model.definition import Each, InputSet, Outcome, Output


def checks() -> Each:
    """One check for each line that a task before it found."""
    return Each(
        name="e",
        item="line",
        body=task("check"),
        input_sets=(InputSet(bindings={"items": (Output("read", "done", "lines"),)}),),
    )


def test_as_many_as_lines_were_found() -> None:
    p = serial(task("read", outcomes=(Outcome("done", types={"lines": "any"}),)), checks(), task("send"), name="p")
    everywhere(
        p,
        """
        start                  -> Ready p, Started p, Ready read
        do read {"lines": ["x", "y"]} -> Started read, Committed read, Ready e, Started e, Added e, Ready e[0],
                               -> Ready e[1]
        do e[0]                -> Started e[0], Committed e[0]
        do e[1]                -> Started e[1], Committed e[1], Fixed e, Committed e, Ready send
        do send                -> Started send, Committed send, Fixed p, Committed p
        """,
    )


def test_none_at_all_when_no_line_was_found() -> None:
    p = serial(task("read", outcomes=(Outcome("done", types={"lines": "any"}),)), checks(), task("send"), name="p")
    everywhere(
        p,
        """
        start                 -> Ready p, Started p, Ready read
        do read {"lines": []} -> Started read, Committed read, Ready e, Started e, Added e, Fixed e,
                              -> Committed e, Ready send
        do send               -> Started send, Committed send, Fixed p, Committed p
        """,
    )
