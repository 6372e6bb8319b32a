"""The SQL in the how-to gives each role what it needs and nothing more."""

import re
from collections.abc import Callable

import psycopg
import pytest
from msgspec.structs import replace

from tests.store.samples import batch, instance, started, work
from tests.tidy.tree import ROOT
from weft.store.batch import Committed
from weft.store.interface import Demand
from weft.store.opening import open_store, open_visitor, open_work_queue
from weft.store.postgres.connecting import address_of
from weft.store.problems import Unavailable
from weft.store.rows import CommandRow

PAGE = ROOT / "docs" / "how-to" / "postgresql.md"


@pytest.fixture
def as_role(postgres_url: str) -> Callable[[str], str]:
    """The URL for a role, after what an administrator does; the store is made between the two fences."""
    schema = address_of(postgres_url).schema
    fences = re.findall(r"```sql\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    first, second = (re.sub(r"\bshop\b", "postgres", re.sub(r"\bweft(?=\b|_)", schema, one)) for one in fences)

    def url(role: str) -> str:
        return postgres_url.replace("//weft@", f"//{schema}_{role}@")

    with psycopg.connect(address_of(postgres_url).conninfo, autocommit=True) as administrator:
        administrator.execute(first.encode())
        store = open_store(url("node"))
        assert store.commit(started(instance(256))) == Committed()
        store.close()
        administrator.execute(second.encode())
    return url


def test_a_client_reads_and_sends_commands_and_writes_nothing_else(as_role: Callable[[str], str]) -> None:
    client = open_visitor(as_role("client"))
    assert [row.id for row in client.instances()] == [256]
    assert client.send(CommandRow(0, 256, "Cancel", 1.0, "ann", b"")) == 1
    assert client.ask_to_leave("main")  # type: ignore[attr-defined]
    with pytest.raises(Unavailable, match="permission denied"):
        client._query("update node set epoch = epoch + 1")  # type: ignore[attr-defined]
    client.close()


def test_a_worker_takes_work_and_hands_in_results(as_role: Callable[[str], str]) -> None:
    store = open_store(as_role("node"))
    store.commit(batch(work={(256, "buy/pay", 0, 1): replace(work(256), state="offered", queue="a")}))
    worker = open_work_queue(as_role("worker"))
    taken = worker.claim("w", Demand(("a",)), 1, 60.0)
    assert worker.extend(taken, 60.0) != []
    assert worker.release(taken) == 1
    taken = worker.claim("w", Demand(("a",)), 1, 60.0)
    assert worker.hand_in([(taken[0], CommandRow(0, 256, "Complete", 1.0, "w", b""))]) == [1]
    with pytest.raises(Unavailable, match="permission denied"):
        worker._query("delete from work")  # type: ignore[attr-defined]
    worker.close()
    store.close()


def test_a_reader_only_reads(as_role: Callable[[str], str]) -> None:
    reader = open_visitor(as_role("reader"))
    assert reader.count() == 1
    with pytest.raises(Unavailable, match="permission denied"):
        reader.send(CommandRow(0, 256, "Cancel", 1.0, "ann", b""))
    reader.close()
