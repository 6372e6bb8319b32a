"""Looks whether a store holds what it should: whole logs, unchanged definitions, snapshots as the facts say."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from msgspec import Struct

from weft.store.interface import Reads
from weft.store.problems import Damaged
from weft.store.rows import DefinitionRow, FactRow, InstanceRow, SnapshotRow

PAGE: Final = 500


class Finding(Struct, frozen=True):
    """Something that is wrong; `instance` is 0 where it concerns none."""

    what: str
    instance: int = 0

    def __str__(self) -> str:
        return f"instance {self.instance}: {self.what}" if self.instance else self.what


class Meaning(Struct, frozen=True):
    """What the store can't know itself, given by who knows what facts mean."""

    hash_of: Callable[[DefinitionRow], str]
    """The hash of a definition's content."""
    replayed: Callable[[InstanceRow, SnapshotRow | None, Iterator[FactRow]], Iterable[str]]
    """What is wrong with an instance, read from its snapshot and all its facts, which are given in order."""


def check(reads: Reads, meaning: Meaning, seen: Callable[[int], object] = lambda number: None) -> Iterator[Finding]:
    """All that is wrong, while an engine may go on writing. Instances are read one by one, their facts in pages.

    `seen` is told how many more instances were looked at.
    """
    yield from (Finding(flaw) for flaw in reads.flaws())
    hashes: set[str] = set()
    for row in reads.definitions(at_most=1 << 31):
        hashes.add(row.hash)
        yield from (Finding(f"definition {row.process} {row.version}: {what}") for what in _changed(row, meaning))
    before: int | None = None
    while page := reads.instances(before=before, at_most=PAGE):
        before = page[-1].id
        for instance in page:
            yield from _instance(reads, instance.id, hashes, meaning)
            seen(1)


def _changed(row: DefinitionRow, meaning: Meaning) -> Iterator[str]:
    try:
        found = meaning.hash_of(row)
    except Damaged as damage:
        yield str(damage)
    else:
        if found != row.hash:
            yield f"it was deployed with hash {row.hash}, and now has {found}"


def _instance(reads: Reads, id: int, hashes: set[str], meaning: Meaning) -> Iterator[Finding]:
    try:
        found = [Finding(what, id) for what in _wrong(reads, id, hashes, meaning)]
    except Damaged as damage:
        found = [Finding(str(damage), id)]
    if found and _exists(reads, id):  # it may have been removed meanwhile
        yield from found


def _exists(reads: Reads, id: int) -> bool:
    return [row.id for row in reads.instances(before=id + 1, at_most=1)] == [id]


def _wrong(reads: Reads, id: int, hashes: set[str], meaning: Meaning) -> Iterator[str]:
    """The snapshot is read first: facts that are written meanwhile come after it."""
    loaded = reads.load([id]).get(id)
    if loaded is None:
        return
    if loaded.instance.hash not in hashes:
        yield f"its definition, with hash {loaded.instance.hash}, is not there"
    gaps: list[str] = []
    facts = _followed(_history(reads, id), loaded.snapshot, gaps)
    yield from meaning.replayed(loaded.instance, loaded.snapshot, facts)
    for _ in facts:
        """What the replay left is looked at too."""
    yield from gaps


def _history(reads: Reads, id: int) -> Iterator[FactRow]:
    after = 0
    while page := reads.history(id, after, PAGE):
        yield from page
        after = page[-1].sequence


def _followed(rows: Iterator[FactRow], snapshot: SnapshotRow | None, gaps: list[str]) -> Iterator[FactRow]:
    """The same rows; what is missing between them is noted."""
    expected = 1
    for row in rows:
        if row.sequence != expected:
            gaps.append(f"its facts from {expected} to {row.sequence - 1} are missing")
        expected = row.sequence + row.count
        yield row
    if expected == 1:
        gaps.append("it has no facts")
    if snapshot is not None and snapshot.sequence >= expected:
        gaps.append(f"its snapshot is of fact {snapshot.sequence}, but its last fact is {expected - 1}")
