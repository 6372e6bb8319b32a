"""What only a store in PostgreSQL does: fences, lost connections, long batches, and what it asks of the server."""

import subprocess
import sys

import psycopg
import pytest

from tests.store.samples import batch, facts, instance, started
from weft.store.batch import Committed, Refused, Unknown
from weft.store.codec import Codec
from weft.store.opening import open_store, open_visitor
from weft.store.postgres.connecting import address_of
from weft.store.postgres.store import PostgresStore
from weft.store.postgres.writing import COPY_ABOVE
from weft.store.problems import CannotOpen, TakenOver, Unavailable
from weft.store.rows import SLOTS, CommandRow, KeyRow, TimerRow
from weft.store.schema import SCHEMA


def node(url: str, name: str = "main", lease_seconds: float = 60.0) -> PostgresStore:
    return PostgresStore(address_of(url), name, Codec(), SCHEMA, lease_seconds)


def beside(url: str) -> "psycopg.Connection[tuple[object, ...]]":
    """A connection of somebody else."""
    address = address_of(url)
    connection = psycopg.connect(address.conninfo, autocommit=True)
    connection.execute(f"set search_path to {address.schema}".encode())
    return connection


def end_connections(url: str, name: str = "main") -> None:
    with beside(url) as other:
        ended = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = %s"
        assert other.execute(ended, (address_of(url).application(name),)).fetchall()


def test_a_batch_on_a_lost_connection_is_unknown_until_the_store_is_reopened(postgres_url: str) -> None:
    store = node(postgres_url)
    store.commit(batch(facts=[facts(256, 1)]))
    written = store.batch
    end_connections(postgres_url)
    assert isinstance(store.commit(batch(facts=[facts(256, 2)])), Unknown)
    again = store.commit(batch(facts=[facts(256, 2)]))
    assert isinstance(again, Refused)
    assert again.reason == "store"
    assert store.reopen() == written
    assert [row.sequence for row in store.history(256)] == [1]
    assert store.commit(batch(facts=[facts(256, 2)])) == Committed()
    store.close()


def test_a_transaction_that_is_lost_before_its_commit_wrote_nothing(postgres_url: str) -> None:
    store = node(postgres_url)
    lost = store.commit(batch(facts=[facts(256, 1)], rooms=[lambda _: end_connections(postgres_url)], removed=[512]))
    assert isinstance(lost, Refused)
    assert lost.reason == "store"
    store.reopen()
    assert store.history(256) == []
    store.close()


def test_a_question_on_a_lost_connection_says_so_and_reopening_helps(postgres_url: str) -> None:
    store = node(postgres_url)
    assert store.has_news()
    end_connections(postgres_url)
    assert store.has_news() or store.has_news()  # first the server's last words, then the end
    with pytest.raises(Unavailable, match="PostgreSQL"):
        store.commands()
    store.reopen()
    assert store.commands() == []
    store.close()


def test_a_node_that_was_taken_over_writes_nothing_and_can_not_come_back(postgres_url: str) -> None:
    store = node(postgres_url)
    with beside(postgres_url) as other:
        other.execute("update node set epoch = epoch + 1")
    refused = store.commit(started(instance(256)))
    assert isinstance(refused, Refused)
    assert refused.reason == "fenced"
    assert not store.renew()
    with pytest.raises(TakenOver, match="main"):
        store.reopen()
    store.close()


def test_a_node_that_is_served_is_refused_and_one_whose_lease_ran_out_is_not(postgres_url: str) -> None:
    store = node(postgres_url)
    with pytest.raises(CannotOpen, match="another process serves"):
        node(postgres_url)
    with beside(postgres_url) as other:
        other.execute("update node set until = until - 1000")
    after = node(postgres_url)
    assert after.epoch == store.epoch + 1
    assert isinstance(store.commit(started(instance(256))), Unknown)  # its connection was ended
    with pytest.raises(TakenOver):
        store.reopen()
    after.close()


