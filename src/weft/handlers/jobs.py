"""What passes between an engine and those who work for it: jobs one way, answers the other, both as values.

Nothing here works. A `Pool` is whoever takes jobs; it answers by a function that any thread may call.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from msgspec import Struct

from weft.model.definition import Process, Task

About = tuple[int, str, int, int]
"""Instance, path, round and attempt: they name one attempt for ever."""


class Job(Struct, frozen=True, gc=False, eq=False):
    """One attempt of a task. `inputs` and `checkpoint` are plain data; `key` is the same on every attempt."""

    task: Task
    instance: int = 0
    path: str = ""
    round: int = 0
    attempt: int = 1
    key: str = ""
    inputs: Mapping[str, object] = {}
    checkpoint: object = None
    process: Process | None = None
    """Whose task it is, for those that bring their own programs."""
    holds: tuple[str, ...] = ()
    """Outcomes with which a transaction is not committed, but held until it has leave."""

    @property
    def about(self) -> About:
        return self.instance, self.path, self.round, self.attempt


class Done(Struct, frozen=True, gc=False, eq=False):
    """The work is done, with an outcome of the task and that outcome's objects."""

    job: Job
    outcome: str = ""
    values: dict[str, object] = {}


class Failed(Struct, frozen=True, eq=False):
    """The work has failed, with a name below `task`, `handler` or `engine`; nothing of it runs any more."""

    job: Job
    error: str
    message: str = ""
    exception: BaseException | None = None
    """What a function raised, where it ran in this process."""


class Lost(Struct, frozen=True, gc=False, eq=False):
    """Whoever did the work is gone, or does not stop: nobody knows how much of it was done."""

    job: Job
    message: str = ""


class Marked(Struct, frozen=True, gc=False, eq=False):
    """An early outcome; the work goes on."""

    job: Job
    name: str
    values: dict[str, object] = {}


class Saved(Struct, frozen=True, gc=False, eq=False):
    """A checkpoint, from which the next attempt can go on; the work goes on."""

    job: Job
    checkpoint: object = None


class Beat(Struct, frozen=True, gc=False, eq=False):
    """The work goes on."""

    job: Job


class Begun(Struct, frozen=True, gc=False, eq=False):
    """The work really begins now; told only of tasks that have time limits."""

    job: Job


class Confirmed(Struct, frozen=True, eq=False):
    """A transaction that was held has committed."""

    job: Job


Answer = Done | Failed | Lost | Marked | Saved | Beat | Begun | Confirmed
"""Each job gets exactly one of the first three, and after it nothing; a held one, when it has leave, another end."""

Answers = Callable[[Answer], None]
"""Takes an answer, at once and from any thread."""


class Pool(Protocol):
    """Works on jobs, some at a time."""

    @property
    def room(self) -> int:
        """How many more jobs it could soon begin; never negative, and cheap to ask."""
        ...

    def give(self, jobs: Sequence[Job]) -> None:
        """Begins jobs, or keeps them until it can; it takes them even when it has no room."""
        ...

    def stop(self, about: About, error: str = "") -> None:
        """Tells one attempt to stop. It still gets its answer; an attempt that is unknown here gets none.

        `error` is what it has failed with when it stops; without one, that is `CANCELLED`.
        """
        ...

    def close(self) -> None:
        """Stops what runs, and takes nothing more."""
        ...


@runtime_checkable
class Holding(Protocol):
    """A pool that may hold what is done until it has leave."""

    def commit(self, jobs: Sequence[Job]) -> None:
        """What was held has leave; each is answered again, by `Confirmed` or as failed or lost."""
        ...


class Stopped(Exception):
    """Raised in a task by its context when its work is to stop."""


CANCELLED = "engine.cancelled"
"""The error of work that ended because it was told to stop."""

INPUT = "handler.input"
EXECUTE = "handler.execute"
OUTPUT = "handler.output"
ACTIVATE = "handler.activate"
LOG = "handler.log"
RECOVER = "handler.recover"
