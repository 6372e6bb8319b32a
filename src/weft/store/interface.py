"""What a store can be asked: by everyone, by the engine that serves it, and by a visitor from another process."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Protocol, TypeVar, runtime_checkable

from msgspec import Struct

from weft.store.batch import Batch, KeyName, Outcome, Transaction
from weft.store.rows import (
    AnswerRow,
    BlobRow,
    CommandRow,
    DefinitionRow,
    FactRow,
    InstanceRow,
    KeyRow,
    NodeRow,
    OutboxRow,
    ScheduleRow,
    SignalRow,
    SnapshotRow,
    TimerRow,
    VariableRow,
    WorkRow,
)

T = TypeVar("T")


class Loaded(Struct, frozen=True):
    """An instance as it must be read to go on: its newest snapshot, and the facts after that."""

    instance: InstanceRow
    snapshot: SnapshotRow | None
    facts: list[FactRow]


class Filter(Struct, frozen=True):
    """Which instances; what is not said does not matter. A time range includes its beginning and not its end."""

    process: str = ""
    version: str = ""
    states: tuple[str, ...] = ()
    is_active: bool | None = None
    key: str = ""
    started_from: float | None = None
    started_before: float | None = None
    ended_from: float | None = None
    ended_before: float | None = None
    variables: tuple[tuple[str, str], ...] = ()
    """Names of searchable variables and their values, as canonical JSON."""


EVERY = Filter()


class Demand(Struct, frozen=True):
    """What a worker takes: from which queues, in the order in which they take turns; which tasks, none meaning all; and
    what it has to offer, like its host."""

    queues: tuple[str, ...]
    tasks: tuple[str, ...] = ()
    has: dict[str, str] = {}


class Ended(Struct, frozen=True):
    """Which instances that are over: before when, of which states; no states are all.

    One that has ended and is still active, because something of it must be settled, is not among them.
    """

    before: float
    states: tuple[str, ...] = ()


class Count(Struct, frozen=True):
    """How many instances of a process and version are in a state."""

    process: str
    version: str
    state: str
    instances: int


class Reads(Protocol):
    """What everyone may ask. Lists are bounded by `at_most` and go on after the last key that was given."""

    def load(self, instances: Iterable[int]) -> dict[int, Loaded]:
        """Those that exist, in one query."""
        ...

    def instances(self, which: Filter = EVERY, before: int | None = None, at_most: int = 100) -> list[InstanceRow]:
        """The newest first, only ids below `before`."""
        ...

    def count(self, which: Filter = EVERY) -> int: ...

    def counts(self) -> list[Count]: ...

    def ended(self, which: Ended, after: tuple[float, int] = (0.0, 0), at_most: int = 100) -> list[InstanceRow]:
        """Instances that are over, the longest ago first, after this time and id."""
        ...

    def flaws(self) -> list[str]:
        """What the database itself finds wrong: damaged pages, rows of instances that are not there."""
        ...

    def history(self, instance: int, after: int = 0, at_most: int = 1000) -> list[FactRow]:
        """Rows whose first fact has a number above `after`, in order."""
        ...

    def variables(self, instances: Iterable[int]) -> list[VariableRow]: ...

    def timers(self, instances: Iterable[int]) -> list[TimerRow]: ...

    def work(self, instances: Iterable[int]) -> list[WorkRow]: ...

    def blobs(self, ids: Iterable[int]) -> dict[int, BlobRow]: ...

    def definition(self, process: str, version: str) -> DefinitionRow | None: ...

    def definition_of(self, hash: str) -> DefinitionRow | None:
        """The first that was deployed with this content."""
        ...

    def definitions(self, process: str = "", at_most: int = 1000) -> list[DefinitionRow]:
        """By process, the newest version of each first: `definitions(name, 1)` has the latest."""
        ...

    def schedules(self) -> list[ScheduleRow]: ...

    def keys(self, names: Iterable[KeyName]) -> dict[KeyName, KeyRow]: ...

    def signals(self, instances: Iterable[int] = (), keys: Iterable[KeyName] = ()) -> list[SignalRow]:
        """What is kept for these instances and for these keys, in the order of their ids."""
        ...

    def answer(self, command: int) -> AnswerRow | None:
        """What became of a command row; None while it waits."""
        ...

    def nodes(self) -> list[NodeRow]: ...

    def ask(self, question: Callable[[Transaction], T]) -> T:
        """Lets a room read its own tables."""
        ...

    def close(self) -> None: ...


class Store(Reads, Protocol):
    """The store as the engine has it: one node, one thread."""

    @property
    def node(self) -> str: ...

    @property
    def epoch(self) -> int: ...

    @property
    def batch(self) -> int:
        """The number of the last batch that this node is known to have committed."""
        ...

    def commit(self, batch: Batch) -> Outcome: ...

    def reopen(self) -> int:
        """Connects anew, raises the node's epoch, waits for the old transaction; the last batch that is written.

        Raises `Unavailable` when that can't be done at present.
        """
        ...

    def renew(self) -> bool:
        """Says that the node lives; each commit says so too. False when another serves here."""
        ...

    def active(self, after: int = 0, at_most: int = 1000) -> list[int]:
        """Instances of this node in which something is ready or runs, by id."""
        ...

    def due(self, until: float, at_most: int = 1000) -> list[TimerRow]:
        """Timers of this node's instances that are due, the earliest first."""
        ...

    def next_due(self) -> float | None: ...

    def has_news(self) -> bool:
        """Whether another process may have sent a command since this was last asked."""
        ...

    def commands(self, after: int = 0, at_most: int = 1000) -> list[CommandRow]:
        """Command rows for this node that have no answer, by id."""
        ...

    def outbox(self, until: float, at_most: int = 1000) -> list[OutboxRow]:
        """Messages that are due, the earliest first."""
        ...


