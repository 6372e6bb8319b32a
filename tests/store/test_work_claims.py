"""Work for workers of other processes: each is taken by one, in fair turns, and only the last claim's result counts."""

from collections import Counter
from collections.abc import Iterator
from threading import Thread

import pytest
from msgspec.structs import replace

from tests.store.samples import batch, work
from tests.store.test_nodes import InMemory, InPostgres, Shared
from weft.store.batch import Committed
from weft.store.codec import Codec
from weft.store.interface import Demand, SharedStore, WorkQueue
from weft.store.memory_work import MemoryWorkQueue
from weft.store.opening import open_work_queue
from weft.store.postgres.claims import PostgresWorkQueue
from weft.store.problems import CannotOpen
from weft.store.rows import CommandRow, WorkRow
from weft.store.schema import SCHEMA
from weft.store.tables import WORK

LONG = 1000.0
OVER = -1.0
"""A lease that has ended when it begins."""


@pytest.fixture(params=["memory", "postgres"])
def place(request: pytest.FixtureRequest) -> Shared:
    return InMemory() if request.param == "memory" else InPostgres(request.getfixturevalue("postgres_url"))


@pytest.fixture
def store(place: Shared) -> Iterator[SharedStore]:
    opened = place.node("main")
    yield opened
    opened.close()


@pytest.fixture
def queue(place: Shared, store: SharedStore) -> Iterator[WorkQueue]:
    opened: WorkQueue
    if isinstance(place, InPostgres):
        opened = PostgresWorkQueue(place.address, Codec(), SCHEMA)
    else:
        assert isinstance(place, InMemory)
        opened = MemoryWorkQueue(place.database)
    yield opened
    opened.close()


def offer(store: SharedStore, *rows: WorkRow) -> None:
    change = {tuple(getattr(row, name) for name in WORK.key): row for row in rows}
    assert store.commit(batch(work=change)) == Committed()


def offered(instance: int, queue: str = "a", **fields: object) -> WorkRow:
    return replace(work(instance, state="offered", queue=queue), **fields)


def result(row: WorkRow) -> tuple[WorkRow, CommandRow]:
    return row, CommandRow(0, row.instance, "Complete", 2.0, row.worker, b"{}")


def instances(rows: list[WorkRow]) -> list[int]:
    return [row.instance for row in rows]


def test_what_is_taken_bears_the_worker_and_is_taken_once(store: SharedStore, queue: WorkQueue) -> None:
    offer(store, offered(1, payload=b"half"), offered(2))
    first = queue.claim("ann", Demand(("a",)), 1, LONG)
    assert [(row.instance, row.state, row.worker, row.claim, row.payload) for row in first] == [
        (1, "claimed", "ann", 1, b"half")
    ]
    assert instances(queue.claim("bob", Demand(("a",)), 9, LONG)) == [2]
    assert queue.claim("bob", Demand(("a",)), 9, LONG) == []
    assert store.work([1]) == first


def test_the_most_urgent_comes_first_then_the_oldest(store: SharedStore, queue: WorkQueue) -> None:
    offer(store, offered(1, since=3.0), offered(2, since=2.0), offered(3, since=9.0, priority=5.0))
    assert [instances(queue.claim("ann", Demand(("a",)), 1, LONG)) for _ in range(3)] == [[3], [2], [1]]


def test_queues_take_turns_and_an_empty_one_leaves_its_turn(store: SharedStore, queue: WorkQueue) -> None:
    offer(store, *(offered(number, "a", priority=9.0) for number in range(1, 8)), offered(11, "b"), offered(12, "b"))
    taken = queue.claim("ann", Demand(("a", "b", "empty")), 6, LONG)
    assert Counter(row.queue for row in taken) == {"a": 4, "b": 2}
    assert len(queue.claim("ann", Demand(("b", "a")), 9, LONG)) == 3


def test_a_worker_gets_only_tasks_it_has_and_work_that_fits_it(store: SharedStore, queue: WorkQueue) -> None:
    arm = offered(1, needs='{"os":"linux","cpu":"arm"}')
    offer(store, arm, offered(2, needs='{"os":"linux"}'), offered(3, task="x:y"))
    demand = Demand(("a",), ("shop:pay",), {"os": "linux", "host": "h"})
    assert instances(queue.claim("ann", demand, 9, LONG)) == [2]
    assert instances(queue.claim("ann", Demand(("a",), (), {"os": "linux", "cpu": "arm"}), 9, LONG)) == [1, 3]


