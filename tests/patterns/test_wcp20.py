"""Cancel Case: the whole instance is stopped and what it did is taken back."""

from tests.kernel.driver import everywhere, task
from weft.model.blocks import all_of, serial


def test_everything_stops_and_what_committed_is_taken_back() -> None:
    p = serial(task("book", compensation=task("unbook")), all_of(task("b"), task("c"), name="both"), name="p")
    everywhere(
        p,
        """
        start                -> Ready p, Started p, Ready book
        do book              -> Started book, Committed book, Ready both, Started both, Ready both/b,
                             -> Ready both/c
        begin both/b         -> Started both/b
        cancel               -> Aborting p, Aborting both, Stopping both/b, Skipped both/c
        complete both/b      -> Aborted both/b, Aborted both, Compensating book, Ready book/compensation
        do book/compensation -> Started book/compensation, Committed book/compensation, Compensated book,
                             -> Aborted p
        """,
    )
