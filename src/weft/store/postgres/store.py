"""A store in a PostgreSQL database, as a node has it."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

import psycopg

from weft.store.batch import Batch, Committed, Outcome, Refused
from weft.store.codec import Codec
from weft.store.migrations import Migration
from weft.store.postgres.claims import lapsed, work_rows
from weft.store.postgres.connecting import Address, address_of, connect
from weft.store.postgres.faults import is_lost, lost, problem, refused
from weft.store.postgres.listening import Listener, listen
from weft.store.postgres.nodes import END, LEAVE, RENEW, Standing, enter, enter_again
from weft.store.postgres.reads import PostgresReads, make
from weft.store.postgres.slots import GIVE, LAPSED, OF_NODE, OWNERS, TAKE_OVER, of_node, own
from weft.store.postgres.writing import Writer
from weft.store.rows import CommandRow, OutboxRow, TimerRow, WorkRow
from weft.store.sharing import trespass
from weft.store.tables import COMMAND, OUTBOX, TIMER

LEASE_SECONDS: Final = 10.0

# Batches look rows up by keys and nothing else. A plan made while a table was small must not read it whole later.
BY_INDEX: Final = """select set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
    set_config('enable_mergejoin', 'off', false)"""


class PostgresStore(PostgresReads):
    """For one thread at a time."""

    def __init__(
        self,
        address: Address,
        node: str,
        codec: Codec,
        migrations: Sequence[Migration],
        lease_seconds: float = LEASE_SECONDS,
    ) -> None:
        super().__init__(address, codec)
        self.node = node
        self._listener: Listener | None = None
        self._lease_seconds = lease_seconds
        with self._connecting():
            make(self._connection, address, migrations)
            self._enter(enter(self._connection, address, node, lease_seconds))

    @contextmanager
    def _connecting(self) -> Iterator[None]:
        """Connects; what then fails closes the connection."""
        self._connection = connect(self.address, self.address.application(self.node))
        try:
            yield
        except psycopg.Error as error:
            self._connection.close()
            raise problem(error) from error
        except BaseException:
            self._connection.close()
            raise

    def _enter(self, standing: Standing) -> None:
        self.epoch, self.batch = standing.epoch, standing.batch
        self._connection.execute(BY_INDEX)
        self._connection.add_notify_handler(self._notice)
        listen(self._connection, self.address)
        self.slots = of_node(self._connection, self.node)
        self._has_news, self._may_have_gained = True, False
        self._gained: frozenset[int] = frozenset()
        self._writer = Writer(self._connection, self._codec, self.node, self.epoch, self._lease_seconds)

    def reopen(self) -> int:
        with suppress(psycopg.Error):
            self._connection.close()
        with self._connecting():
            self._enter(enter_again(self._connection, self.address, self.node, self.epoch, self._lease_seconds))
        return self.batch

    def renew(self) -> bool:
        lives = bool(self._query(RENEW, (self._lease_seconds, self.node, self.epoch)))
        self._read_slots()
        return lives

    def close(self) -> None:
        """Leaves; another may take over at once."""
        if self._listener is not None:
            self._listener.close()
        with suppress(psycopg.Error):
            self._connection.execute(LEAVE, (self.node, self.epoch))
        super().close()

    def commit(self, batch: Batch) -> Outcome:
        if is_lost(self._connection):
            return Refused("store", "the connection to PostgreSQL was lost; reopen the store first")
        outcome = trespass(batch, self.slots, self.node) or self._writer.write(batch)
        if type(outcome) is Committed:
            self.batch = batch.number
        return outcome

    # What only the engine asks.

    def active(self, after: int = 0, at_most: int = 1000) -> list[int]:
        mine, slots = own("id", self.slots)
        statement = f"select id from instance where is_active and id > ? and {mine} order by id limit ?"
        return [one[0] for one in self._query(statement, (after, *slots, at_most))]  # type: ignore[misc]

    def due(self, until: float, at_most: int = 1000) -> list[TimerRow]:
        mine, slots = own("instance", self.slots)
        rest = f"where due <= ? and {mine} order by due, instance, name limit ?"
        return self._rows(TimerRow, TIMER, rest, (until, *slots, at_most))

    def next_due(self) -> float | None:
        mine, slots = own("instance", self.slots)
        found = self._query(f"select due from timer where {mine} order by due limit 1", slots)
        return found[0][0] if found else None  # type: ignore[return-value]

    def has_news(self) -> bool:
        connection = self._connection.pgconn
        try:
            connection.consume_input()
            while (notice := connection.notifies()) is not None:
                self._hear(notice.extra.decode())
        except psycopg.Error:
            return True  # whoever now reads the commands is told that the connection is lost
        found, self._has_news = self._has_news, False
        return found

    def _notice(self, notice: psycopg.Notify) -> None:
        self._hear(notice.payload)

    def _hear(self, notice: str) -> bool:
        """Whether this notice is for this node: it names one of its slots, or the node itself."""
        kind, _, name = notice.partition(" ")
        is_ours = int(name) in self.slots if kind == "slot" else name == self.node
        if is_ours:
            self._has_news = True
            self._may_have_gained |= kind == "node"
        return is_ours

    def watch(self, wake: Callable[[], None]) -> None:
        self._listener = Listener(self.address, self._hear, wake)

    def commands(self, after: int = 0, at_most: int = 1000) -> list[CommandRow]:
        mine, slots = own("case instance when 0 then id else instance end", self.slots)
        return self._rows(CommandRow, COMMAND, f"where id > ? and {mine} order by id limit ?", (after, *slots, at_most))

    def outbox(self, until: float, at_most: int = 1000) -> list[OutboxRow]:
        mine, slots = own("instance", self.slots)
        rest = f"where due <= ? and {mine} order by due, receiver, instance, path, number limit ?"
        return self._rows(OutboxRow, OUTBOX, rest, (until, *slots, at_most))

    # Several nodes.

    def lapsed_work(self, at_most: int = 1000) -> list[WorkRow]:
        return work_rows(self._query(*lapsed(self.slots, at_most)), self._codec)

    def owners(self) -> dict[int, str]:
        return dict(self._query(OWNERS))  # type: ignore[arg-type]

    def gained(self) -> frozenset[int]:
        if self._may_have_gained:
            self._read_slots()
        found, self._gained = self._gained, frozenset()
        return found

    def _read_slots(self) -> None:
        self._may_have_gained = False
        now = frozenset(one[0] for one in self._query(OF_NODE, (self.node,)))
        self._gained |= now - self.slots  # type: ignore[operator]
        self.slots = now  # type: ignore[assignment]

    def lapsed(self) -> list[str]:
        return [one[0] for one in self._query(LAPSED, (self.node,))]  # type: ignore[misc]

    def give(self, slots: Collection[int], node: str) -> Outcome:
        try:
            found = self._connection.execute(GIVE, {**self._self(), "node": node, "slots": list(slots)}).fetchall()
        except psycopg.Error as error:
            return lost(error, committing=True) if is_lost(self._connection) else refused(error)
        fences, moved, _ = found[0]
        if not fences:
            return Refused("fenced", f"node {self.node} was taken over")
        if moved != len(slots):
            self._read_slots()
            return Refused("rows", f"{node} does not live, or the slots were not all of {self.node}")
        self.slots -= frozenset(slots)
        return Committed()

    def take_over(self, node: str, is_forced: bool = False) -> frozenset[int]:
        if not is_forced and node not in self.lapsed():
            return frozenset()
        try:
            self._connection.execute(END, (self.address.application(node),))
            found = self._connection.execute(TAKE_OVER, {**self._self(), "node": node, "forced": is_forced})
            taken = frozenset(slot for (slot,) in found)
        except psycopg.Error as error:
            raise problem(error) from error
        self.slots |= taken
        return taken

    def _self(self) -> dict[str, object]:
        lease, channel = self._lease_seconds, self.address.channel
        return {"me": self.node, "epoch": self.epoch, "lease": lease, "channel": channel}


def open_store(
    url: str, node: str, codec: Codec, migrations: Sequence[Migration], lease_seconds: float
) -> PostgresStore:
    return PostgresStore(address_of(url), node, codec, migrations, lease_seconds)