def test_a_node_that_was_killed_is_followed_at_once(postgres_url: str) -> None:
    script = f"""
import os, signal
from weft.store.opening import open_store
open_store({postgres_url!r})
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", script]).returncode == -9
    store = node(postgres_url)
    assert store.epoch == 2
    store.close()


def test_of_two_nodes_one_gets_a_key_and_the_other_is_told(postgres_url: str) -> None:
    one, two = node(postgres_url, "one"), node(postgres_url, "two")
    one.give([1], "two")
    two.reopen()
    for store, id in ((one, 256), (two, 513)):
        outcome = store.commit(batch(keys={("buy", "a"): KeyRow("buy", "a", id)}, facts=[facts(id, 1)]))
        if store is one:
            assert outcome == Committed()
        else:
            assert isinstance(outcome, Refused)
            assert outcome.taken == {("buy", "a"): 256}
    assert two.history(513) == []
    one.close()
    two.close()


def test_the_first_node_has_all_slots_and_a_second_waits_for_some(postgres_url: str) -> None:
    one, two = node(postgres_url, "one"), node(postgres_url, "two")
    one.commit(batch(instances={256: instance(256)}, timers={(256, "t"): TimerRow(256, "t", 1.0)}))
    visitor = open_visitor(postgres_url)
    visitor.send(CommandRow(0, 256, "Signal", 1.0, "ann", b"{}"))
    visitor.send(CommandRow(0, 0, "Start", 1.0, "ann", b"{}"))
    visitor.close()
    assert (one.active(), len(one.due(9.0)), len(one.commands())) == ([256], 1, 2)
    assert (two.active(), two.due(9.0), two.next_due(), two.commands()) == ([], [], None, [])
    one.close()
    two.close()


@pytest.mark.parametrize("number", [COPY_ABOVE, COPY_ABOVE + 1])
def test_a_long_batch_is_written_whole_or_not_at_all(number: int, postgres_url: str) -> None:
    store = node(postgres_url)
    rows = [facts(id * SLOTS, 1, payload=b"x" * (id % 9000)) for id in range(1, number + 1)]
    assert isinstance(store.commit(batch(facts=[*rows, rows[0]])), Refused)
    assert store.history(SLOTS) == []
    assert store.commit(batch(facts=rows)) == Committed()
    assert [store.history(row.instance) for row in rows[::500]] == [[row] for row in rows[::500]]
    store.close()


@pytest.mark.parametrize("field", [{"key": "a\0b"}, {"started": "late"}, {"error": "\ud800"}, {"outcome": None}])
def test_a_value_that_a_column_can_not_hold_refuses_the_batch(field: dict[str, object], postgres_url: str) -> None:
    store = node(postgres_url)
    refused = store.commit(started(instance(256, **field)))
    assert isinstance(refused, Refused)
    assert refused.reason == "rows"
    assert store.history(256) == []
    assert store.commit(started(instance(256))) == Committed()
    store.close()


def test_many_kinds_of_batches_do_not_fill_the_server(postgres_url: str) -> None:
    store = node(postgres_url)
    store._writer._shapes_max = 2  # type: ignore[attr-defined]
    for change in ({}, {"facts": [facts(1, 1)]}, {"timers": {(1, "t"): None}}, {"facts": [facts(1, 2)]}):
        assert store.commit(batch(**change)) == Committed()
    held = store.ask(lambda t: t.execute("select count(*) from pg_prepared_statements where name like ?", ("weft%",)))
    assert held == [(2,)]
    store.close()


# What a URL and a server must be.


@pytest.mark.parametrize("name", ["Weft", "a-b", "x" * 41, ""])
def test_a_schema_with_a_strange_name_is_refused(name: str) -> None:
    with pytest.raises(CannotOpen, match="no name for a schema"):
        address_of(f"postgresql://localhost/shop?schema={name}")


def test_what_is_shown_of_an_address_has_no_password() -> None:
    address = address_of("postgresql://ann:secret@db:5433/shop?schema=weft_a&sslmode=disable")
    assert "secret" in address.conninfo
    assert str(address) == "postgresql://db:5433/shop?schema=weft_a"


def test_a_mistyped_option_and_a_server_that_is_not_there_are_told() -> None:
    with pytest.raises(CannotOpen, match="shema"):
        open_store("postgresql://localhost/shop?shema=weft")
    with pytest.raises(Unavailable, match="can't be reached"):
        open_store("postgresql://127.0.0.1:1/shop")


def test_a_visitor_does_not_make_a_store(postgres_url: str) -> None:
    with pytest.raises(CannotOpen, match="no store at"):
        open_visitor(postgres_url)


def test_a_visitor_asks_again_when_its_connection_was_lost_but_does_not_send_twice(postgres_url: str) -> None:
    store, visitor = node(postgres_url), open_visitor(postgres_url)
    store.commit(started(instance(256)))
    with beside(postgres_url) as other:
        ended = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = %s"
        for ask in (visitor.count, lambda: len(visitor.load([256])), lambda: len(visitor.history(256))):
            other.execute(ended, (address_of(postgres_url).visitor,))
            assert ask() == 1
        other.execute(ended, (address_of(postgres_url).visitor,))
        with pytest.raises(Unavailable):
            visitor.send(CommandRow(0, 256, "Cancel", 1.0, "ann", b""))
        other.execute(ended, (address_of(postgres_url).visitor,))
    with pytest.raises(Unavailable):
        visitor.ask(lambda transaction: transaction.execute("select pg_terminate_backend(pg_backend_pid())"))
    assert visitor.count() == 1
    store.close()
    visitor.close()


def test_without_psycopg_one_sentence_says_what_to_install() -> None:
    script = """
import sys
sys.modules["psycopg"] = None
from weft.store.opening import open_store
open_store("postgresql://localhost/shop")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "CannotOpen: PostgreSQL needs the extra postgres" in done.stderr
    assert "pip install 'weftwork[postgres]'" in done.stderr
