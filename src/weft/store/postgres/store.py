"""A store in a PostgreSQL database, as a node has it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

import psycopg

from weft.store.batch import Batch, Committed, Outcome, Refused, Value
from weft.store.codec import Codec
from weft.store.migrations import Migration
from weft.store.postgres.connecting import Address, address_of, connect
from weft.store.postgres.faults import is_lost, problem
from weft.store.postgres.nodes import LEAVE, RENEW, Standing, enter, enter_again, slots_of
from weft.store.postgres.reads import PostgresReads, make
from weft.store.postgres.writing import Writer
from weft.store.rows import SLOTS, CommandRow, OutboxRow, TimerRow
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
        self._slots = slots_of(self._connection, self.node)
        self._connection.execute(BY_INDEX)
        self._connection.add_notify_handler(self._heard)
        self._connection.execute(f'listen "{self.address.channel}"'.encode())
        self._has_news = True
        self._writer = Writer(self._connection, self._codec, self.node, self.epoch, self._lease_seconds)

    def reopen(self) -> int:
        with suppress(psycopg.Error):
            self._connection.close()
        with self._connecting():
            self._enter(enter_again(self._connection, self.address, self.node, self.epoch, self._lease_seconds))
        return self.batch

    def renew(self) -> bool:
        return bool(self._query(RENEW, (self._lease_seconds, self.node, self.epoch)))

    def close(self) -> None:
        """Leaves; another may take over at once."""
        with suppress(psycopg.Error):
            self._connection.execute(LEAVE, (self.node, self.epoch))
        super().close()

    def commit(self, batch: Batch) -> Outcome:
        if is_lost(self._connection):
            return Refused("store", "the connection to PostgreSQL was lost; reopen the store first")
        outcome = self._writer.write(batch)
        if type(outcome) is Committed:
            self.batch = batch.number
        return outcome

    # What only the engine asks.

    def _own(self, column: str) -> tuple[str, tuple[Value, ...]]:
        """A condition that a row belongs to one of this node's slots."""
        if len(self._slots) == SLOTS:
            return "true", ()
        among, slots = self._among(f"({column} & {SLOTS - 1})", sorted(self._slots))
        return among, (slots,)

    def active(self, after: int = 0, at_most: int = 1000) -> list[int]:
        own, slots = self._own("id")
        statement = f"select id from instance where is_active and id > ? and {own} order by id limit ?"
        return [one[0] for one in self._query(statement, (after, *slots, at_most))]  # type: ignore[misc]

    def due(self, until: float, at_most: int = 1000) -> list[TimerRow]:
        own, slots = self._own("instance")
        rest = f"where due <= ? and {own} order by due, instance, name limit ?"
        return self._rows(TimerRow, TIMER, rest, (until, *slots, at_most))

    def next_due(self) -> float | None:
        own, slots = self._own("instance")
        found = self._query(f"select due from timer where {own} order by due limit 1", slots)
        return found[0][0] if found else None  # type: ignore[return-value]

    def has_news(self) -> bool:
        connection = self._connection.pgconn
        try:
            connection.consume_input()
            while connection.notifies() is not None:
                self._has_news = True
        except psycopg.Error:
            return True  # whoever now reads the commands is told that the connection is lost
        found, self._has_news = self._has_news, False
        return found

    def _heard(self, notice: psycopg.Notify) -> None:
        self._has_news = True

    def commands(self, after: int = 0, at_most: int = 1000) -> list[CommandRow]:
        own, slots = self._own("slot")
        return self._rows(CommandRow, COMMAND, f"where id > ? and {own} order by id limit ?", (after, *slots, at_most))

    def outbox(self, until: float, at_most: int = 1000) -> list[OutboxRow]:
        own, slots = self._own("instance")
        rest = f"where due <= ? and {own} order by due, receiver, instance, path, number limit ?"
        return self._rows(OutboxRow, OUTBOX, rest, (until, *slots, at_most))


def open_store(url: str, node: str, codec: Codec, migrations: Sequence[Migration]) -> PostgresStore:
    return PostgresStore(address_of(url), node, codec, migrations)
