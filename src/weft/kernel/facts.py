"""Facts: what has become true in an instance, in past tense. The log is a list of them and nothing else.

Every fact has the path of its activity and, but for a few about a whole instance, the round and attempt of the
execution it speaks of. The format of a fact is for ever: a field may be added with a default, never changed.
"""

from msgspec import Struct

Value = object
Values = dict[str, object]

FORMAT = 1
"""The format number of every fact in this module."""


class Fact(Struct, frozen=True, gc=False, tag=True, omit_defaults=True):
    path: str
    round: int = 0
    attempt: int = 1


# The life of an activity.


class Ready(Fact, frozen=True, gc=False):
    """An input set holds; its sources were chosen and their values fixed. `seed` comes with the root's."""

    set: str = "start"
    inputs: Values = {}
    seed: int = 0


class Started(Fact, frozen=True, gc=False):
    """A handler or a person took the work; a compound starts at once."""

    worker: str = ""


class Answered(Fact, frozen=True, gc=False):
    """A `When` was asked; `key` says which, among those that the activity's own guards hold."""

    key: str = ""
    answer: bool = False


class Marked(Fact, frozen=True, gc=False):
    """An early outcome was given."""

    mark: str = ""
    values: Values = {}


class Parked(Fact, frozen=True, gc=False):
    """The work is done; its end waits for a guard or for leave."""

    outcome: str = "done"
    values: Values = {}


class Granted(Fact, frozen=True, gc=False):
    """The parked end has leave to happen."""


class Committed(Fact, frozen=True, gc=False):
    """It ended well, as `outcome`. An `error` is one that a rule told to ignore."""

    outcome: str = "done"
    values: Values = {}
    error: str = ""


class Failed(Fact, frozen=True, gc=False):
    """One attempt failed; `then` says what follows, by rule number `rule` of the activity."""

    error: str = "task"
    message: str = ""
    then: str = "fail"
    rule: int = -1
    delay_seconds: float = 0.0


class TakingBack(Fact, frozen=True, gc=False):
    """Work ended after it was stopped: its undo, else its compensation, runs before it aborts."""

    outcome: str = "done"
    values: Values = {}


class Stopping(Fact, frozen=True, gc=False):
    """Work was told to stop; its end is awaited."""

    error: str = "engine.cancelled"


class Aborted(Fact, frozen=True, gc=False):
    """It ended without success; `work_done` if its work was done all the same, and taken back."""

    outcome: str = "aborted"
    values: Values = {}
    error: str = ""
    message: str = ""
    work_done: bool = False


class Skipped(Fact, frozen=True, gc=False):
    """Never started and never will in this round. What was ready is withdrawn. `by` is `person` if one said so."""

    by: str = ""


class Overdue(Fact, frozen=True, gc=False):
    """A deadline passed, or a warning before it did."""

    warning: int = -1


class Doubted(Fact, frozen=True, gc=False):
    """Nobody knows whether the work was done, or a rule says to ask: a person must tell."""

    error: str = ""
    message: str = ""


# The life of a compound.


class Fixed(Fact, frozen=True, gc=False):
    """An outcome was decided, with its values; it becomes news when what it stopped has ended."""

    outcome: str = "done"
    values: Values = {}


class Repeated(Fact, frozen=True, gc=False):
    """A new round begins with these inputs; `round` is the compound's own."""

    outcome: str = ""
    inputs: Values = {}


class Aborting(Fact, frozen=True, gc=False):
    """One-way: what waits is skipped, what runs is stopped, what committed is taken back, then it has aborted."""

    outcome: str = "aborted"
    values: Values = {}
    error: str = ""
    message: str = ""
    is_stopped: bool = False


class Compensating(Fact, frozen=True, gc=False):
    """An execution that committed is being taken back by its compensation."""


class Compensated(Fact, frozen=True, gc=False):
    """An execution was taken back; `given_up` when a person said that it can't be."""

    given_up: bool = False
    variables: Values = {}
    """What was written meanwhile where it ran, if another group took it back."""


class RolledBack(Fact, frozen=True, gc=False):
    """A prepared execution of a critical task is never to commit."""


class Settled(Fact, frozen=True, gc=False):
    """The branch of a prepared execution was committed or rolled back, as was decided."""


