"""Work that workers take from a database in memory, for simulation, as workers elsewhere do from PostgreSQL."""

import json
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from msgspec.structs import replace

from weft.store.interface import Demand
from weft.store.memory import MemoryVisitor
from weft.store.memory_database import MemoryDatabase, key_of
from weft.store.rows import CommandRow, WorkRow
from weft.store.tables import WORK


class MemoryWorkQueue(MemoryVisitor):
    """Work and its claims, beside all that a visitor may ask."""

    def claim(self, worker: str, demand: Demand, at_most: int, lease_seconds: float) -> list[WorkRow]:
        with self._lock:
            offered = [row for row in all_work(self._database) if row.state == "offered" and fits(row, demand)]
            offered.sort(key=lambda row: (-row.priority, row.since, row.instance))
            queues = [[row for row in offered if row.queue == queue] for queue in demand.queues]
            in_turns = [row for turn in zip_longest(*queues) for row in turn if row is not None][:at_most]
            until = self._database.clock() + lease_seconds
            taken = [replace(row, state="claimed", worker=worker, until=until, claim=row.claim + 1) for row in in_turns]
            self._keep(taken)
        return sorted(taken, key=lambda row: (-row.priority, row.since, demand.queues.index(row.queue)))

    def extend(self, claimed: Iterable[WorkRow], lease_seconds: float) -> list[WorkRow]:
        with self._lock:
            until = self._database.clock() + lease_seconds
            extended = [replace(now, until=until, payload=row.payload) for row, now in self._counting(claimed)]
            self._keep(extended)
        return sorted(extended, key=lambda row: (row.instance, row.path, row.round, row.attempt))

    def release(self, claimed: Iterable[WorkRow]) -> int:
        with self._lock:
            released = [replace(now, state="offered", worker="", until=None) for _, now in self._counting(claimed)]
            self._keep(released)
        return len(released)

    def hand_in(self, results: Sequence[tuple[WorkRow, CommandRow]]) -> list[int | None]:
        with self._lock:
            ids: list[int | None] = []
            for row, command in results:
                counting = [now for _, now in self._counting([row])]
                self._keep([replace(now, state="handed in", until=None) for now in counting])
                ids.append(self.send(command) if counting else None)
        return ids

    def _counting(self, claimed: Iterable[WorkRow]) -> list[tuple[WorkRow, WorkRow]]:
        """The claims that still count, as they were and as they are now."""
        there = {key_of(WORK, row): row for row in all_work(self._database)}
        pairs = [(row, there.get(key_of(WORK, row))) for row in claimed]
        return [(row, now) for row, now in pairs if now and now.state == "claimed" and now.claim == row.claim]

    def _keep(self, rows: Iterable[WorkRow]) -> None:
        for row in rows:
            self._database.tables[WORK.name][key_of(WORK, row)] = row


def fits(row: WorkRow, demand: Demand) -> bool:
    needs = json.loads(row.needs) if row.needs else {}
    return row.task in (demand.tasks or (row.task,)) and needs.items() <= demand.has.items()


def all_work(database: MemoryDatabase) -> list[WorkRow]:
    return [row for row in database.tables[WORK.name].values() if isinstance(row, WorkRow)]
