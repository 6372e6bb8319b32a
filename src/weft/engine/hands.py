"""Who does the work, as the engine sees it: lanes with so many places, jobs to give, attempts to stop."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from weft.handlers.jobs import About, Job
from weft.model.definition import Process, Task


class Hands(Protocol):
    """The engine's thread alone calls it, and none of it waits. Answers come by the loop's queue."""

    def lane(self, task: Task, process: Process | None = None) -> str:
        """Where a task of this kind waits for a place; empty when nobody here can do it."""
        ...

    def why_not(self, task: Task, process: Process | None = None) -> str:
        """Why nobody here can do it."""
        ...

    def rooms(self) -> Mapping[str, int]:
        """For each lane that was asked for, how many jobs may begin now."""
        ...

    def give(self, jobs: Iterable[Job]) -> None:
        """Does these jobs; each is answered once it has ended."""
        ...

    def stop(self, abouts: Iterable[About], error: str = "") -> None:
        """Has attempts stop; one that isn't known is passed over."""
        ...

    def commit(self, jobs: Iterable[Job]) -> None:
        """Has transactions commit that were held, or were by a node that is gone; each is answered for again."""
        ...

    def close(self) -> None: ...
