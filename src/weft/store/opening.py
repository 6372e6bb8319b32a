"""Finds the store that a URL names."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from weft.store.codec import Codec
from weft.store.interface import Store, Visitor
from weft.store.memory import MemoryStore
from weft.store.migrations import Migration, in_order
from weft.store.problems import CannotOpen
from weft.store.schema import SCHEMA
from weft.store.sqlite import SqliteStore
from weft.store.sqlite_visitor import SqliteVisitor

FORMS = "memory:, sqlite:///PATH or postgresql://USER@HOST/DATABASE"
SQLITE: Final = "sqlite:///"


def open_store(url: str, node: str = "main", codec: Codec | None = None, rooms: Sequence[Migration] = ()) -> Store:
    """Opens a store to serve it, as the engine does; `rooms` are the steps that make the tables of all rooms.

    >>> open_store("memory:").batch
    0
    """
    if url == "memory:":
        return MemoryStore(node=node)
    if url.startswith(SQLITE):
        return SqliteStore(path_of(url), node, codec or Codec(), in_order((*SCHEMA, *rooms)))
    raise unknown(url)


def open_visitor(url: str, codec: Codec | None = None, rooms: Sequence[Migration] = ()) -> Visitor:
    """Opens a store beside the engine that serves it."""
    if url.startswith(SQLITE):
        return SqliteVisitor(path_of(url), codec or Codec(), in_order((*SCHEMA, *rooms)))
    if url == "memory:":
        raise CannotOpen(
            "a store in memory can't be visited: it is the engine's own; give the URL of a file or a database"
        )
    raise unknown(url)


def path_of(url: str) -> Path:
    """The file that `sqlite:///PATH` names; four slashes begin an absolute path."""
    path = Path(url.removeprefix(SQLITE))
    if path.name and path.parent.is_dir() and not path.is_dir():
        return path
    raise CannotOpen(f"{url!r} names no file in a directory that exists; write sqlite:///PATH, or make the directory")


def unknown(url: str) -> CannotOpen:
    return CannotOpen(f"{url!r} names no store; write {FORMS}")