class Shared(Protocol):
    """What everyone may ask where several nodes serve together. An instance, with its timers, messages and commands,
    is its slot's, and a slot is one node's."""

    def owners(self) -> dict[int, str]:
        """The node of each slot; "" where there is none."""
        ...


@runtime_checkable
class SharedStore(Store, Shared, Protocol):
    """A store that several nodes serve together, as one of them has it: what it is asked is of this node's slots."""

    @property
    def slots(self) -> frozenset[int]:
        """Those of this node. Only the node itself gives them away, or one that raised its epoch takes them."""
        ...

    def gained(self) -> frozenset[int]:
        """Slots that came to this node since this was asked last; to be asked whenever there is news, and after
        `renew`. Active instances and commands of theirs, however old, are this node's now."""
        ...

    def give(self, slots: Collection[int], node: str) -> Outcome:
        """Gives slots of this node to another one that lives. Before that, all that was decided for their instances
        must be committed, and afterwards they must be forgotten here."""
        ...

    def lapsed(self) -> list[str]:
        """Other nodes that have slots although their lease has run out, by the database's clock."""
        ...

    def take_over(self, node: str, is_forced: bool = False) -> frozenset[int]:
        """Raises the epoch of another node, ends its connections and takes its slots; none if it lives again, or if a
        third was quicker. Forced, it doesn't matter whether the other lives."""
        ...

    def lapsed_work(self, at_most: int = 1000) -> list[WorkRow]:
        """Ends claims on work of this node's slots whose time is over, so that no result of theirs counts, and tells
        them again until a batch writes their rows."""
        ...

    def watch(self, wake: Callable[[], None]) -> None:
        """Calls `wake`, in a thread of the store's own, when there may be news; so nobody need ask every moment."""
        ...


class Visitor(Reads, Protocol):
    """The store as another process has it: it reads, and asks the engine by command rows. Any thread may call it."""

    def send(self, command: CommandRow) -> int:
        """Appends a command row and returns the id it got."""
        ...


class WorkQueue(Protocol):
    """Where workers of other processes find work. The engine offers it by rows with the state `offered`; what became of
    it comes back as a command. Any thread may call it."""

    def claim(self, worker: str, demand: Demand, at_most: int, lease_seconds: float) -> list[WorkRow]:
        """Takes work for so long. Nobody else gets it meanwhile; the queues take turns, and in each the most urgent
        comes first, then the oldest."""
        ...

    def extend(self, claimed: Iterable[WorkRow], lease_seconds: float) -> list[WorkRow]:
        """Goes on for so long from now, and saves the payloads as checkpoints. What is missing in the answer was taken
        back: it must stop."""
        ...

    def release(self, claimed: Iterable[WorkRow]) -> int:
        """Gives back what was not begun; how many counted."""
        ...

    def hand_in(self, results: Sequence[tuple[WorkRow, CommandRow]]) -> list[int | None]:
        """Sends the command with each result and ends the claim: the ids of the commands, None for a claim that doesn't
        count any more, whose result is late."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class SharedVisitor(Visitor, Shared, Protocol):
    """A visitor where several nodes serve together."""

    def ask_to_leave(self, node: str) -> bool:
        """Asks a node to give its slots away and to end, by `wanted` in its row; False if there is no such node."""
        ...
