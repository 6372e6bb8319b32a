"""A batch: all that one transaction writes, and the three ways in which its commit may end."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

from weft.store.rows import (
    AnswerRow,
    BlobRow,
    DefinitionRow,
    FactRow,
    InboxRow,
    InstanceRow,
    KeyRow,
    OutboxRow,
    ScheduleRow,
    SignalRow,
    SnapshotRow,
    TimerRow,
    VariableRow,
    WorkRow,
)

Value: TypeAlias = int | float | str | bytes | None
Record: TypeAlias = tuple[Value, ...]
KeyName: TypeAlias = tuple[str, str]
"""A process and a business key."""


class Transaction(Protocol):
    """The open transaction, as a room sees it. A room writes only its own tables, in the SQL of the `dialect`."""

    @property
    def dialect(self) -> Literal["sqlite", "postgres"]: ...

    def execute(self, statement: str, parameters: Sequence[Value] = ()) -> list[Record]:
        """Parameters stand as `?` in both dialects."""
        ...


class Batch(Struct, gc=False):
    """What one transaction writes: all of it, or nothing.

    A dict says for each primary key what the table shall hold after the batch: a row, or None for none. So a timer
    that was set and cleared in one batch is written once. A list only ever adds; a row whose key is already there
    refuses the batch.
    """

    number: int
    """Larger than that of the batch before; the store remembers the last."""
    facts: list[FactRow] = []
    instances: dict[int, InstanceRow] = {}
    variables: dict[tuple[int, str], VariableRow | None] = {}
    snapshots: dict[int, SnapshotRow | None] = {}
    timers: dict[tuple[int, str], TimerRow | None] = {}
    work: dict[tuple[int, str, int, int], WorkRow | None] = {}
    keys: dict[KeyName, KeyRow] = {}
    """A row with an instance claims the key for it; one with instance 0 asks who has it, and holds it meanwhile."""
    signals: dict[int, SignalRow | None] = {}
    answers: dict[int, AnswerRow] = {}
    """A command row that has its answer is no longer waiting."""
    outbox: dict[tuple[str, int, str, int], OutboxRow | None] = {}
    inbox: list[InboxRow] = []
    schedules: dict[str, ScheduleRow | None] = {}
    definitions: list[DefinitionRow] = []
    blobs: list[BlobRow] = []
    rooms: list[Callable[[Transaction], None]] = []
    removed: list[int] = []
    """Instances that go, with everything that is theirs but their keys."""
    sweep_before: float | None = None
    """Keys kept until before this time go, and answers given before it: at most `SWEPT_MAX` of each."""


SWEPT_MAX = 1000


class Committed(Struct, frozen=True):
    """All of it is written and will stay. `instances` tells who has the keys that were asked about."""

    instances: dict[KeyName, int] = {}


class Refused(Struct, frozen=True):
    """Nothing of it is written.

    - `fenced`: another node serves here now; this one must stop.
    - `keys`: `taken` names the keys that other instances have. Without those starts the batch can be tried again.
    - `rows`: a row is not acceptable; tried in halves, the culprit is found.
    - `store`: nothing can be written at present (full, read-only, not reachable); try later, after `reopen`.
    """

    reason: Literal["fenced", "keys", "rows", "store"]
    detail: str = ""
    taken: dict[KeyName, int] = {}


class Unknown(Struct, frozen=True):
    """The connection or the disk failed while committing. `reopen` tells whether the batch is written."""

    detail: str = ""


Outcome: TypeAlias = Committed | Refused | Unknown
