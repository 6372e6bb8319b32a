"""What a store in PostgreSQL costs, on a server that flushes: a batch alone, batches of many rows, the bare loop."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from statistics import median
from threading import Event
from time import perf_counter, process_time

from bench.figures import TRIALS, Figure, figure
from bench.store import bare_loop, committed, decision, groups
from tools.postgres_server import NoPostgres, Server, start
from weft.store.batch import Batch
from weft.store.codec import Codec
from weft.store.interface import Demand
from weft.store.opening import open_store, open_visitor, open_work_queue
from weft.store.postgres.connecting import address_of, connect
from weft.store.postgres.store import PostgresStore
from weft.store.rows import SLOTS, CommandRow, WorkRow
from weft.store.schema import SCHEMA

COMMITS = 500
CLAIMED = 4000
schemas = count(1)


def fresh(server: Server) -> str:
    """The URL of a store that is not there yet."""
    return f"{server.url()}?schema=bench_{next(schemas)}"


def milliseconds(commit: Callable[[int], object]) -> tuple[float, float]:
    """How long one takes in the middle, and its CPU."""
    taken: list[float] = []
    cpu = process_time()
    for number in range(1, COMMITS + 1):
        begin = perf_counter()
        commit(number)
        taken.append(perf_counter() - begin)
    return median(taken) * 1e3, (process_time() - cpu) / COMMITS * 1e3


def bare_commit(server: Server) -> tuple[float, float]:
    """The least that can be: one row, by a statement that was prepared, in a transaction of its own."""
    with closing(connect(address_of(fresh(server)), "bench")) as connection:
        connection.execute("create table if not exists public.bare (number bigint primary key, payload bytea)")
        connection.execute("truncate public.bare")
        insert = "insert into public.bare values (%s, %s)"
        return milliseconds(lambda number: connection.execute(insert, (number, b"x" * 150), prepare=True))


def batch_alone(server: Server) -> tuple[float, float]:
    store = open_store(fresh(server))
    try:
        return milliseconds(lambda number: committed(store, Batch(number, facts=[decision(SLOTS, number, 1.0)])))
    finally:
        store.close()


def claims_per_second(server: Server) -> float:
    """Work that one worker takes by twenty, and whose results it hands in."""
    url = fresh(server)
    store = open_store(url)
    rows = [WorkRow(id, "p", 0, 1, "t", "offered", 1.0, "a") for id in range(CLAIMED)]
    committed(store, Batch(1, work={(row.instance, "p", 0, 1): row for row in rows}))
    queue, done = open_work_queue(url), 0
    begin = perf_counter()
    while taken := queue.claim("w", Demand(("a",)), 20, 60.0):
        queue.hand_in([(row, CommandRow(0, row.instance, "Complete", 1.0, "w", b"{}")) for row in taken])
        done += len(taken)
    rate = done / (perf_counter() - begin)
    queue.close()
    store.close()
    return rate


def notice_milliseconds(server: Server) -> float:
    """From sending a command until the node that has the slot is woken, in the middle."""
    url, woken = fresh(server), Event()
    store = PostgresStore(address_of(url), "main", Codec(), SCHEMA)
    store.watch(woken.set)
    visitor = open_visitor(url)

    def send(number: int) -> None:
        visitor.send(CommandRow(0, number, "Signal", 1.0, "ann", b""))
        woken.wait()
        woken.clear()

    taken, _ = milliseconds(send)
    visitor.close()
    store.close()
    return taken


def figures() -> Iterator[Figure]:
    try:
        server = start(os.getpid(), fsync=True)
    except NoPostgres as missing:
        print(f"nothing is measured on PostgreSQL: {missing}")
        return
    try:
        yield from measured(server)
    finally:
        server.stop()


def measured(server: Server) -> Iterator[Figure]:
    bare, alone, grouped, chained = [], [], [], []
    for _ in range(TRIALS):
        bare.append(bare_commit(server))
        alone.append(batch_alone(server))
        for found, measure in ((grouped, groups), (chained, bare_loop)):
            store = open_store(fresh(server))
            found.append(measure(store))  # type: ignore[operator]
            store.close()
    middle = TRIALS // 2
    claims = sorted(claims_per_second(server) for _ in range(TRIALS))[middle]
    notice = sorted(notice_milliseconds(server) for _ in range(TRIALS))[middle]
    yield figure("postgres: work claimed and handed in by one worker", claims, "1/s")
    yield figure("postgres: a command until its node is woken, p50", notice, "ms")
    yield figure("postgres: bare commit of one row, p50", sorted(bare)[middle][0], "ms")
    yield figure("postgres: batch of one fact, p50", sorted(alone)[middle][0], "ms")
    yield figure("postgres: CPU of a batch of one fact", sorted(alone)[middle][1] * 1e3, "us")
    rate, cpu = sorted(grouped)[middle]
    yield figure("postgres: fact rows in groups of 1000", rate, "rows/s")
    yield figure("postgres: CPU of a fact row in groups of 1000", cpu * 1e6, "us")
    rate, cpu, together = sorted(chained)[middle]
    yield figure("postgres: bare loop, chains of ten steps", rate, "steps/s")
    yield figure("postgres: bare loop, CPU of a step", cpu * 1e6, "us")
    yield figure("postgres: bare loop, steps in a flush", together, "steps")
