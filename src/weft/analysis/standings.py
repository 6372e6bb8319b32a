"""Where a child of a flow stands, as far as guards can tell, and what each event is then: true, false or open.

The table of `weft.kernel.events` says the same of facts; this is its sum over a child's whole life in one round.
"""

from typing import Final, NamedTuple

from weft.kernel import events

WAITING: Final = "waiting"
READY: Final = "ready"
RUNNING: Final = "running"
PARKED: Final = "parked"
GRANTED: Final = "granted"
STOPPING: Final = "stopping"
COMMITTED: Final = "committed"
ABORTED: Final = "aborted"
SKIPPED: Final = "skipped"

ENDS: Final = frozenset({COMMITTED, ABORTED, SKIPPED})
IDLE: Final = frozenset({WAITING, READY})

OPEN: Final = 0
TRUE: Final = 1
FALSE: Final = 2


class Standing(NamedTuple):
    """`outcome` is what it ended by or is parked with, `error` the class that guards tell apart."""

    kind: str = WAITING
    set: str = ""
    outcome: str = ""
    error: str = ""
    marks: frozenset[str] = frozenset()
    was_ready: bool = False


def value_of(standing: Standing, event: int, name: str) -> int:
    """What is decided about an event of a child that stands there."""
    kind = standing.kind
    if event == events.READY:
        return TRUE if standing.was_ready else FALSE if kind == SKIPPED else OPEN
    if event in (events.STARTED, events.STARTED_SET, events.SKIPPED):
        return _of_start(standing, event, name)
    if event == events.MARK:
        return TRUE if name in standing.marks else FALSE if kind in ENDS else OPEN
    if kind not in ENDS:
        return OPEN
    return _bool(_of_end(standing, event, name))


def _of_start(standing: Standing, event: int, name: str) -> int:
    if standing.kind in IDLE:
        return OPEN
    if event == events.SKIPPED or standing.kind == SKIPPED:
        return _bool((event == events.SKIPPED) == (standing.kind == SKIPPED))
    return _bool(event == events.STARTED or standing.set == name)


def _of_end(standing: Standing, event: int, name: str) -> bool:
    kind = standing.kind
    if event == events.ENDED:
        return True
    if event == events.PASSED:
        return kind != ABORTED
    if event in (events.COMMITTED, events.COMMITTED_AS):
        return kind == COMMITTED and (event == events.COMMITTED or standing.outcome == name)
    if event in (events.ABORTED, events.ABORTED_AS):
        return kind == ABORTED and (event == events.ABORTED or standing.outcome == name)
    return event == events.ERROR and kind == ABORTED and events.is_below(standing.error, name)


def _bool(value: bool) -> int:
    return TRUE if value else FALSE
