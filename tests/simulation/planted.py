"""Faults, planted into the engine one at a time; each must be found by some seed.

`python -m tests.simulation.planted` tells for each how many seeds it took.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from msgspec.structs import replace

from tests.simulation.cluster import Cluster
from tests.simulation.playing import play_seed
from tests.simulation.world import World
from weft.engine import finishing, following, requesting, taking, waking
from weft.engine.core import Core
from weft.engine.feed import Feed
from weft.engine.ids import Ids
from weft.engine.requests import Begin
from weft.engine.server import Server
from weft.kernel import snapshot
from weft.store.batch import Committed, Refused
from weft.store.memory import MemoryStore
from weft.store.rows import SnapshotRow

SEEDS = 1_000

Plant = Callable[[], AbstractContextManager[None]]


@contextmanager
def swapped(owner: object, name: str, value: object) -> Iterator[None]:
    """Something of a module or class is another thing meanwhile."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextmanager
def swapped_entry(kind: type, value: object) -> Iterator[None]:
    """The same for what is done with a kind of input."""
    before = taking.TAKES[kind]
    taking.TAKES[kind] = value
    try:
        yield
    finally:
        taking.TAKES[kind] = before


@contextmanager
def acts_before_the_commit() -> Iterator[None]:
    """Jobs are given away when they are decided, before they are durable."""
    after, take = Server._after, Core.take

    def early(self, inputs, now):
        turn = take(self, inputs, now)
        self.hands.give(turn.jobs)
        return turn

    with (
        swapped(Core, "take", early),
        swapped(Server, "_after", lambda self, done, turn: after(self, replace(done, jobs=[]), turn)),
    ):
        yield


@contextmanager
def takes_unknown_for_written() -> Iterator[None]:
    """After an unknown outcome the turn is believed to be written."""

    def recover(self):
        self.store.reopen()
        if self._open is not None:
            turn, _ = self._open
            self._open = None
            self._after(self.core.outcome(turn, Committed()), turn)

    with swapped(Server, "recover", recover):
        yield


@contextmanager
def takes_unknown_for_lost() -> Iterator[None]:
    """After an unknown outcome the turn is believed not to be written, and is decided again."""

    def recover(self):
        self.store.reopen()
        if self._open is not None:
            turn, _ = self._open
            self._open = None
            self.core.outcome(turn, Refused("store"))

    with swapped(Server, "recover", recover):
        yield


@contextmanager
def keeps_what_was_not_committed() -> Iterator[None]:
    """An undone turn leaves its instances in memory as it made them."""
    undo = Core._undo

    def kept(self, turn):
        lives = dict(self.lives)
        again = undo(self, turn)
        self.lives.update(lives)
        return again

    with swapped(Core, "_undo", kept):
        yield


@contextmanager
def throws_results_away() -> Iterator[None]:
    """The inputs of a turn that was not committed are not taken again."""
    undo = Core._undo

    def dropped(self, turn):
        undo(self, turn)
        return []

    with swapped(Core, "_undo", dropped):
        yield


@contextmanager
def forgets_work_that_was_lost() -> Iterator[None]:
    """A reloaded instance does not ask which work nobody does any more."""
    with swapped(waking, "running", lambda plan, state: []):
        yield


@contextmanager
def forgets_to_set_timers() -> Iterator[None]:
    """A timer that is set anew for the same task is not written."""
    set_timer = following.set_timer

    def once(turn, live, path, name, due_seconds):
        if ":1:" in name or name.startswith("occur"):
            set_timer(turn, live, path, name, due_seconds)

    with swapped(following, "set_timer", once):
        yield


@contextmanager
def dates_snapshots_too_early() -> Iterator[None]:
    """A snapshot says that it is of the fact before its last."""

    def early(turn, live):
        payload = snapshot.dump(live.plan, live.state)
        row = SnapshotRow(live.id, max(0, live.sequence - 1), live.state.time, snapshot.FORMAT, payload)
        turn.batch.snapshots[live.id] = row
        live.log_bytes, live.snapshot_bytes = 0, len(payload)

    with swapped(finishing, "keep_snapshot", early):
        yield


@contextmanager
def keeps_signals_that_were_taken() -> Iterator[None]:
    """A kept signal that a task has taken stays in the store."""
    take_kept = following.take_kept

    def kept(turn, live, work, row):
        take_kept(turn, live, work, row)
        turn.batch.signals.pop(row.id, None)

    with swapped(following, "take_kept", kept), swapped(taking, "take_kept", kept):
        yield


@contextmanager
def calls_busy_instances_idle() -> Iterator[None]:
    """An instance with work under way is not marked, so a starting engine does not take it up."""
    write = finishing.write

    def idle(turn, live, state, is_active):
        write(turn, live, state, False)

    with swapped(finishing, "write", idle):
        yield


@contextmanager
def claims_no_keys() -> Iterator[None]:
    """A start does not write the row of its business key."""
    begin = requesting.begin

    def keyless(core, turn, request):
        begin(core, turn, request)
        turn.batch.keys.clear()

    with swapped(requesting, "begin", keyless), swapped_entry(Begin, keyless):
        yield


@contextmanager
def fences_nobody() -> Iterator[None]:
    """The store takes a batch of an epoch that is over."""
    commit = MemoryStore.commit

    def unfenced(self, batch):
        own, self.epoch = self.epoch, self._database.nodes[self.node].epoch
        try:
            return commit(self, batch)
        finally:
            self.epoch = own

    with swapped(MemoryStore, "commit", unfenced):
        yield


# Of several nodes.


@contextmanager
def revives_nothing_that_came() -> Iterator[None]:
    """Active instances of slots that came are not looked for."""

    def add(self, inputs):
        if self._owning is None or self._revived_to != 0:
            revive(self, inputs)
        self._revived_to = None

    revive = Feed._add_revived
    with swapped(Feed, "_add_revived", add):
        yield


@contextmanager
def asks_rows_again() -> Iterator[None]:
    """Command rows that wait for their answers are taken for new ones."""

    def commands(self):
        self._asked = set()
        return read(self)

    read = Feed._commands
    with swapped(Feed, "_commands", commands):
        yield


@contextmanager
def decides_for_others() -> Iterator[None]:
    """A node takes every instance for its own."""
    with swapped(Ids, "owns", lambda self, instance: True):
        yield


PLANTED: list[Plant] = [
    acts_before_the_commit,
    takes_unknown_for_written,
    takes_unknown_for_lost,
    keeps_what_was_not_committed,
    throws_results_away,
    forgets_work_that_was_lost,
    forgets_to_set_timers,
    dates_snapshots_too_early,
    keeps_signals_that_were_taken,
    calls_busy_instances_idle,
    claims_no_keys,
    fences_nobody,
]

PLANTED_IN_NODES: list[Plant] = [
    revives_nothing_that_came,
    asks_rows_again,
    decides_for_others,
]


def found_by(plant: Plant, seeds: int = SEEDS, of: type[World] = World) -> tuple[int, str]:
    """The first seed that finds a fault, and how it shows; -1 if none does."""
    for seed in range(seeds):
        try:
            with plant():
                play_seed(seed, of=of)
        except Exception as found:
            return seed, f"{type(found).__name__}: {found}"
    return -1, ""


def main() -> int:
    missed = 0
    for plant in (*PLANTED, *PLANTED_IN_NODES):
        seed, shows = found_by(plant, of=World if plant in PLANTED else Cluster)
        missed += seed < 0
        print(f"{plant.__name__:<32} {'NOT FOUND' if seed < 0 else f'seed {seed}: {shows[:100]}'}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
