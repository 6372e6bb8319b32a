"""Finds the store that a URL names."""

from weft.store.interface import Store
from weft.store.memory import MemoryStore
from weft.store.problems import CannotOpen

FORMS = "memory:, sqlite:///PATH or postgresql://USER@HOST/DATABASE"


def open_store(url: str, node: str = "main") -> Store:
    """Opens a store to serve it, as the engine does.

    >>> open_store("memory:").batch
    0
    """
    if url == "memory:":
        return MemoryStore(node=node)
    raise CannotOpen(f"{url!r} names no store; write {FORMS}")
