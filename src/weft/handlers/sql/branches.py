"""Prepared branches of two-phase tasks: their names, and how they are prepared, settled and listed on PostgreSQL.

A name says to whom a branch belongs, so that nobody touches one of another store: store, instance, activity, round,
attempt, and the epoch of the node that prepared it. Who decides is the engine; here nothing is presumed.
"""

from typing import Final
from urllib.parse import quote, unquote

from msgspec import Struct
from psycopg import errors, sql

from weft.handlers.sql.markers import hashed
from weft.handlers.sql.postgres import PostgresConnection

PREFIX: Final = "weft"
NAME_BYTES_MAX: Final = 199
"""PostgreSQL takes 200, with the end of the text."""

_LIST: Final = "select gid from pg_prepared_xacts where database = current_database() and starts_with(gid, {})"


class Branch(Struct, frozen=True, order=True):
    """One attempt's part in a transaction over several databases. A long activity is known by its hash."""

    store: str
    instance: int
    activity: str
    round: int
    attempt: int
    epoch: int

    @property
    def name(self) -> str:
        """
        >>> Branch("3f", 7, "all/pay", 0, 1, 4).name
        'weft/3f/7/all%2Fpay/0/1/4'
        """
        name = self._named(quote(self.activity, safe=""))
        return name if len(name) <= NAME_BYTES_MAX else self._named(hashed(self.activity))

    def _named(self, activity: str) -> str:
        store = quote(self.store, safe="")
        return f"{PREFIX}/{store}/{self.instance}/{activity}/{self.round}/{self.attempt}/{self.epoch}"


def branch_named(name: str) -> Branch | None:
    """The branch of a name; None when it is none of Weft's."""
    prefix, *parts = name.split("/")
    if prefix != PREFIX or len(parts) != 6:
        return None
    store, instance, activity, *numbers = parts
    try:
        return Branch(unquote(store), int(instance), unquote(activity), *map(int, numbers))
    except ValueError:
        return None


def prepare(connection: PostgresConnection, branch: Branch) -> None:
    """Ends the connection's transaction by preparing it. What it did is kept, with its locks, until it is settled."""
    connection.end_with(sql.SQL("prepare transaction {}").format(branch.name))


def settle(connection: PostgresConnection, branch: Branch, *, commit: bool) -> bool:
    """Commits or rolls back a prepared branch, on a connection of no transaction.

    False when there is none of that name: it was settled before, or never prepared.
    """
    end = sql.SQL("commit prepared {}" if commit else "rollback prepared {}").format(branch.name)
    try:
        connection.run_alone(end)
    except errors.UndefinedObject:
        return False
    return True


def branches(connection: PostgresConnection, store: str) -> list[Branch]:
    """The branches of a store that wait in this database to be settled, in the order of their instances."""
    begin = f"{PREFIX}/{quote(store, safe='')}/"
    rows = connection.run_alone(sql.SQL(_LIST).format(begin))
    return sorted(one for (name,) in rows if (one := branch_named(str(name))) is not None)
