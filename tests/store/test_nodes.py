"""Several nodes at one store: whose slots are whose, who takes over, and what one that was taken over can still do."""

from collections.abc import Iterator
from contextlib import suppress
from threading import Event
from typing import Protocol

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from postgres_server import Server
from tests.store.samples import batch, facts, instance
from weft.store.batch import Committed, Refused, Unknown
from weft.store.codec import Codec
from weft.store.interface import SharedStore, SharedVisitor
from weft.store.memory import MemoryStore, MemoryVisitor
from weft.store.memory_database import MemoryDatabase
from weft.store.postgres.connecting import address_of
from weft.store.postgres.store import PostgresStore
from weft.store.postgres.visitor import PostgresVisitor
from weft.store.problems import TakenOver, Unavailable
from weft.store.rows import SLOTS, CommandRow, OutboxRow, TimerRow
from weft.store.schema import SCHEMA
from weft.store.sharing import fair_shares, surplus

LEASE_SECONDS = 60.0
ALL = frozenset(range(SLOTS))


class Shared(Protocol):
    """A store where several nodes can be, whose leases a test can end."""

    def node(self, name: str) -> SharedStore: ...

    def visitor(self) -> SharedVisitor: ...

    def lapse(self, name: str) -> None: ...


class InMemory:
    def __init__(self) -> None:
        self.now = 1000.0
        self.database = MemoryDatabase(lambda: self.now)

    def node(self, name: str) -> SharedStore:
        return MemoryStore(self.database, name, LEASE_SECONDS)

    def visitor(self) -> SharedVisitor:
        return MemoryVisitor(self.database)

    def lapse(self, name: str) -> None:
        """The clock goes on, and all the others renew their leases."""
        until = {other: row.until for other, row in self.database.nodes.items()}
        self.now += 2 * LEASE_SECONDS
        for other, row in list(self.database.nodes.items()):
            if other != name and until[other] is not None:
                self.database.nodes[other] = type(row)(
                    other, row.epoch, row.batch, self.now + LEASE_SECONDS, row.wanted
                )


class InPostgres:
    def __init__(self, url: str) -> None:
        self.address = address_of(url)

    def node(self, name: str) -> SharedStore:
        return PostgresStore(self.address, name, Codec(), SCHEMA, LEASE_SECONDS)

    def visitor(self) -> SharedVisitor:
        return PostgresVisitor(self.address, Codec(), SCHEMA)

    def lapse(self, name: str) -> None:
        with psycopg.connect(self.address.conninfo, autocommit=True) as other:
            ended = f"update {self.address.schema}.node set until = until - 1000 where name = %s"
            other.execute(ended.encode(), (name,))


@pytest.fixture(params=["memory", "postgres"])
def shared(request: pytest.FixtureRequest) -> Shared:
    return InMemory() if request.param == "memory" else InPostgres(request.getfixturevalue("postgres_url"))


@pytest.fixture
def pair(shared: Shared) -> Iterator[tuple[SharedStore, SharedStore]]:
    one, two = shared.node("one"), shared.node("two")
    yield one, two
    one.close()
    two.close()


def of_slot(slot: int) -> int:
    """An instance of that slot."""
    return 7 * SLOTS + slot


def test_the_first_node_has_all_slots_and_gives_some_to_the_second(pair: tuple[SharedStore, SharedStore]) -> None:
    one, two = pair
    assert (one.slots, two.slots) == (ALL, frozenset())
    assert one.give({3, 4}, "two") == Committed()
    assert one.slots == ALL - {3, 4}
    assert two.has_news()
    assert two.renew()
    assert two.gained() == two.slots == {3, 4}
    assert two.gained() == frozenset()
    assert {slot for slot, node in two.owners().items() if node == "two"} == {3, 4}


