"""A server for tests is used by all workers of a run and leaves nothing behind."""

import os
import select
import subprocess
import sys
from pathlib import Path

import psycopg

import postgres_server
from postgres_server import Server

WANTS_A_SERVER = """
import os, signal
import postgres_server
server = postgres_server.start(os.getpid())
print(server.folder, server.postmaster(), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_server_ends_with_the_process_that_wanted_it(postgres_server_of_run: Server) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(postgres_server.__file__).parent)}
    done = subprocess.run([sys.executable, "-c", WANTS_A_SERVER], env=environment, capture_output=True, text=True)
    folder, postmaster = done.stdout.split()
    handle = os.pidfd_open(int(postmaster))
    assert select.select([handle], [], [], 20)[0], "the server is still there"
    os.close(handle)
    assert postmaster != str(postgres_server_of_run.postmaster())
    assert folder != postgres_server_of_run.folder


def test_the_server_of_a_run_can_be_used_by_any_test(postgres_server_of_run: Server) -> None:
    with psycopg.connect(postgres_server_of_run.url()) as connection:
        assert connection.execute("show max_prepared_transactions").fetchone() == ("50",)
