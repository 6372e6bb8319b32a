"""Random operations, done to a store in memory and to each other kind of store: both must give the same answers."""

from collections.abc import Callable
from contextlib import ExitStack
from itertools import count, product

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from tests.store.places import MemoryPlace, Place, PostgresPlace, SqlitePlace
from tests.store.samples import definition, instance
from weft.store.batch import Batch
from weft.store.interface import Ended, Filter, Store
from weft.store.rows import (
    AnswerRow,
    BlobRow,
    CommandRow,
    FactRow,
    InboxRow,
    KeyRow,
    OutboxRow,
    Row,
    ScheduleRow,
    SignalRow,
    SnapshotRow,
    TimerRow,
    VariableRow,
    WorkRow,
)
from weft.store.tables import TABLES, Table

IDS = (1, 2, 256, 1 << 62)
KEYS = tuple(product(("buy", "sell"), ("a", "ü")))
ids = st.sampled_from(IDS)
few = st.integers(1, 4)
times = st.integers(0, 6).map(lambda number: number / 2)
texts = st.sampled_from(("", "a", "b", "ü 'x' %s"))
payloads = st.sampled_from((b"", b"{}", b"\x00\xff", b"again" * 2000))
states = st.sampled_from(("running", "waiting", "ended"))


@st.composite
def instances(draw: st.DrawFn) -> Row:
    id = draw(ids)
    return instance(
        id,
        process="buy" if id % 2 else "sell",
        key="a" if id > 2 else "",
        version=draw(texts),
        state=draw(states),
        is_active=draw(st.booleans()),
        changed=draw(times),
        ended=draw(maybe),
        error=draw(texts),
        priority=draw(times),
    )


names = st.sampled_from(KEYS)
maybe = st.none() | times


def key_row(name: tuple[str, str], instance: int, until: float | None) -> KeyRow:
    return KeyRow(*name, instance, until if instance else None)


def signal_row(number: int, to: int, name: tuple[str, str], text: str, payload: bytes) -> SignalRow:
    return SignalRow(number, to, *name, text, 1.0, text, payload)


def definition_row(number: int, process: str, content: str) -> Row:
    return definition(process, str(number), number, hash=content)


ROWS: dict[str, st.SearchStrategy[Row]] = {
    "facts": st.builds(FactRow, ids, st.integers(1, 40), few, times, texts, texts, few, payloads),
    "instances": instances(),
    "variables": st.builds(VariableRow, ids, texts, st.sampled_from(('"Rome"', "1"))),
    "snapshots": st.builds(SnapshotRow, ids, few, times, few, payloads),
    "timers": st.builds(TimerRow, ids, texts, times),
    "work": st.builds(
        WorkRow, ids, texts, few, few, texts, texts, times, texts, times, texts, maybe, few, texts, payloads
    ),
    "keys": st.builds(key_row, names, st.sampled_from((0, *IDS)), maybe),
    "signals": st.builds(signal_row, few, st.sampled_from((0, *IDS)), names, texts, payloads),
    "answers": st.builds(AnswerRow, few, times, payloads),
    "outbox": st.builds(OutboxRow, texts, ids, texts, few, times, times, payloads),
    "inbox": st.builds(InboxRow, texts, ids, texts, st.integers(1, 40), times),
    "schedules": st.builds(ScheduleRow, texts, texts, maybe, times, texts, payloads),
    "definitions": st.builds(definition_row, st.integers(1, 40), st.sampled_from(("buy", "sell")), texts),
    "blobs": st.builds(BlobRow, st.integers(1, 40), ids, times, payloads),
}
ALWAYS = ("instances", "keys", "answers")
"""Dicts in which a row can't be None."""


def key_of(table: Table, row: Row) -> object:
    values = tuple(getattr(row, name) for name in table.key)
    return values if len(values) > 1 else values[0]


@st.composite
def changes(draw: st.DrawFn) -> dict[str, object]:
    """The fields of a batch, but for its number."""
    fields: dict[str, object] = {}
    for table in draw(st.lists(st.sampled_from(TABLES), min_size=1, max_size=5, unique=True)):
        rows = draw(st.lists(ROWS[table.field], min_size=1, max_size=9))
        if table.is_list:
            fields[table.field] = rows
            continue
        kept = st.just(True) if table.field in ALWAYS else st.sampled_from((True, True, False))
        fields[table.field] = {key_of(table, row): row if draw(kept) else None for row in rows}
    return fields


