"""A store in memory: for `weft.run`, for tests, and the measure against which the others are compared."""

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar, cast

from msgspec.structs import replace

from weft.store.batch import Batch, Committed, KeyName, Outcome, Refused, Transaction
from weft.store.interface import EVERY, Count, Ended, Filter, Loaded
from weft.store.memory_database import MemoryDatabase
from weft.store.problems import TakenOver
from weft.store.rows import (
    SLOTS,
    AnswerRow,
    BlobRow,
    CommandRow,
    DefinitionRow,
    FactRow,
    InstanceRow,
    KeyRow,
    NodeRow,
    OutboxRow,
    ScheduleRow,
    SignalRow,
    SnapshotRow,
    TimerRow,
    VariableRow,
    WorkRow,
    slot_of,
)
from weft.store.sqlite.transaction import SqliteTransaction
from weft.store.tables import (
    ANSWER,
    BLOB,
    DEFINITION,
    INSTANCE,
    KEY,
    OUTBOX,
    SCHEDULE,
    SIGNAL,
    SNAPSHOT,
    TIMER,
    VARIABLE,
    WORK,
    Table,
)

T = TypeVar("T")
R = TypeVar("R")


class MemoryReads:
    """What everyone may ask of a database in memory."""

    def __init__(self, database: MemoryDatabase) -> None:
        self._database = database
        self._lock = database.lock

    def _rows(self, table: Table, kind: type[R]) -> dict[object, R]:
        return cast("dict[object, R]", self._database.tables[table.name])

    def _of(self, table: Table, kind: type[R], instances: Iterable[int]) -> list[R]:
        wanted = set(instances)
        with self._lock:
            found = [row for row in self._rows(table, kind).items() if getattr(row[1], "instance", 0) in wanted]
        return [row for _, row in sorted(found, key=lambda one: one[0])]  # type: ignore[arg-type,return-value]

    def load(self, instances: Iterable[int]) -> dict[int, Loaded]:
        found: dict[int, Loaded] = {}
        with self._lock:
            rows, snapshots = self._rows(INSTANCE, InstanceRow), self._rows(SNAPSHOT, SnapshotRow)
            for instance in instances:
                if instance in rows:
                    snapshot = snapshots.get(instance)
                    after = snapshot.sequence if snapshot else 0
                    found[instance] = Loaded(rows[instance], snapshot, self._facts(instance, after))
        return found

    def _facts(self, instance: int, after: int) -> list[FactRow]:
        facts = self._database.facts.get(instance, {})
        return [facts[sequence] for sequence in sorted(facts) if sequence > after]

    def instances(self, which: Filter = EVERY, before: int | None = None, at_most: int = 100) -> list[InstanceRow]:
        with self._lock:
            rows = self._matching(which)
        rows = [row for row in rows if before is None or row.id < before]
        return sorted(rows, key=lambda row: -row.id)[:at_most]

    def _matching(self, which: Filter) -> list[InstanceRow]:
        variables = self._rows(VARIABLE, VariableRow)

        def has(instance: int, name: str, value: str) -> bool:
            found = variables.get((instance, name))
            return found is not None and found.value == value

        return [
            row
            for row in self._rows(INSTANCE, InstanceRow).values()
            if matches(which, row) and all(has(row.id, name, value) for name, value in which.variables)
        ]

    def count(self, which: Filter = EVERY) -> int:
        with self._lock:
            return len(self._matching(which))

    def counts(self) -> list[Count]:
        found: dict[tuple[str, str, str], int] = {}
        with self._lock:
            for row in self._rows(INSTANCE, InstanceRow).values():
                name = (row.process, row.version, row.state)
                found[name] = found.get(name, 0) + 1
        return [Count(*name, number) for name, number in sorted(found.items())]

    def ended(self, which: Ended, after: tuple[float, int] = (0.0, 0), at_most: int = 100) -> list[InstanceRow]:
        with self._lock:
            rows = self._matching(Filter(states=which.states, is_active=False, ended_before=which.before))
        found = [(row.ended, row.id, row) for row in rows if row.ended is not None and (row.ended, row.id) > after]
        return [row for _, _, row in sorted(found)[:at_most]]

    def flaws(self) -> list[str]:
        return []

    def history(self, instance: int, after: int = 0, at_most: int = 1000) -> list[FactRow]:
        with self._lock:
            return self._facts(instance, after)[:at_most]

    def variables(self, instances: Iterable[int]) -> list[VariableRow]:
        return self._of(VARIABLE, VariableRow, instances)

    def timers(self, instances: Iterable[int]) -> list[TimerRow]:
        return self._of(TIMER, TimerRow, instances)

    def work(self, instances: Iterable[int]) -> list[WorkRow]:
        return self._of(WORK, WorkRow, instances)

    def blobs(self, ids: Iterable[int]) -> dict[int, BlobRow]:
        with self._lock:
            rows = self._rows(BLOB, BlobRow)
            return {id: rows[id] for id in ids if id in rows}

    def definition(self, process: str, version: str) -> DefinitionRow | None:
        with self._lock:
            return self._rows(DEFINITION, DefinitionRow).get((process, version))

    def definition_of(self, hash: str) -> DefinitionRow | None:
        with self._lock:
            found = [row for row in self._rows(DEFINITION, DefinitionRow).values() if row.hash == hash]
        return min(found, key=lambda row: (row.time, row.process, row.number), default=None)

    def definitions(self, process: str = "", at_most: int = 1000) -> list[DefinitionRow]:
        with self._lock:
            found = [row for row in self._rows(DEFINITION, DefinitionRow).values() if process in ("", row.process)]
        return sorted(found, key=lambda row: (row.process, -row.number))[:at_most]

    def schedules(self) -> list[ScheduleRow]:
        with self._lock:
            return sorted(self._rows(SCHEDULE, ScheduleRow).values(), key=lambda row: row.name)

    def keys(self, names: Iterable[KeyName]) -> dict[KeyName, KeyRow]:
        with self._lock:
            rows = self._rows(KEY, KeyRow)
            return {name: rows[name] for name in names if name in rows}

    def signals(self, instances: Iterable[int] = (), keys: Iterable[KeyName] = ()) -> list[SignalRow]:
        ids, names = set(instances) - {0}, set(keys)
        with self._lock:
            rows = list(self._rows(SIGNAL, SignalRow).values())
        found = [row for row in rows if (row.instance in ids if row.instance else (row.process, row.key) in names)]
        return sorted(found, key=lambda row: row.id)

    def answer(self, command: int) -> AnswerRow | None:
        with self._lock:
            return self._rows(ANSWER, AnswerRow).get(command)

    def owners(self) -> dict[int, str]:
        with self._lock:
            return dict(enumerate(self._database.owners))

    def nodes(self) -> list[NodeRow]:
        with self._lock:
            return sorted(self._database.nodes.values(), key=lambda row: row.name)

    def ask(self, question: Callable[[Transaction], T]) -> T:
        with self._lock:
            return question(SqliteTransaction(self._database.side()))

    def close(self) -> None:
        """Others may still have the database."""


