"""A store in memory: for `weft.run`, for tests, and the measure against which the others are compared."""

from collections.abc import Callable, Collection

from msgspec.structs import astuple, replace

from weft.store.batch import Batch, Committed, Outcome, Refused
from weft.store.memory_database import MemoryDatabase, key_of
from weft.store.memory_reads import MemoryReads
from weft.store.problems import TakenOver
from weft.store.rows import (
    SLOTS,
    CommandRow,
    NodeRow,
    OutboxRow,
    TimerRow,
    WorkRow,
    slot_of,
)
from weft.store.sharing import trespass
from weft.store.tables import (
    OUTBOX,
    WORK,
)


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
            outcome = trespass(batch, self.slots, self.node) or self._database.apply(batch)
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

    def lapsed_work(self, at_most: int = 1000) -> list[WorkRow]:
        with self._lock:
            now, rows = self._database.clock(), self._rows(WORK, WorkRow)
            ended = [row for row in rows.values() if row.state in ("claimed", "lapsed") and (row.until or now) < now]
            mine = sorted((row for row in ended if self._owns(row.instance)), key=lambda row: row.until or 0.0)
            found = sorted((replace(row, state="lapsed") for row in mine[:at_most]), key=astuple)
            rows.update({key_of(WORK, row): row for row in found})
            return found

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
