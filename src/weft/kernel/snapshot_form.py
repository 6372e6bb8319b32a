"""What a snapshot consists of: flat records that name frames, logs, entries and plans by number. Knows no plan.

A record is written as an array, so the order of its fields is the format: a change here is a new `FORMAT`.
"""

import re
from itertools import groupby
from typing import Final

from msgspec import Struct

from weft.kernel.facts import Values
from weft.kernel.net_plan import Took

FORMAT: Final = 1
"""The format of the snapshots that this release writes, and the only one that it reads: others are replayed."""

NONE: Final = -1
"""The number of no frame, log or entry."""

BLOCK: Final = 64
"""How many neighbours of an array are written together if one of them is not zero."""

Runs = list[tuple[int, int]]
Blocks = list[tuple[int, bytes]]
Place = tuple[int, int]
"""A frame's number and a node."""


class Record(Struct, array_like=True, gc=False):
    """See the module."""


class PlanRecord(Record, array_like=True, gc=False):
    """The plan of definition number `definition` (-1 for the instance's own), or a side of another plan."""

    definition: int
    owner: int
    node: int
    role: str


class FiringsRecord(Record, array_like=True, gc=False):
    """What runs, is tried again or is offered of one transition."""

    running: dict[int, tuple[Took, list[object]]]
    again: dict[int, Took]
    released: list[int]
    offered: dict[int, Took]


class MarkingRecord(Record, array_like=True, gc=False):
    """Tokens by place; `gone` are places that are no longer in the net."""

    next: int
    tokens: dict[str, dict[int, object]]
    gone: list[str]
    firings: dict[str, FiringsRecord]
    lost: list[tuple[int, str]]


class FiringRecord(Record, array_like=True, gc=False):
    """One firing or offer."""

    transition: int
    took: Took
    variables: Values
    inputs: Values
    is_offer: bool


class ItemsRecord(Record, array_like=True, gc=False):
    """The items of an each."""

    first: int
    values: list[object]
    outcomes: list[str | None]
    results: list[Values | None]
    next: int
    committed: int
    aborted: int
    running: int
    sources: list[str]
    is_closed: bool


class BodyRecord(Record, array_like=True, gc=False):
    """What only a compound has."""

    variables: Values
    busy: int
    grant: int
    asking: list[int]
    causes: dict[str, tuple[str, str]] | None
    first_error: str
    first_message: str
    is_stuck: bool
    is_drained: bool
    items: ItemsRecord | None
    marking: MarkingRecord | None
    firings: dict[int, FiringRecord]
    ended: list[int]
    frames: dict[int, int]
    definition: str


class RareRecord(Record, array_like=True, gc=False):
    """What most executions don't have."""

    error: str
    message: str
    overdue: tuple[int, ...]
    marks: dict[str, Values] | None
    then: str
    rule: int
    retries: dict[int, int] | None
    is_stopped: bool
    is_drained: bool
    log: int
    body: BodyRecord | None


class ExecutionRecord(Record, array_like=True, gc=False):
    """One activity in one round."""

    node: int
    set: str
    inputs: Values
    since: float
    attempt: int
    outcome: str
    values: Values
    worker: str
    rare: RareRecord | None


class EntryRecord(Record, array_like=True, gc=False):
    """An execution to take back."""

    path: str
    round: int
    attempt: int
    plan: int
    node: int
    frame: int
    place: int
    inputs: Values
    values: Values
    outcome: str
    is_prepared: bool
    is_running: bool
    is_away: bool
    is_forgotten: bool
    inner: int
    home: int


class LogRecord(Record, array_like=True, gc=False):
    """The entries of one compound, in order."""

    frame: int
    node: int
    parallel: int
    entry: int
    entries: list[int]


class FrameRecord(Record, array_like=True, gc=False):
    """One execution of a plan. Of the arrays only what is not zero; counters of gates follow from the values."""

    plan: int
    role: int
    prefix: str
    root_path: str
    parent: int
    parent_node: int
    number: int
    entry: int
    scope: Values
    status: Blocks
    rounds: Runs
    value: Blocks
    executions: list[ExecutionRecord]
    told_to_skip: list[int]


class BaseRecord(Record, array_like=True, gc=False):
    """Where the root lies, when another group owns what is around it."""

    path: str
    prefix: str
    round: int
    attempt: int
    rounds: Runs
    scope: Values


class StateRecord(Record, array_like=True, gc=False):
    """An instance: everything there is, and how what is found by name is found."""

    plans: list[PlanRecord]
    all_frames: list[FrameRecord]
    logs: list[LogRecord]
    entries: list[EntryRecord]
    time: float
    paused_at: float
    paused: float
    seed: int
    root: int
    base: BaseRecord | None
    reports: dict[tuple[str, int], tuple[bool, bool]]
    frames: list[int]
    roots: list[int]
    holders: dict[str, Place]
    wanting: dict[str, list[Place]]
    hungry: dict[str, list[Place]]
    kept: list[int]
    prepared: list[int]
    unsettled: dict[tuple[str, int, int], bool]
    rounds_used: dict[str, int]
    attempts_used: dict[tuple[str, int], int]
    numbers: dict[str, int]
    offers: dict[str, tuple[int, int, int]]
    has_eaches: bool


TOUCHED: Final = re.compile(rb"[^\0]")


def blocks(array: list[int]) -> Blocks:
    """Of an array of small numbers, the parts in which something is not zero.

    >>> blocks([0] * 100 + [1, 2] + [0] * 1000)
    [(64, b'...\\x01\\x02')]
    """
    whole = bytes(array)
    found: Blocks = []
    touched = TOUCHED.search(whole)
    while touched is not None:
        start = touched.start() // BLOCK * BLOCK
        found.append((start, whole[start : start + BLOCK].rstrip(b"\0")))
        touched = TOUCHED.search(whole, start + BLOCK)
    return found


def runs(array: list[int]) -> Runs:
    """How many neighbours have which value; nothing if all are zero.

    >>> runs([0, 0, 3, 3, 3])
    [(2, 0), (3, 3)]
    """
    return [(len(list(group)), value) for value, group in groupby(array)] if any(array) else []


def array_of(found: Runs, length: int) -> list[int]:
    array = [value for count, value in found for value in [value] * count]
    return array or [0] * length
