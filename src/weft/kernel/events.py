"""Which events a fact decides, as one table: true, false, by its name, or not at all."""

from typing import Final

READY: Final = 0
STARTED: Final = 1
STARTED_SET: Final = 2
COMMITTED: Final = 3
COMMITTED_AS: Final = 4
ABORTED: Final = 5
ABORTED_AS: Final = 6
ERROR: Final = 7
MARK: Final = 8
SKIPPED: Final = 9
ENDED: Final = 10
NEVER: Final = 11
PASSED: Final = 12
"""Committed or skipped, which most guards of a block ask together: one atom in place of three formulas."""

PLAIN: Final = {
    "ready": READY,
    "started": STARTED,
    "committed": COMMITTED,
    "aborted": ABORTED,
    "skipped": SKIPPED,
    "ended": ENDED,
}
NAMED: Final = {"started": STARTED_SET, "committed": COMMITTED_AS, "aborted": ABORTED_AS, "error": ERROR, "mark": MARK}

# What a fact says about an event: leave it open, make it true, make it false, or compare names.
OPEN: Final = 0
TRUE: Final = 1
FALSE: Final = 2
SAME: Final = 3
"""True if the fact has the event's name, else false."""
BELOW: Final = 4
"""True if the fact's error is the event's or below it, else false."""

#              ready, started, set, committed, as, aborted, as, error, mark, skipped, ended, never, passed
ON_READY: Final = [TRUE, OPEN, OPEN, OPEN, OPEN, OPEN, OPEN, OPEN, OPEN, OPEN, OPEN, OPEN, OPEN]
ON_STARTED: Final = [OPEN, TRUE, SAME, OPEN, OPEN, OPEN, OPEN, OPEN, OPEN, FALSE, OPEN, FALSE, OPEN]
ON_COMMITTED: Final = [FALSE, FALSE, FALSE, TRUE, SAME, FALSE, FALSE, FALSE, FALSE, FALSE, TRUE, FALSE, TRUE]
ON_ABORTED: Final = [FALSE, FALSE, FALSE, FALSE, FALSE, TRUE, SAME, BELOW, FALSE, FALSE, TRUE, FALSE, FALSE]
ON_SKIPPED: Final = [FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, TRUE, TRUE, FALSE, TRUE]

BY_READY: Final = 1 << READY
BY_STARTED: Final = 1 << STARTED | 1 << STARTED_SET | 1 << SKIPPED | 1 << NEVER
"""As bits, what the two facts decide. Most guards hear nothing of them, and most facts are these."""


def parse(event: str) -> tuple[int, str]:
    """`committed:ok` → (COMMITTED_AS, "ok"). What is decided once stays decided, so the tables need no exceptions."""
    kind, colon, name = event.partition(":")
    table = NAMED if colon else PLAIN
    if kind not in table:
        raise ValueError(f"{event!r} is no event")
    return table[kind], name


def is_below(error: str, above: str) -> bool:
    """`task.gateway.timeout` is below `task.gateway`, and every name is below itself and the empty one."""
    return not above or error == above or error.startswith(above + ".")
