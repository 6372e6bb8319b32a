"""How a command line asks: of the engine that serves the store, by command rows; or, where none does, of its own."""

import contextlib
import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self, TypeVar

from weft.assembly.configuration import Configured
from weft.assembly.forwarding import Post
from weft.assembly.hands import embedded
from weft.assembly.nobody import nobody
from weft.assembly.operations import Ask, answer
from weft.assembly.serving import Serving
from weft.engine.problems import Problem
from weft.store.interface import Reads, Visitor
from weft.store.opening import POSTGRES, open_visitor
from weft.store.problems import AlreadyServed, CannotOpen

T = TypeVar("T")


class Client(AbstractContextManager["Client"], Protocol):
    """Who asks on behalf of a user."""

    @property
    def reads(self) -> Reads: ...

    def ask(self, ask: Ask[T], seconds: float | None = None) -> T:
        """Asks and waits, at most so long, then raises `TimeoutError`. Raises the refusal."""
        ...


class Own:
    """The engine of one command: it decides and keeps, and begins no work unless it is to."""

    def __init__(self, configured: Configured, works: bool) -> None:
        found = configured.configuration
        self._serving = Serving(
            found.store.url,
            found.tasks.modules if works else (),
            node=found.node.name,
            settings=found.engine,
            codec=configured.codec(),
            hands=embedded if works else nobody,
            allow=found,
            revives=works,
        )
        self._close_seconds = found.node.close_seconds
        self.reads = self._serving.reads

    def ask(self, ask: Ask[T], seconds: float | None = None) -> T:
        return self._serving.ask(ask).result(seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._serving.close(self._close_seconds)


class Visiting:
    """Another process serves the store; it is asked by rows."""

    def __init__(self, visitor: Visitor) -> None:
        self.reads = visitor

    def ask(self, ask: Ask[T], seconds: float | None = None) -> T:
        post = Post(self.reads, ask.request)
        end = None if seconds is None else time.monotonic() + seconds
        while (reply := post.look()) is None:
            if end is not None and time.monotonic() >= end:
                raise TimeoutError(
                    f"no answer yet to command {post.id}; the engine that serves the store will still do it"
                )
            time.sleep(post.pause())
        return answer(ask, reply)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.reads.close()


def connect(configured: Configured, works: bool = False) -> Client:
    """Whoever can be asked: the engine that serves the store, else one of our own, which `works` if it is to."""
    url = configured.configuration.store.url
    if url == "memory:":
        raise Problem("a store in memory ends with the command: give --store sqlite:///PATH, or set [store] url")
    try:
        if not works and _is_served_elsewhere(configured):
            raise AlreadyServed(url)
        return Own(configured, works)
    except AlreadyServed:
        return Visiting(open_visitor(url, configured.codec()))


def _is_served_elsewhere(configured: Configured) -> bool:
    """Does a node of any name serve the database? A file has an engine's lock, which says it better."""
    url = configured.configuration.store.url
    if not url.startswith(POSTGRES):
        return False
    try:
        visitor = open_visitor(url, configured.codec())
    except CannotOpen:  # there is no store yet
        return False
    with contextlib.closing(visitor):
        return any(node.until is not None and node.until > time.time() for node in visitor.nodes())


def reading(configured: Configured) -> Reads:
    """The store for who only looks."""
    return open_visitor(configured.configuration.store.url, configured.codec())
