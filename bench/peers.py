"""Peers beside Weft, in turns, each flushing every step before the next: chains of ten steps, and a process of one.

Each peer is installed in an environment of its own, made for this and removed after; none is a dependency of Weft.
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from msgspec import Struct

from bench.engine import Found, postgres_url, postgres_urls, trial
from bench.figures import TRIALS, Figure, surroundings
from bench.store import sqlite_url
from tools.bootstrap import Unusable, make_environment, python_of
from tools.postgres_server import Server

HERE = Path(__file__).resolve().parent
INSTALL_SECONDS = 120.0
MEASURE_SECONDS = 90.0
STEPS, SINGLES = 10, 50
databases = count(1)

Measure = Callable[[Path], Found]
"""Measures in a folder that is removed afterwards."""


class Absent(Exception):
    """This peer can't be measured here; the message says why."""


class Peer(Struct, frozen=True):
    """`beside` is the store of Weft's that it is compared with."""

    name: str
    beside: str
    measure: Measure


# Installing.


def quietly(command: list[str], folder: Path, seconds: float) -> str:
    """What the command prints."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds)
    except FileNotFoundError:
        raise Absent(f"there is no {command[0]}") from None
    except subprocess.TimeoutExpired:
        raise Absent(f"{Path(command[0]).name} took longer than {seconds:.0f} s") from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise Absent(f"{Path(command[0]).name} failed: {said[-1]}")
    return done.stdout


def environment(folder: Path, *packages: str) -> str:
    """The interpreter of a new environment that has these packages."""
    made = folder / packages[0].partition("=")[0].partition("[")[0]
    try:
        make_environment(made)
    except Unusable as reason:
        raise Absent(str(reason)) from None
    python = str(python_of(made))
    pip = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", *packages]
    quietly(pip, folder, INSTALL_SECONDS)
    return python


def program(python: str, file: str, *arguments: object) -> Found:
    command = [python, str(HERE / file), *map(str, arguments)]
    found: Found = json.loads(quietly(command, HERE, MEASURE_SECONDS))
    return found


def dbos(folder: Path, server: Server | None) -> Iterator[Peer]:
    python = environment(folder, "dbos==3.4.0", "psycopg[binary]")

    def on_sqlite(place: Path) -> Found:
        return program(python, "peer_dbos.py", f"sqlite:///{place}/dbos.db", 60, STEPS, SINGLES)

    def on_postgres(_: Path) -> Found:
        assert server is not None
        return program(python, "peer_dbos.py", server.url(f"dbos_{next(databases)}"), 60, STEPS, SINGLES)

    yield Peer("DBOS 3.4.0 on SQLite", "SQLite", on_sqlite)
    if server is not None:
        yield Peer("DBOS 3.4.0 on PostgreSQL", "PostgreSQL", on_postgres)


def spiff(folder: Path, _: Server | None) -> Iterator[Peer]:
    python = environment(folder, "SpiffWorkflow==3.2.0")

    def measure(place: Path) -> Found:
        return program(python, "peer_spiff.py", place / "spiff.db", 30, STEPS, SINGLES)

    yield Peer("SpiffWorkflow 3.2.0", "SQLite", measure)


def restate(folder: Path, _: Server | None) -> Iterator[Peer]:
    python = environment(folder, "restate-sdk==1.2.0", "hypercorn")
    npm = ["npm", "install", "--silent", "--no-save", "--prefix", str(folder), "@restatedev/restate-server@1.7.12"]
    quietly(npm, folder, INSTALL_SECONDS)
    servers = sorted(folder.glob("node_modules/@restatedev/restate-server-*/bin/restate-server"))
    if not servers:
        raise Absent("its server is not made for this machine")

    def measure(place: Path) -> Found:
        return program(python, "peer_restate.py", servers[0], place, 500, STEPS, SINGLES)

    yield Peer("Restate 1.7.12", "SQLite", measure)


def installed(folder: Path, server: Server | None) -> Iterator[Peer]:
    for name, peers in {"DBOS": dbos, "SpiffWorkflow": spiff, "Restate": restate}.items():
        try:
            yield from peers(folder, server)
        except Absent as reason:
            print(f"{name} is not measured: {reason}")


# Measuring.


def weft(store: str, server: Server | None) -> Found:
    assert server is not None or store == "SQLite"
    new_url = sqlite_url if server is None or store == "SQLite" else postgres_url(server)
    found: Found = {}
    for name in ("chains", "singles"):
        with new_url() as url:
            found |= trial(name, url)
    return found


def one_round(peers: list[Peer], server: Server | None) -> dict[str, Found]:
    stores = ["SQLite"] if server is None else ["SQLite", "PostgreSQL"]
    found = {f"Weft on {store}": weft(store, server) for store in stores}
    for peer in peers:
        with TemporaryDirectory(dir=HERE) as place:
            try:
                found[peer.name] = peer.measure(Path(place))
            except Absent as reason:
                print(f"{peer.name} is not measured: {reason}")
    return found


def told(name: str, rounds: list[dict[str, Found]], beside: str) -> Iterator[Figure]:
    def middle(key: str) -> float:
        return median(one[name][key] for one in rounds)

    yield Figure("chains of ten steps", middle("rate"), "steps/s", name)
    yield Figure("CPU of a step in chains of ten", middle("cpu"), "us", name)
    yield Figure("process of one step, p50", middle("p50"), "ms", name)
    if not beside:
        return
    ours, pair = f"Weft on {beside}", f"{surroundings()}, {name}"
    faster = median(one[ours]["rate"] / one[name]["rate"] for one in rounds)
    sooner = median(one[name]["p50"] / one[ours]["p50"] for one in rounds)
    yield Figure("chains of ten steps: Weft ÷ peer", faster, "×", pair)
    yield Figure("process of one step, p50: peer ÷ Weft", sooner, "×", pair)


def figures() -> Iterator[Figure]:
    with TemporaryDirectory(dir=HERE) as folder, postgres_urls() as server:
        peers = list(installed(Path(folder), server))
        rounds = [one_round(peers, server) for _ in range(TRIALS)]
    beside = {peer.name: peer.beside for peer in peers}
    for name in rounds[0]:
        with_it = [one for one in rounds if name in one]
        yield from told(name, with_it, beside.get(name, ""))
