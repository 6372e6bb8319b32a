"""Running one program: its own process group, what it prints kept up to a bound, and an end to all of it."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final

from msgspec import Struct

ERRORS_MAX: Final = 3_000
LOOK_SECONDS: Final = 0.1
LEFT_SECONDS: Final = 0.2
"""How long what it left running may still print after its own end."""


class Ended(Struct, frozen=True):
    """How a program ended; a negative code is the signal that killed it."""

    code: int
    output: bytes
    is_cut: bool
    """It printed more than was kept."""
    errors: str
    """The end of what it printed as errors."""


class Program:
    """A program that was begun. `run` waits for it; `stop` may be called from any thread, before and after too."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        directory: Path,
        environment: Mapping[str, str],
        stdin: Path | None = None,
        output_bytes: int,
        stop_seconds: float,
    ) -> None:
        self._words = words
        self._directory = directory
        self._environment = environment
        self._stdin = stdin
        self._output_bytes = output_bytes
        self._stop_seconds = stop_seconds
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._kill_at: float | None = None
        self._is_over = False

    def run(self) -> Ended:
        """Raises `OSError` when the program can't be begun."""
        with self._lock, open(self._stdin or os.devnull, "rb") as stdin:
            self._process = process = subprocess.Popen(
                self._words,
                cwd=self._directory,
                env=dict(self._environment),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            if self._kill_at is not None:  # it was stopped before it began
                self._send(signal.SIGTERM)
        output, errors = _Kept(self._output_bytes), _Tail(ERRORS_MAX)
        try:
            self._read(process, output, errors)
        finally:
            with self._lock:  # it has not been waited for: its group still has its number, whoever is left in it
                self._send(signal.SIGKILL)
                self._is_over = True
                code = process.wait()
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            process.stderr.close()
        return Ended(code, bytes(output.kept), output.is_cut, errors.kept.decode(errors="replace"))

    def stop(self) -> None:
        """Asks the whole group to end, and kills it when it takes too long."""
        with self._lock:
            if self._kill_at is None:
                self._kill_at = time.monotonic() + self._stop_seconds
                if self._process is not None and not self._is_over:
                    self._send(signal.SIGTERM)

    def _send(self, number: int) -> None:
        assert self._process is not None
        with suppress(ProcessLookupError, PermissionError):  # macOS refuses to signal what has ended
            os.killpg(self._process.pid, number)

    def _read(self, process: subprocess.Popen[bytes], output: "_Kept", errors: "_Tail") -> None:
        """Until the program has ended, and its pipes too or a moment has passed."""
        until: float | None = None
        wait = 0.001
        with selectors.DefaultSelector() as selector:
            for stream, kept in ((process.stdout, output), (process.stderr, errors)):
                assert stream is not None
                selector.register(stream, selectors.EVENT_READ, kept)
            while True:
                is_open = bool(selector.get_map())
                if is_open:
                    for key, _ in selector.select(LOOK_SECONDS):
                        _take(selector, key)
                if until is None and _has_ended(process):
                    until = time.monotonic() + LEFT_SECONDS
                if until is not None and (not selector.get_map() or time.monotonic() > until):
                    return
                if not is_open:
                    time.sleep(wait)
                    wait = min(2 * wait, LOOK_SECONDS)
                if until is None and self._kill_at is not None and time.monotonic() > self._kill_at:
                    with self._lock:
                        self._send(signal.SIGKILL)


def _take(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    part = os.read(key.fd, 1 << 16)
    if part:
        key.data.add(part)
    else:
        selector.unregister(key.fileobj)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Without waiting for it, so that nobody else gets its number yet."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


class _Kept:
    """The beginning of a stream."""

    def __init__(self, most: int) -> None:
        self.kept = bytearray()
        self.is_cut = False
        self._most = most

    def add(self, part: bytes) -> None:
        free = self._most - len(self.kept)
        self.is_cut = self.is_cut or len(part) > free
        self.kept += part[:free]


class _Tail:
    """The end of a stream."""

    def __init__(self, most: int) -> None:
        self.kept = bytearray()
        self._most = most

    def add(self, part: bytes) -> None:
        self.kept += part
        del self.kept[: -self._most]
