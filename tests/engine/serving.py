"""A node to be killed or paused: a program that serves, with work that takes its time."""

import sys
from threading import Event

from weft import Engine, process, signal, task
from weft.engine.settings import Settings

LEASE_SECONDS = 1.0
SETTINGS = Settings(lease_seconds=LEASE_SECONDS)


@task(idempotent=True)
def slow(number: int) -> int:
    Event().wait(0.05)
    return number


steps = process("steps", number=int)(slow >> slow.named("then") >> slow.named("last"))
waits = process("waits")(signal("go"))


def node(url: str, name: str) -> Engine:
    return Engine(url, tasks=[sys.modules[__name__]], node=name, settings=SETTINGS)


def serve(url: str, name: str) -> None:
    """Serves until it is taken over or killed."""
    engine = node(url, name)
    print("serves", flush=True)
    while engine._serving.is_alive:
        Event().wait(0.02)
    print(type(engine._serving.problem).__name__, flush=True)
    engine.close()
