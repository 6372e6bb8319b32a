"""What a commit writes, what it refuses, and that it writes all or nothing, the same in every kind of store."""

import pytest

from tests.store.places import Place
from tests.store.samples import batch, definition, facts, instance, started
from weft.store.batch import Committed, Refused, Transaction
from weft.store.interface import Store
from weft.store.rows import (
    AnswerRow,
    BlobRow,
    CommandRow,
    InboxRow,
    KeyRow,
    OutboxRow,
    ScheduleRow,
    SnapshotRow,
    TimerRow,
    VariableRow,
)


def test_an_instance_is_loaded_with_its_facts_in_order(store: Store) -> None:
    row = instance(256, key="order-1", priority=2.5, ended=7.25, outcome="done")
    one, two = facts(256, 1, 3, b"\x00\xff"), facts(256, 4, 1, b"")
    assert store.commit(batch(instances={256: row}, facts=[two, one])) == Committed()
    loaded = store.load([256, 512])
    assert list(loaded) == [256]
    assert loaded[256].instance == row
    assert loaded[256].facts == [one, two]
    assert loaded[256].snapshot is None


def test_facts_before_the_snapshot_are_not_loaded(store: Store) -> None:
    snapshot = SnapshotRow(256, 4, 2.0, 1, b"state")
    rows = [facts(256, 1, 2), facts(256, 3, 2), facts(256, 5, 1)]
    store.commit(batch(instances={256: instance(256)}, facts=rows, snapshots={256: snapshot}))
    loaded = store.load([256])[256]
    assert loaded.snapshot == snapshot
    assert loaded.facts == rows[2:]
    store.commit(batch(snapshots={256: None}))
    assert store.load([256])[256].facts == rows


def test_an_instance_that_changed_replaces_its_row(store: Store) -> None:
    store.commit(started(instance(256), instance(512)))
    ended = instance(256, state="ended", is_active=False, ended=9.0, outcome="done")
    store.commit(batch(instances={256: ended}, facts=[facts(256, 2)]))
    assert store.load([256])[256].instance == ended
    assert store.active() == [512]


def test_a_fact_that_is_there_refuses_the_whole_batch(store: Store) -> None:
    store.commit(started(instance(256)))
    refused = store.commit(batch(facts=[facts(512, 1), facts(256, 1)], timers={(256, "t"): TimerRow(256, "t", 1.0)}))
    assert isinstance(refused, Refused)
    assert refused.reason == "rows"
    assert store.history(512) == []
    assert store.timers([256]) == []


def test_a_row_twice_in_one_batch_refuses_it(store: Store) -> None:
    assert isinstance(store.commit(batch(facts=[facts(256, 1), facts(256, 1)])), Refused)
    assert store.history(256) == []


def test_a_definition_is_never_replaced(store: Store) -> None:
    store.commit(batch(definitions=[definition(payload=b"old")]))
    refused = store.commit(batch(definitions=[definition(payload=b"new")]))
    assert isinstance(refused, Refused)
    assert refused.reason == "rows"
    found = store.definition("buy", "1")
    assert found is not None
    assert found.payload == b"old"


def test_the_last_word_about_a_row_counts(store: Store) -> None:
    one = TimerRow(256, "one", 5.0)
    store.commit(batch(timers={(256, "one"): one, (256, "two"): TimerRow(256, "two", 6.0)}))
    store.commit(batch(timers={(256, "one"): TimerRow(256, "one", 8.0), (256, "two"): None, (256, "three"): None}))
    assert store.timers([256]) == [TimerRow(256, "one", 8.0)]


def test_the_number_of_the_last_batch_is_kept(place: Place) -> None:
    store = place.store()
    last = batch(facts=[facts(256, 1)])
    store.commit(last)
    assert store.batch == last.number
    store.commit(batch(facts=[facts(256, 1)]))
    assert store.batch == last.number
    assert store.reopen() == last.number
    assert [(row.name, row.batch) for row in store.nodes()] == [("main", last.number)]
    store.close()
    again = place.store()
    assert again.batch == last.number
    again.close()


def test_reopening_raises_the_epoch_and_goes_on(store: Store) -> None:
    before = store.epoch
    store.reopen()
    assert store.epoch > before
    assert store.commit(started(instance(256))) == Committed()
    assert store.renew()


# Keys.


def claim(key: str, instance: int, until: float | None = None) -> dict[tuple[str, str], KeyRow]:
    return {("buy", key): KeyRow("buy", key, instance, until)}


def test_the_loser_of_a_key_gets_the_instance_that_has_it(store: Store) -> None:
    first = batch(instances={256: instance(256)}, facts=[facts(256, 1)], keys=claim("a", 256))
    assert store.commit(first) == Committed()
    second = batch(instances={512: instance(512)}, facts=[facts(512, 1)], keys={**claim("b", 512), **claim("a", 512)})
    refused = store.commit(second)
    assert isinstance(refused, Refused)
    assert (refused.reason, refused.taken) == ("keys", {("buy", "a"): 256})
    assert store.load([512]) == {}
    assert list(store.keys([("buy", "a"), ("buy", "b")])) == [("buy", "a")]


def test_a_key_on_which_only_signals_wait_can_be_claimed(store: Store) -> None:
    assert store.commit(batch(keys=claim("a", 0))) == Committed()
    assert store.keys([("buy", "a")]) == claim("a", 0)
    assert store.commit(batch(keys=claim("a", 256))) == Committed()
    assert store.keys([("buy", "a")]) == claim("a", 256)


