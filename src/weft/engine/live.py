"""An instance in memory: its state, and what follows from that for the engine. All of it can be made again by loading.

Who changes it are the modules of a turn; what a turn that did not commit has touched is dropped.
"""

from collections import deque

from weft.engine.definitions import Known
from weft.handlers.jobs import About
from weft.kernel.effect_types import AnyEffect, Dispatch, Ended
from weft.kernel.facts import AnyFact
from weft.kernel.plan import Plan
from weft.kernel.state import State
from weft.store.rows import InstanceRow, SignalRow


class Live:
    __slots__ = (
        "asked",
        "asks",
        "busy",
        "checkpoints",
        "current",
        "ended",
        "exceptions",
        "id",
        "is_asleep",
        "known",
        "listening",
        "log_bytes",
        "mailbox",
        "plan",
        "row",
        "searchable",
        "sequence",
        "snapshot_bytes",
        "state",
        "timers",
        "told",
        "unable",
    )

    def __init__(self, row: InstanceRow, known: Known, state: State, sequence: int) -> None:
        self.id = row.id
        self.row = row
        """As it stands in the store, or will when this turn is committed."""
        self.known = known
        self.current = known
        """The definition that it goes on with, after changes; its plan is in the state."""
        self.plan: Plan = known.plan
        self.state = state
        self.sequence = sequence
        self.told: list[AnyFact] = []
        """Facts of the present decision that are not in a row yet."""
        self.asked: deque[AnyEffect] = deque()
        """Effects that nobody has followed yet."""
        self.busy: set[About] = set()
        """Work that waits for a place or is being done."""
        self.unable: dict[str, str] = {}
        """Tasks that nobody here can do, and why."""
        self.timers: dict[str, dict[str, float]] = {}
        """By path, the timers that run: their names, and when they are due."""
        self.listening: dict[str, tuple[str, Dispatch]] = {}
        """By path, the signals that are waited for."""
        self.mailbox: list[SignalRow] | None = []
        """Signals that are kept for it; None while that isn't known."""
        self.asks = False
        """May it be that a person is asked?"""
        self.ended: Ended | None = None
        self.searchable: dict[str, str] = {}
        self.checkpoints: dict[tuple[str, int], object] = {}
        self.exceptions: dict[str, BaseException] = {}
        """By error, the last exception that meant it."""
        self.is_asleep = False
        """Just loaded: what is still to be done has not been looked for."""
        self.log_bytes = 0
        """Since the last snapshot."""
        self.snapshot_bytes = 0
