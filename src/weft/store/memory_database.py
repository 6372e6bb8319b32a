"""The tables of a store in memory, and how a batch changes them: everything is looked at first, then all is written."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from threading import RLock
from time import time

from weft.store.batch import SWEPT_MAX, Batch, Committed, KeyName, Outcome, Refused, Transaction
from weft.store.rows import SLOTS, CommandRow, FactRow, InstanceRow, KeyRow, NodeRow, Row, TimerRow
from weft.store.sqlite.transaction import SqliteTransaction
from weft.store.tables import ANSWER, FACT, INSTANCE, KEY, TABLES, TIMER, Table

Key = object
Rows = dict[Key, Row]


class MemoryDatabase:
    """What several nodes and visitors of one process share. It is gone when nobody has it any more.

    `clock` is the database's own, by which leases end.
    """

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self.lock = RLock()
        self.clock = clock
        self.owners = [""] * SLOTS
        self.watchers: list[Callable[[], None]] = []
        self.tables: dict[str, Rows] = {table.name: {} for table in TABLES}
        self.facts: dict[int, dict[int, FactRow]] = defaultdict(dict)
        self.nodes: dict[str, NodeRow] = {}
        self.commands: dict[int, CommandRow] = {}
        self.sent = 0
        self.active: set[int] = set()
        self.due: list[tuple[float, int, str]] = []
        """A heap of all timers; those that were cleared or moved are left out when they come to the top."""
        self._side: sqlite3.Connection | None = None

    def apply(self, batch: Batch) -> Outcome:
        """Writes all of it or nothing. The caller holds the lock and has looked at the fence."""
        refusal = self._refusal(batch)
        if refusal is not None:
            return refusal
        if batch.rooms:
            refusal = self._rooms(batch.rooms)
            if refusal is not None:
                return refusal
        for table in TABLES:
            self._write(table, getattr(batch, table.field))
        if batch.removed:
            self._remove(set(batch.removed))
        if batch.sweep_before is not None:
            self._sweep(batch.sweep_before)
        return Committed(self._holders(batch))

    # Nodes.

    def enter(self, node: str) -> None:
        """The slots of nobody are the one's who comes."""
        with self.lock:
            self.hand([slot for slot, owner in enumerate(self.owners) if not owner], node)

    def slots_of(self, node: str) -> frozenset[int]:
        return frozenset(slot for slot, owner in enumerate(self.owners) if owner == node)

    def hand(self, slots: Iterable[int], node: str) -> None:
        for slot in slots:
            self.owners[slot] = node
        self.tell()

    def tell(self) -> None:
        for wake in self.watchers:
            wake()

    # Looking.

    def _refusal(self, batch: Batch) -> Refused | None:
        taken = dict(self._contested(batch.keys))
        if taken:
            return Refused("keys", "the keys of some starts belong to other instances", taken)
        for table in TABLES:
            if table.is_list:
                seen: set[Key] = set()
                for row in getattr(batch, table.field):
                    key = key_of(table, row)
                    if key in seen or self._has(table, key):
                        return Refused("rows", f"{table.name} {key} is there already")
                    seen.add(key)
        return None

    def _contested(self, keys: dict[KeyName, KeyRow]) -> Iterator[tuple[KeyName, int]]:
        for name, row in keys.items():
            found = self.tables[KEY.name].get(name)
            if isinstance(found, KeyRow) and row.instance and found.instance not in (0, row.instance):
                yield name, found.instance

    def _has(self, table: Table, key: Key) -> bool:
        if table is FACT:
            assert isinstance(key, tuple)
            return key[0] in self.facts and key[1] in self.facts[key[0]]
        return key in self.tables[table.name]

    def _holders(self, batch: Batch) -> dict[KeyName, int]:
        rows = self.tables[KEY.name]
        asked = [name for name, row in batch.keys.items() if not row.instance]
        found = {name: row.instance for name in asked if isinstance(row := rows.get(name), KeyRow)}
        return {name: instance for name, instance in found.items() if instance}

    # Writing.

    def _write(self, table: Table, change: list[Row] | dict[Key, Row | None]) -> None:
        rows = self.tables[table.name]
        if isinstance(change, list):
            for row in change:
                if isinstance(row, FactRow):
                    self.facts[row.instance][row.sequence] = row
                else:
                    rows[key_of(table, row)] = row
            return
        for key, new in change.items():
            if new is None:
                rows.pop(key, None)
            elif isinstance(new, KeyRow):
                self._claim(key, new)
            else:
                rows[key] = new
                self._index(new)
            if table is ANSWER:
                assert isinstance(key, int)
                self.commands.pop(key, None)

    def _index(self, row: Row) -> None:
        if isinstance(row, TimerRow):
            heappush(self.due, (row.due, row.instance, row.name))
        elif isinstance(row, InstanceRow):
            (self.active.add if row.is_active else self.active.discard)(row.id)

    def _claim(self, name: Key, row: KeyRow) -> None:
        if row.instance or name not in self.tables[KEY.name]:
            self.tables[KEY.name][name] = row

    def _remove(self, instances: set[int]) -> None:
        for instance in instances:
            self.facts.pop(instance, None)
            self.tables[INSTANCE.name].pop(instance, None)
        self.active -= instances
        for table in TABLES:
            if table.of_instance:
                rows = self.tables[table.name]
                for key in [key for key, row in rows.items() if getattr(row, "instance", 0) in instances]:
                    del rows[key]

    def _sweep(self, before: float) -> None:
        for table, field in ((KEY, "until"), (ANSWER, "time")):
            rows = self.tables[table.name]
            times = {key: getattr(row, field) for key, row in rows.items()}
            old = sorted((time, key) for key, time in times.items() if time is not None and time < before)
            for _, key in old[:SWEPT_MAX]:
                del rows[key]

    def earliest(self, until: float) -> Iterator[TimerRow]:
        """Takes the timers due until then from the heap, in order; `keep` puts back what was given."""
        timers = self.tables[TIMER.name]
        given: set[tuple[int, str]] = set()
        while self.due and self.due[0][0] <= until:
            due, instance, name = heappop(self.due)
            row = timers.get((instance, name))
            if isinstance(row, TimerRow) and row.due == due and (instance, name) not in given:
                given.add((instance, name))
                yield row

    def keep(self, timers: list[TimerRow]) -> None:
        for row in timers:
            heappush(self.due, (row.due, row.instance, row.name))

    # Rooms, whose tables are SQL, have a SQLite database in memory beside these tables.

    def side(self) -> sqlite3.Connection:
        if self._side is None:
            self._side = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        return self._side

    def _rooms(self, rooms: list[Callable[[Transaction], None]]) -> Refused | None:
        side = self.side()
        side.execute("begin")
        try:
            for write in rooms:
                write(SqliteTransaction(side))
        except sqlite3.IntegrityError as error:
            side.execute("rollback")
            return Refused("rows", str(error))
        except BaseException:
            side.execute("rollback")
            raise
        side.execute("commit")
        return None


def key_of(table: Table, row: Row) -> Key:
    values = tuple(getattr(row, name) for name in table.key)
    return values if len(values) > 1 else values[0]
