"""One step of an engine: take, commit, then act. Between a failed commit and the store's return nothing is decided."""

from collections.abc import Callable, Sequence

from weft.engine.core import After, Core
from weft.engine.requests import AnyRequest, Collect, Reply, Token
from weft.engine.turn import Input, Turn
from weft.store.batch import Committed, KeyName, Outcome, Refused, Unknown
from weft.store.interface import Store
from weft.store.problems import TakenOver, Unavailable

Hear = Callable[[Token, Reply], None]
"""Takes the answer to a request."""


Forward = Callable[[AnyRequest], None]
"""Has another node do something of which nobody waits for the answer."""


def nobody(request: AnyRequest) -> None:
    """Where there is one node, all is its own."""


class Server:
    def __init__(self, core: Core, store: Store, hear: Hear, forward: Forward = nobody) -> None:
        self.core = core
        self.store = store
        self._hear = hear
        self._forward = forward
        self._open: tuple[Turn, str] | None = None
        """A turn of which it is unknown whether it is written, and what it met if that was a fault of its rows."""

    def step(self, inputs: Sequence[Input], now: float) -> Turn:
        """Takes these inputs. Raises `Unavailable` when the store is; then `recover` must be called before the next."""
        turn = self.core.take(inputs, now)
        if turn.is_empty:
            self._after(self.core.outcome(turn, Committed()), turn)
            return turn
        fault = ""
        try:
            outcome: Outcome = self.store.commit(turn.batch)
        except Exception as problem:  # of a room, or of the store's own: what was written is not known
            outcome, fault = Unknown(str(problem)), f"{type(problem).__name__}: {problem}"
            self.core.faults.append(problem)
        if isinstance(outcome, Unknown) or (isinstance(outcome, Refused) and outcome.reason == "store"):
            self._open = turn, fault
            raise Unavailable(outcome.detail)
        if isinstance(outcome, Refused) and outcome.reason == "fenced":
            raise TakenOver(outcome.detail)
        self._after(self.core.outcome(turn, outcome), turn)
        return turn

    def recover(self) -> None:
        """Connects anew, and finds out what became of the last turn. Raises `Unavailable` while that can't be done."""
        written = self.store.reopen()
        if self._open is None:
            return
        turn, fault = self._open
        if written >= turn.batch.number:
            outcome: Outcome = Committed(self._holders(turn))
        else:
            outcome = Refused("rows" if fault else "store", fault)
        self._open = None
        self._after(self.core.outcome(turn, outcome), turn)

    def _holders(self, turn: Turn) -> dict[KeyName, int]:
        """Who has the keys that signals were kept for."""
        asked = [name for name, row in turn.batch.keys.items() if not row.instance]
        rows = self.store.keys(asked) if asked else {}
        return {name: row.instance for name, row in rows.items() if row.instance}

    def _after(self, after: After, turn: Turn) -> None:
        core = self.core
        if after.jobs:
            core.hands.give(after.jobs)
        if after.stops:
            core.hands.stop(after.stops)
        if after.commits:
            core.hands.commit(after.commits)
        for token, reply in after.replies:
            self._hear(token, reply)
        for instance in after.collects:
            self._forward(Collect(whom=instance))
        if after.effects:
            for room in core.rooms:
                room.dispatch(after.effects)
