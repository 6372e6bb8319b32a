"""Instances read from the store: the newest snapshot, the facts after it, and what lies beside them."""

import msgspec

from weft.engine.definitions import Definitions, Known
from weft.engine.live import Live
from weft.engine.records import blobs_of, facts_in
from weft.kernel import facts, snapshot
from weft.kernel.evolve import evolve
from weft.kernel.facts import AnyFact
from weft.kernel.snapshot import Unreadable
from weft.kernel.state import State
from weft.store.interface import Loaded, Reads
from weft.store.problems import Damaged
from weft.store.rows import FactRow, SnapshotRow

Decisions = list[tuple[FactRow, list[AnyFact]]]


def load(reads: Reads, definitions: Definitions, instances: list[int], now: float) -> dict[int, Live]:
    """Those that exist. They are asleep: what is to be done for them is looked for in their first turn."""
    found = reads.load(instances)
    return awake(reads, definitions, found, now) if found else {}


def awake(reads: Reads, definitions: Definitions, found: dict[int, Loaded], now: float) -> dict[int, Live]:
    decisions = {one.instance.id: decisions_in(reads, one.facts) for one in found.values()}
    definitions.read_hashes(reads, (one.instance.hash for one in found.values()), now)
    lives: dict[int, Live] = {}
    for id, loaded in found.items():
        known = definitions.get(loaded.instance.hash)
        if known is None:
            raise Damaged(f"instance {id} follows definition {loaded.instance.hash}, which the store does not have")
        lives[id] = _live(reads, definitions, known, loaded, decisions[id], now)
    deliver(reads, list(lives.values()))
    with_checkpoints = [id for id, live in lives.items() if live.known.has_checkpoints]
    for work in reads.work(with_checkpoints) if with_checkpoints else ():
        if work.state == SAVED:
            lives[work.instance].checkpoints[work.path, work.round] = msgspec.json.decode(work.payload)
    searchable = [id for id, live in lives.items() if live.known.process.searchable]
    for variable in reads.variables(searchable) if searchable else ():
        lives[variable.instance].searchable[variable.name] = variable.value
    return lives


def deliver(reads: Reads, lives: list[Live]) -> None:
    """The signals that are kept for these instances, and for the keys that they have."""
    by_key = {(live.row.process, live.row.key): live for live in lives if live.row.key}
    by_id = {live.id: live for live in lives}
    for live in lives:
        live.mailbox = []
    for row in reads.signals(instances=by_id, keys=by_key):
        live = by_id[row.instance] if row.instance else by_key[row.process, row.key]
        assert live.mailbox is not None
        live.mailbox.append(row)


SAVED = "saved"
"""The state of a row of `work` that holds a checkpoint and is offered to nobody."""


def decisions_in(reads: Reads, rows: list[FactRow]) -> Decisions:
    """Rows with their facts, large values included."""
    blobs = reads.blobs(ids) if (ids := [id for row in rows for id in blobs_of(row)]) else {}
    return [(row, facts_in(row, blobs)) for row in rows]


def _live(
    reads: Reads, definitions: Definitions, known: Known, loaded: Loaded, decisions: Decisions, now: float
) -> Live:
    state, sequence = State(), 0
    if loaded.snapshot is not None:
        try:
            state = restored(reads, definitions, known, loaded.snapshot, now)
            sequence = loaded.snapshot.sequence
        except Unreadable:
            decisions = decisions_in(reads, whole_history(reads, loaded.instance.id))
    told_in = {one.definition for _, told in decisions for one in told if type(one) in (facts.Bound, facts.Changed)}  # type: ignore[union-attr]
    learn(reads, definitions, known, told_in, now)
    live = Live(loaded.instance, known, state, sequence)
    for row, told in decisions:
        fold(live, row, told)
    live.is_asleep = True
    if live.row.version != known.row.version:
        definitions.read_named(reads, [(live.row.process, live.row.version)], now)
        live.current = definitions.of(live.row.process, live.row.version) or known
    if loaded.snapshot is not None:
        live.snapshot_bytes = len(loaded.snapshot.payload)
    return live


def fold(live: Live, row: FactRow, told: list[AnyFact]) -> None:
    """One decision of the log."""
    if row.sequence != live.sequence + 1:
        raise Damaged(f"instance {live.id} has no fact {live.sequence + 1}: its log goes on with {row.sequence}")
    live.state.time = row.time
    for fact in told:
        evolve(live.plan, live.state, fact)
    live.state.forget_looks()
    live.sequence += row.count
    live.log_bytes += len(row.payload)


def restored(reads: Reads, definitions: Definitions, known: Known, row: SnapshotRow, now: float) -> State:
    learn(reads, definitions, known, set(snapshot.definitions_in(row.payload)), now)
    return snapshot.load(known.plan, row.payload)


def learn(reads: Reads, definitions: Definitions, known: Known, hashes: set[str], now: float) -> None:
    """Has the plan know the definitions that calls and changes brought."""
    definitions.read_hashes(reads, hashes, now)
    for hash in hashes:
        brought = definitions.get(hash)
        if brought is None:
            raise Damaged(f"an instance of {known.process.name} refers to definition {hash}, which the store lacks")
        known.plan.library.learn(hash, brought.process)


def whole_history(reads: Reads, instance: int) -> list[FactRow]:
    rows: list[FactRow] = []
    after = 0
    while page := reads.history(instance, after):
        rows += page
        after = page[-1].sequence + page[-1].count - 1
    return rows