def test_a_node_is_asked_only_of_its_own_slots(shared: Shared, pair: tuple[SharedStore, SharedStore]) -> None:
    one, two = pair
    ids = [of_slot(slot) for slot in (3, 4, 5)]
    one.commit(
        batch(
            instances={id: instance(id) for id in ids},
            timers={(id, "t"): TimerRow(id, "t", float(id)) for id in ids},
            outbox={("far", id, "p", 1): OutboxRow("far", id, "p", 1, 1.0, float(id), b"") for id in ids},
        )
    )
    visitor = shared.visitor()
    sent = [visitor.send(CommandRow(0, id, "Signal", 1.0, "ann", b"")) for id in ids]
    visitor.close()
    one.give({4}, "two")
    assert two.renew()
    two.gained()
    for store, mine in ((one, [ids[0], ids[2]]), (two, [ids[1]])):
        assert store.active() == mine
        assert [row.instance for row in store.due(1e9)] == mine
        assert store.next_due() == mine[0]
        assert [row.instance for row in store.outbox(1e9)] == mine
    assert [row.id for row in one.commands()] == [sent[0], sent[2]]
    assert [row.id for row in two.commands()] == [sent[1]]


def test_a_node_does_not_write_what_is_in_a_slot_of_another(pair: tuple[SharedStore, SharedStore]) -> None:
    one, two = pair
    one.give({3}, "two")
    two.renew()
    two.gained()
    for change in ({"facts": [facts(of_slot(3), 1)]}, {"instances": {of_slot(3): instance(of_slot(3))}}):
        refused = one.commit(batch(**change))
        assert isinstance(refused, Refused)
        assert "slot 3, which is not node one's" in refused.detail
        assert two.commit(batch(**change)) == Committed()
    assert isinstance(two.commit(batch(removed=[of_slot(4)])), Refused)


def test_a_command_for_no_instance_reaches_exactly_one_node(
    shared: Shared, pair: tuple[SharedStore, SharedStore]
) -> None:
    one, two = pair
    one.give(set(range(0, SLOTS, 2)), "two")
    assert two.renew()
    two.gained()
    visitor = shared.visitor()
    sent = [visitor.send(CommandRow(0, 0, "Start", 1.0, "ann", b"")) for _ in range(10)]
    visitor.close()
    found = [[row.id for row in store.commands()] for store in pair]
    assert sorted(found[0] + found[1]) == sent
    assert all(found)


def test_slots_are_given_only_by_their_owner_and_to_one_that_lives(
    shared: Shared, pair: tuple[SharedStore, SharedStore]
) -> None:
    one, two = pair
    assert isinstance(two.give({3}, "one"), Refused)
    assert isinstance(one.give({3}, "nobody"), Refused)
    shared.lapse("two")
    assert isinstance(one.give({3}, "two"), Refused)
    assert one.slots == ALL
    two.renew()
    assert one.give({3}, "two") == Committed()


def test_a_node_that_lives_is_not_taken_over(pair: tuple[SharedStore, SharedStore]) -> None:
    one, two = pair
    assert two.lapsed() == []
    assert two.take_over("one") == frozenset()
    assert one.commit(batch(facts=[facts(1, 1)])) == Committed()


@pytest.mark.parametrize("is_forced", [False, True])
def test_a_node_that_was_taken_over_can_do_no_harm(
    is_forced: bool, shared: Shared, pair: tuple[SharedStore, SharedStore]
) -> None:
    one, two = pair
    one.commit(batch(instances={of_slot(9): instance(of_slot(9))}))
    if not is_forced:
        shared.lapse("one")
        assert two.lapsed() == ["one"]
    assert two.take_over("one", is_forced) == two.slots == ALL
    assert two.lapsed() == []
    assert two.active() == [of_slot(9)]
    outcome = one.commit(batch(facts=[facts(of_slot(9), 1)]))
    assert isinstance(outcome, Refused | Unknown)  # its connection is ended where it has one
    with pytest.raises(TakenOver):
        one.reopen()
    assert two.history(of_slot(9)) == []
    assert two.commit(batch(facts=[facts(of_slot(9), 1)])) == Committed()
    again = shared.node("one")
    assert again.slots == frozenset()
    again.close()


