"""Where the stores of a test live: one place for each kind, at which stores and visitors can be opened."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from weft.store.interface import Store, Visitor
from weft.store.memory import MemoryStore, MemoryVisitor
from weft.store.memory_database import MemoryDatabase
from weft.store.opening import open_store, open_visitor


class Place(Protocol):
    def store(self, node: str = "main") -> Store: ...

    def visitor(self) -> Visitor: ...


class MemoryPlace:
    def __init__(self, resources: ExitStack) -> None:
        self.database = MemoryDatabase()

    def store(self, node: str = "main") -> Store:
        return MemoryStore(self.database, node)

    def visitor(self) -> Visitor:
        return MemoryVisitor(self.database)


SHARED_MEMORY = Path("/dev/shm")
"""Where these tests keep their files, if they can: a flush costs nothing there."""


class SqlitePlace:
    def __init__(self, resources: ExitStack) -> None:
        directory = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
        self.path = Path(resources.enter_context(TemporaryDirectory(dir=directory))) / "weft.db"
        self.url = f"sqlite:///{self.path}"

    def store(self, node: str = "main") -> Store:
        return open_store(self.url, node)

    def visitor(self) -> Visitor:
        return open_visitor(self.url)


class PostgresPlace:
    def __init__(self, url: str) -> None:
        self.url = url

    def store(self, node: str = "main") -> Store:
        return open_store(self.url, node)

    def visitor(self) -> Visitor:
        return open_visitor(self.url)


KINDS = {"memory": MemoryPlace, "sqlite": SqlitePlace}


@contextmanager
def place_of(kind: str) -> Iterator[Place]:
    with ExitStack() as resources:
        yield KINDS[kind](resources)
