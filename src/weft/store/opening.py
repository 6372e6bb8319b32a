"""Finds the store that a URL names."""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

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
POSTGRES: Final = ("postgresql://", "postgres://")


def open_store(url: str, node: str = "main", codec: Codec | None = None, rooms: Sequence[Migration] = ()) -> Store:
    """Opens a store to serve it, as the engine does; `rooms` are the steps that make the tables of all rooms.

    >>> open_store("memory:").batch
    0
    """
    if url == "memory:":
        return MemoryStore(node=node)
    if url.startswith(SQLITE):
        return SqliteStore(path_of(url), node, codec or Codec(), in_order((*SCHEMA, *rooms)))
    if url.startswith(POSTGRES):
        serve: Callable[..., Store] = _postgres("store").open_store
        return serve(url, node, codec or Codec(), in_order((*SCHEMA, *rooms)))
    raise unknown(url)


def open_visitor(url: str, codec: Codec | None = None, rooms: Sequence[Migration] = ()) -> Visitor:
    """Opens a store beside the engine that serves it."""
    if url.startswith(SQLITE):
        return SqliteVisitor(path_of(url), codec or Codec(), in_order((*SCHEMA, *rooms)))
    if url.startswith(POSTGRES):
        visit: Callable[..., Visitor] = _postgres("visitor").open_visitor
        return visit(url, codec or Codec(), in_order((*SCHEMA, *rooms)))
    if url == "memory:":
        raise CannotOpen(
            "a store in memory can't be visited: it is the engine's own; give the URL of a file or a database"
        )
    raise unknown(url)


def _postgres(name: str) -> Any:
    """A module of what needs psycopg, which not everybody has."""
    try:
        return import_module(f"weft.store.postgres.{name}")
    except ImportError as error:
        raise CannotOpen(f"PostgreSQL needs the extra postgres ({error}); pip install 'weftwork[postgres]'") from error


def path_of(url: str) -> Path:
    """The file that `sqlite:///PATH` names; four slashes begin an absolute path."""
    path = Path(url.removeprefix(SQLITE))
    if path.name and path.parent.is_dir() and not path.is_dir():
        return path
    raise CannotOpen(f"{url!r} names no file in a directory that exists; write sqlite:///PATH, or make the directory")


def unknown(url: str) -> CannotOpen:
    return CannotOpen(f"{url!r} names no store; write {FORMS}")
