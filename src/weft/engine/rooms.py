"""A room, as the engine knows it: a package that keeps rows of its own beside the facts, in the same transaction."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from weft.kernel.effect_types import AnyEffect
from weft.store.batch import Transaction

Happened: TypeAlias = Sequence[tuple[int, AnyEffect]]
"""Effects in their order, each with the instance that it is of."""


class Room(Protocol):
    def rows(self, effects: Happened, transaction: Transaction) -> None:
        """Writes what the effects mean for its tables; called again if the transaction is tried again."""
        ...

    def dispatch(self, effects: Happened) -> None:
        """Acts on effects that are committed."""
        ...
