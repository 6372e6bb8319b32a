"""An engine put together: store, hands, core and the thread that drives them; asked by futures, from any thread."""

import time
from collections.abc import Mapping
from concurrent.futures import Future
from queue import SimpleQueue
from secrets import randbits
from threading import BoundedSemaphore
from typing import TypeVar

from weft.assembly.hands import MakeHands, Tasks, embedded, finder
from weft.assembly.operations import Ask, answer
from weft.assembly.outside import allowed_of, named_by
from weft.engine.core import Core
from weft.engine.ids import Ids
from weft.engine.loop import Loop
from weft.engine.problems import Busy
from weft.engine.requests import Begin, Reply
from weft.engine.server import Server
from weft.engine.settings import Settings
from weft.engine.turn import Input
from weft.handlers.settings import Allowed
from weft.store.codec import Codec
from weft.store.interface import Reads
from weft.store.memory import MemoryStore
from weft.store.opening import open_store, open_visitor
from weft.store.problems import Unavailable

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
        self._store = open_store(url, node, codec)
        try:
            self.reads: Reads = self._store if isinstance(self._store, MemoryStore) else open_visitor(url, codec)
            inbox: SimpleQueue[Input | None] = SimpleQueue()
            self._put = inbox.put
            self._desk = hands(finder(tasks), inbox.put, named_by(url, allowed_of(allow or {})))
            core = Core(self._store, self._desk, Ids(salt=randbits(32)), self.settings, number=self._store.batch)
            server = Server(core, self._store, hear)
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

    def close(self, seconds: float = 10.0) -> None:
        """Lets what runs end for so long; what has not ended then is taken up again by the next engine."""
        self._loop.close(seconds)
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
