"""An engine whose connection to PostgreSQL breaks again and again loses no command, and no result of a task."""

import random
from collections import Counter
from contextlib import suppress
from threading import Event, Thread

from postgres_server import Server
from tests.store.proxy import Cut, Proxy
from weft import Engine, process, task
from weft.store.problems import Unavailable

INSTANCES = 200
CUTS = 12

ran: Counter[int] = Counter()


@task
def once(number: int) -> int:
    ran[number] += 1
    return number


def test_every_step_runs_once_although_the_connection_is_cut(postgres_server_of_run: Server, postgres_url: str) -> None:
    proxy = Proxy("127.0.0.1", postgres_server_of_run.port)
    cut_url = postgres_url.replace(f":{postgres_server_of_run.port}/", f":{proxy.port}/") + "&sslmode=disable"
    steps = process("steps", number=int)(once >> once.named("then") >> once.named("last"))
    ran.clear()
    results: list[str] = []
    with Engine(cut_url) as engine:
        engine.deploy(steps)
        callers = [Thread(target=call, args=(engine, range(part, INSTANCES, 8), results)) for part in range(8)]
        for caller in callers:
            caller.start()
        cut_until_done(proxy, callers)
        assert len(engine.instances(at_most=1000)) == INSTANCES
    proxy.close()
    assert proxy.cuts == CUTS
    assert results == ["done"] * INSTANCES
    assert ran == Counter(dict.fromkeys(range(INSTANCES), 3))


def call(engine: Engine, numbers: range, results: list[str]) -> None:
    """An engine that just lost its store refuses new commands; those it took it keeps."""
    for number in numbers:
        while True:
            with suppress(Unavailable):
                results.append(engine.run("steps", number=number).outcome)
                break
            Event().wait(0.01)


def cut_until_done(proxy: Proxy, callers: list[Thread]) -> None:
    chance = random.Random(5)
    while any(caller.is_alive() for caller in callers) and proxy.cuts < CUTS:
        if proxy.armed is None:
            asked, answered = Cut("asked", chance.randrange(12_000)), Cut("answered", chance.randrange(600))
            proxy.arm(chance.choice([asked, answered]))
        Event().wait(0.002)
    proxy.arm(None)
    for caller in callers:
        caller.join(60)
