"""Several real nodes at one PostgreSQL: work is shared, requests find their instance, and who dies is followed."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Event

import pytest

from tests.engine.serving import LEASE_SECONDS, node, steps, waits
from tests.tidy.tree import ROOT
from weft import Engine, Start
from weft.assembly import operations
from weft.store.interface import SharedVisitor
from weft.store.opening import open_visitor
from weft.store.rows import SLOTS, slot_of

HALF = SLOTS // 2 + 1
"""So many instances have slots of more than half of all."""


@contextmanager
def process_of(url: str, name: str) -> "Iterator[subprocess.Popen[str]]":
    """Another operating-system process that serves as this node."""
    code = f"from tests.engine import serving; serving.serve({url!r}, {name!r})"
    program = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == "serves\n"
        yield program
    finally:
        program.kill()
        program.communicate()


@pytest.fixture
def visitor(postgres_url: str) -> Iterator[SharedVisitor]:
    with node(postgres_url, "one"):
        pass
    found = open_visitor(postgres_url)
    assert isinstance(found, SharedVisitor)
    yield found
    found.close()


def slots_of(visitor: SharedVisitor, name: str) -> int:
    return sum(owner == name for owner in visitor.owners().values())


def until(said: Callable[[], bool], seconds: float = 10.0) -> float:
    """Waits for it; how long it took."""
    begun = time.monotonic()
    while not said():
        assert time.monotonic() < begun + seconds, "it did not come to that"
        Event().wait(0.005)
    return time.monotonic() - begun


def ended(engine: Engine) -> int:
    return sum(row.ended is not None for row in engine.instances(at_most=1000))


def test_two_nodes_share_the_slots_and_a_request_reaches_an_instance_wherever_it_is(
    postgres_url: str, visitor: SharedVisitor
) -> None:
    with ExitStack() as nodes:
        one = nodes.enter_context(node(postgres_url, "one"))
        one.deploy(waits)
        early = [one.start("waits", Start(key=f"early-{number}")) for number in range(HALF)]
        two = nodes.enter_context(node(postgres_url, "two"))
        until(lambda: slots_of(visitor, "two") == SLOTS // 2)
        until(
            lambda: visitor.owners()[slot_of(two.start("waits"))] == "two"
        )  # before, it has others begin what it is asked
        late = [two.start("waits", Start(key=f"late-{number}")) for number in range(20)]
        owners = visitor.owners()
        assert {owners[slot_of(id)] for id in early} == {"one", "two"}
        assert {owners[slot_of(id)] for id in late} == {"two"}
        assert one.start("waits", Start(key="late-3")) == late[3]
        for number, id in enumerate(early):
            two.signal(id if number % 2 else ("waits", f"early-{number}"), "go")
        for id in late:
            one.signal(id, "go")
        assert {two.result(id).outcome for id in early} == {"done"}
        assert [one.run("waits", Start(key=f"late-{number}")).instance for number in range(20)] == late
    assert slots_of(visitor, "one") + slots_of(visitor, "two") == SLOTS


def test_who_waits_for_an_instance_that_moves_hears_its_end(postgres_url: str, visitor: SharedVisitor) -> None:
    with node(postgres_url, "one") as one:
        one.deploy(waits)
        ids = [one.start("waits") for _ in range(HALF)]
        ends = [one._serving.ask(operations.result(id)) for id in ids]
        with node(postgres_url, "two") as two:
            until(lambda: slots_of(visitor, "two") == SLOTS // 2)
            for id in ids:
                two.signal(id, "go")
            assert [end.result(10).outcome for end in ends] == ["done"] * HALF


def test_a_node_that_ends_hands_over_at_once(postgres_url: str, visitor: SharedVisitor) -> None:
    with node(postgres_url, "one") as one:
        one.deploy(steps)
        two = node(postgres_url, "two")
        until(lambda: slots_of(visitor, "two") == SLOTS // 2)
        for number in range(20):
            two.start("steps", number=number)
        two.close()
        assert slots_of(visitor, "one") == SLOTS
        until(lambda: ended(one) == 20)


def test_instances_of_a_node_that_was_killed_end_on_another(postgres_url: str, visitor: SharedVisitor) -> None:
    with node(postgres_url, "one") as one, process_of(postgres_url, "two") as other:
        one.deploy(steps)
        until(lambda: slots_of(visitor, "two") == SLOTS // 2)
        for number in range(60):
            one.start("steps", number=number)
        other.send_signal(signal.SIGKILL)
        assert until(lambda: slots_of(visitor, "one") == SLOTS) <= 2 * LEASE_SECONDS
        until(lambda: ended(one) == 60)


def test_a_node_that_was_paused_stops_when_it_wakes(postgres_url: str, visitor: SharedVisitor) -> None:
    with node(postgres_url, "one") as one, process_of(postgres_url, "two") as other:
        one.deploy(steps)
        until(lambda: slots_of(visitor, "two") == SLOTS // 2)
        for number in range(60):
            one.start("steps", number=number)
        other.send_signal(signal.SIGSTOP)
        assert until(lambda: slots_of(visitor, "one") == SLOTS) <= 2 * LEASE_SECONDS
        other.send_signal(signal.SIGCONT)
        assert other.communicate(timeout=10)[0] == "TakenOver\n"
        until(lambda: ended(one) == 60)
        assert {row.outcome for row in one.instances(at_most=1000)} == {"done"}
