"""Connections that break around a commit, and a server that is killed: what was acknowledged stays, and `reopen` tells
exactly what became of the rest."""

import os
import random
import signal
import socket
from collections import Counter
from contextlib import suppress
from pathlib import Path
from select import select
from threading import Event, Thread

import psycopg

from postgres_server import NoPostgres, Server
from tests.store.proxy import Cut, Proxy
from tests.store.samples import facts
from weft.store.batch import Batch, Committed, Refused, Transaction, Unknown
from weft.store.codec import Codec
from weft.store.postgres.connecting import address_of
from weft.store.postgres.store import PostgresStore
from weft.store.postgres.writing import COPY_ABOVE
from weft.store.problems import CannotOpen, Unavailable
from weft.store.rows import TimerRow
from weft.store.schema import SCHEMA

CUTS = 120


def test_what_a_cut_commit_became_is_known_after_reopening(postgres_server_of_run: Server, postgres_url: str) -> None:
    proxy = Proxy("127.0.0.1", postgres_server_of_run.port)
    cut_url = postgres_url.replace(f":{postgres_server_of_run.port}/", f":{proxy.port}/") + "&sslmode=disable"
    store = PostgresStore(address_of(cut_url), "main", Codec(), SCHEMA, 60.0)
    chance, met = random.Random(7), Counter[str]()
    with psycopg.connect(address_of(postgres_url).conninfo, autocommit=True) as truth:
        for number in range(1, CUTS + 1):
            proxy.arm(drawn(chance))
            batch = a_batch(chance, number)
            outcome = store.commit(batch)
            proxy.arm(None)
            written = is_written(truth, postgres_url, number)
            if type(outcome) is Committed:
                assert written
            elif isinstance(outcome, Refused):
                assert outcome.reason == "store"
                assert store.reopen() < number
                assert not is_written(truth, postgres_url, number)
            else:
                last = store.reopen()
                written = is_written(truth, postgres_url, number)
                assert written == (last == number)
            met[f"{type(outcome).__name__} {'written' if written else 'lost'}"] += 1
    assert proxy.cuts > CUTS // 3
    assert {"Committed written", "Unknown written", "Unknown lost", "Refused lost"} <= set(met), met
    store.close()
    proxy.close()


def drawn(chance: random.Random) -> Cut:
    """Half of them while it is asked, half while it is answered, where the answers are short."""
    if chance.random() < 0.5:
        return Cut("asked", chance.choice([0, chance.randrange(40), chance.randrange(2000)]))
    return Cut("answered", chance.choice([0, chance.randrange(40), chance.randrange(300)]))


def a_batch(chance: random.Random, number: int) -> Batch:
    """One statement, a transaction with a room, or one with COPY."""
    batch = Batch(number, facts=[facts(256, number)], timers={(256, "t"): TimerRow(256, "t", float(number))})
    kind = chance.random()
    if kind < 0.3:
        batch.rooms = [touch]
    elif kind < 0.35:
        batch.facts = [facts(256 * other, number) for other in range(1, COPY_ABOVE + 2)]
    return batch


def touch(transaction: Transaction) -> None:
    transaction.execute("select 1")


def is_written(truth: "psycopg.Connection[tuple[object, ...]]", url: str, number: int) -> bool:
    schema = address_of(url).schema
    found = truth.execute(f"select count(*) from {schema}.fact where instance = 256 and sequence = {number}".encode())
    due = truth.execute(f"select due from {schema}.timer".encode()).fetchall()
    written = found.fetchall() == [(1,)]
    assert (due == [(float(number),)]) == written, "a batch is whole or not there"
    return written


def test_a_statement_that_still_runs_is_over_when_the_store_is_open_again(postgres_url: str) -> None:
    """Its connection breaks while it waits for a lock; without a fence it would write after we went on."""
    store = PostgresStore(address_of(postgres_url), "main", Codec(), SCHEMA, 60.0)
    store.commit(Batch(1, facts=[facts(256, 1)]))
    address = address_of(postgres_url)
    with psycopg.connect(address.conninfo) as holder:
        holder.execute(f"lock table {address.schema}.fact in share mode".encode())
        outcomes: list[object] = []
        thread = Thread(target=lambda: outcomes.append(store.commit(Batch(2, facts=[facts(256, 2)]))))
        thread.start()
        wait_until_blocked(address.conninfo, address.application("main"))
        break_socket(store._connection.fileno())
        thread.join(20)
        assert isinstance(outcomes[0], Unknown)
        assert store.reopen() == 1
    assert [row.sequence for row in store.history(256)] == [1]
    assert store.commit(Batch(3, facts=[facts(256, 2)])) == Committed()
    store.close()


def wait_until_blocked(conninfo: str, application: str) -> None:
    question = "select 1 from pg_stat_activity where application_name = %s and wait_event_type = 'Lock'"
    with psycopg.connect(conninfo, autocommit=True) as watcher:
        for _ in range(500):
            if watcher.execute(question, (application,)).fetchall():
                return
            watcher.execute("select pg_sleep(0.01)")
    raise AssertionError("the statement never waited")


def break_socket(fileno: int) -> None:
    """Ends the connection for the client; the server still works at the statement and hears nothing."""
    with socket.socket(fileno=os.dup(fileno)) as connection:
        connection.shutdown(socket.SHUT_RD)


def test_no_acknowledged_batch_is_lost_when_the_server_is_killed(own_postgres: Server) -> None:
    store = PostgresStore(address_of(own_postgres.url()), "main", Codec(), SCHEMA, 60.0)
    chance = random.Random(3)
    acknowledged, number = set[int](), 0
    for _ in range(3):
        killer = Thread(target=kill_after, args=(own_postgres, chance.uniform(0.02, 0.15)))
        killer.start()
        outcome: object = Committed()
        while isinstance(outcome, Committed):
            number += 1
            outcome = store.commit(Batch(number, facts=[facts(256, number)]))
            if isinstance(outcome, Committed):
                acknowledged.add(number)
        killer.join()
        relaunched(own_postgres)
        last = reopened(store)
        assert last in (number, number - 1)
        assert last == number - 1 or isinstance(outcome, Unknown)
        acknowledged |= {number} & {last}
        number = last
    assert {row.sequence for row in store.history(256, at_most=10**6)} == acknowledged
    assert len(acknowledged) > 20
    store.close()


def kill_after(server: Server, seconds: float) -> None:
    Event().wait(seconds)
    postmaster = server.postmaster()
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
    handles = [os.pidfd_open(process) for process in (postmaster, *map(int, children))]
    for handle in handles:
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    for handle in handles:
        select([handle], [], [], 10)
        os.close(handle)


def relaunched(server: Server) -> None:
    """The system may still be clearing away what the old one left."""
    for _ in range(20):
        with suppress(NoPostgres):
            return server.launch()
    raise AssertionError("the server can't be started again")


def reopened(store: PostgresStore) -> int:
    for _ in range(200):
        try:
            return store.reopen()
        except (Unavailable, CannotOpen):
            Event().wait(0.05)
    raise AssertionError("the server did not come back")
