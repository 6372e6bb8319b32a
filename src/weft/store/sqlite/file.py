"""One SQLite file: its lock, connections with the settings that durability needs, and what its errors mean."""

import fcntl
import json
import os
import socket
import sqlite3
from pathlib import Path
from typing import Final, TextIO
from weakref import WeakSet

from weft.store.batch import Refused
from weft.store.problems import AlreadyServed, CannotOpen, Damaged, StoreProblem, Unavailable

VERSION_LEAST: Final = (3, 38)
BUSY_SECONDS: Final = 5.0
STATEMENTS_KEPT: Final = 512
CHECKPOINT_PAGES: Final = 4000
CACHE_KIB: Final = 32768
FULL: Final = 2

PASSING: Final = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_PERM,
    }
)
"""Errors of the surroundings: the same statement may succeed later."""
DAMAGE: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def code_of(error: sqlite3.Error) -> int:
    """The primary code: the extended ones keep it in their low byte."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def is_passing(error: sqlite3.Error) -> bool:
    return code_of(error) in PASSING or code_of(error) in DAMAGE


def problem_of(error: sqlite3.Error, path: Path) -> StoreProblem:
    """The same, said to the one who wanted to read."""
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    if code_of(error) in DAMAGE:
        return Damaged(f"{path} is damaged ({error}, {name}); restore it from a backup")
    return Unavailable(f"{path} can't be used at present ({error}, {name}); it may be tried again")


def refusal_of(error: BaseException) -> Refused | None:
    """What a failed statement makes of its batch; None if it is a mistake in the statement."""
    if isinstance(error, sqlite3.Error) and is_passing(error):
        return Refused("store", f"{error} ({error.sqlite_errorname})")
    if isinstance(error, ROWS_AT_FAULT):
        return Refused("rows", str(error))
    return None


ROWS_AT_FAULT: Final = (
    sqlite3.IntegrityError,
    sqlite3.DataError,
    sqlite3.InterfaceError,
    UnicodeEncodeError,
    OverflowError,
)


class FileLock:
    """One engine serves a file: the operating system keeps the lock as long as the process lives.

    What it writes into the file is only for people to read.
    """

    def __init__(self, path: Path, node: str) -> None:
        self.path = path.with_name(path.name + ".lock")
        self._file = self._opened()
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = self._holder()
            self._file.close()
            raise AlreadyServed(
                f"{path} is served by {holder}; end that one first, or let it do the work: "
                "`weft start`, `signal` and `cancel` reach it through the file"
            ) from error
        _open_locks.add(self)
        self._file.truncate(0)
        self._file.write(json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "node": node}))
        self._file.flush()

    def _opened(self) -> TextIO:
        try:
            return open(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666), "r+", encoding="utf-8")
        except OSError as error:
            raise CannotOpen(
                f"the lock {self.path} can't be made: {error.strerror}; give the directory's rights"
            ) from error

    def _holder(self) -> str:
        try:
            told = json.loads(self._file.read())
            return f"process {told['pid']} on {told['host']} (node {told['node']})"
        except (OSError, ValueError, KeyError, TypeError):
            return "another process"

    def release(self) -> None:
        _open_locks.discard(self)
        self._file.close()


_open_locks: "WeakSet[FileLock]" = WeakSet()


def _leave_to_the_parent() -> None:
    """In a forked process: it would keep the lock when the engine is gone."""
    for lock in [*_open_locks]:
        lock.release()


os.register_at_fork(after_in_child=_leave_to_the_parent)


def connect(path: Path, mode: str = "rwc") -> sqlite3.Connection:
    """A connection whose commits stay when the power fails; refused where that can't be had.

    `mode`: `rwc` makes the file if it isn't there, `rw` doesn't.
    """
    if sqlite3.sqlite_version_info < VERSION_LEAST:
        least = ".".join(map(str, VERSION_LEAST))
        raise CannotOpen(f"SQLite {sqlite3.sqlite_version} is too old; Weft needs {least} or newer")
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=STATEMENTS_KEPT,
    )
    try:
        settle(connection, path, mode)
    except BaseException:
        connection.close()
        raise
    return connection


def settle(connection: sqlite3.Connection, path: Path, mode: str) -> None:
    """Sets what durability needs, and reads it back: SQLite says nothing where it can't be had."""
    makes = "" if mode == "rw" else " = wal"
    journal = connection.execute(f"pragma journal_mode{makes}").fetchone()[0]
    connection.execute("pragma synchronous = full")
    connection.execute("pragma fullfsync = on")
    connection.execute(f"pragma wal_autocheckpoint = {CHECKPOINT_PAGES}")
    connection.execute(f"pragma cache_size = -{CACHE_KIB}")
    synchronous = connection.execute("pragma synchronous").fetchone()[0]
    if journal != "wal":
        raise CannotOpen(f"{path} can't keep a write-ahead log (its journal is {journal!r}); put it on a local disk")
    if synchronous < FULL:
        raise CannotOpen(f"{path} would not be flushed at each commit (synchronous is {synchronous}); Weft needs FULL")
