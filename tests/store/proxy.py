"""A TCP proxy that cuts a connection at a given byte of what is asked or of what is answered."""

import socket
from contextlib import suppress
from select import select
from threading import Thread
from typing import Literal

from msgspec import Struct

PIECE = 65536


class Cut(Struct, frozen=True):
    """After so many bytes nothing more comes through, and both sides see the end of the connection."""

    side: Literal["asked", "answered"]
    after_bytes: int


class Proxy:
    """Listens at `port`. `arm` counts from now on, on each connection; the first that comes so far is cut."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.armed: Cut | None = None
        self.cuts = 0
        self._thread = Thread(target=self._serve, daemon=True)
        self._thread.start()

    def arm(self, cut: Cut | None) -> None:
        self.armed = cut

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        with client, suppress(OSError), socket.create_connection(self._target) as server:
            self._forward(client, server)

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        passed = {"asked": 0, "answered": 0}
        counted: Cut | None = None
        while True:
            for source in select([client, server], [], [])[0]:
                data = source.recv(PIECE)
                if not data:
                    return
                if self.armed is not counted:
                    counted, passed = self.armed, {"asked": 0, "answered": 0}
                side = "asked" if source is client else "answered"
                target = server if source is client else client
                if counted is not None and counted.side == side and passed[side] + len(data) > counted.after_bytes:
                    target.sendall(data[: counted.after_bytes - passed[side]])
                    self.cuts += 1
                    self.armed = None
                    return
                passed[side] += len(data)
                target.sendall(data)
