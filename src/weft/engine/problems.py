"""What can go wrong around a run in memory, split by whose fault it is."""

from collections.abc import Sequence

from weft.kernel.refusals import Refused


class Problem(Exception):
    """The run can't be had as it was asked for; the message says what, why, and what to do."""


class CannotRun(Problem):
    """A process has work that can't be done here; `reasons` has every one."""

    def __init__(self, process: str, reasons: Sequence[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("\n  ".join([f"process {process} can't run here:", *self.reasons]))


class Endless(Problem):
    """The run made more decisions than it was allowed."""


class Unexpected(Problem):
    """A run did not end as `.expect(…)` says; the exception of the failed task, if there is one, is the cause."""


class Busy(Problem):
    """So many requests wait that no more are taken at present."""


class Elsewhere(Refused):
    """Another node does this: the one that owns the instance, or, with instance 0, any that has slots."""

    def __init__(self, instance: int) -> None:
        super().__init__(f"instance {instance} is another node's" if instance else "this node has no slots")
        self.instance = instance


class Broken(Problem):
    """A mistake in Weft itself, which kept a request from being done; nothing has changed."""