def test_a_result_is_a_command_of_its_instance(store: SharedStore, queue: WorkQueue) -> None:
    offer(store, offered(1), offered(2))
    one, two = queue.claim("ann", Demand(("a",)), 2, LONG)
    ids = queue.hand_in([result(two), result(one)])
    assert [(row.id, row.instance) for row in store.commands()] == [(ids[0], 2), (ids[1], 1)]
    assert queue.hand_in([result(one)]) == [None], "handed in already"
    assert store.has_news()


def test_a_late_result_is_not_sent(store: SharedStore, queue: WorkQueue) -> None:
    offer(store, offered(1), offered(2), offered(3))
    late = queue.claim("ann", Demand(("a",)), 2, OVER)
    timely = queue.claim("bob", Demand(("a",)), 1, LONG)
    lapsed = store.lapsed_work()
    assert instances(lapsed) == [1, 2]
    assert {row.state for row in lapsed} == {"lapsed"}
    sent = queue.hand_in([result(late[0]), result(timely[0]), result(late[1])])
    assert [id is None for id in sent] == [True, False, True]
    assert instances(store.commands()) == [3]  # type: ignore[arg-type]
    assert store.lapsed_work() == lapsed, "until the engine has written what becomes of them"
    offer(store, offered(1, attempt=2))
    store.commit(batch(work={(1, "buy/pay", 0, 1): None, (2, "buy/pay", 0, 1): None}))
    assert store.lapsed_work() == []


def test_work_that_was_given_back_is_claimed_anew_and_the_old_claim_does_not_count(
    store: SharedStore, queue: WorkQueue
) -> None:
    offer(store, offered(1))
    old = queue.claim("ann", Demand(("a",)), 1, LONG)
    assert queue.release(old) == 1
    assert queue.release(old) == 0
    new = queue.claim("bob", Demand(("a",)), 1, LONG)
    assert (new[0].claim, new[0].worker) == (2, "bob")
    assert queue.hand_in([result(old[0]), result(new[0])])[0] is None


def test_a_worker_that_goes_on_keeps_its_claim_and_its_checkpoint(store: SharedStore, queue: WorkQueue) -> None:
    offer(store, offered(1), offered(2))
    taken = queue.claim("ann", Demand(("a",)), 2, OVER)
    extended = queue.extend([replace(row, payload=b"half") for row in taken], LONG)
    assert [(row.instance, row.payload) for row in extended] == [(1, b"half"), (2, b"half")]
    assert store.lapsed_work() == []
    store.commit(batch(work={(2, "buy/pay", 0, 1): None}))  # cancelled
    assert instances(queue.extend(extended, LONG)) == [1]


def test_claims_that_lapse_are_told_to_the_node_of_their_slot(
    place: Shared, store: SharedStore, queue: WorkQueue
) -> None:
    other = place.node("other")
    offer(store, offered(1), offered(2))
    store.give({2}, "other")
    other.renew()
    other.gained()
    queue.claim("ann", Demand(("a",)), 2, OVER)
    assert (instances(store.lapsed_work()), instances(other.lapsed_work())) == ([1], [2])
    other.close()


def test_many_workers_never_share_one_piece_of_work(postgres_url: str) -> None:
    place = InPostgres(postgres_url)
    store = place.node("main")
    offer(store, *(offered(number, "ab"[number % 2]) for number in range(1, 401)))
    queues = [PostgresWorkQueue(place.address, Codec(), SCHEMA) for _ in range(4)]
    done: list[int] = []
    threads = [Thread(target=work_until_empty, args=(queue, done)) for queue in queues]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(done) == list(range(1, 401))
    assert sorted(row.instance for row in store.commands(at_most=1000)) == sorted(done)
    for queue in queues:
        queue.close()
    store.close()


def work_until_empty(queue: PostgresWorkQueue, done: list[int]) -> None:
    empty = 0
    while empty < 3:
        taken = queue.claim("w", Demand(("a", "b")), 7, LONG)
        empty = 0 if taken else empty + 1
        if taken:
            assert None not in queue.hand_in([result(row) for row in taken])
            done += instances(taken)


def test_only_a_database_lets_workers_in(postgres_url: str) -> None:
    InPostgres(postgres_url).node("main").close()
    open_work_queue(postgres_url).close()
    with pytest.raises(CannotOpen, match="need a store in PostgreSQL"):
        open_work_queue("sqlite:///work.db")
