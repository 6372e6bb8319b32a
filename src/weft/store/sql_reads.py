"""What everyone may ask of a store in SQL, the same in both dialects."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Final, TypeVar

from weft.store import sql_filter
from weft.store.batch import KeyName, Record, Transaction, Value
from weft.store.codec import Codec
from weft.store.interface import EVERY, Count, Ended, Filter, Loaded
from weft.store.rows import (
    AnswerRow,
    BlobRow,
    DefinitionRow,
    FactRow,
    InstanceRow,
    KeyRow,
    NodeRow,
    Row,
    ScheduleRow,
    SignalRow,
    SnapshotRow,
    TimerRow,
    VariableRow,
    WorkRow,
)
from weft.store.sql_writes import columns, keys, pieces
from weft.store.tables import (
    ANSWER,
    BLOB,
    DEFINITION,
    FACT,
    KEY,
    SCHEDULE,
    SIGNAL,
    SNAPSHOT,
    TABLES,
    TIMER,
    VARIABLE,
    WORK,
    Table,
)

T = TypeVar("T")
R = TypeVar("R", bound=Row)

FLAWS_MAX: Final = 100
ORPHANS: Final = (
    "select distinct instance from {table} where instance <> 0 "
    "and not exists (select 1 from instance i where i.id = {table}.instance) limit ?"
)


class SqlReads(ABC):
    """The questions; a dialect says how they are put to the database. Parameters stand as `?`."""

    _codec: Codec

    @abstractmethod
    def _query(self, statement: str, parameters: Sequence[Value] = ()) -> list[Record]: ...

    @abstractmethod
    def _among(self, column: str, ids: Sequence[int]) -> tuple[str, Value]:
        """A condition that a column has one of these values, and its one parameter."""
        ...

    @abstractmethod
    def _at_once(self) -> AbstractContextManager[None]:
        """All that is asked inside is answered from one state of the store."""
        ...

    @abstractmethod
    def ask(self, question: Callable[[Transaction], T]) -> T: ...

    def _rows(self, kind: type[R], table: Table, rest: str, parameters: Sequence[Value] = ()) -> list[R]:
        """Rows of a table; `rest` comes after its name."""
        found = self._query(f"select {', '.join(columns(table))} from {table.name} {rest}", parameters)
        if table.has_payload:
            decode = self._codec.decode
            return [kind(*one[:-2], decode(one[-2], one[-1])) for one in found]  # type: ignore[arg-type]
        return [kind(*one) for one in found]

    def _of(self, kind: type[R], table: Table, instances: Iterable[int], order: str) -> list[R]:
        ids = list(instances)
        if not ids:
            return []
        condition, value = self._among("instance", ids)
        return self._rows(kind, table, f"where {condition} order by {order}", (value,))

    # Instances.

    def load(self, instances: Iterable[int]) -> dict[int, Loaded]:
        ids = list(instances)
        if not ids:
            return {}
        condition, value = self._among("id", ids)
        with self._at_once():
            rows = self._instances(f"select {sql_filter.COLUMNS} from instance where {condition}", (value,))
            snapshots = {row.instance: row for row in self._of(SnapshotRow, SNAPSHOT, ids, "instance")}
            facts = self._facts_after_snapshots(ids)
        return {row.id: Loaded(row, snapshots.get(row.id), facts[row.id]) for row in rows}

    def _facts_after_snapshots(self, ids: list[int]) -> dict[int, list[FactRow]]:
        condition, value = self._among("instance", ids)
        newest = "coalesce((select s.sequence from snapshot s where s.instance = fact.instance), 0)"
        rest = f"where {condition} and sequence > {newest} order by instance, sequence"
        found: dict[int, list[FactRow]] = defaultdict(list)
        for row in self._rows(FactRow, FACT, rest, (value,)):
            found[row.instance].append(row)
        return found

    def _instances(self, statement: str, parameters: Sequence[Value]) -> list[InstanceRow]:
        found = self._query(statement, parameters)
        return [InstanceRow(*one[:5], bool(one[5]), *one[6:]) for one in found]  # type: ignore[call-arg,arg-type]

    def instances(self, which: Filter = EVERY, before: int | None = None, at_most: int = 100) -> list[InstanceRow]:
        return self._instances(*sql_filter.page(which, before, at_most))

    def count(self, which: Filter = EVERY) -> int:
        return self._query(*sql_filter.number(which))[0][0]  # type: ignore[return-value]

    def counts(self) -> list[Count]:
        name = "process, version, state"
        found = self._query(f"select {name}, count(*) from instance group by {name} order by {name}")
        return [Count(*one) for one in found]  # type: ignore[arg-type]

    def ended(self, which: Ended, after: tuple[float, int] = (0.0, 0), at_most: int = 100) -> list[InstanceRow]:
        return self._instances(*sql_filter.ended(which, after, at_most))

    def flaws(self) -> list[str]:
        found: list[str] = []
        for table in (table for table in TABLES if table.of_instance):
            rows = self._query(ORPHANS.format(table=table.name), (FLAWS_MAX,))
            found += [f"table {table.name} has rows of instance {one[0]!r}, which is not there" for one in rows]
        return found

    def history(self, instance: int, after: int = 0, at_most: int = 1000) -> list[FactRow]:
        rest = "where instance = ? and sequence > ? order by sequence limit ?"
        return self._rows(FactRow, FACT, rest, (instance, after, at_most))

    def variables(self, instances: Iterable[int]) -> list[VariableRow]:
        return self._of(VariableRow, VARIABLE, instances, "instance, name")

    def timers(self, instances: Iterable[int]) -> list[TimerRow]:
        return self._of(TimerRow, TIMER, instances, "instance, name")

    def work(self, instances: Iterable[int]) -> list[WorkRow]:
        return self._of(WorkRow, WORK, instances, "instance, path, round, attempt")

    def blobs(self, ids: Iterable[int]) -> dict[int, BlobRow]:
        wanted = list(ids)
        if not wanted:
            return {}
        condition, value = self._among("id", wanted)
        return {row.id: row for row in self._rows(BlobRow, BLOB, f"where {condition} order by id", (value,))}

    # Processes.

    def definition(self, process: str, version: str) -> DefinitionRow | None:
        return one(self._rows(DefinitionRow, DEFINITION, "where process = ? and version = ?", (process, version)))

    def definition_of(self, hash: str) -> DefinitionRow | None:
        rest = "where hash = ? order by time, process, number limit 1"
        return one(self._rows(DefinitionRow, DEFINITION, rest, (hash,)))

    def definitions(self, process: str = "", at_most: int = 1000) -> list[DefinitionRow]:
        rest, values = ("where process = ? ", [process]) if process else ("", [])
        rest += "order by process, number desc limit ?"
        return self._rows(DefinitionRow, DEFINITION, rest, (*values, at_most))

    def schedules(self) -> list[ScheduleRow]:
        return self._rows(ScheduleRow, SCHEDULE, "order by name")

    # Keys, signals, commands.

    def keys(self, names: Iterable[KeyName]) -> dict[KeyName, KeyRow]:
        found: list[KeyRow] = []
        for condition, values in in_pieces(names):
            found += self._rows(KeyRow, KEY, f"where {condition}", values)
        return {(row.process, row.key): row for row in found}

    def signals(self, instances: Iterable[int] = (), keys: Iterable[KeyName] = ()) -> list[SignalRow]:
        found: list[SignalRow] = []
        ids = list(instances)
        if ids:
            condition, value = self._among("instance", ids)
            found += self._rows(SignalRow, SIGNAL, f"where instance <> 0 and {condition}", (value,))
        for condition, values in in_pieces(keys):
            found += self._rows(SignalRow, SIGNAL, f"where instance = 0 and {condition}", values)
        return sorted(found, key=lambda row: row.id)

    def answer(self, command: int) -> AnswerRow | None:
        return one(self._rows(AnswerRow, ANSWER, "where id = ?", (command,)))

    def nodes(self) -> list[NodeRow]:
        found = self._query(f"select {', '.join(NodeRow.__struct_fields__)} from node order by name")
        return [NodeRow(*one) for one in found]  # type: ignore[arg-type]


def in_pieces(names: Iterable[KeyName]) -> Iterator[tuple[str, list[Value]]]:
    """Conditions for some keys at a time, with their parameters."""
    wanted = list(dict.fromkeys(names))
    start = 0
    for size in pieces(len(wanted)):
        some = wanted[start : start + size]
        start += size
        yield f"(process, key) in ({keys(size, 2)})", [value for name in some for value in name]


def one(rows: list[R]) -> R | None:
    return rows[0] if rows else None
