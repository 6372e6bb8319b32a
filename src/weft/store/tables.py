"""The tables that batches write: which rows they hold, by which key, and where they stand in a batch."""

from typing import Final

from msgspec import Struct

from weft.store.rows import (
    AnswerRow,
    BlobRow,
    CommandRow,
    DefinitionRow,
    FactRow,
    InboxRow,
    InstanceRow,
    KeyRow,
    OutboxRow,
    Row,
    ScheduleRow,
    SignalRow,
    SnapshotRow,
    TimerRow,
    VariableRow,
    WorkRow,
)


class Table(Struct, frozen=True, cache_hash=True):
    name: str
    row: type[Row]
    key: tuple[str, ...]
    field: str
    """Its field in a batch: a list, to which rows are only added, or a dict by key."""
    is_list: bool = False
    of_instance: bool = False
    """Its rows go when their instance goes."""

    @property
    def columns(self) -> tuple[str, ...]:
        return self.row.__struct_fields__

    @property
    def has_payload(self) -> bool:
        """Then it is the last field, and the table has a column `codec` after it."""
        return self.columns[-1] == "payload"


DEFINITION: Final = Table("definition", DefinitionRow, ("process", "version"), "definitions", is_list=True)
INSTANCE: Final = Table("instance", InstanceRow, ("id",), "instances")
VARIABLE: Final = Table("variable", VariableRow, ("instance", "name"), "variables", of_instance=True)
FACT: Final = Table("fact", FactRow, ("instance", "sequence"), "facts", is_list=True, of_instance=True)
SNAPSHOT: Final = Table("snapshot", SnapshotRow, ("instance",), "snapshots", of_instance=True)
TIMER: Final = Table("timer", TimerRow, ("instance", "name"), "timers", of_instance=True)
WORK: Final = Table("work", WorkRow, ("instance", "path", "round", "attempt"), "work", of_instance=True)
KEY: Final = Table("key", KeyRow, ("process", "key"), "keys")
SIGNAL: Final = Table("signal", SignalRow, ("id",), "signals", of_instance=True)
ANSWER: Final = Table("answer", AnswerRow, ("id",), "answers")
OUTBOX: Final = Table("outbox", OutboxRow, ("receiver", "instance", "path", "number"), "outbox", of_instance=True)
INBOX: Final = Table(
    "inbox", InboxRow, ("sender", "instance", "path", "number"), "inbox", is_list=True, of_instance=True
)
SCHEDULE: Final = Table("schedule", ScheduleRow, ("name",), "schedules")
BLOB: Final = Table("blob", BlobRow, ("id",), "blobs", is_list=True, of_instance=True)

COMMAND: Final = Table("command", CommandRow, ("id",), "")
"""Batches don't write it: visitors append to it, and an answer deletes the row."""

TABLES: Final = (
    FACT,
    INSTANCE,
    VARIABLE,
    SNAPSHOT,
    TIMER,
    WORK,
    KEY,
    SIGNAL,
    ANSWER,
    OUTBOX,
    INBOX,
    SCHEDULE,
    DEFINITION,
    BLOB,
)
