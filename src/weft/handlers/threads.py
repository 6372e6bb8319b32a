"""Python functions on threads: the fastest way to run what is short or waits.

Not for what computes long: Python runs one thread at a time, and whole processes are for that.
"""

from functools import partial
from typing import Final

from weft.handlers.functions import FindCode, attempt_of
from weft.handlers.jobs import Answers
from weft.handlers.workers import Workers

SWITCH_SECONDS: Final = 0.000_5
"""For `sys.setswitchinterval` in a process where an engine and functions share the interpreter.

An engine gives the interpreter away with every statement; with Python's 5 ms it would wait so long for each.
"""


class Threads(Workers):
    """Runs functions, `threads` at a time. How many threads there are costs nothing that can be measured."""

    def __init__(self, find: FindCode, answer: Answers, *, threads: int = 32, most: int = 10_000) -> None:
        super().__init__(partial(attempt_of, find=find, answer=answer), answer, threads=threads, most=most, name="task")
