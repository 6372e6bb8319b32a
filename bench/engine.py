"""How fast the engine is on each store, every trial in a program of its own: throughput, latency, starts, recovery."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from statistics import median

from bench.engine_trials import HOLD, KILLED, WAITING
from bench.figures import TRIALS, Figure, figure
from bench.store import sqlite_url
from bench.store_postgres import fresh
from tools.postgres_server import NoPostgres, Server, start

ROOT = Path(__file__).resolve().parent.parent
Found = dict[str, float]
NewUrl = Callable[[], AbstractContextManager[str]]
"""A store that is not there yet."""

FIGURES = {
    "fans": {"rate": ("fan-out of 100 and join", "steps/s"), "cpu": ("CPU of a step in a fan-out of 100", "us")},
    "singles": {"p50": ("process of one step, p50", "ms")},
    "starts": {
        "seconds": (f"{WAITING:,} waiting instances started".replace(",", " "), "s"),
        "bytes": ("memory of a waiting instance", "bytes"),
    },
}
BARE = {"sqlite": "fdatasyncs", "postgres": "bare commits"}


def program(name: str, url: str) -> list[str]:
    return [sys.executable, "-c", "from bench.engine_trials import main; main()", name, url]


def trial(name: str, url: str) -> Found:
    done = subprocess.run(program(name, url), cwd=ROOT, stdout=subprocess.PIPE, check=True)
    found: Found = json.loads(done.stdout)
    return found


def middle(found: list[Found]) -> Found:
    """Of each figure the median."""
    return {key: median(one[key] for one in found) for key in found[0]}


def once(name: str, new_url: NewUrl) -> Found:
    with new_url() as url:
        return trial(name, url)


def trials(name: str, new_url: NewUrl, times: int = TRIALS) -> Found:
    return middle([once(name, new_url) for _ in range(times)])


def killed_and_recovered(url: str) -> Found:
    """A process is killed while its instances are under way, and another takes them up."""
    command = program("killed", url)
    victim = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, env={**os.environ, HOLD: "1"})
    assert victim.stdout is not None
    victim.stdout.readline()
    victim.kill()
    victim.communicate()
    return trial("recovered", url)


def recovery(new_url: NewUrl) -> float:
    found: list[Found] = []
    for _ in range(TRIALS):
        with new_url() as url:
            found.append(killed_and_recovered(url))
    return middle(found)["seconds"]


def chain_figures(store: str, new_url: NewUrl) -> Iterator[Figure]:
    """Chains beside the limit for any engine, the two in turns."""
    rounds = [(once("chains", new_url), once("limit", new_url)) for _ in range(TRIALS)]
    ours, least = (middle(list(found)) for found in zip(*rounds, strict=True))
    share = median(one["rate"] / bare["rate"] for one, bare in rounds)
    yield figure(f"{store}: engine, chains of ten steps", ours["rate"], "steps/s")
    yield figure(f"{store}: engine, CPU of a step in chains of ten", ours["cpu"], "us")
    yield figure(f"{store}: bare loop beside it", least["rate"], "steps/s")
    yield figure(f"{store}: bare loop beside it, CPU of a step", least["cpu"], "us")
    yield figure(f"{store}: engine ÷ bare loop", share, "×")


def store_figures(store: str, new_url: NewUrl) -> Iterator[Figure]:
    yield from chain_figures(store, new_url)
    for name, meanings in FIGURES.items():
        found = trials(name, new_url)
        for key, (meaning, unit) in meanings.items():
            yield figure(f"{store}: engine, {meaning}", found[key], unit)
        if "ratio" in found:
            yield figure(f"{store}: engine, process of one step, in {BARE[store]} beside it", found["ratio"], "×")
    yield figure(f"{store}: engine, {KILLED} instances recovered after a kill", recovery(new_url), "s")
    for many, cpu in trials("lengths", new_url, times=1).items():
        yield figure(f"{store}: engine, CPU of a step, {many} in one instance", cpu, "us")


@contextmanager
def postgres_urls() -> Iterator[Server | None]:
    """A server that flushes, for as long as it is needed; None, and why, where there is none."""
    try:
        server = start(os.getpid(), fsync=True)
    except NoPostgres as missing:
        print(f"nothing is measured on PostgreSQL: {missing}")
        yield None
        return
    try:
        yield server
    finally:
        server.stop()


def postgres_url(server: Server) -> NewUrl:
    @contextmanager
    def new() -> Iterator[str]:
        yield fresh(server)

    return new


def figures() -> Iterator[Figure]:
    yield from store_figures("sqlite", sqlite_url)
    with postgres_urls() as server:
        if server is not None:
            yield from store_figures("postgres", postgres_url(server))
