"""What happens to a SQLite store when its process is killed, its disk is full or fails, or its file is locked."""

import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.store.samples import facts, instance
from weft.store.batch import Batch, Committed, Outcome, Refused, Unknown
from weft.store.opening import open_store
from weft.store.rows import TimerRow
from weft.store.sqlite.store import SqliteStore

ROWS = 40
ROUNDS = 6
LARGE = os.urandom(4000)


def whole(number: int) -> Batch:
    """A batch of many rows in several tables, from which the number can be told."""
    ids = [number * 1000 + one for one in range(ROWS)]
    return Batch(
        number,
        instances={id: instance(id, priority=float(number)) for id in ids},
        facts=[facts(id, 1, payload=LARGE) for id in ids],
        timers={(id, "t"): TimerRow(id, "t", float(number)) for id in ids},
    )


COMMITTING = """
import sys
from itertools import count
from tests.store.test_sqlite_faults import whole
from weft.store.batch import Committed
from weft.store.opening import open_store
store = open_store(sys.argv[1])
for number in count(store.batch + 1):
    assert store.commit(whole(number)) == Committed()
    print(number, flush=True)
"""


def told_before_it_was_killed(url: str, batches: int, seconds: float) -> int:
    """The last batch of which a process could tell that it was written."""
    process = subprocess.Popen([sys.executable, "-c", COMMITTING, url], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    told = [process.stdout.readline() for _ in range(batches)]
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    told += process.stdout.readlines()
    process.stdout.close()
    assert process.wait() == -signal.SIGKILL
    return int([line for line in told if line.endswith("\n")][-1])


def test_a_killed_process_leaves_every_batch_it_told_of_and_no_half_one(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'weft.db'}"
    for _ in range(ROUNDS):
        told = told_before_it_was_killed(url, random.randint(1, 5), random.random() / 50)
        store = open_store(url)
        last = store.batch
        assert last >= told
        counted = store.ask(lambda t: t.execute("select instance / 1000, count(*) from fact group by 1 order by 1"))
        assert counted == [(number, ROWS) for number in range(1, last + 1)]
        assert store.count() == len(store.due(9e9, 1 << 40)) == ROWS * last
        store.close()


FORKING = """
import os, sys
from weft.store.opening import open_store
store = open_store(sys.argv[1])
if os.fork():
    os.kill(os.getpid(), 9)
print("forked", flush=True)
sys.stdin.read()
print("ended")
"""


def test_a_process_that_the_engine_forked_does_not_keep_its_lock(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'weft.db'}"
    engine = subprocess.Popen(
        [sys.executable, "-c", FORKING, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert engine.stdout
    assert engine.stdout.readline() == "forked\n"
    assert engine.wait() == -signal.SIGKILL
    open_store(url).close()
    assert engine.communicate("") == ("ended\n", None)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = open_store(f"sqlite:///{tmp_path / 'weft.db'}")
    assert isinstance(opened, SqliteStore)
    assert opened.commit(whole(1)) == Committed()
    yield opened
    opened.close()


def refused(outcome: Outcome, told: str) -> bool:
    assert isinstance(outcome, Refused)
    assert told in outcome.detail
    return outcome.reason == "store"


def goes_on(store: SqliteStore) -> bool:
    """Nothing of batch 2 is written, and when it is tried again, all of it."""
    assert store.reopen() == 1
    assert store.count() == ROWS
    assert store.commit(whole(2)) == Committed()
    return store.count() == len(store.due(9e9)) == 2 * ROWS


def pragma(store: SqliteStore, setting: str) -> None:
    store.ask(lambda t: t.execute(f"pragma {setting}"))


def test_a_full_database_refuses_the_batch(store: SqliteStore) -> None:
    pragma(store, "max_page_count = 1")
    assert refused(store.commit(whole(2)), "SQLITE_FULL")
    assert goes_on(store)


def test_a_database_that_is_read_only_refuses_the_batch(store: SqliteStore) -> None:
    pragma(store, "query_only = on")
    assert refused(store.commit(whole(2)), "SQLITE_READONLY")
    assert goes_on(store)


def test_a_file_that_others_keep_locked_refuses_the_batch(store: SqliteStore) -> None:
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("begin immediate")
    pragma(store, "busy_timeout = 1")
    assert refused(store.commit(whole(2)), "SQLITE_BUSY")
    other.close()
    assert goes_on(store)


@contextmanager
def files_at_most(size: int) -> Iterator[None]:
    """The operating system refuses to write beyond, as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_fails_while_committing_leaves_it_unknown_until_the_file_is_reopened(store: SqliteStore) -> None:
    log = store.path.with_name("weft.db-wal")
    with files_at_most(log.stat().st_size + 3 * 4096):
        outcome = store.commit(whole(2))
    assert isinstance(outcome, Unknown)
    assert "SQLITE_" in outcome.detail
    assert goes_on(store)


def test_a_disk_that_fails_in_the_middle_of_a_large_batch_writes_nothing_of_it(store: SqliteStore) -> None:
    """So large that pages are written before the commit."""
    pragma(store, "cache_size = 10")
    log = store.path.with_name("weft.db-wal")
    with files_at_most(log.stat().st_size + 3 * 4096):
        assert refused(store.commit(whole(2)), "SQLITE_")
    assert goes_on(store)
