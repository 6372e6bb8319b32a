"""A turn: what one batch of inputs came to, before it is committed. After that it is done, or it never was."""

from collections.abc import Mapping
from typing import TypeAlias

from weft.engine.definitions import Known
from weft.engine.live import Live
from weft.engine.requests import AnyRequest, Fire, LookUp, Mail, Own, Reply, Request, Revive, Token, whom_of
from weft.handlers.jobs import About, Answer, Job
from weft.kernel.effect_types import AnyEffect
from weft.store.batch import Batch, KeyName
from weft.store.rows import slot_of


class Ready:
    """Work that had waited for a place, and may begin now."""

    __slots__ = ("about", "lane")

    def __init__(self, lane: str, about: About) -> None:
        self.lane = lane
        self.about = about


class GoOn:
    """An instance in which the last turn left something: effects to follow, or the rest of a long decision."""

    __slots__ = ("instance", "is_short")

    def __init__(self, instance: int, is_short: bool = False) -> None:
        self.instance = instance
        self.is_short = is_short


Input: TypeAlias = AnyRequest | Own | Answer | Ready | GoOn


def slot_needed(input: Input) -> int | None:
    """Whose it is to take this: the node's that has the slot; None if it is this node's in any case."""
    if isinstance(input, Request):
        return slot_of(whom_of(input) or input.token) if isinstance(input.token, int) else None
    if isinstance(input, Fire):
        return slot_of(input.timer.instance)
    if isinstance(input, Ready):
        return slot_of(input.about[0])
    return slot_of(input.instance) if isinstance(input, Revive | Mail | LookUp | GoOn) else None


class Turn:
    __slots__ = (
        "batch",
        "begun",
        "commits",
        "deployed",
        "effects",
        "ended",
        "has_queued",
        "held",
        "holders",
        "inputs",
        "jobs",
        "later",
        "now",
        "over",
        "replies",
        "rooms",
        "spoilt",
        "stops",
        "touched",
        "waits",
    )

    def __init__(
        self, number: int, inputs: list[Input], now: float, rooms: dict[str, int], holders: dict[KeyName, int]
    ) -> None:
        self.batch = Batch(number, facts=[], instances={}, timers={})
        self.inputs = inputs
        self.now = now
        self.rooms = rooms
        """By lane, how many more jobs may begin."""
        self.touched: dict[int, Live] = {}
        self.jobs: list[Job] = []
        self.over: list[About] = []
        """Attempts that were answered for."""
        self.stops: list[About] = []
        self.commits: list[Job] = []
        """Transactions that have leave to commit."""
        self.held: Mapping[About, Job] = {}
        """Transactions that are done and wait for leave."""
        self.replies: list[tuple[Token, Reply]] = []
        self.later: list[GoOn | Mail | LookUp] = []
        """What the next turn takes."""
        self.effects: list[tuple[int, AnyEffect]] = []
        """What rooms are told, if there are any."""
        self.deployed: list[Known] = []
        self.ended: list[Live] = []
        self.waits: list[tuple[int, Token]] = []
        """Who waits for the end of which instance."""
        self.holders = dict(holders)
        """Who has the business keys that these inputs name."""
        self.begun: set[About] = set()
        self.has_queued = False
        """Did something of this turn join a queue that has room?"""
        self.spoilt: list[tuple[Token, Reply]] = []
        """Replies to inputs of an earlier turn that could not be taken."""

    def unfinished(self) -> set[int]:
        """The instances for which the next turn has something to do."""
        return {one.instance for one in self.later}

    @property
    def is_empty(self) -> bool:
        """Is there nothing to commit?"""
        batch = self.batch
        return not (
            batch.facts
            or batch.instances
            or batch.timers
            or batch.answers
            or batch.signals
            or batch.definitions
            or batch.work
            or batch.keys
            or batch.removed
            or batch.variables
            or batch.snapshots
            or batch.rooms
            or batch.schedules
            or batch.sweep_before
        )