def test_a_node_that_was_taken_over_takes_nobody_over(shared: Shared, pair: tuple[SharedStore, SharedStore]) -> None:
    one, two = pair
    three = shared.node("three")
    two.take_over("one", True)
    three.take_over("two", True)
    for store in (two, one):
        assert isinstance(store.give({1}, "three"), Refused | Unknown)
        with suppress(Unavailable):  # its connection was ended
            assert store.take_over("three", True) == frozenset()
    assert set(three.owners().values()) == {"three"}
    three.close()


def test_of_those_who_take_over_one_gets_all(shared: Shared, pair: tuple[SharedStore, SharedStore]) -> None:
    one, two = pair
    three = shared.node("three")
    shared.lapse("one")
    assert three.take_over("one") == ALL
    assert two.take_over("one") == frozenset()
    three.close()
    assert one.node == "one"


def test_who_leaves_can_be_followed_at_once(shared: Shared) -> None:
    one, two = shared.node("one"), shared.node("two")
    one.close()
    assert two.lapsed() == ["one"]
    assert two.take_over("one") == ALL
    two.close()


def test_a_node_is_asked_to_leave_by_its_row(shared: Shared, pair: tuple[SharedStore, SharedStore]) -> None:
    visitor = shared.visitor()
    assert visitor.ask_to_leave("two")
    assert not visitor.ask_to_leave("nobody")
    assert [(row.name, row.wanted) for row in visitor.nodes()] == [("one", ""), ("two", "leave")]
    assert pair[1].has_news()
    assert len(visitor.owners()) == SLOTS
    visitor.close()


def test_who_watches_is_woken_by_what_is_for_it(shared: Shared, pair: tuple[SharedStore, SharedStore]) -> None:
    one, two = pair
    woken = [Woken(), Woken()]
    one.watch(woken[0].wake)
    two.watch(woken[1].wake)
    visitor = shared.visitor()
    visitor.send(CommandRow(0, of_slot(9), "Signal", 1.0, "ann", b""))
    assert woken[0].came()
    one.give({9}, "two")
    assert woken[1].came()
    two.gained()
    visitor.send(CommandRow(0, of_slot(9), "Signal", 1.0, "ann", b""))
    assert woken[1].came()
    visitor.close()


class Woken:
    def __init__(self) -> None:
        self._event = Event()

    def wake(self) -> None:
        self._event.set()

    def came(self) -> bool:
        came = self._event.wait(10)
        self._event.clear()
        return came


def test_who_watches_hears_again_after_its_connection_was_lost(postgres_url: str) -> None:
    place, woken = InPostgres(postgres_url), Woken()
    store = place.node("one")
    store.watch(woken.wake)
    visitor = place.visitor()
    with psycopg.connect(place.address.conninfo, autocommit=True) as other:
        listening = "from pg_stat_activity where application_name = %s and query ~ 'listen'"
        ended = f"select pg_terminate_backend(pid, 5000) {listening}".encode()
        assert other.execute(ended, (place.address.visitor,)).fetchall() == [(True,)]
    assert woken.came()
    visitor.send(CommandRow(0, 5, "Signal", 1.0, "ann", b""))
    assert woken.came()
    visitor.close()
    store.close()


# Random nodes: in memory and in PostgreSQL the same becomes of them.

NAMES = ("one", "two", "three")
names = st.sampled_from(NAMES)
slot_sets = st.sets(st.integers(0, SLOTS - 1), min_size=1, max_size=4)


