"""An engine put together: store, hands, core and the thread that drives them; asked by futures, from any thread."""

import time
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from secrets import randbits
from threading import BoundedSemaphore
from typing import TypeVar

from weft.assembly.forwarding import Forwarding, asked_on
from weft.assembly.hands import MakeHands, Tasks, embedded, finder
from weft.assembly.operations import Ask, answer
from weft.assembly.outside import allowed_of, named_by
from weft.engine.core import Core
from weft.engine.ids import Ids
from weft.engine.loop import Loop
from weft.engine.problems import Busy
from weft.engine.requests import AnyRequest, Begin, Reply
from weft.engine.server import Server
from weft.engine.settings import Settings
from weft.engine.turn import Input
from weft.handlers.settings import Allowed
from weft.store.codec import Codec
from weft.store.interface import Reads, SharedStore, SharedVisitor
from weft.store.memory import MemoryStore
from weft.store.opening import open_store, open_visitor
from weft.store.problems import StoreProblem, Unavailable

T = TypeVar("T")


class Serving:
    """One node at one store, until it is closed."""

    def __init__(
        self,
        url: str,
        tasks: Tasks = (),
        *,
        node: str = "main",
        settings: Settings | None = None,
        codec: Codec | None = None,
        hands: MakeHands = embedded,
        allow: Mapping[str, object] | Allowed | None = None,
        revives: bool = True,
    ) -> None:
        self.settings = settings or Settings()
        self._store = open_store(url, node, codec, lease_seconds=self.settings.lease_seconds)
        self._forwarding: Forwarding | None = None
        try:
            self.reads: Reads = self._store
            if not isinstance(self._store, MemoryStore):
                self.reads = visitor = open_visitor(url, codec)
                if isinstance(self._store, SharedStore):
                    self._forwarding = Forwarding(visitor, hear, fail)
            inbox: SimpleQueue[Input | None] = SimpleQueue()
            self._put = inbox.put
            self._desk = hands(finder(tasks), inbox.put, named_by(url, allowed_of(allow or {})))
            core = Core(self._store, self._desk, Ids(salt=randbits(32)), self.settings, number=self._store.batch)
            server = Server(core, self._store, self._hear, self._forward)
            self._room = BoundedSemaphore(self.settings.waiting_max)
            self._loop = Loop(server, self._store, self.settings, time.time, fail, inbox, revives)
            self._loop.start()
        except BaseException:
            self._store.close()
            raise

    @property
    def is_alive(self) -> bool:
        return self._loop.is_alive

    @property
    def down(self) -> str:
        """Why the store can't be used at present; empty when it can."""
        return self._loop.down

    def ask(self, ask: Ask[T], wait_seconds: float | None = None) -> "Future[T]":
        """Asks; starts wait so long for room in the queue, and are then refused."""
        future: Future[T] = Future()
        if self._loop.down or not self._loop.is_alive:
            raise Unavailable(f"the engine takes no commands at present: {self._loop.down or 'it is closed'}")
        if isinstance(ask.request, Begin):
            if not self._room.acquire(timeout=wait_seconds):
                raise Busy(f"{self.settings.waiting_max:,} requests wait already: try again later")
            future.add_done_callback(lambda _: self._room.release())
        self._put(ask.request.by(Waiting(future, ask)))
        return future

    @property
    def problem(self) -> Exception | None:
        """Why the engine stopped, if nobody told it to."""
        return self._loop.problem

    def _forward(self, request: AnyRequest) -> None:
        assert self._forwarding is not None
        self._forwarding.forward(None, request)

    def _hear(self, token: object, reply: Reply) -> None:
        """In the engine's thread: an answer for the caller, or word that another node must be asked."""
        assert isinstance(token, Waiting)
        request = asked_on(token.ask.request, reply) if self._forwarding is not None else None
        if request is not None and self._forwarding is not None:
            self._forwarding.forward(token, request)
        else:
            hear(token, reply)

    def close(self, seconds: float = 10.0) -> None:
        """Lets what runs end for so long; what has not ended then is taken up again by another or the next engine."""
        if isinstance(self.reads, SharedVisitor) and self.is_alive:
            with suppress(StoreProblem):
                self.reads.ask_to_leave(self._store.node)  # so that nobody gives it more
        self._loop.close(seconds)
        if self._forwarding is not None:
            self._forwarding.close()
        self._desk.close()
        if self.reads is not self._store:
            self.reads.close()
        self._store.close()


class Waiting:
    """Who waits for the answer to a request."""

    __slots__ = ("ask", "future")

    def __init__(self, future: "Future[T]", ask: Ask[T]) -> None:
        self.future = future
        self.ask = ask


def hear(token: object, reply: Reply) -> None:
    assert isinstance(token, Waiting)
    try:
        value = answer(token.ask, reply)
    except Exception as refusal:
        token.future.set_exception(refusal)
    else:
        token.future.set_result(value)


def fail(token: object, problem: Exception) -> None:
    assert isinstance(token, Waiting)
    token.future.set_exception(problem)