filters = st.builds(
    Filter,
    process=st.sampled_from(("", "buy", "none")),
    version=texts,
    states=st.sampled_from(((), ("running",), ("ended", "waiting"))),
    is_active=st.sampled_from((None, True, False)),
    key=st.sampled_from(("", "a", "b")),
    started_from=maybe,
    ended_before=maybe,
    variables=st.sampled_from(((), (("a", "1"),), (("a", "1"), ("b", '"Rome"')))),
)

READS = {
    "load": lambda store: store.load(IDS),
    "instances": lambda store: store.instances(),
    "ended": lambda store: store.ended(Ended(3.0, ("ended", "waiting")), after=(0.5, 1), at_most=2),
    "counts": lambda store: store.counts(),
    "history": lambda store: [store.history(id) for id in IDS],
    "variables": lambda store: store.variables(IDS),
    "timers": lambda store: store.timers(IDS),
    "work": lambda store: store.work(IDS),
    "blobs": lambda store: store.blobs(range(41)),
    "definitions": lambda store: store.definitions(),
    "definition": lambda store: store.definition("buy", "3"),
    "definition_of": lambda store: store.definition_of("a"),
    "latest": lambda store: store.definitions("sell", 1),
    "schedules": lambda store: store.schedules(),
    "keys": lambda store: store.keys(KEYS),
    "signals": lambda store: store.signals(IDS[:2], KEYS[:2]),
    "answers": lambda store: [store.answer(id) for id in range(1, 5)],
    "nodes": lambda store: [(row.name, row.epoch, row.batch) for row in store.nodes()],
}
OF_ENGINES = {
    "batch": lambda store: store.batch,
    "active": lambda store: store.active(),
    "due": lambda store: store.due(2.0),
    "next_due": lambda store: store.next_due(),
    "commands": lambda store: store.commands(),
    "outbox": lambda store: store.outbox(2.0),
}


class Agreement(RuleBasedStateMachine):
    """Subclasses say where the other store is."""

    place: Callable[[ExitStack], Place]

    def __init__(self) -> None:
        super().__init__()
        self.resources = ExitStack()
        places = (MemoryPlace(self.resources), type(self).place(self.resources))
        self.stores: list[Store] = [place.store() for place in places]
        self.visitors = [place.visitor() for place in places]
        self.numbers = count(1)

    def teardown(self) -> None:
        for one in (*self.stores, *self.visitors):
            one.close()
        self.resources.close()

    @rule(fields=changes())
    def commit(self, fields: dict[str, object]) -> None:
        self.same_outcome(fields)

    @rule(removed=st.lists(ids, min_size=1, max_size=3))
    def remove(self, removed: list[int]) -> None:
        self.same_outcome({"removed": removed})

    @rule(before=times)
    def sweep(self, before: float) -> None:
        self.same_outcome({"sweep_before": before})

    def same_outcome(self, fields: dict[str, object]) -> None:
        number = next(self.numbers)
        ours, theirs = (store.commit(Batch(number, **fields)) for store in self.stores)  # type: ignore[arg-type]
        assert type(ours) is type(theirs), (ours, theirs)
        for name in ("reason", "taken", "instances"):
            assert getattr(ours, name, None) == getattr(theirs, name, None)

    @rule(to=ids, payload=payloads)
    def send(self, to: int, payload: bytes) -> None:
        sent = {visitor.send(CommandRow(0, to, "Signal", 1.0, "ann", payload)) for visitor in self.visitors}
        assert len(sent) == 1

    @rule()
    def reopen(self) -> None:
        assert len({store.reopen() for store in self.stores}) == 1

    @rule(which=filters, before=st.none() | ids, at_most=few)
    def list(self, which: Filter, before: int | None, at_most: int) -> None:
        ours, theirs = (visitor.instances(which, before, at_most) for visitor in self.visitors)
        assert ours == theirs
        assert self.stores[0].count(which) == self.stores[1].count(which)

    @invariant()
    def same_answers(self) -> None:
        for name, read in {**READS, **OF_ENGINES}.items():
            ours, theirs = map(read, self.stores)
            assert ours == theirs, name
        for name, read in READS.items():
            ours, theirs = map(read, self.visitors)
            assert ours == theirs, name


def agree(place: Callable[[ExitStack], Place], examples: int, steps: int) -> None:
    machine = type("AgreementHere", (Agreement,), {"place": staticmethod(place)})
    run_state_machine_as_test(
        machine, settings=settings(max_examples=examples, stateful_step_count=steps, deadline=None)
    )


def test_a_file_agrees_with_the_store_in_memory() -> None:
    agree(SqlitePlace, examples=60, steps=15)


def test_postgres_agrees_with_the_store_in_memory(postgres_url: str) -> None:
    schemas = count()
    agree(lambda resources: PostgresPlace(f"{postgres_url}_{next(schemas)}"), examples=6, steps=30)
