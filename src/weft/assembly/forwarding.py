"""Requests for instances of other nodes: sent as command rows, and answered from there, in a thread of its own."""

import time
from collections.abc import Callable
from contextlib import suppress
from heapq import heappop, heappush
from itertools import count
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final

from msgspec.structs import replace

from weft.engine.problems import Elsewhere
from weft.engine.replying import reply_in
from weft.engine.requests import AnyRequest, Await, Begin, Begun, Declined, Remove, Reply
from weft.engine.visiting import letter
from weft.store.interface import Visitor
from weft.store.problems import StoreProblem, Unavailable

POLL_SECONDS: Final = (0.001, 0.1)
"""How long to wait between two looks for an answer: at first, and at most."""


def asked_on(request: AnyRequest, reply: Reply) -> AnyRequest | None:
    """What must be asked next, after this answer; None if it is the last. An instance may have moved meanwhile."""
    if isinstance(reply, Begun) and isinstance(request, Begin) and request.is_awaited:
        return Await(whom=reply.instance, actor=request.actor)
    if not isinstance(reply, Declined) or reply.kind != Elsewhere.__name__:
        return None
    if not reply.instance:
        return request
    if isinstance(request, Remove):  # those before this one are gone
        return replace(request, instances=request.instances[request.instances.index(reply.instance) :])
    if isinstance(request, Begin):
        return Await(whom=reply.instance, actor=request.actor)
    return replace(request, whom=reply.instance)


class Post:
    """One request under way, from row to row."""

    def __init__(self, visitor: Visitor, request: AnyRequest) -> None:
        self._visitor = visitor
        self._request = request
        self.send()

    def send(self) -> None:
        self.id = self._visitor.send(letter(self._request, time.time()))
        self._pause = POLL_SECONDS[0]

    def look(self) -> Reply | None:
        """The last answer, once it is there."""
        row = self._visitor.answer(self.id)
        if row is None:
            return None
        reply = reply_in(row)
        following = asked_on(self._request, reply)
        if following is None:
            return reply
        self._request = following
        self.send()
        return None

    def pause(self) -> float:
        """How long to wait before the next look."""
        pause = self._pause
        self._pause = min(POLL_SECONDS[1], 1.5 * pause)
        return pause


class Forwarding:
    def __init__(
        self, visitor: Visitor, hear: Callable[[object, Reply], None], fail: Callable[[object, Exception], None]
    ) -> None:
        self._visitor = visitor
        self._hear = hear
        self._fail = fail
        self._new: SimpleQueue[tuple[object, AnyRequest] | None] = SimpleQueue()
        self._open: list[tuple[float, int, object, Post]] = []
        self._numbers = count()
        self._thread = Thread(target=self._run, name="weft-forwarding", daemon=True)
        self._thread.start()

    def forward(self, token: object, request: AnyRequest) -> None:
        """Has another node do this; who has the token, if anybody, hears what came of it."""
        self._new.put((token, request))

    def close(self) -> None:
        """Who still waits hears that no answer will come here; what was asked will be done."""
        self._new.put(None)
        self._thread.join()

    def _run(self) -> None:
        while self._take():
            now = time.monotonic()
            while self._open and self._open[0][0] <= now:
                _, _, token, post = heappop(self._open)
                self._look(token, post)
        for _, _, token, post in self._open:
            self._give_up(token, Unavailable(f"this engine is closed; another node will still do command {post.id}"))

    def _take(self) -> bool:
        """Waits for something to send or to look for; False at the end."""
        wait = max(0.0, self._open[0][0] - time.monotonic()) if self._open else None
        with suppress(Empty):
            found = self._new.get(timeout=wait)
            if found is None:
                return False
            token, request = found
            try:
                self._later(token, Post(self._visitor, request))
            except StoreProblem as problem:
                self._give_up(token, problem)
        return True

    def _look(self, token: object, post: Post) -> None:
        reply = None
        with suppress(Unavailable):
            reply = post.look()
        if reply is None:
            self._later(token, post)
        elif token is not None:
            self._hear(token, reply)

    def _give_up(self, token: object, problem: Exception) -> None:
        if token is not None:
            self._fail(token, problem)

    def _later(self, token: object, post: Post) -> None:
        heappush(self._open, (time.monotonic() + post.pause(), next(self._numbers), token, post))
