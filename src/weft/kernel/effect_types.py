"""Effects: what facts ask of the engine, as values. They follow from the state, so a lost one can be found again."""

from msgspec import Struct

from weft.kernel.facts import Values


class Effect(Struct, frozen=True, gc=False, tag=True):
    path: str
    round: int = 0
    attempt: int = 1


class Dispatch(Effect, frozen=True, gc=False):
    """A task is ready: have its handler take it, or offer it to people."""

    inputs: Values = {}


class Withdraw(Effect, frozen=True, gc=False):
    """A task that was ready is no longer to be taken."""


class Stop(Effect, frozen=True, gc=False):
    """Tell the worker to stop. When `awaited`, its answer or the end of its lease must be reported."""

    awaited: bool = False


class Commit(Effect, frozen=True, gc=False):
    """A granted task may commit at its resource; `Confirm` or `Fail` answers."""


class SettleBranch(Effect, frozen=True, gc=False):
    """A prepared execution is decided: commit its branch, or roll it back; `Settle` answers."""

    commit: bool = False


class Ask(Effect, frozen=True, gc=False):
    """A person must decide: a doubted execution, a stuck compound, an open `Each` with nothing running."""

    why: str = ""


class Continue(Effect, frozen=True, gc=False):
    """Something is left to do now; send the command `Continue`."""


class Timer(Effect, frozen=True, gc=False):
    """Send `Retry` (kind `retry`) or `Due` (kind `deadline`) when the instance's clock reads `due_seconds`."""

    kind: str = "retry"
    due_seconds: float = 0.0
    warning: int = -1


class Lookup(Effect, frozen=True, gc=False):
    """A call starts: find the process, answer with `Bind`, or `Fail` with `engine.no_process`."""

    process: str = ""
    version: str = ""


class Place(Effect, frozen=True, gc=False):
    """A compound starts that another group runs: its group is told so, with these inputs."""

    set: str = ""
    inputs: Values = {}


class Drain(Effect, frozen=True, gc=False):
    """A compound that another group runs is drained: its group is told so."""


class Reverse(Effect, frozen=True, gc=False):
    """An execution that another group ran is to be taken back there; `Restore` answers."""


class Ended(Effect, frozen=True, gc=False):
    """The instance has ended."""

    outcome: str = ""
    values: Values = {}
    error: str = ""


AnyEffect = (
    Dispatch
    | Withdraw
    | Stop
    | Commit
    | SettleBranch
    | Ask
    | Continue
    | Timer
    | Lookup
    | Place
    | Drain
    | Reverse
    | Ended
)
