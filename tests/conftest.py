"""What tests in any folder can ask for: a real PostgreSQL server, and a fresh place in it.

One server serves all workers of a run. It is started when a test first asks, and ends with the run.
"""

import fcntl
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

import postgres_server
from postgres_server import NoPostgres, Server

NUMBERS = count(1)

settings.register_profile("weft", deadline=None)  # a busy machine is no fault
settings.load_profile("weft")


@pytest.fixture(scope="session")
def postgres_server_of_run(tmp_path_factory: pytest.TempPathFactory) -> Server:
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    folder = tmp_path_factory.getbasetemp()
    folder, run = (folder.parent, os.getppid()) if worker else (folder, os.getpid())
    with Path(folder, "postgres.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            return postgres_server.told(folder / "postgres.json", lambda: postgres_server.start(run))
        except NoPostgres as missing:
            pytest.skip(str(missing))


@pytest.fixture
def postgres_url(postgres_server_of_run: Server) -> str:
    """The URL of a store that does not exist yet: a schema of this test's own."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    return f"{postgres_server_of_run.url()}?schema=test_{worker}_{next(NUMBERS)}"


@pytest.fixture
def own_postgres() -> Iterator[Server]:
    """A server that this test may kill."""
    try:
        server = postgres_server.start(os.getpid())
    except NoPostgres as missing:
        pytest.skip(str(missing))
    yield server
    server.stop()
