"""Where the stores of a test live: one place for each kind, at which stores and visitors can be opened."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from weft.store.interface import Store, Visitor
from weft.store.memory import MemoryStore, MemoryVisitor
from weft.store.memory_database import MemoryDatabase


class MemoryPlace:
    def __init__(self, resources: ExitStack) -> None:
        self.database = MemoryDatabase()

    def store(self, node: str = "main") -> Store:
        return MemoryStore(self.database, node)

    def visitor(self) -> Visitor:
        return MemoryVisitor(self.database)


Place = MemoryPlace
KINDS = {"memory": MemoryPlace}


@contextmanager
def place_of(kind: str) -> Iterator[Place]:
    with ExitStack() as resources:
        yield KINDS[kind](resources)
