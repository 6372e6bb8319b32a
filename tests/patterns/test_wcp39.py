"""Critical Section: parts of two branches are never at work at the same time."""

from msgspec.structs import replace

from tests.kernel.driver import everywhere, task
from weft.model.blocks import all_of, serial


def test_second_section_starts_when_the_first_has_ended() -> None:
    one = replace(serial(task("a"), task("b"), name="one"), holds=("desk",))
    two = replace(serial(task("c"), task("d"), name="two"), holds=("desk",))
    p = all_of(one, two, task("free"), name="p")
    everywhere(
        p,
        """
        start         -> Ready p, Started p, Ready one, Started one, Ready two, Ready free, Ready one/a
        begin two/c   -> refused NotRunning
        do one/a      -> Started one/a, Committed one/a, Ready one/b
        begin free    -> Started free
        do one/b      -> Started one/b, Committed one/b, Fixed one, Committed one, Started two, Ready two/c
        do two/c      -> Started two/c, Committed two/c, Ready two/d
        complete free -> Committed free
        do two/d      -> Started two/d, Committed two/d, Fixed two, Committed two, Fixed p, Committed p
        """,
    )
