"""What can be read, the same from every kind of store, by the engine and by a visitor."""

import pytest

from tests.store.places import Place
from tests.store.samples import batch, definition, facts, instance, signal, started, work
from weft.store.interface import Count, Filter, Store
from weft.store.rows import KeyRow, OutboxRow, TimerRow, VariableRow


def ids(store: Store, which: Filter, **page: int) -> list[int]:
    return [row.id for row in store.instances(which, **page)]


ROWS = [
    instance(1, state="running"),
    instance(2, state="ended", is_active=False, ended=20.0),
    instance(3, process="sell", state="waiting", is_active=False, key="k"),
    instance(4, version="2", state="ended", is_active=False, ended=30.0, key="k"),
]
CITIES = {(row, "city"): VariableRow(row, "city", value) for row, value in [(1, '"Rome"'), (3, '"Rome"'), (4, "1")]}
SIZES = {(1, "size"): VariableRow(1, "size", "1")}

FILTERS = [
    (Filter(), [4, 3, 2, 1]),
    (Filter(process="buy"), [4, 2, 1]),
    (Filter(process="buy", version="2"), [4]),
    (Filter(states=("ended", "waiting")), [4, 3, 2]),
    (Filter(is_active=True), [1]),
    (Filter(is_active=False, key="k"), [4, 3]),
    (Filter(started_from=2.0, started_before=4.0), [3, 2]),
    (Filter(ended_before=30.0), [2]),
    (Filter(ended_from=20.0), [4, 2]),
    (Filter(variables=(("city", '"Rome"'),)), [3, 1]),
    (Filter(variables=(("city", '"Rome"'), ("size", "1"))), [1]),
    (Filter(process="none"), []),
]


@pytest.mark.parametrize(("which", "expected"), FILTERS, ids=[repr(which) for which, _ in FILTERS])
def test_instances_are_listed_by_what_the_filter_says(which: Filter, expected: list[int], store: Store) -> None:
    store.commit(batch(instances={row.id: row for row in ROWS}, variables={**CITIES, **SIZES}))
    assert ids(store, which) == expected
    assert store.count(which) == len(expected)


def test_a_list_goes_on_where_the_page_before_ended(store: Store) -> None:
    store.commit(started(*[instance(id) for id in range(1, 8)]))
    assert ids(store, Filter(), at_most=3) == [7, 6, 5]
    assert ids(store, Filter(), at_most=3, before=5) == [4, 3, 2]
    assert ids(store, Filter(), at_most=3, before=2) == [1]
    assert store.active(at_most=3) == [1, 2, 3]
    assert store.active(after=3) == [4, 5, 6, 7]


def test_instances_are_counted_by_process_version_and_state(store: Store) -> None:
    store.commit(batch(instances={row.id: row for row in [*ROWS, instance(5)]}))
    assert store.counts() == [
        Count("buy", "1", "ended", 1),
        Count("buy", "1", "running", 2),
        Count("buy", "2", "ended", 1),
        Count("sell", "1", "waiting", 1),
    ]


def test_history_is_read_in_pages(store: Store) -> None:
    rows = [facts(1, 1, 2), facts(1, 3, 1), facts(1, 4, 5), facts(1, 9)]
    store.commit(batch(facts=[*rows, facts(2, 1)]))
    assert store.history(1, at_most=2) == rows[:2]
    assert store.history(1, after=3) == rows[2:]
    assert store.history(3) == []


def test_the_earliest_timers_come_first(store: Store) -> None:
    rows = [TimerRow(1, "b", 5.0), TimerRow(1, "a", 5.0), TimerRow(2, "c", 4.0), TimerRow(3, "d", 9.0)]
    store.commit(batch(timers={(row.instance, row.name): row for row in rows}))
    assert store.due(5.0) == [rows[2], rows[1], rows[0]]
    assert store.due(9.0, at_most=2) == [rows[2], rows[1]]
    assert store.due(3.0) == []
    assert store.next_due() == 4.0
    store.commit(batch(timers={(2, "c"): TimerRow(2, "c", 7.0), (1, "a"): None}))
    assert store.due(8.0) == [rows[0], TimerRow(2, "c", 7.0)]
    store.commit(batch(timers=dict.fromkeys([(1, "b"), (2, "c"), (3, "d")])))
    assert store.next_due() is None