class Drained(Fact, frozen=True, gc=False):
    """Nothing new begins here: what runs may end, the rest is skipped, nothing is taken back."""


class Stuck(Fact, frozen=True, gc=False):
    """Nothing runs and no outcome can hold; `guards` names what is in the way. A person must help."""

    guards: tuple[str, ...] = ()


# The whole instance.


class Suspended(Fact, frozen=True, gc=False):
    """Nothing starts and clocks stand still."""


class Resumed(Fact, frozen=True, gc=False):
    """The instance goes on; its clocks are shifted by the pause."""


class Changed(Fact, frozen=True, gc=False):
    """The instance goes on with another definition; lists what was withdrawn and what was opened again.

    What is offered anew is ready by the facts that follow.
    """

    definition: str = ""
    withdrawn: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()


class Abandoned(Fact, frozen=True, gc=False):
    """A person gave up an activity at a site that can't be reached; it counts as aborted."""


class Reported(Fact, frozen=True, gc=False):
    """A compound that another group runs has ended there: what it wrote, and what is kept of it to be taken back."""

    variables: Values = {}
    keeps: bool = False
    is_prepared: bool = False


class Decided(Fact, frozen=True, gc=False):
    """The instance has ended around this part of it: what is prepared commits or is rolled back, nothing is kept."""

    commit: bool = False


# Each and Call.


class Added(Fact, frozen=True, gc=False):
    """Items joined an `Each`, from a sibling's mark or by hand."""

    items: tuple[Value, ...] = ()
    source: str = ""


class Closed(Fact, frozen=True, gc=False):
    """An open `Each` takes no more items."""


class Bound(Fact, frozen=True, gc=False):
    """A `Call` found its process: the definition with this hash."""

    definition: str = ""


# Nets. Tokens are named by their numbers, in order of arrival in the net.


class Moved(Fact, frozen=True, gc=False):
    """A transition without an operation fired: tokens left, others came, in one step.

    `took` lists (place, token numbers), `put` lists (place, values). The path is the net's own.
    """

    transition: str = ""
    took: tuple[tuple[str, tuple[int, ...]], ...] = ()
    put: tuple[tuple[str, tuple[Value, ...]], ...] = ()
    reset: tuple[str, ...] = ()


class Offered(Fact, frozen=True, gc=False):
    """A binding of a transition was offered to people; it takes its tokens when someone begins. Path `net/T[7]`."""

    took: tuple[tuple[str, tuple[int, ...]], ...] = ()
    inputs: Values = {}
    variables: Values = {}


class Withdrawn(Fact, frozen=True, gc=False):
    """An offer ended because one of its tokens left, or a failed firing can't be tried again."""


class Fired(Fact, frozen=True, gc=False):
    """Tokens left for a firing of a transition with an operation, which is ready by this. Path `net/T[7]`."""

    set: str = "start"
    inputs: Values = {}
    took: tuple[tuple[str, tuple[int, ...]], ...] = ()
    variables: Values = {}


class Returned(Fact, frozen=True, gc=False):
    """A failed firing gave its tokens back under their old numbers and may be tried again."""


class Released(Fact, frozen=True, gc=False):
    """The backoff of a failed firing is over: while its tokens lie there it may be tried again."""


class Arrived(Fact, frozen=True, gc=False):
    """The tokens of an ended firing came to their places; `reset` lists the places that were emptied first."""

    put: tuple[tuple[str, tuple[Value, ...]], ...] = ()
    reset: tuple[str, ...] = ()


AnyFact = (
    Ready
    | Started
    | Answered
    | Marked
    | Parked
    | Granted
    | Committed
    | Failed
    | TakingBack
    | Stopping
    | Aborted
    | Skipped
    | Overdue
    | Doubted
    | Fixed
    | Repeated
    | Aborting
    | Compensating
    | Compensated
    | RolledBack
    | Settled
    | Drained
    | Stuck
    | Suspended
    | Resumed
    | Changed
    | Abandoned
    | Reported
    | Decided
    | Added
    | Closed
    | Bound
    | Moved
    | Offered
    | Withdrawn
    | Fired
    | Returned
    | Released
    | Arrived
)
