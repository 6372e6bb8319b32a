"""Commands: what someone asks of an instance, in the imperative. Each is accepted whole or refused whole."""

from msgspec import Struct

from weft.kernel.facts import Value, Values
from weft.model.definition import Process


class Start(Struct, frozen=True, gc=False, tag=True, omit_defaults=True):
    """Begin the instance with these inputs. `seed` decides ties between bindings of a net."""

    inputs: Values = {}
    set: str = ""
    seed: int = 0


class About(Struct, frozen=True, gc=False, tag=True, omit_defaults=True):
    """A command about one execution. Round and attempt, when given, must be the present ones."""

    path: str
    round: int | None = None
    attempt: int | None = None


class Begin(About, frozen=True, gc=False):
    """A handler, or a person, takes the work."""

    worker: str = ""


class Complete(About, frozen=True, gc=False):
    """The work is done, with an outcome and its objects. Of a doubted execution: it was done."""

    outcome: str = ""
    values: Values = {}


class Fail(About, frozen=True, gc=False):
    """The work failed with an error. Of a doubted execution: it was not done."""

    error: str = "task"
    message: str = ""


class Mark(About, frozen=True, gc=False):
    """Running work gives an early outcome."""

    mark: str = ""
    values: Values = {}


class Confirm(About, frozen=True, gc=False):
    """The resource has committed what was granted."""


class Settle(About, frozen=True, gc=False):
    """The branch of a prepared execution was settled as decided."""


class Retry(About, frozen=True, gc=False):
    """A backoff is over, or a person says: again."""


class LeaseEnded(About, frozen=True, gc=False):
    """The worker is gone and nobody knows what it did."""


class Cancel(About, frozen=True, gc=False):
    """Stop an activity, or with an empty path the instance. `drain` lets what runs end and takes nothing back."""

    path: str = ""
    drain: bool = False
    error: str = "engine.cancelled"


class Skip(About, frozen=True, gc=False):
    """A person skips an activity that waits or is ready."""


class Due(About, frozen=True, gc=False):
    """A deadline has passed; `warning` numbers an early warning."""

    warning: int = -1


class Continue(Struct, frozen=True, gc=False, tag=True):
    """Go on with what an earlier decision left because it had done enough."""


class Suspend(Struct, frozen=True, gc=False, tag=True):
    """Start nothing more, and stop the clocks."""


class Resume(Struct, frozen=True, gc=False, tag=True):
    """Go on after `Suspend`."""


class Add(About, frozen=True, gc=False):
    """More items for an open `Each`."""

    items: tuple[Value, ...] = ()


class Finish(About, frozen=True, gc=False):
    """An `Each` takes no more items and what runs in it is stopped."""


class Bind(About, frozen=True, gc=False):
    """The answer to a `Lookup`: the process that a `Call` runs, and its hash."""

    definition: str = ""
    process: Process | None = None


class Change(Struct, frozen=True, gc=False, tag=True):
    """Go on with another definition."""

    definition: str
    process: Process


class Abandon(About, frozen=True, gc=False):
    """Give up an activity at a site that can't be reached."""


# Said between groups: of a compound that another group runs, and of a part that this group runs for another.


class Return(About, frozen=True, gc=False):
    """A compound that another group runs has ended there; a commit is a request, for its owner to take."""

    is_commit: bool = False
    outcome: str = "aborted"
    values: Values = {}
    error: str = ""
    message: str = ""
    variables: Values = {}
    work_done: bool = False
    keeps: bool = False
    is_prepared: bool = False


class Restore(About, frozen=True, gc=False):
    """The group that ran it has taken an execution back."""

    variables: Values = {}


class TakeBack(About, frozen=True, gc=False):
    """Take back a part that has committed, because its owner asks."""

    error: str = "engine.cancelled"


class RollBack(Struct, frozen=True, gc=False, tag=True):
    """What is prepared in this part never commits: a compound around it aborts."""


class Decide(Struct, frozen=True, gc=False, tag=True):
    """The instance has ended, so what is prepared in this part commits or is rolled back."""

    commit: bool = False


Command = (
    Start
    | Begin
    | Complete
    | Fail
    | Mark
    | Confirm
    | Settle
    | Retry
    | LeaseEnded
    | Cancel
    | Skip
    | Due
    | Continue
    | Suspend
    | Resume
    | Add
    | Finish
    | Bind
    | Change
    | Abandon
    | Return
    | Restore
    | TakeBack
    | RollBack
    | Decide
)
