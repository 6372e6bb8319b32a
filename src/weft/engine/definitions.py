"""The definitions that a node has read or deployed, compiled once each."""

from collections.abc import Iterable, Iterator
from typing import Final

from weft.kernel.plan import Plan, plan_of
from weft.model.definition import Activity, Process, Task, parts
from weft.model.json_form import content_hash, from_json
from weft.store.interface import Reads
from weft.store.problems import Damaged
from weft.store.rows import DefinitionRow

HASHES_MAX: Final = 1_000


class Known:
    """A version of a process as it was deployed. Versions of the same content share its plan."""

    def __init__(self, row: DefinitionRow, process: Process, plan: Plan) -> None:
        self.row = row
        self.process = process
        self.plan = plan
        self.has_checkpoints = any(one.checkpoint for one in tasks_of(process))

    @property
    def hash(self) -> str:
        return self.row.hash


def tasks_of(process: Process) -> Iterator[Task]:
    rest: list[Activity] = [process.body]
    while rest:
        activity = rest.pop()
        rest += parts(activity)
        if isinstance(activity, Task):
            yield activity


class Definitions:
    """By hash, by version, and the newest of each process as last seen."""

    def __init__(self, fresh_seconds: float) -> None:
        self._fresh_seconds = fresh_seconds
        self._by_hash: dict[str, Known] = {}
        self._by_version: dict[tuple[str, str], Known] = {}
        self._newest: dict[str, tuple[Known, float]] = {}
        self._hashes: dict[int, tuple[Process, str]] = {}

    def hash_of(self, process: Process) -> str:
        """The content hash; a process object is hashed once."""
        found = self._hashes.get(id(process))
        if found is None:
            if len(self._hashes) >= HASHES_MAX:
                self._hashes.clear()
            found = self._hashes[id(process)] = process, content_hash(process)
        return found[1]

    def get(self, hash: str) -> Known | None:
        """The first version with this content."""
        return self._by_hash.get(hash)

    def of(self, name: str, version: str = "") -> Known | None:
        """That version, or the newest; None when it isn't known here, which says nothing about the store."""
        if version:
            return self._by_version.get((name, version))
        newest = self._newest.get(name)
        return newest[0] if newest else None

    def is_fresh(self, name: str, version: str, now: float) -> bool:
        """Is what `of` says as good as asking the store? A version never changes; what is newest may."""
        if version:
            return (name, version) in self._by_version
        newest = self._newest.get(name)
        return newest is not None and now - newest[1] < self._fresh_seconds

    def add(self, row: DefinitionRow, now: float, process: Process | None = None, is_newest: bool = False) -> Known:
        known = self._by_version.get((row.process, row.version))
        if known is None:
            same = self._by_hash.get(row.hash)
            if same is not None:
                known = Known(row, same.process, same.plan)
            else:
                process = process or _read(row)
                known = self._by_hash[row.hash] = Known(row, process, plan_of(process))
            self._by_version[row.process, row.version] = known
        if is_newest:
            self._newest[row.process] = known, now
        return known

    def forget(self, known: Known) -> None:
        """A deployment that was not committed."""
        row = known.row
        if self._by_hash.get(row.hash) is known:
            del self._by_hash[row.hash]
        self._by_version.pop((row.process, row.version), None)
        self._newest.pop(row.process, None)

    def forget_newest(self) -> None:
        self._newest.clear()

    # Reading what is lacking.

    def read_hashes(self, reads: Reads, hashes: Iterable[str], now: float) -> None:
        for hash in hashes:
            if hash not in self._by_hash:
                row = reads.definition_of(hash)
                if row is not None:
                    self.add(row, now)

    def read_named(self, reads: Reads, names: Iterable[tuple[str, str]], now: float) -> None:
        for name, version in names:
            if not self.is_fresh(name, version, now):
                found = [reads.definition(name, version)] if version else reads.definitions(name, 1)
                for row in found:
                    if row is not None:
                        self.add(row, now, is_newest=not version)

    def next_number(self, name: str) -> int:
        """The number of the version after the newest, which must be fresh."""
        newest = self.of(name)
        return 1 if newest is None else newest.row.number + 1


def _read(row: DefinitionRow) -> Process:
    process = from_json(row.payload)
    if content_hash(process) != row.hash:
        raise Damaged(
            f"the definition of {row.process} {row.version} does not have the content that its hash {row.hash} tells"
        )
    return process
