"""An engine without a thread of its own, on a store in memory or another: whoever has it turns it, step by step."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from secrets import randbits
from typing import TypeVar

from weft.assembly.operations import Ask, answer
from weft.engine.clocks import Clock
from weft.engine.core import Core
from weft.engine.hands import Hands
from weft.engine.ids import Ids
from weft.engine.live import Live
from weft.engine.problems import Broken, Endless
from weft.engine.records import facts_in
from weft.engine.requests import Fire, Reply, Token
from weft.engine.rooms import Room
from weft.engine.server import Server
from weft.engine.settings import Settings
from weft.engine.turn import Input, Turn
from weft.kernel.facts import AnyFact
from weft.store.interface import Store
from weft.store.memory import MemoryStore
from weft.store.rows import TimerRow

T = TypeVar("T")

Watch = Callable[[float, list[AnyFact]], None]
"""Told of every decision: its time and its facts."""

FACTS_MAX = 1_000_000


class Alone:
    def __init__(
        self,
        hands: Hands,
        clock: Clock,
        *,
        rooms: Sequence[Room] = (),
        watch: Watch | None = None,
        facts_max: int = FACTS_MAX,
        store: Store | None = None,
    ) -> None:
        self.store: Store = store or MemoryStore()
        self.clock = clock
        self.facts: list[AnyFact] = []
        """All that was told, of every instance."""
        self.core = Core(self.store, hands, Ids(salt=randbits(32)), Settings(), rooms=rooms, number=self.store.batch)
        self.lives: dict[int, Live] = {}
        """Every instance there ever was, those that have ended too."""
        self._server = Server(self.core, self.store, self._hear)
        self._inputs: deque[Input] = deque()
        self._replies: dict[int, Reply] = {}
        self._watch = watch
        self._facts_max = facts_max

    def put(self, input: Input) -> None:
        self._inputs.append(input)

    def ask(self, ask: Ask[T]) -> T:
        """Asks and turns once. Raises the refusal."""
        waiting = Waiting()
        self.put(ask.request.by(waiting))
        self.turn()
        reply = waiting.reply
        if reply is None:
            raise Broken(f"{type(ask.request).__name__} was not answered in its turn")
        return answer(ask, reply)

    def turn(self) -> bool:
        """Takes what there is; False when there is nothing."""
        if not self._inputs and not self.core.has_more():
            return False
        inputs = list(self._inputs)
        self._inputs.clear()
        turn = self._server.step(inputs, self.clock.now())
        self.lives.update(turn.touched)
        for told in told_in(turn):
            self.facts += told
            if self._watch is not None:
                self._watch(turn.now, told)
        if self.core.faults:
            raise self.core.faults.pop()
        if len(self.facts) > self._facts_max:
            raise Endless(
                f"the run has told {self._facts_max:,} facts and has not ended: "
                "it probably goes round for ever; look at its last facts and at the conditions of its loops"
            )
        return True

    def live(self, instance: int) -> Live | None:
        return self.core.lives.get(instance) or self.lives.get(instance)

    def next_due(self) -> float | None:
        """When the first timer of an instance of ours is due; others' are none of our affair."""
        return min((row.due for row in self._timers()), default=None)

    def _timers(self) -> list[TimerRow]:
        return self.store.timers([id for id, live in self.lives.items() if live.timers])

    def fire_due(self) -> bool:
        """Has the first timer that is due fire; False when none is."""
        first = min(self._timers(), key=lambda row: row.due, default=None)
        if first is None or first.due > self.clock.now():
            return False
        self.put(Fire(first))
        return self.turn()

    def _hear(self, token: Token, reply: Reply) -> None:
        assert isinstance(token, Waiting)
        token.reply = reply


class Waiting:
    """Who waits for a reply."""

    reply: Reply | None = None


def told_in(turn: Turn) -> Iterator[list[AnyFact]]:
    blobs = {row.id: row for row in turn.batch.blobs}
    return (facts_in(row, blobs) for row in turn.batch.facts)
