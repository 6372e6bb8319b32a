"""What is done to a SQLite file as a whole: raising it to this version, and copying it."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from weft.store.migrations import Migration, missing
from weft.store.problems import CannotOpen, Damaged
from weft.store.sqlite.file import FileLock, connect, problem_of
from weft.store.sqlite.reads import steps_taken, take


@contextmanager
def _opened(path: Path) -> Iterator[tuple[sqlite3.Connection, dict[int, str]]]:
    """A connection to a store that is there, and its steps."""
    if not path.exists():
        raise CannotOpen(f"there is no store {path}")
    try:
        with closing(connect(path, "rw")) as connection:
            taken = steps_taken(connection)
            if not taken:
                raise CannotOpen(f"{path} is no store: it has no tables of Weft")
            yield connection, taken
    except sqlite3.Error as error:
        raise problem_of(error, path) from error


def upgrade(path: Path, migrations: Sequence[Migration]) -> list[Migration]:
    """Takes the steps that the file lacks, each whole or not at all, and returns them."""
    lock = FileLock(path, "upgrade")
    try:
        with _opened(path) as (connection, taken):
            lacking = missing(str(path), taken, migrations)
            if lacking:
                connection.execute("update node set epoch = epoch + 1")
            for step in lacking:
                take(connection, step)
            return lacking
    finally:
        lock.release()


def back_up(path: Path, target: Path) -> None:
    """Copies the file as it is at a moment, without the space that is free in it; it appears when it is whole."""
    if target.exists():
        raise CannotOpen(f"{target} is there already; give the copy another name")
    if not target.parent.is_dir():
        raise CannotOpen(f"{target.parent} is no directory; make it, or name another place for the copy")
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)
    try:
        with _opened(path) as (connection, _):
            connection.execute("vacuum into ?", (str(part),))
        with closing(sqlite3.connect(part)) as copy:
            copy.execute("pragma journal_mode = wal")
            flaws = [str(one[0]) for one in copy.execute("pragma quick_check")]
        if flaws != ["ok"]:
            raise Damaged(f"the copy of {path} is not sound: {'; '.join(flaws)}")
        _flush(part)
        part.rename(target)
        _flush(target.parent)
    finally:
        part.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
