"""What everyone may ask of a store in memory."""

from collections.abc import Callable, Iterable
from typing import TypeVar, cast

from weft.store.batch import KeyName, Transaction
from weft.store.interface import EVERY, Count, Ended, Filter, Loaded
from weft.store.memory_database import MemoryDatabase
from weft.store.rows import (
    AnswerRow,
    BlobRow,
    DefinitionRow,
    FactRow,
    InstanceRow,
    KeyRow,
    NodeRow,
    ScheduleRow,
    SignalRow,
    SnapshotRow,
    TimerRow,
    VariableRow,
    WorkRow,
)
from weft.store.sqlite.transaction import SqliteTransaction
from weft.store.tables import (
    ANSWER,
    BLOB,
    DEFINITION,
    INSTANCE,
    KEY,
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
