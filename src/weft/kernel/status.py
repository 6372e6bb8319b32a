"""Where an activity stands, and which commands each standing takes. A missing entry is the refusal."""

from typing import Final

WAITING: Final = 0
READY: Final = 1
STARTED: Final = 2
PARKED: Final = 3
GRANTED: Final = 4
FAILED: Final = 5
"""An attempt failed; its backoff runs."""
UNDOING: Final = 6
"""Undo runs after a failed attempt."""
REPLACED: Final = 7
"""An alternate has taken its place and runs."""
STOPPING: Final = 8
TAKING_BACK: Final = 9
"""What ended after its stop is being taken back."""
DOUBTED: Final = 10
FIXED: Final = 11
ABORTING: Final = 12
COMMITTED: Final = 13
ABORTED: Final = 14
SKIPPED: Final = 15

NAMES: Final = (
    "waiting",
    "ready",
    "started",
    "parked",
    "granted",
    "failed",
    "undoing",
    "replaced",
    "stopping",
    "taking back",
    "doubted",
    "fixed",
    "aborting",
    "committed",
    "aborted",
    "skipped",
)

ENDS: Final = frozenset((COMMITTED, ABORTED, SKIPPED))
"""After these an activity is done with for its round."""

IDLE: Final = frozenset((WAITING, READY))
"""What has not begun."""

TASK_TAKES: Final[dict[str, frozenset[int]]] = {
    "Begin": frozenset((READY,)),
    "Complete": frozenset((STARTED, STOPPING, DOUBTED)),
    "Fail": frozenset((STARTED, GRANTED, STOPPING, DOUBTED)),
    "Mark": frozenset((STARTED,)),
    "Confirm": frozenset((GRANTED, STOPPING)),
    "Retry": frozenset((FAILED, DOUBTED)),
    "LeaseEnded": frozenset((STARTED, STOPPING)),
    "Cancel": frozenset(
        (WAITING, READY, STARTED, PARKED, GRANTED, FAILED, UNDOING, REPLACED, STOPPING, TAKING_BACK, DOUBTED)
    ),
    "Skip": frozenset((WAITING, READY)),
    "Due": frozenset((READY, STARTED)),
}

PLACED_TAKES: Final[dict[str, frozenset[int]]] = {
    "Complete": frozenset((DOUBTED,)),
    "Fail": frozenset((DOUBTED,)),
    "Mark": frozenset((STARTED,)),
    "Return": frozenset((STARTED, STOPPING)),
    "Retry": frozenset((FAILED, DOUBTED)),
    "Cancel": frozenset((WAITING, READY, STARTED, PARKED, FAILED, UNDOING, REPLACED, STOPPING, TAKING_BACK, DOUBTED)),
    "Skip": frozenset((WAITING, READY)),
    "Due": frozenset((STARTED,)),
    "Abandon": frozenset((STARTED, STOPPING)),
}

COMPOUND_TAKES: Final[dict[str, frozenset[int]]] = {
    "Complete": frozenset((DOUBTED,)),
    "Fail": frozenset((STARTED, DOUBTED)),
    "Retry": frozenset((FAILED, DOUBTED)),
    "Cancel": frozenset(
        (WAITING, READY, STARTED, FIXED, PARKED, FAILED, UNDOING, REPLACED, TAKING_BACK, ABORTING, DOUBTED)
    ),
    "Skip": frozenset((WAITING, READY)),
    "Due": frozenset((STARTED,)),
    "Add": frozenset((STARTED,)),
    "Finish": frozenset((STARTED,)),
    "Bind": frozenset((STARTED,)),
}
