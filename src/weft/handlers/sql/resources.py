"""The databases that a node allows, and the connections that it keeps open to them."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from threading import Lock
from typing import Final, cast

from weft.handlers.settings import Resource
from weft.handlers.sql.connection import CannotConnect, Connection, Driver
from weft.model.definition import Process, Sql, Task

DRIVERS: Final = (
    ("sqlite:///", "weft.handlers.sql.sqlite", ""),
    ("postgresql://", "weft.handlers.sql.postgres", "postgres"),
    ("", "weft.handlers.sql.alchemy", "sql"),
)
"""How a URL begins, the module that speaks to such a database, and the extra that it wants."""


class Resources:
    """By name, what may be used here. Connections are taken and put back by any thread."""

    def __init__(self, allowed: Mapping[str, Resource]) -> None:
        self._allowed = allowed
        self._lock = Lock()
        self._idle: dict[str, list[Connection]] = {}
        self._prepared: set[str] = set()

    def resource(self, name: str) -> Resource | str:
        """A resource, or why it can't be used here."""
        found = self._allowed.get(name)
        if found is None:
            return f"this node allows no resource {name!r}: it needs [resources.{name}] in weft.toml"
        if found.url_from and found.url_from not in os.environ:
            return f"the resource {name} wants {found.url_from} in this node's environment"
        if not found.url and not found.url_from:
            return f"the resource {name} has no url: it needs one in [resources.{name}] of weft.toml"
        return found

    def refuses(self, task: Task, process: Process | None = None) -> str:
        name = task.resource or (task.handler.resource if isinstance(task.handler, Sql) else "")
        found = self.resource(name)
        return found if isinstance(found, str) else ""

    @contextmanager
    def connection(self, name: str, *, only_reads: bool = False) -> Iterator[Connection]:
        """A connection in a transaction. Who takes it commits; what is not committed at the end is rolled back."""
        connection = self.begun(name, only_reads=only_reads)
        try:
            yield connection
            connection.rollback()
        except BaseException:
            self.discard(connection)
            raise
        self._put(name, connection)

    def begun(self, name: str, *, only_reads: bool = False) -> Connection:
        """A connection in a transaction, to be given back or discarded; one that was kept, if it still works."""
        while (kept := self._take(name)) is not None:  # nothing is asked of it yet, so a new one can take its place
            try:
                kept.begin(only_reads=only_reads)
                return kept
            except Exception:
                kept.close()
        connection = self.open(name)
        try:
            connection.begin(only_reads=only_reads)
        except BaseException:
            connection.close()
            raise
        return connection

    def give_back(self, name: str, connection: Connection) -> None:
        """What is not committed is rolled back."""
        try:
            connection.rollback()
        except Exception:
            connection.close()
        else:
            self._put(name, connection)

    def discard(self, connection: Connection) -> None:
        """After a fault, which is what counts, whatever the connection says now."""
        with suppress(Exception):
            connection.rollback()
        with suppress(Exception):
            connection.close()

    def is_prepared(self, name: str) -> bool:
        """Whether its table of markers is known to be there."""
        return name in self._prepared

    def prepared(self, name: str) -> None:
        self._prepared.add(name)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, {}
        for connection in (one for several in idle.values() for one in several):
            connection.close()

    def open(self, name: str) -> Connection:
        """A new connection."""
        resource = self.resource(name)
        if isinstance(resource, str):
            raise CannotConnect(resource)
        url = os.environ[resource.url_from] if resource.url_from else resource.url
        module, extra = next((module, extra) for begin, module, extra in DRIVERS if url.startswith(begin))
        try:
            driver = cast("Driver", import_module(module))
        except ImportError as fault:
            raise CannotConnect(
                f"the resource {name} needs the extra {extra}: pip install 'weftwork[{extra}]'"
            ) from fault
        return driver.connect(url, resource)

    def _take(self, name: str) -> Connection | None:
        with self._lock:
            idle = self._idle.get(name)
            return idle.pop() if idle else None

    def _put(self, name: str, connection: Connection) -> None:
        with self._lock:
            idle = self._idle.setdefault(name, [])
            if len(idle) < self._allowed[name].idle:
                idle.append(connection)
                return
        connection.close()