def test_timers_of_one_time_come_by_instance_and_name(store: Store) -> None:
    rows = [TimerRow(1, "y", 5.0), TimerRow(1, "z", 5.0), TimerRow(2, "a", 5.0)]
    store.commit(batch(timers={(row.instance, row.name): row for row in reversed(rows)}))
    assert store.due(5.0) == rows


def test_a_timer_set_again_for_the_same_time_is_told_once(store: Store) -> None:
    timer = {(1, "a"): TimerRow(1, "a", 5.0)}
    for change in (timer, {(1, "a"): None}, timer):
        store.commit(batch(timers=change))
    assert store.due(9.0) == [TimerRow(1, "a", 5.0)]


def test_definitions_are_found_by_version_by_hash_and_as_the_latest(store: Store) -> None:
    one, two = definition(version="1", number=1, hash="h"), definition(version="2", number=2, payload=b"\x00")
    same = definition(version="final", number=3, hash="h")
    store.commit(batch(definitions=[one, two, same, definition("sell")]))
    assert store.definition("buy", "2") == two
    assert store.definition("buy", "3") is None
    assert store.definition_of("h") == one
    assert store.definition_of("none") is None
    assert store.definitions("buy", 1) == [same]
    assert [(row.process, row.number) for row in store.definitions()] == [
        ("buy", 3),
        ("buy", 2),
        ("buy", 1),
        ("sell", 1),
    ]


def test_signals_are_found_by_instance_and_by_key_in_order(store: Store) -> None:
    rows = [signal(1, 256), signal(2, key="a"), signal(3, 256), signal(4, 512), signal(5, key="b")]
    store.commit(batch(signals={row.id: row for row in rows}, keys={("buy", "a"): KeyRow("buy", "a", 0)}))
    assert store.signals([256], [("buy", "a")]) == rows[:3]
    assert store.signals([256]) == [rows[0], rows[2]]
    assert store.signals(keys=[("buy", "b"), ("sell", "a")]) == [rows[4]]
    store.commit(batch(signals={1: None, 3: None}))
    assert store.signals([256]) == []


def test_work_is_kept_for_each_attempt(store: Store) -> None:
    first, other = work(1), work(1, "buy/ship", until=4.5, worker="w", payload=b"half")
    store.commit(batch(work={(row.instance, row.path, row.round, row.attempt): row for row in (first, other)}))
    assert store.work([1, 2]) == [first, other]
    store.commit(batch(work={(1, "buy/pay", 0, 1): None}))
    assert store.work([1]) == [other]


def test_messages_that_are_due_leave_in_order(store: Store) -> None:
    rows = [OutboxRow("far", 1, "buy", number, 1.0, due, b"m") for number, due in [(1, 3.0), (2, 2.0), (3, 9.0)]]
    store.commit(batch(outbox={("far", 1, "buy", row.number): row for row in rows}))
    assert store.outbox(5.0) == [rows[1], rows[0]]
    assert store.outbox(9.0, 1) == [rows[1]]


def test_asking_for_nothing_gives_nothing(store: Store) -> None:
    assert store.load([]) == {}
    assert store.keys([]) == {}
    assert store.signals() == []
    assert store.blobs([]) == {}
    assert store.variables([]) == []


def test_a_visitor_reads_what_is_committed(place: Place) -> None:
    store, visitor = place.store(), place.visitor()
    store.commit(started(instance(1)))
    assert [row.id for row in visitor.instances()] == [1]
    assert visitor.load([1])[1].facts == [facts(1, 1)]
    store.close()
    visitor.close()


def test_text_of_any_language_is_read_as_it_was_written(store: Store) -> None:
    row = instance(1, key="crème brûlée ☕ 日本", error='it\'s "so"\n\t%s ? {} \\')
    store.commit(started(row))
    assert store.load([1])[1].instance == row