class Nodes(RuleBasedStateMachine):
    url = ""
    runs = 0

    def __init__(self) -> None:
        super().__init__()
        type(self).runs += 1
        self.places = [InMemory(), InPostgres(f"{self.url}_{self.runs}")]
        self.nodes: dict[str, list[SharedStore]] = {}
        self.gone: list[list[SharedStore]] = []
        self.written: dict[int, int] = {}
        self.number = 0

    def teardown(self) -> None:
        for stores in (*self.nodes.values(), *self.gone):
            for store in stores:
                store.close()

    @rule(name=names)
    def comes(self, name: str) -> None:
        if name not in self.nodes:
            self.nodes[name] = [place.node(name) for place in self.places]

    @rule(name=names, to=names, slots=slot_sets)
    def gives(self, name: str, to: str, slots: set[int]) -> None:
        if name in self.nodes and name != to:
            ours, theirs = (store.give(slots, to) for store in self.nodes[name])
            assert type(ours) is type(theirs)
            if to in self.nodes:
                one, other = self.nodes[to]
                assert one.renew() == other.renew()
                assert one.gained() == other.gained()

    @rule(name=names, dead=names, is_forced=st.booleans(), lapses=st.booleans())
    def takes_over(self, name: str, dead: str, is_forced: bool, lapses: bool) -> None:
        if name not in self.nodes or dead not in self.nodes or name == dead:
            return
        if lapses:
            for place in self.places:
                place.lapse(dead)
        ours, theirs = (store.take_over(dead, is_forced) for store in self.nodes[name])
        assert ours == theirs
        if ours or is_forced:
            self.gone.append(self.nodes.pop(dead))

    @rule(name=names, slot=st.integers(0, SLOTS - 1))
    def commits(self, name: str, slot: int) -> None:
        if name in self.nodes and slot in self.nodes[name][0].slots:
            self.number += 1
            self.written[slot] = self.written.get(slot, 0) + 1
            change = batch(facts=[facts(of_slot(slot), self.written[slot])])
            assert [store.commit(change) for store in self.nodes[name]] == [Committed(), Committed()]

    @precondition(lambda self: self.gone)
    @rule(slot=st.integers(0, SLOTS - 1))
    def a_dead_one_writes(self, slot: int) -> None:
        for store in self.gone[-1]:
            assert not isinstance(store.commit(batch(facts=[facts(of_slot(slot), 1_000_000)])), Committed)

    @invariant()
    def every_slot_is_of_one_that_lives_and_knows_it(self) -> None:
        for place in range(2):
            if self.nodes:
                owners = next(iter(self.nodes.values()))[place].owners()
                for name, stores in self.nodes.items():
                    assert stores[place].slots == {slot for slot, owner in owners.items() if owner == name}
                assert set(owners.values()) <= set(self.nodes)


def test_random_nodes_share_alike_in_memory_and_in_postgres(postgres_server_of_run: Server, postgres_url: str) -> None:
    machine = type("RandomNodes", (Nodes,), {"url": postgres_url})
    options = settings(max_examples=15, stateful_step_count=15, deadline=None)
    run_state_machine_as_test(machine, settings=options)  # type: ignore[no-untyped-call]


# Who gives how many.


@given(
    st.lists(st.sampled_from("abcde"), min_size=SLOTS, max_size=SLOTS), st.sets(st.sampled_from("abcde"), min_size=1)
)
def test_when_all_have_given_what_is_too_much_all_have_as_many(owners: list[str], living: set[str]) -> None:
    before = {slot: owner for slot, owner in enumerate(owners) if owner in living}
    after = dict(before)
    for node in living:
        for taker, slots in surplus(node, before, living).items():
            for slot in slots:
                assert before[slot] == node
                after[slot] = taker
    numbers = [sum(owner == node for owner in after.values()) for node in living]
    assert max(numbers) - min(numbers) <= 1
    assert not any(surplus(node, after, living) for node in living)
    moved = sum(before[slot] != after[slot] for slot in before)
    has = {node: sum(owner == node for owner in before.values()) for node in living}
    assert moved == sum(max(0, has[node] - share) for node, share in fair_shares(has, living).items())