class MemoryStore(MemoryReads):
    """A node at a database in memory."""

    def __init__(self, database: MemoryDatabase | None = None, node: str = "main", lease_seconds: float = 10.0) -> None:
        super().__init__(MemoryDatabase() if database is None else database)
        self.node = node
        self.epoch = 0
        self._lease_seconds = lease_seconds
        self._database.enter(node)
        self.slots: frozenset[int] = frozenset()
        self.batch = self.reopen()

    def reopen(self) -> int:
        with self._lock:
            row = self._database.nodes.get(self.node, NodeRow(self.node, 0, 0))
            if self.epoch and row.epoch != self.epoch:
                raise TakenOver(f"node {self.node} was taken over; this one must stop")
            self.epoch, self.batch = row.epoch + 1, row.batch
            self._database.nodes[self.node] = replace(row, epoch=self.epoch, until=self._until(), wanted="")
            self.slots = self._database.slots_of(self.node)
            return row.batch

    def _until(self) -> float:
        return self._database.clock() + self._lease_seconds

    def renew(self) -> bool:
        with self._lock:
            row = self._database.nodes[self.node]
            if row.epoch == self.epoch:
                self._database.nodes[self.node] = replace(row, until=self._until())
            return row.epoch == self.epoch

    def close(self) -> None:
        """Leaves; another may take over at once. Others may still have the database."""
        with self._lock:
            row = self._database.nodes[self.node]
            if row.epoch == self.epoch:
                self._database.nodes[self.node] = replace(row, until=None)

    def commit(self, batch: Batch) -> Outcome:
        with self._lock:
            row = self._database.nodes[self.node]
            if row.epoch != self.epoch:
                return Refused("fenced", f"node {self.node} was taken over: it has epoch {row.epoch}, not {self.epoch}")
            outcome = self._database.apply(batch)
            if type(outcome) is Committed:
                self._database.nodes[self.node] = replace(row, batch=batch.number, until=self._until())
                self.batch = batch.number
            return outcome

    def active(self, after: int = 0, at_most: int = 1000) -> list[int]:
        with self._lock:
            active = self._database.active
            return sorted(instance for instance in active if instance > after and self._owns(instance))[:at_most]

    def _owns(self, instance: int) -> bool:
        return len(self.slots) == SLOTS or slot_of(instance) in self.slots

    def due(self, until: float, at_most: int = 1000) -> list[TimerRow]:
        with self._lock:
            found: list[TimerRow] = []
            seen: list[TimerRow] = []
            for row in self._database.earliest(until):
                seen.append(row)
                if self._owns(row.instance):
                    found.append(row)
                if len(found) >= at_most:
                    break
            self._database.keep(seen)
        return found

    def next_due(self) -> float | None:
        found = self.due(float("inf"), 1)
        return found[0].due if found else None

    def has_news(self) -> bool:
        asked = self._database.nodes[self.node].wanted
        return bool(self._database.commands or self._came() or asked)

    def commands(self, after: int = 0, at_most: int = 1000) -> list[CommandRow]:
        with self._lock:
            rows = self._database.commands.values()
            return [row for row in rows if row.id > after and self._owns(row.instance or row.id)][:at_most]

    def outbox(self, until: float, at_most: int = 1000) -> list[OutboxRow]:
        with self._lock:
            rows = self._rows(OUTBOX, OutboxRow).values()
            found = [row for row in rows if row.due <= until and self._owns(row.instance)]
        return sorted(found, key=lambda row: (row.due, row.receiver, row.instance, row.path, row.number))[:at_most]

    # Several nodes.

    def _came(self) -> frozenset[int]:
        return self._database.slots_of(self.node) - self.slots

    def gained(self) -> frozenset[int]:
        with self._lock:
            found = self._came()
            self.slots |= found
            return found

    def lapsed(self) -> list[str]:
        with self._lock:
            now, owning = self._database.clock(), set(self._database.owners)
            rows = [row for row in self._database.nodes.values() if row.name in owning - {self.node}]
            return sorted(row.name for row in rows if (row.until or 0.0) < now)

    def give(self, slots: Collection[int], node: str) -> Outcome:
        with self._lock:
            if not self.renew():
                return Refused("fenced", f"node {self.node} was taken over")
            other = self._database.nodes.get(node)
            if other is None or (other.until or 0.0) <= self._database.clock() or not self.slots.issuperset(slots):
                return Refused("rows", f"{node} does not live, or the slots were not all of {self.node}")
            self._database.hand(slots, node)
            self.slots -= frozenset(slots)
            return Committed()

    def take_over(self, node: str, is_forced: bool = False) -> frozenset[int]:
        with self._lock:
            if not (is_forced or node in self.lapsed()) or node not in self._database.nodes or not self.renew():
                return frozenset()
            row = self._database.nodes[node]
            self._database.nodes[node] = replace(row, epoch=row.epoch + 1, until=None)
            taken = self._database.slots_of(node)
            self._database.hand(taken, self.node)
            self.slots |= taken
            return taken

    def watch(self, wake: Callable[[], None]) -> None:
        with self._lock:
            self._database.watchers.append(wake)


class MemoryVisitor(MemoryReads):
    """Another party at a database in memory."""

    def send(self, command: CommandRow) -> int:
        with self._lock:
            self._database.sent += 1
            self._database.commands[self._database.sent] = replace(command, id=self._database.sent)
            self._database.tell()
            return self._database.sent

    def ask_to_leave(self, node: str) -> bool:
        with self._lock:
            row = self._database.nodes.get(node)
            if row is not None:
                self._database.nodes[node] = replace(row, wanted="leave")
                self._database.tell()
            return row is not None


def matches(which: Filter, row: InstanceRow) -> bool:
    """Whether the instance is one of these, as far as its own row tells."""
    return (
        which.process in ("", row.process)
        and which.version in ("", row.version)
        and (not which.states or row.state in which.states)
        and which.is_active in (None, row.is_active)
        and which.key in ("", row.key)
        and _within(row.started, which.started_from, which.started_before)
        and _within(row.ended, which.ended_from, which.ended_before)
    )


def _within(time: float | None, begin: float | None, end: float | None) -> bool:
    if begin is None and end is None:
        return True
    return time is not None and (begin is None or time >= begin) and (end is None or time < end)
