"""The core of the engine: takes inputs, decides them as one turn, and does what the outcome of its commit asks.

It has no thread, no clock, no randomness, and no `async`. What it reads, who works, and what rooms keep are ports.
A turn that was not committed is as if it had never been: what it touched is dropped, its inputs are taken again.
"""

from collections import OrderedDict
from collections.abc import Container, Sequence
from functools import partial

from msgspec import Struct

from weft.engine import needs, taking
from weft.engine.definitions import Definitions
from weft.engine.finishing import finish
from weft.engine.hands import Hands
from weft.engine.ids import Ids
from weft.engine.live import Live
from weft.engine.problems import Elsewhere
from weft.engine.queues import Queues
from weft.engine.replying import reply
from weft.engine.requests import Collect, Declined, Reply, Revive, Token
from weft.engine.rooms import Happened, Room
from weft.engine.settings import Settings
from weft.engine.turn import Input, Ready, Turn, slot_needed
from weft.handlers.jobs import LOG, About, Done, Failed, Job
from weft.store.batch import Committed, Outcome, Refused
from weft.store.interface import Reads
from weft.store.rows import slot_of


class After(Struct, frozen=True, eq=False):
    """What is to be done after a commit, and only then."""

    jobs: list[Job] = []
    stops: list[About] = []
    commits: list[Job] = []
    replies: list[tuple[Token, Reply]] = []
    effects: Happened = ()
    collects: list[int] = []
    """Instances of other nodes that have the keys for which signals were kept meanwhile."""


NOTHING = After()