def test_asking_for_a_key_tells_who_has_it_and_changes_nothing(store: Store) -> None:
    store.commit(batch(keys=claim("a", 256, 4.0)))
    assert store.commit(batch(keys={**claim("a", 0), **claim("b", 0)})) == Committed({("buy", "a"): 256})
    assert store.keys([("buy", "a")]) == claim("a", 256, 4.0)


def test_a_key_goes_when_its_time_is_over_and_not_before(store: Store) -> None:
    store.commit(batch(keys={**claim("a", 256), **claim("b", 512, 10.0)}))
    store.commit(batch(sweep_before=10.0))
    assert len(store.keys([("buy", "a"), ("buy", "b")])) == 2
    store.commit(batch(keys=claim("a", 256, 11.0)))
    store.commit(batch(sweep_before=10.5))
    assert store.keys([("buy", "a"), ("buy", "b")]) == claim("a", 256, 11.0)
    assert store.commit(batch(keys=claim("b", 768))) == Committed()


# Commands of others.


def test_a_command_waits_until_it_has_its_answer(place: Place) -> None:
    store, visitor = place.store(), place.visitor()
    first = visitor.send(CommandRow(0, 256, "Signal", 1.0, "ann", b"one"))
    second = visitor.send(CommandRow(0, 0, "Start", 2.0, "bob", b"two"))
    assert first < second
    assert store.has_news()
    assert [row.payload for row in store.commands()] == [b"one", b"two"]
    assert store.commands(after=first) == [CommandRow(second, 0, "Start", 2.0, "bob", b"two")]
    answer = AnswerRow(first, 3.0, b"taken")
    store.commit(batch(answers={first: answer}))
    assert [row.id for row in store.commands()] == [second]
    assert visitor.answer(first) == answer
    assert visitor.answer(second) is None
    store.commit(batch(sweep_before=3.5))
    assert visitor.answer(first) is None
    store.close()
    visitor.close()


# What goes.


def test_an_instance_goes_with_all_that_is_its_own(store: Store) -> None:
    everything = batch(
        instances={256: instance(256), 512: instance(512)},
        facts=[facts(256, 1), facts(512, 1)],
        variables={(id, "city"): VariableRow(id, "city", '"Rome"') for id in (256, 512)},
        snapshots={id: SnapshotRow(id, 1, 1.0, 1, b"s") for id in (256, 512)},
        timers={(id, "t"): TimerRow(id, "t", 1.0) for id in (256, 512)},
        blobs=[BlobRow(1, 256, 1.0, b"x"), BlobRow(2, 512, 1.0, b"y")],
        outbox={("far", id, "buy", 1): OutboxRow("far", id, "buy", 1, 1.0, 1.0, b"m") for id in (256, 512)},
        inbox=[InboxRow("far", 256, "buy", 1, 1.0)],
        keys={**claim("a", 256, 3.0)},
    )
    store.commit(everything)
    assert store.commit(batch(removed=[256])) == Committed()
    assert list(store.load([256, 512])) == [512]
    assert store.history(256) == []
    assert store.active() == [512]
    assert [row.instance for row in store.variables([256, 512])] == [512]
    assert [row.instance for row in store.due(9.0)] == [512]
    assert list(store.blobs([1, 2])) == [2]
    assert [row.instance for row in store.outbox(9.0)] == [512]
    assert len(store.keys([("buy", "a")])) == 1


# Rooms.


def add_note(text: str):
    def write(transaction: Transaction) -> None:
        transaction.execute("create table if not exists note (text text primary key)")
        transaction.execute("insert into note (text) values (?)", (text,))

    return write


def notes(store: Store) -> list[object]:
    return [row[0] for row in store.ask(lambda t: t.execute("select text from note order by text"))]


def test_rows_of_rooms_are_written_with_the_batch_or_not_at_all(store: Store) -> None:
    assert store.commit(batch(facts=[facts(256, 1)], rooms=[add_note("a")])) == Committed()
    assert isinstance(store.commit(batch(facts=[facts(256, 1)], rooms=[add_note("b")])), Refused)
    assert notes(store) == ["a"]


def test_a_room_whose_row_is_refused_refuses_the_batch(store: Store) -> None:
    store.commit(batch(rooms=[add_note("a")]))
    refused = store.commit(batch(facts=[facts(256, 1)], rooms=[add_note("b"), add_note("a")]))
    assert isinstance(refused, Refused)
    assert refused.reason == "rows"
    assert store.history(256) == []
    assert notes(store) == ["a"]


def test_a_room_with_a_mistake_leaves_nothing_behind(store: Store) -> None:
    def mistaken(transaction: Transaction) -> None:
        raise ZeroDivisionError

    store.commit(batch(rooms=[add_note("a")]))
    with pytest.raises(ZeroDivisionError):
        store.commit(batch(facts=[facts(256, 1)], rooms=[add_note("b"), mistaken]))
    assert store.history(256) == []
    assert notes(store) == ["a"]
    assert store.commit(started(instance(256))) == Committed()


def test_a_schedule_is_kept_until_it_is_dropped(store: Store) -> None:
    nightly = ScheduleRow("nightly", "buy", None, 1.0, "ann", b"0 3 * * *")
    store.commit(batch(schedules={"nightly": nightly}))
    assert store.schedules() == [nightly]
    store.commit(batch(schedules={"nightly": None}))
    assert store.schedules() == []
