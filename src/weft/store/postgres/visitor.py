"""A store in a PostgreSQL database, as a process has it that serves no node."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Final, TypeVar

from weft.store.batch import Record, Transaction, Value
from weft.store.codec import Codec
from weft.store.migrations import Migration, missing, older
from weft.store.postgres.connecting import Address, address_of, connect
from weft.store.postgres.reads import PostgresReads, steps_taken
from weft.store.postgres.slots import OWNERS
from weft.store.problems import CannotOpen, Unavailable
from weft.store.rows import CommandRow

T = TypeVar("T")

# One sends after the other, so that ids become visible in their order and none is overlooked.
SEND: Final = """with alone as materialized (select pg_advisory_xact_lock(hashtext('weft command'), hashtext(?))),
    sent as (insert into command (instance, name, time, actor, payload, codec)
        select ?, ?, ?, ?, ?, ? from alone returning id, case instance when 0 then id else instance end & 255 as slot)
select id, pg_notify(?, 'slot ' || slot) from sent"""

ASK_TO_LEAVE: Final = """with asked as (update node set wanted = 'leave' where name = ? returning name)
select pg_notify(?, 'node ' || name) from asked"""


class PostgresVisitor(PostgresReads):
    """Threads wait for one another. A question that meets a lost connection is asked again on a new one; what writes
    is not, since it may have been written."""

    def __init__(self, address: Address, codec: Codec, migrations: Sequence[Migration]) -> None:
        super().__init__(address, codec)
        self._lock = RLock()
        self._is_at_once = False
        self._connection = connect(address, address.visitor)
        try:
            taken = steps_taken(self._connection)
            if not taken:
                raise CannotOpen(f"there is no store at {address} yet; an engine makes it when it starts")
            lacking = missing(str(address), taken, migrations)
            if lacking:
                raise older(str(address), lacking)
        except BaseException:
            self._connection.close()
            raise

    def _query(self, statement: str, parameters: Sequence[Value] = ()) -> list[Record]:
        with self._lock:
            self._connect_if_lost()
            try:
                return super()._query(statement, parameters)
            except Unavailable:
                may_repeat = statement.startswith(("select ", "begin ")) and not self._is_at_once
                if not (may_repeat and self._connection.closed):
                    raise
            self._connect_if_lost()
            return super()._query(statement, parameters)

    def _connect_if_lost(self) -> None:
        if self._connection.closed:
            self._connection = connect(self.address, self.address.visitor)

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        with self._lock, super()._at_once():
            self._is_at_once = True
            try:
                yield
            finally:
                self._is_at_once = False

    def ask(self, question: Callable[[Transaction], T]) -> T:
        with self._lock:
            return super().ask(question)

    def send(self, command: CommandRow) -> int:
        payload, codec = self._codec.encode(command.payload)
        channel = self.address.channel
        row = (command.instance, command.name, command.time, command.actor, payload, codec)
        return self._query(SEND, (channel, *row, channel))[0][0]  # type: ignore[return-value]

    def owners(self) -> dict[int, str]:
        return dict(self._query(OWNERS))  # type: ignore[arg-type]

    def ask_to_leave(self, node: str) -> bool:
        return bool(self._query(ASK_TO_LEAVE, (node, self.address.channel)))


def open_visitor(url: str, codec: Codec, migrations: Sequence[Migration]) -> PostgresVisitor:
    return PostgresVisitor(address_of(url), codec, migrations)
