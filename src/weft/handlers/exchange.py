"""One request to a server and its answer: bounded in time and size, and never led to another server."""

import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from socket import SHUT_RDWR
from threading import Lock
from typing import Final
from urllib.parse import SplitResult, urljoin, urlsplit

from msgspec import Struct

from weft.handlers.settings import Endpoint

REDIRECTS: Final = (301, 302, 303, 307, 308)


class Answer(Struct, frozen=True):
    status: int
    text: str


class NotSent(Exception):
    """The server was not reached: nothing was asked of it."""


class NotAnswered(Exception):
    """The request was sent, and nobody knows what the server made of it."""


class TooLarge(Exception):
    """The answer is larger than the node allows."""


class Exchange:
    """A request. `cut` ends it from another thread."""

    def __init__(self, endpoint: Endpoint, method: str, url: str, headers: Mapping[str, str], body: bytes) -> None:
        self._endpoint = endpoint
        self._method = method
        self._url = url
        self._headers = dict(headers)
        self._body = body
        self._lock = Lock()
        self._connection: HTTPConnection | None = None
        self._is_cut = False

    def run(self) -> Answer:
        url, method, body = self._url, self._method, self._body
        is_sent = False
        for _ in range(self._endpoint.redirects + 1):
            try:
                answer, place = self._ask(method, url, body)
            except NotSent as fault:
                if is_sent:
                    raise NotAnswered(str(fault)) from fault.__cause__
                raise
            if answer.status not in REDIRECTS or not place:
                return answer
            is_sent = True
            following = urljoin(url, place)
            if _server(urlsplit(following)) != _server(urlsplit(url)):
                return Answer(answer.status, f"it leads to another server, {following}")
            if answer.status == 303 and method != "HEAD":
                method, body = "GET", b""
            elif answer.status in (301, 302) and method not in ("GET", "HEAD"):
                return Answer(answer.status, f"it leads to {following}; a {method} is repeated only for 307 and 308")
            url = following
        return Answer(answer.status, f"it leads on to {place}, and {self._endpoint.redirects} were allowed")

    def cut(self) -> None:
        with self._lock:
            self._is_cut = True
            sock = self._connection.sock if self._connection is not None else None
            if sock is not None:
                with suppress(OSError):
                    sock.shutdown(SHUT_RDWR)

    def _ask(self, method: str, url: str, body: bytes) -> tuple[Answer, str]:
        parts = urlsplit(url)
        connection = self._connect(parts)
        try:
            until = time.monotonic() + self._endpoint.seconds
            connection.sock.settimeout(self._endpoint.seconds)
            headers = {**self._headers, "Host": parts.netloc.rpartition("@")[2]}
            connection.request(method, f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}", body, headers)
            response = connection.getresponse()
            text = self._read(response, connection, until)
        except (OSError, HTTPException) as fault:
            what = "" if self._is_cut else f": {type(fault).__name__} {fault}"
            raise NotAnswered(f"{method} {url} was {'cut off' if self._is_cut else 'not answered'}{what}") from fault
        finally:
            connection.close()
        return Answer(response.status, text), response.headers.get("Location", "")

    def _connect(self, parts: SplitResult) -> HTTPConnection:
        seconds = self._endpoint.connect_seconds
        host, port = parts.hostname or "", parts.port
        try:
            if parts.scheme == "https":
                trust = ssl.create_default_context(cafile=self._endpoint.ca_file or None)
                connection: HTTPConnection = HTTPSConnection(host, port, timeout=seconds, context=trust)
            else:
                connection = HTTPConnection(host, port, timeout=seconds)
            connection.connect()
        except (OSError, ValueError) as fault:
            raise NotSent(f"{host} can't be reached: {fault}") from fault
        with self._lock:
            self._connection = connection
            is_cut = self._is_cut
        if is_cut:
            connection.close()
            raise NotSent(f"{host} was not asked")
        return connection

    def _read(self, response: HTTPResponse, connection: HTTPConnection, until: float) -> str:
        most, read = self._endpoint.body_bytes, bytearray()
        sock = connection.sock  # None when the response alone still has the connection
        while part := response.read1(1 << 16):
            read += part
            if len(read) > most:
                raise TooLarge(f"{self._url} answered more than the {most:,} bytes allowed")
            rest = until - time.monotonic()
            if rest <= 0:
                raise TimeoutError(f"it did not end its answer in {self._endpoint.seconds:g} s")
            if sock is not None:
                sock.settimeout(rest)
        return read.decode(response.headers.get_content_charset() or "utf-8", errors="replace")


def _server(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port
