"""Timers: the name of each says which command it sends, so that a row in the store is all there is to know."""

from weft.kernel.commands import Command, Complete, Due, Retry
from weft.kernel.effect_types import Dispatch, Timer


def name_of(timer: Timer) -> str:
    kind = "again" if timer.kind == "retry" else f"due{timer.warning}"
    return f"{kind}:{timer.round}:{timer.attempt}:{timer.path}"


def occurrence(work: Dispatch) -> str:
    """The name of the timer behind a task that is one."""
    return f"occur:{work.round}:{work.attempt}:{work.path}"


def is_occurrence(name: str) -> bool:
    return name.startswith("occur:")


def path_of(name: str) -> str:
    return name.split(":", 3)[3]


def command_of(name: str) -> Command:
    """What is told to the instance when a timer is due.

    >>> command_of("again:0:2:charge")
    Retry(path='charge', round=0, attempt=2)
    """
    kind, round, attempt, path = name.split(":", 3)
    about = path, int(round), int(attempt)
    if kind == "again":
        return Retry(*about)
    if kind == "occur":
        return Complete(*about)
    return Due(*about, int(kind.removeprefix("due")))
