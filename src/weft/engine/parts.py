"""What the parts of a turn find at the core: its ports, and what it remembers between turns."""

from collections.abc import MutableMapping, Sequence
from typing import Protocol

from weft.engine.definitions import Definitions
from weft.engine.hands import Hands
from weft.engine.ids import Ids
from weft.engine.live import Live
from weft.engine.queues import Queues
from weft.engine.requests import Token
from weft.engine.rooms import Room
from weft.engine.settings import Settings
from weft.handlers.jobs import About, Job
from weft.store.interface import Reads


class Parts(Protocol):
    @property
    def reads(self) -> Reads: ...
    @property
    def hands(self) -> Hands: ...
    @property
    def ids(self) -> Ids: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def rooms(self) -> Sequence[Room]: ...
    @property
    def definitions(self) -> Definitions: ...
    @property
    def queues(self) -> Queues: ...
    @property
    def lives(self) -> MutableMapping[int, Live]: ...
    @property
    def jobs(self) -> dict[About, Job]:
        """What is being done for this node, by attempt."""
        ...

    @property
    def held(self) -> dict[About, Job]:
        """Transactions that are done and wait for leave to commit."""
        ...

    @property
    def is_closing(self) -> bool:
        """Then no more work begins."""
        ...

    @property
    def waiters(self) -> dict[int, list[Token]]:
        """Who waits for the end of an instance."""
        ...