class Core:
    def __init__(
        self, reads: Reads, hands: Hands, ids: Ids, settings: Settings, *, rooms: Sequence[Room] = (), number: int = 0
    ) -> None:
        self.reads = reads
        self.hands = hands
        self.ids = ids
        self.settings = settings
        self.rooms = rooms
        self.number = number
        """Of the last batch."""
        self.is_closing = False
        """Then no more work begins."""
        self.definitions = Definitions(settings.definition_seconds)
        self.queues = Queues()
        self.lives: OrderedDict[int, Live] = OrderedDict()
        self.jobs: dict[About, Job] = {}
        self.held: dict[About, Job] = {}
        """What is being done for this node, by attempt."""
        self.waiters: dict[int, list[Token]] = {}
        self._later: list[Input] = []
        """What the next turn takes first."""
        self._apart: list[list[Input]] = []
        """After a refusal, what must be taken for itself; the last comes first."""
        self._spoilt: list[tuple[Token, Reply]] = []
        self._deploys_again = False
        """Was a turn that deploys refused, and has none been committed since?"""
        self.faults: list[Exception] = []
        """Of ours, for whoever keeps a diary; the inputs that met them were answered."""

    def has_more(self) -> bool:
        """Is there something to take besides new inputs?"""
        if self._later or self._apart or self._spoilt:
            return True
        return self.queues.has_room(self._rooms_of_hands()) if len(self.queues) else False

    def _rooms_of_hands(self) -> dict[str, int]:
        rooms = self.hands.rooms()
        return dict.fromkeys(rooms, 0) if self.is_closing else dict(rooms)

    def tokens(self) -> list[Token]:
        """Of all who wait for an answer."""
        waiting = [*self._later, *(one for some in self._apart for one in some)]
        asked = [getattr(one, "token", None) for one in waiting]
        return [*asked, *(token for tokens in self.waiters.values() for token in tokens)]

    def take(self, inputs: Sequence[Input], now: float) -> Turn:
        """Decides these inputs and what is left of earlier ones. When the store can't be read they are kept."""
        if self._apart:
            self._later += inputs
            chosen = self._apart.pop()
        else:
            chosen = [*self._later, *inputs]
            self._later = []
        rooms = self._rooms_of_hands()
        if len(self.queues):
            chosen += [Ready(lane, about) for lane, about in self.queues.take(rooms)]
        while True:
            try:
                holders = needs.read(self, chosen, now)
            except BaseException:
                self._later = [*chosen, *self._later]
                raise
            turn = Turn(self.number + 1, chosen, now, dict(rooms), holders)
            turn.held = self.held
            culprit = self._decide(turn)
            if culprit is None:
                return self._finished(turn)
            chosen = self._without(turn, *culprit)

    def _decide(self, turn: Turn) -> tuple[Input | None, Exception] | None:
        """None, or the fault of ours that kept an input from being decided, and the input, if it is known."""
        input: Input | None = None
        try:
            for input in turn.inputs:
                taking.take(self, turn, input)
            input = None
            finish(self, turn)
        except Exception as fault:
            return input, fault
        return None

    def _finished(self, turn: Turn) -> Turn:
        for token, value in self._spoilt:
            reply(turn, token, value)
        turn.spoilt, self._spoilt = self._spoilt, []
        if self.rooms and turn.effects:
            turn.batch.rooms = [partial(room.rows, turn.effects) for room in self.rooms]
        return turn

    def _without(self, turn: Turn, culprit: Input | None, fault: Exception) -> list[Input]:
        self.faults.append(fault)
        again = self._undo(turn)
        detail = f"{type(fault).__name__}: {fault}"
        if culprit is not None:
            return [one for one in again if one is not culprit] + self._spoil(culprit, detail)
        self._apart += self._halves(again, detail)
        return self._apart.pop() if self._apart else []

    # Slots that come and go.

    @property
    def working(self) -> set[int]:
        """The slots in which something is done for this node, or is being decided."""
        needed = (slot_needed(one) for some in self._apart for one in some)
        busy = {slot_of(about[0]) for about in (*self.jobs, *self.held)}
        return busy.union(slot for slot in needed if slot is not None)

    def reread(self, slots: Container[int]) -> None:
        """What is known of instances of these slots may be old: they are read again when they are next wanted."""
        for id in [id for id in self.lives if slot_of(id) in slots]:
            del self.lives[id]
        self.queues.forget(slots)

    def forget(self, slots: Container[int]) -> None:
        """These slots are another node's from now on; who waits for something there is told so."""
        self.reread(slots)
        for id in [id for id in self.waiters if slot_of(id) in slots]:
            elsewhere = Declined(Elsewhere.__name__, str(Elsewhere(id)), id)
            self._spoilt += [(token, elsewhere) for token in self.waiters.pop(id)]
        self._later = [one for one in self._later if slot_needed(one) not in slots]

    # Outcomes.

    def outcome(self, turn: Turn, outcome: Outcome) -> After:
        """What the commit came to. Not for one of which that is unknown: its store must be asked first."""
        if type(outcome) is Committed:
            return self._committed(turn, outcome)
        again = self._undo(turn)
        if turn.deployed and not self._deploys_again:  # another node may just have deployed the same
            self._deploys_again = True
            self._later = [*again, *self._later]
        elif isinstance(outcome, Refused) and outcome.reason == "rows":
            self._apart += self._halves(again, outcome.detail)
        else:
            self._later = [*again, *self._later]
        return NOTHING

    def _committed(self, turn: Turn, outcome: Committed) -> After:
        self.number, self._deploys_again = turn.batch.number, False
        jobs, lives = self.jobs, self.lives
        for about in turn.over:
            jobs.pop(about, None)
        for job in turn.jobs:
            jobs[job.about] = job
        for about in turn.stops:
            self.held.pop(about, None)
        for job in turn.commits:
            jobs[job.about] = job
            self.held.pop(job.about, None)
        self._later += turn.later
        holders = list(outcome.instances.values())
        self._later += [Collect(whom=id) for id in holders if self.ids.owns(id)]
        for instance, token in turn.waits:
            self.waiters.setdefault(instance, []).append(token)
        for id in turn.touched:
            lives.move_to_end(id)
        for live in turn.ended:
            self.waiters.pop(live.id, None)
            lives.pop(live.id, None)
        while len(lives) > self.settings.instances_max:
            lives.popitem(last=False)
        others = [id for id in holders if not self.ids.owns(id)]
        return After(turn.jobs, turn.stops, turn.commits, turn.replies, turn.effects, others)

    def _undo(self, turn: Turn) -> list[Input]:
        """The turn has never been. What is to be taken again: its inputs, and what it touched, as it was."""
        self.definitions.forget_newest()
        for known in turn.deployed:
            self.definitions.forget(known)
        for id in turn.touched:
            self.lives.pop(id, None)
        self._spoilt += turn.spoilt
        revived = {one.instance for one in turn.inputs if isinstance(one, Revive)}
        return [*turn.inputs, *(Revive(id) for id in turn.touched if id not in revived)]

    def _halves(self, again: list[Input], detail: str) -> list[list[Input]]:
        """A culprit among them made a row that the store can't take: the halves are tried, until it is alone."""
        own: list[Input] = [one for one in again if not isinstance(one, Revive | Ready)]
        rest: list[Input] = [one for one in again if isinstance(one, Revive | Ready)]
        if len(own) > 1:
            return [rest, own[len(own) // 2 :], own[: len(own) // 2]]
        if len(own) == 1:
            return [rest, *([spoilt] if (spoilt := self._spoil(own[0], detail)) else [])]
        return [[one] for one in rest] if len(rest) > 1 else []

    def _spoil(self, input: Input, detail: str) -> list[Input]:
        """An input that can't be taken: who asked hears so, and a result that can't be kept is a failure."""
        if isinstance(input, Done):
            return [Failed(input.job, LOG, detail)]
        token = getattr(input, "token", None)
        if token is not None:
            self._spoilt.append((token, Declined("Broken", detail)))
        return []
