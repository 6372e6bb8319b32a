"""A store that fails when it is told to: what is written may land before a failure is told, after it, or never."""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from weft.store.batch import Batch, Outcome, Refused, Unknown
from weft.store.memory import MemoryStore
from weft.store.memory_database import MemoryDatabase
from weft.store.problems import Unavailable

Fate: TypeAlias = Literal["good", "full", "lost", "landed", "late"]
"""What becomes of a commit: it succeeds; the store can't write; its outcome is unknown, and it is not written, is
written, or is still on its way and lands only if nobody connects before it does."""


class FaultyStore(MemoryStore):
    """A node at a database in memory. `fate` is asked before each commit, `is_away` before everything else."""

    def __init__(
        self,
        database: MemoryDatabase,
        node: str,
        *,
        fate: Callable[[], Fate],
        is_away: Callable[[], bool],
        lease_seconds: float = 10.0,
    ) -> None:
        self._fate = fate
        self._is_away: Callable[[], bool] = lambda: False
        self._on_its_way: Batch | None = None
        super().__init__(database, node, lease_seconds)
        self._is_away = is_away

    def commit(self, batch: Batch) -> Outcome:
        fate = self._fate()
        if fate == "good":
            return super().commit(batch)
        if fate == "full":
            return Refused("store", "the disk is full")
        if fate == "landed":
            super().commit(batch)
        elif fate == "late":
            self._on_its_way = batch
        return Unknown("the connection was lost")

    def land(self) -> None:
        """What is on its way arrives; if the node has connected anew or was taken over meanwhile, it is fenced off."""
        if self._on_its_way is not None:
            super().commit(self._on_its_way)
            self._on_its_way = None

    def reopen(self) -> int:
        if self._is_away():
            raise Unavailable("there is no connection")
        written = super().reopen()
        late, self._on_its_way = self._on_its_way, None
        if late is not None:
            self._fenced_off(late)
        return written

    def _fenced_off(self, batch: Batch) -> None:
        """A batch of an epoch that is over is sent after all, and must change nothing."""
        epoch, self.epoch = self.epoch, self.epoch - 1
        try:
            super().commit(batch)
        finally:
            self.epoch = epoch

    def _reading(self, what: Any) -> Any:
        if self._is_away():
            raise Unavailable("there is no connection")
        return what

    def load(self, *arguments: Any) -> Any:
        return self._reading(super().load)(*arguments)

    def keys(self, *arguments: Any) -> Any:
        return self._reading(super().keys)(*arguments)

    def definition_of(self, *arguments: Any) -> Any:
        return self._reading(super().definition_of)(*arguments)

    def due(self, *arguments: Any) -> Any:
        return self._reading(super().due)(*arguments)

    def active(self, *arguments: Any) -> Any:
        return self._reading(super().active)(*arguments)
