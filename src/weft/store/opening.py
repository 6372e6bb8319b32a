"""Finds the store that a URL names."""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from weft.store.codec import Codec
from weft.store.interface import Store, Visitor, WorkQueue
from weft.store.memory import MemoryStore
from weft.store.migrations import Migration, in_order
from weft.store.problems import CannotOpen
from weft.store.schema import SCHEMA
from weft.store.sqlite.keeping import back_up, upgrade
from weft.store.sqlite.store import SqliteStore
from weft.store.sqlite.visitor import SqliteVisitor

FORMS = "memory:, sqlite:///PATH or postgresql://USER@HOST/DATABASE"
SQLITE: Final = "sqlite:///"
LEASE_SECONDS: Final = 10.0
POSTGRES: Final = ("postgresql://", "postgres://")


def open_store(
    url: str,
    node: str = "main",
    codec: Codec | None = None,
    rooms: Sequence[Migration] = (),
    lease_seconds: float = LEASE_SECONDS,
) -> Store:
    """Opens a store to serve it, as the engine does; `rooms` are the steps that make the tables of all rooms.

    >>> open_store("memory:").batch
    0
    """
    if url == "memory:":
        return MemoryStore(node=node, lease_seconds=lease_seconds)
    if url.startswith(SQLITE):
        return SqliteStore(path_of(url), node, codec or Codec(), in_order((*SCHEMA, *rooms)))
    if url.startswith(POSTGRES):
        serve: Callable[..., Store] = _postgres("store").open_store
        return serve(url, node, codec or Codec(), in_order((*SCHEMA, *rooms)), lease_seconds)
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


def upgrade_store(url: str, rooms: Sequence[Migration] = ()) -> list[Migration]:
    """Takes the steps that a store lacks, after every node's epoch was raised, so that no older engine goes on."""
    migrations = in_order((*SCHEMA, *rooms))
    if url.startswith(SQLITE):
        return upgrade(path_of(url), migrations)
    if url.startswith(POSTGRES):
        found: list[Migration] = _postgres("upgrading").upgrade(url, migrations)
        return found
    raise CannotOpen("a store in memory is never older than its engine") if url == "memory:" else unknown(url)


def back_up_store(url: str, target: Path) -> None:
    """Makes a consistent copy, while an engine goes on writing."""
    if url.startswith(SQLITE):
        back_up(path_of(url), target)
    elif url.startswith(POSTGRES):
        raise CannotOpen("a database is copied by its own tools, while it is used: pg_dump --schema=weft DATABASE")
    else:
        raise CannotOpen("a store in memory has no copy") if url == "memory:" else unknown(url)


def open_work_queue(url: str, codec: Codec | None = None, rooms: Sequence[Migration] = ()) -> WorkQueue:
    """Opens a store to do work of other processes' engines; only PostgreSQL lets workers in."""
    if url.startswith(POSTGRES):
        visit: Callable[..., WorkQueue] = _postgres("claims").open_work_queue
        return visit(url, codec or Codec(), in_order((*SCHEMA, *rooms)))
    raise CannotOpen(f"workers of their own need a store in PostgreSQL, which {url!r} is not")


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
