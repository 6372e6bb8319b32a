"""What the command line tells the shell: one exit code for each base class of errors, and for each end of a run."""

from typing import Final

DONE: Final = 0
ABORTED: Final = 1
WRONG: Final = 2
WAITING: Final = 3
REFUSED: Final = 4
BROKEN: Final = 70
INTERRUPTED: Final = 130

MEANING: Final = {
    DONE: "Done: the process committed, the definition is well formed.",
    ABORTED: "The process ran and aborted.",
    WRONG: "The command, an input or the definition is wrong; nothing was started.",
    WAITING: "The process waits for people, a signal or time, or is stuck.",
    REFUSED: "What was asked can't be done as things stand.",
    BROKEN: "A mistake in Weft itself.",
    INTERRUPTED: "Interrupted from the keyboard.",
}
"""The table of the reference page; a test keeps both alike."""


class Wrong(Exception):
    """The user's command or file can't be used; the message says what, which, why, and what to do."""


def code_of(error: BaseException) -> int:
    """The exit code of an error, by its base class. Imports what it compares with, since most commands end well."""
    from weft.engine.problems import Problem
    from weft.kernel.refusals import Refused
    from weft.languages.python.mistakes import Mistake
    from weft.model.faults import Invalid
    from weft.store.problems import StoreProblem

    table: list[tuple[tuple[type[BaseException], ...], int]] = [
        ((Wrong, Invalid, Mistake, Problem), WRONG),
        ((Refused, StoreProblem, TimeoutError), REFUSED),
        ((KeyboardInterrupt,), INTERRUPTED),
    ]
    return next((code for bases, code in table if isinstance(error, bases)), BROKEN)
