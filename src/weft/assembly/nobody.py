"""Hands that do nothing: all work waits until somebody says by hand what becomes of it."""

from collections.abc import Iterable

from weft.handlers.functions import FindCode
from weft.handlers.jobs import About, Answers, Job
from weft.handlers.settings import Allowed
from weft.model.definition import Process, Task


class Nobody:
    def lane(self, task: Task, process: Process | None = None) -> str:
        return "nobody"

    def why_not(self, task: Task, process: Process | None = None) -> str:
        return ""

    def rooms(self) -> dict[str, int]:
        return {"nobody": 0}

    def give(self, jobs: Iterable[Job]) -> None:
        """There are never any, since there is no room."""

    def stop(self, abouts: Iterable[About], error: str = "") -> None: ...

    def commit(self, jobs: Iterable[Job]) -> None: ...

    def close(self) -> None: ...


def nobody(find: FindCode, answer: Answers, allowed: Allowed) -> Nobody:
    """What an engine has that begins no work."""
    return Nobody()
