"""A connection that only listens: a thread of its own that says when there may be news for a node."""

import os
from collections.abc import Callable
from contextlib import suppress
from select import select
from threading import Thread
from typing import Final

import psycopg

from weft.store.postgres.connecting import Address, Connection, connect
from weft.store.problems import StoreProblem

AGAIN_SECONDS: Final = 1.0
"""How long after a connection was lost it is tried again."""


def listen(connection: Connection, address: Address) -> None:
    connection.execute(f'listen "{address.channel}"'.encode())


class Listener:
    """`hear` says of a notice whether it is for this node: `slot NUMBER`, or `node NAME`."""

    def __init__(self, address: Address, hear: Callable[[str], bool], wake: Callable[[], None]) -> None:
        self._address = address
        self._hear = hear
        self._wake = wake
        self._end, self._ending = os.pipe()
        self._connection = self._connected()
        self._thread = Thread(target=self._run, name="weft-listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        os.close(self._ending)
        self._thread.join()
        os.close(self._end)
        self._connection.close()

    def _connected(self) -> Connection:
        connection = connect(self._address, self._address.visitor)
        listen(connection, self._address)
        return connection

    def _run(self) -> None:
        while True:
            with suppress(psycopg.Error):
                while True:
                    if self._end in select([self._connection.fileno(), self._end], [], [])[0]:
                        return
                    notices = list(self._connection.notifies(timeout=0))
                    if sum(self._hear(notice.payload) for notice in notices):
                        self._wake()
            if not self._connect_again():
                return

    def _connect_again(self) -> bool:
        """What was said meanwhile is unknown, so there may be news."""
        self._connection.close()
        while not select([self._end], [], [], AGAIN_SECONDS)[0]:
            with suppress(StoreProblem, psycopg.Error):
                self._connection = self._connected()
                self._wake()
                return True
        return False
