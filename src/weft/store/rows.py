"""The rows a store keeps, one class for each table; they know nothing of what facts mean.

Ids are time-ordered integers of 63 bits whose low bits are their slot. Times are seconds since 1970, as the engine gave
them. A payload is plain bytes here: how it lies on the disk (compressed, encrypted) is the store's own affair.
"""

from typing import Final

from msgspec import Struct

SLOTS: Final = 256
"""An instance belongs to one of so many slots, and a slot to one node."""


def slot_of(instance: int) -> int:
    return instance % SLOTS


class Row(Struct, frozen=True, gc=False):
    """One row of a table. A field may be added with a default, by a migration."""


class DefinitionRow(Row, frozen=True, gc=False):
    """A process as it was deployed; never changed. `number` counts the versions of its process."""

    process: str
    version: str
    number: int
    hash: str
    time: float
    actor: str
    payload: bytes


class InstanceRow(Row, frozen=True, gc=False):
    """One run of a process, as lists show it; its truth is its facts. `is_active`: something in it is ready or runs.

    Its process, its key and when it started are written once, with the first row.
    """

    id: int
    process: str
    version: str
    hash: str
    state: str
    is_active: bool
    started: float
    changed: float
    key: str = ""
    ended: float | None = None
    outcome: str = ""
    error: str = ""
    responsible: str = ""
    priority: float = 0.0


class VariableRow(Row, frozen=True, gc=False):
    """A searchable variable of an instance: its value as canonical JSON text."""

    instance: int
    name: str
    value: str


class FactRow(Row, frozen=True, gc=False):
    """The facts of one decision: `count` of them, numbered from `sequence`. An instance's first fact has number 1."""

    instance: int
    sequence: int
    count: int
    time: float
    actor: str
    command: str
    format: int
    payload: bytes


class SnapshotRow(Row, frozen=True, gc=False):
    """The state of an instance after its fact `sequence`: a cache, which only the newest of an instance is kept of."""

    instance: int
    sequence: int
    time: float
    format: int
    payload: bytes


class TimerRow(Row, frozen=True, gc=False):
    """Something an instance waits for until `due`; `name` tells the engine what."""

    instance: int
    name: str
    due: float


class WorkRow(Row, frozen=True, gc=False):
    """One attempt that is offered to workers or taken by one; the payload is its checkpoint.

    `claim` counts how often it was taken; only the last claim's result counts. `until` ends the claim, by the clock of
    the database. `needs` is a JSON object of what a worker must have, or nothing.
    """

    instance: int
    path: str
    round: int
    attempt: int
    task: str
    state: str
    since: float
    queue: str = ""
    priority: float = 0.0
    worker: str = ""
    until: float | None = None
    claim: int = 0
    needs: str = ""
    payload: bytes = b""


class KeyRow(Row, frozen=True, gc=False):
    """A business key of a process and the instance that has it, 0 while only signals wait there.

    `until` is null while the instance lives, and then says how long the key is still its own.
    """

    process: str
    key: str
    instance: int
    until: float | None = None


class SignalRow(Row, frozen=True, gc=False):
    """A signal kept until it is taken, for an instance, or, when `instance` is 0, for a process and a business key."""

    id: int
    instance: int
    process: str
    key: str
    name: str
    time: float
    actor: str
    payload: bytes


class CommandRow(Row, frozen=True, gc=False):
    """What another operating-system process asks of the engine. The store gives `id` when it is sent.

    `instance` says whose node it is for; 0 where there is none yet.
    """

    id: int
    instance: int
    name: str
    time: float
    actor: str
    payload: bytes


class AnswerRow(Row, frozen=True, gc=False):
    """What became of a command row; it is kept a while for the one who asked."""

    id: int
    time: float
    payload: bytes


class OutboxRow(Row, frozen=True, gc=False):
    """A message to another site, sent again from `due` until it is taken there."""

    receiver: str
    instance: int
    path: str
    number: int
    time: float
    due: float
    payload: bytes


class InboxRow(Row, frozen=True, gc=False):
    """A message of another site that was taken, so that it counts once."""

    sender: str
    instance: int
    path: str
    number: int
    time: float


class ScheduleRow(Row, frozen=True, gc=False):
    """A process that is started again and again, next at `due`; null while it is paused."""

    name: str
    process: str
    due: float | None
    time: float
    actor: str
    payload: bytes


class BlobRow(Row, frozen=True, gc=False):
    """A value too large for a fact, which names it. It goes when its instance goes."""

    id: int
    instance: int
    time: float
    payload: bytes


class NodeRow(Row, frozen=True, gc=False):
    """An operating-system process that serves the store: what fences its batches, and the last batch it committed.

    `until` is by the database's clock and says only when another may take over, never whether it may write.
    """

    name: str
    epoch: int
    batch: int
    until: float | None = None
    wanted: str = ""
    """What somebody asked of it: "leave", or nothing."""
