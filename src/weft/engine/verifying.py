"""What the check of a store can't know itself: hashes of definitions, and whether a snapshot is what its facts say."""

from collections.abc import Iterable, Iterator

from msgspec import msgpack

from weft.engine.definitions import Definitions, Known
from weft.engine.finishing import ABORTED, COMMITTED
from weft.engine.live import Live
from weft.engine.loading import decisions_in, fold, learn, restored
from weft.kernel import facts, snapshot, status
from weft.kernel.snapshot import Unreadable
from weft.kernel.state import State
from weft.model.faults import Invalid
from weft.model.json_form import content_hash, from_json
from weft.store.checking import Meaning
from weft.store.interface import Reads
from weft.store.problems import Damaged
from weft.store.rows import DefinitionRow, FactRow, InstanceRow, SnapshotRow


def meaning(reads: Reads) -> Meaning:
    return Meaning(hash_of, Verifier(reads).replayed)


def hash_of(row: DefinitionRow) -> str:
    """The hash that its content has now."""
    try:
        return content_hash(from_json(row.payload))
    except Invalid as error:
        raise Damaged(f"it can't be read: {error}") from error


def has_ended_as(state: State, told: str) -> bool:
    root = state.root
    return root is not None and {status.COMMITTED: COMMITTED, status.ABORTED: ABORTED}.get(root.status[0]) == told


class Verifier:
    """Replays instances and compares them with their snapshots. It keeps the definitions that it has read."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads
        self._definitions = Definitions(fresh_seconds=0.0)

    def replayed(self, row: InstanceRow, kept: SnapshotRow | None, rows: Iterator[FactRow]) -> Iterable[str]:
        known = self._known(row.hash)
        if known is None:
            return  # the store's own check tells of it
        live = Live(row, known, State(), 0)
        for one in rows:
            try:
                self._fold(known, live, one)
            except Damaged:
                raise
            except Exception as error:
                yield f"its fact {one.sequence} can't be replayed: {type(error).__name__}: {error}"
                return
            if kept is not None and kept.sequence == live.sequence and not self._is_same(known, live, kept):
                yield f"its snapshot of fact {kept.sequence} is not what its facts say; the next one replaces it"
        if row.ended is not None and not has_ended_as(live.state, row.state):
            yield f"it is listed as {row.state}, and its facts don't tell so"

    def _known(self, hash: str) -> Known | None:
        try:
            self._definitions.read_hashes(self._reads, [hash], 0.0)
        except (Damaged, Invalid):
            return None
        return self._definitions.get(hash)

    def _fold(self, known: Known, live: Live, row: FactRow) -> None:
        for one, told in decisions_in(self._reads, [row]):
            named = {fact.definition for fact in told if isinstance(fact, facts.Bound | facts.Changed)}
            learn(self._reads, self._definitions, known, named, 0.0)
            fold(live, one, told)

    def _is_same(self, known: Known, live: Live, kept: SnapshotRow) -> bool:
        """A snapshot of an older format is never read: it can't be wrong. The order of variables is nothing."""
        try:
            state = restored(self._reads, self._definitions, known, kept, 0.0)
        except Unreadable:
            return True
        ours, theirs = (msgpack.decode(snapshot.dump(known.plan, one)) for one in (state, live.state))
        return bool(ours == theirs)
