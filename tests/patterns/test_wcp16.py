"""Deferred Choice: several branches are offered to the world outside; the first that is taken withdraws the others."""

from tests.kernel.driver import everywhere, task
from weft.model.blocks import pick
from weft.model.definition import Person, Timer


def test_what_is_begun_first_withdraws_the_others() -> None:
    p = pick(
        task("call", handler=Person("clerk")),
        task("write", handler=Person("clerk")),
        task("wait", handler=Timer(60)),
        name="p",
    )
    everywhere(
        p,
        """
        start          -> Ready p, Started p, Ready call, Ready write, Ready wait
        begin write    -> Started write, Skipped call, Skipped wait
        begin call     -> refused NotRunning
        complete write -> Committed write, Fixed p, Committed p
        """,
    )


def test_timer_that_occurs_withdraws_the_people_s_work() -> None:
    p = pick(task("call", handler=Person("clerk")), task("wait", handler=Timer(60)), name="p")
    everywhere(
        p,
        """
        start         -> Ready p, Started p, Ready call, Ready wait
        complete wait -> Started wait, Skipped call, Committed wait, Fixed p, Committed p
        begin call    -> refused NotRunning
        """,
    )
