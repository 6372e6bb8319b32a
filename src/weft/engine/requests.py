"""What callers, timers and the engine itself put before the core, and what callers are answered, all as values.

A request has a `token`: whatever the loop needs to find the caller again. An int is the id of a command row of another
operating-system process; its answer is written in the batch itself.
"""

from collections.abc import Mapping
from typing import Any, Self, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from weft.kernel.commands import Command
from weft.kernel.facts import Values
from weft.model.definition import Process
from weft.store.rows import TimerRow

Token: TypeAlias = object

Whom: TypeAlias = int | tuple[str, str]
"""An instance by its id, or by its process and business key."""


class Request(Struct, frozen=True, kw_only=True, eq=False):
    token: Token = None
    actor: str = ""

    def by(self, token: Token) -> Self:
        """The same, asked by who has this token."""
        return replace(self, token=token)


class Deploy(Request, frozen=True, eq=False):
    """Keep a definition. Without a version, new content gets the next number."""

    process: Process


class Begin(Request, frozen=True, eq=False):
    """Start an instance of a process: of the one given, which is deployed if need be, or of the one named."""

    name: str
    version: str = ""
    process: Process | None = None
    inputs: Values = {}
    set: str = ""
    key: str = ""
    priority: float = 0.0
    responsible: str = ""
    seed: int = 0
    is_awaited: bool = False
    """Is the answer to be how it ended?"""


class Send(Request, frozen=True, eq=False):
    """A signal for an instance, or for whoever has or will have a business key."""

    whom: Whom
    signal: str
    values: Values = {}


class Tell(Request, frozen=True, eq=False):
    """A command of the kernel for an instance."""

    whom: Whom
    command: Command


class Change(Request, frozen=True, eq=False):
    """Go on with another definition: the one given, which is deployed if need be, or one that is."""

    whom: Whom
    process: Process | None = None
    version: str = ""


class Await(Request, frozen=True, eq=False):
    """Answered when the instance has ended."""

    whom: Whom


class Collect(Request, frozen=True, eq=False):
    """Take what was kept for the instance's key: it was kept by another node while the instance began here."""

    whom: int


class Remove(Request, frozen=True, eq=False):
    """Ended instances go, with all that is theirs."""

    instances: tuple[int, ...]


class Unreadable(Request, frozen=True, eq=False):
    """A command row that says nothing; it is answered."""

    message: str


AnyRequest: TypeAlias = Deploy | Begin | Send | Tell | Change | Await | Collect | Remove | Unreadable


def whom_of(request: Request) -> int:
    """The instance whose node is to do it; 0 if any may."""
    if isinstance(request, Remove):
        return request.instances[0] if request.instances else 0
    whom = getattr(request, "whom", 0)
    return whom if isinstance(whom, int) else 0


# What the engine says to itself.


class Fire(Struct, frozen=True, eq=False):
    """A timer is due."""

    timer: TimerRow


class Revive(Struct, frozen=True, eq=False):
    """An instance in which something is to be done: it is read, and goes on."""

    instance: int


class Mail(Struct, frozen=True, eq=False):
    """What is kept for an instance and its key is to be looked through: one began, or listens."""

    instance: int


class LookUp(Struct, frozen=True, eq=False):
    """A call waits for the definition that it names."""

    instance: int
    path: str
    round: int
    attempt: int
    process: str
    version: str


class Sweep(Struct, frozen=True, eq=False):
    """Keys and answers that were kept until before this time go."""

    before: float


Own: TypeAlias = Fire | Revive | Mail | LookUp | Sweep


# Answers to requests.


class Deployed(Struct, frozen=True, tag=True):
    process: str
    version: str
    hash: str
    is_new: bool


class Begun(Struct, frozen=True, tag=True):
    """`is_new` is false when another start had the key: then the instance is the one that it began."""

    instance: int
    is_new: bool = True


class Heard(Struct, frozen=True, tag=True):
    """A signal is kept or taken; `instance` is 0 while nobody has the key."""

    instance: int = 0


class Accepted(Struct, frozen=True, tag=True):
    """A command is in the log; `facts` is how many it brought."""

    facts: int = 0


class Ending(Struct, frozen=True, tag=True):
    """How an instance ended."""

    instance: int
    process: str
    outcome: str
    committed: bool
    values: Mapping[str, Any] = {}
    error: str = ""
    message: str = ""
    exception: BaseException | None = None
    """What a function raised, if it ran in this process."""


class Declined(Struct, frozen=True, tag=True):
    """A request was not done; `kind` is the class of the refusal. Except for a `Remove` of instances of several nodes
    nothing has changed."""

    kind: str
    message: str
    instance: int = 0
    """Of `Elsewhere`: whom the request is for, if it is for one."""


Reply: TypeAlias = Deployed | Begun | Heard | Accepted | Ending | Declined
