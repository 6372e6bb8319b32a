"""What is measured of the engine, each trial in a program of its own: prints what it found as JSON.

Steps are Python functions that do nothing, run by the engine's own threads; every step is flushed before the next
begins.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import fmean, median
from threading import Event
from time import perf_counter, process_time

from bench.store import IN_FLIGHT, STEPS, bare_loop
from weft import all_of, loop, process, serial, signal, task
from weft.assembly import operations
from weft.assembly.serving import Serving
from weft.engine.result import Result
from weft.engine.settings import Settings
from weft.model.definition import Process
from weft.store.interface import EVERY
from weft.store.opening import open_store, open_visitor
from weft.store.postgres.connecting import address_of, connect

CHAINS = 2000
FANS = 20
FAN = 100
SINGLES = 200
WAITING = 10_000
KILLED = 1000
HOLD = "WEFT_BENCH_HOLD"
"""Set where the held step is not to end."""

LENGTHS = {10: 200, 1_000: 3, 100_000: 1}
"""How many steps an instance has, and how many such instances are measured."""

BESIDE = 10
"""How many steps of a long instance are done at once."""

PAGE = os.sysconf("SC_PAGE_SIZE")


@task
def nothing() -> None:
    """The step."""


@task(idempotent=True)
def hold() -> None:
    if HOLD in os.environ:
        Event().wait()


@task
def count(number: int) -> int:
    return number + 1


def steps(many: int) -> list[object]:
    return [nothing.named(f"step{number}") for number in range(many)]


def chain() -> Process:
    return process("chain")(serial(*steps(STEPS)))


def fan() -> Process:
    return process("fan")(serial(all_of(*steps(FAN)), nothing.named("join")))


def one() -> Process:
    return process("one")(nothing)


def waiting() -> Process:
    return process("waiting")(signal("go"))


def held() -> Process:
    return process("held")(hold)


def long(name: str, many: int) -> Process:
    """So many steps, ten at once; the tenth counts the rounds."""
    beside = all_of(*steps(BESIDE - 1), count.into("number"))
    return process(name, variables={"number": 0})(loop(f"number < {many // BESIDE}", beside))


# Asking.


@contextmanager
def serving(url: str, waiting_max: int = WAITING) -> Iterator[Serving]:
    with closing(Serving(url, settings=Settings(waiting_max=waiting_max))) as opened:
        yield opened


def all_run(engine: Serving, definition: Process, many: int) -> None:
    """Starts so many, as many at once as the engine takes, and waits for their ends."""
    engine.ask(operations.deploy(definition)).result()
    futures: list[Future[Result]] = [engine.ask(operations.run(definition.name, (), {}), 600.0) for _ in range(many)]
    for future in futures:
        result = future.result()
        assert result.outcome == "done", result


def rate_of(engine: Serving, definition: Process, instances: int, steps: int) -> tuple[float, float]:
    """Steps per second, and CPU microseconds of this process for each."""
    wall, cpu = perf_counter(), process_time()
    all_run(engine, definition, instances)
    done = instances * steps
    return done / (perf_counter() - wall), (process_time() - cpu) / done * 1e6


# The trials.


def chains(url: str) -> dict[str, float]:
    with serving(url, IN_FLIGHT) as engine:
        all_run(engine, chain(), 100)
        rate, cpu = rate_of(engine, chain(), CHAINS, STEPS)
    return {"rate": rate, "cpu": cpu}


def limit(url: str) -> dict[str, float]:
    """What only writes the same facts."""
    with closing(open_store(url)) as store:
        rate, cpu, _ = bare_loop(store, CHAINS)
    return {"rate": rate, "cpu": cpu * 1e6}


def fans(url: str) -> dict[str, float]:
    with serving(url) as engine:
        all_run(engine, fan(), 2)
        rate, cpu = rate_of(engine, fan(), FANS, FAN + 1)
    return {"rate": rate, "cpu": cpu}


def singles(url: str) -> dict[str, float]:
    """The least that can be is measured in turns with the process, since others use the disk too."""
    taken: list[float] = []
    least: list[float] = []
    definition = one()
    with serving(url) as engine, bare(url) as flush:
        all_run(engine, definition, 10)
        for _ in range(SINGLES):
            least.append(seconds(flush))
            taken.append(seconds(lambda: engine.ask(operations.run("one", (), {})).result()))
    return {"p50": median(taken) * 1e3, "bare": median(least) * 1e3, "ratio": median(taken) / median(least)}


def starts(url: str) -> dict[str, float]:
    definition = waiting()
    with serving(url) as engine:
        all_started(engine, definition, 10)
        memory, wall = resident(), perf_counter()
        all_started(engine, definition, WAITING)
        return {"seconds": perf_counter() - wall, "bytes": (resident() - memory) / WAITING}


def all_started(engine: Serving, definition: Process, many: int) -> None:
    engine.ask(operations.deploy(definition)).result()
    futures = [engine.ask(operations.start(definition.name, (), {}), 600.0) for _ in range(many)]
    for future in futures:
        future.result()


def killed(url: str) -> dict[str, float]:
    """Starts what its end will cut off, and says so; whoever hears it kills this process."""
    with serving(url) as engine:
        all_started(engine, held(), KILLED)
        print("{}", flush=True)
        Event().wait()
    return {}


def recovered(url: str) -> dict[str, float]:
    """Until every instance that was under way has done its step and ended."""
    with closing(open_visitor(url)) as visitor:
        ids = [row.id for row in visitor.instances(EVERY, None, KILLED)]
    assert len(ids) == KILLED, f"{len(ids)} instances were kept"
    wall = perf_counter()
    with serving(url) as engine:
        for future in [engine.ask(operations.result(id)) for id in ids]:
            assert future.result().outcome == "done"
        return {"seconds": perf_counter() - wall}


def lengths(url: str) -> dict[str, float]:
    """Each instance alone: those that run together share flushes, and what a flush costs."""
    found: dict[str, float] = {}
    with serving(url) as engine:
        all_run(engine, long("warm", 100), 10)
        for many, instances in LENGTHS.items():
            alone = [rate_of(engine, long(f"long{many}", many), 1, many)[1] for _ in range(instances)]
            found[str(many)] = fmean(alone)
    return found


# The least that a durable step can be.


@contextmanager
def bare(url: str) -> Iterator[Callable[[], object]]:
    """Writes as little as can be so that it survives: a page beside the file, or a row by a statement of its own."""
    if url.startswith("sqlite:///"):
        page, handle = os.urandom(4096), os.open(url.removeprefix("sqlite:///") + ".page", os.O_RDWR | os.O_CREAT)
        os.pwrite(handle, page, 0)
        yield lambda: (os.pwrite(handle, page, 0), os.fdatasync(handle))
        os.close(handle)
        return
    with closing(connect(address_of(url), "bench")) as connection:
        connection.execute("create table if not exists public.bare (number bigserial primary key, payload bytea)")
        insert = "insert into public.bare (payload) values (%s)"
        yield lambda: connection.execute(insert, (b"x" * 150,), prepare=True)


def seconds(work: Callable[[], object]) -> float:
    begin = perf_counter()
    work()
    return perf_counter() - begin


def resident() -> int:
    """The bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


TRIALS = {one.__name__: one for one in (chains, limit, fans, singles, starts, killed, recovered, lengths)}


def main() -> None:
    name, url = sys.argv[1:]
    print(json.dumps(TRIALS[name](url)), flush=True)
