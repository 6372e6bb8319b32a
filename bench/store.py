"""What a store costs, with the rate at which its disk flushes beside it, and the bare loop: the limit for any engine.

The bare loop does what an engine must do for durable steps, and nothing else: chains of ten steps that do nothing, many
in flight, each step's facts flushed before the next begins.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from sys import getswitchinterval, setswitchinterval
from tempfile import TemporaryDirectory
from threading import Thread
from time import perf_counter, process_time

import msgspec

from bench.figures import TRIALS, Figure, figure
from weft.kernel.facts import AnyFact, Committed, Ready, Started
from weft.store.batch import Batch
from weft.store.batch import Committed as Written
from weft.store.interface import Store
from weft.store.opening import open_store
from weft.store.rows import SLOTS, FactRow, InstanceRow

FLUSHES = 300
GROUPS = 100
FACT_ROWS = 1000
INSTANCE_ROWS = 100
CHAINS = 4000
IN_FLIGHT = 1000
STEPS = 10
THREADS = 2
TAKEN_MAX = 1000
SWITCH_SECONDS = 0.0005
"""As the engine has it."""

encode = msgspec.json.Encoder().encode


def step_payload(step: int) -> bytes:
    """The facts of one decision in a chain: a step has ended, the next is ready and has started."""
    done, begun = f"chain/step{step}", f"chain/step{step + 1}"
    facts: list[AnyFact] = [Committed(done), Ready(begun), Started(begun)]
    return encode(facts)


def decision(instance: int, step: int, now: float) -> FactRow:
    return FactRow(instance, 3 * step + 1, 3, now, "", "Complete", 1, step_payload(step))


def instance_row(instance: int, now: float, ended: float | None = None) -> InstanceRow:
    state = "running" if ended is None else "ended"
    return InstanceRow(instance, "chain", "1", "abc", state, ended is None, now, now, ended=ended)


# The disk.


def flushes_per_second(directory: Path) -> float:
    """How often a page of a file that has its size is written and flushed: no durable commit can be faster."""
    page = os.urandom(4096)
    handle = os.open(directory / "flushed", os.O_RDWR | os.O_CREAT)
    try:
        os.pwrite(handle, page * 64, 0)
        os.fsync(handle)
        begin = perf_counter()
        for number in range(FLUSHES):
            os.pwrite(handle, page, number % 64 * 4096)
            os.fdatasync(handle)
        return FLUSHES / (perf_counter() - begin)
    finally:
        os.close(handle)


# Groups of rows.


def groups(store: Store) -> tuple[float, float]:
    """Fact rows per second, and CPU seconds for each, when every batch has 1000 of them and 100 rows of instances."""
    begin = first_number(store)
    batches = [group(begin + number) for number in range(GROUPS)]
    wall, cpu = perf_counter(), process_time()
    for batch in batches:
        committed(store, batch)
    rows = GROUPS * FACT_ROWS
    return rows / (perf_counter() - wall), (process_time() - cpu) / rows


def group(number: int) -> Batch:
    """Of a hundred instances, each in the middle of its steps; ten groups go through the same instances."""
    first, part = divmod(number, 10)
    ids = [(first * INSTANCE_ROWS + one) * SLOTS for one in range(INSTANCE_ROWS)]
    each = FACT_ROWS // INSTANCE_ROWS
    facts = [decision(id, part * each + step, float(number)) for step in range(each) for id in ids]
    return Batch(number, facts=facts, instances={id: instance_row(id, float(number)) for id in ids})


def first_number(store: Store) -> int:
    """A number above that of the last batch, with which a hundred of new instances begin."""
    return (store.batch // GROUPS + 1) * GROUPS


def committed(store: Store, batch: Batch) -> None:
    outcome = store.commit(batch)
    assert type(outcome) is Written, outcome


# The bare loop.


def nothing() -> None:
    """The step."""


class Chains:
    """Chains of steps in flight, their steps done by threads, their facts written by who calls `run`."""

    def __init__(self, store: Store, chains: int) -> None:
        self._store = store
        self._ids = iter(range(chains))
        self._number = count(store.batch + 1)
        self._work: SimpleQueue[tuple[int, int] | None] = SimpleQueue()
        self._done: SimpleQueue[tuple[int, int]] = SimpleQueue()
        self._running = 0
        self.flushes = 0

    def _serve(self) -> None:
        while (work := self._work.get()) is not None:
            nothing()
            self._done.put(work)

    def _taken(self) -> list[tuple[int, int]]:
        """Waits for one end of a step, and takes what else is there."""
        found = [self._done.get()]
        try:
            while len(found) < TAKEN_MAX:
                found.append(self._done.get_nowait())
        except Empty:
            pass
        return found

    def _started(self, batch: Batch) -> list[tuple[int, int]]:
        """Starts as many chains as there is room for."""
        begun: list[tuple[int, int]] = []
        while self._running + len(begun) < IN_FLIGHT and (id := next(self._ids, None)) is not None:
            batch.instances[id * SLOTS] = instance_row(id * SLOTS, 1.0)
            batch.facts.append(decision(id * SLOTS, 0, 1.0))
            begun.append((id * SLOTS, 1))
        self._running += len(begun)
        return begun

    def _step(self) -> None:
        batch = Batch(next(self._number))
        begun: list[tuple[int, int]] = []
        for id, step in self._taken() if self._running else ():
            batch.facts.append(decision(id, step, 2.0))
            if step < STEPS:
                begun.append((id, step + 1))
            else:
                batch.instances[id] = instance_row(id, 1.0, 2.0)
                self._running -= 1
        begun += self._started(batch)
        committed(self._store, batch)
        self.flushes += 1
        for work in begun:
            self._work.put(work)

    def run(self) -> None:
        threads = [Thread(target=self._serve) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        self._step()
        while self._running:
            self._step()
        for _ in threads:
            self._work.put(None)
        for thread in threads:
            thread.join()


def bare_loop(store: Store, chains: int = CHAINS) -> tuple[float, float, float]:
    """Steps per second, CPU seconds for each step, and steps for each flush."""
    before = getswitchinterval()
    setswitchinterval(SWITCH_SECONDS)
    try:
        loop = Chains(store, chains)
        wall, cpu = perf_counter(), process_time()
        loop.run()
        steps = chains * STEPS
        return steps / (perf_counter() - wall), (process_time() - cpu) / steps, steps / loop.flushes
    finally:
        setswitchinterval(before)


# All of it.


@contextmanager
def sqlite_url() -> Iterator[str]:
    """A file beside this one: on the disk of the checkout, not in memory as `/tmp` may be."""
    with TemporaryDirectory(dir=Path(__file__).resolve().parent) as directory:
        yield f"sqlite:///{directory}/weft.db"


def figures() -> Iterator[Figure]:
    with TemporaryDirectory(dir=Path(__file__).resolve().parent) as directory:
        flushes = sorted(flushes_per_second(Path(directory)) for _ in range(TRIALS))
    yield figure("disk: flushes of a page", flushes[TRIALS // 2], "1/s")
    grouped, chained = [], []
    for _ in range(TRIALS):
        with sqlite_url() as url:
            store = open_store(url)
            grouped.append(groups(store))
            store.close()
        with sqlite_url() as url:
            store = open_store(url)
            chained.append(bare_loop(store))
            store.close()
    rate, cpu = sorted(grouped)[TRIALS // 2]
    yield figure("sqlite: fact rows in groups of 1000", rate, "rows/s")
    yield figure("sqlite: CPU of a fact row in groups of 1000", cpu * 1e6, "us")
    rate, cpu, together = sorted(chained)[TRIALS // 2]
    yield figure("sqlite: bare loop, chains of ten steps", rate, "steps/s")
    yield figure("sqlite: bare loop, CPU of a step", cpu * 1e6, "us")
    yield figure("sqlite: bare loop, steps in a flush", together, "steps")
