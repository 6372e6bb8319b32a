"""Nodes at a PostgreSQL database: who serves, and by which epoch."""

from typing import Final

from msgspec import Struct

from weft.store.postgres.connecting import Address, Connection
from weft.store.postgres.slots import FREE
from weft.store.problems import AlreadyServed, TakenOver

WAITS: Final = 50
"""How often, 20 ms apart, it is looked whether the connection of a node that just ended is still there."""

REGISTER: Final = "insert into node (name, epoch, batch) values (%s, 0, 0) on conflict do nothing"

# Whether the node's lease still runs, and whether a process has a connection as this node.
SERVED: Final = """select
    coalesce((select until > extract(epoch from clock_timestamp()) from node where name = %s), false),
    exists (select from pg_stat_activity
        where application_name = %s and datname = current_database() and pid <> pg_backend_pid())"""
A_MOMENT: Final = "select pg_sleep(0.02)"

# Ends what a node still has open here. Only connections of the same role may be ended.
END: Final = """select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = %s and datname = current_database() and usename = current_user
    and pid <> pg_backend_pid()"""

# Each waits for a transaction that still holds the node's row.
RAISE: Final = """update node set epoch = epoch + 1, wanted = '', until = extract(epoch from clock_timestamp()) + %s
    where name = %s returning epoch, batch"""
RAISE_OWN: Final = """update node set epoch = epoch + 1, until = extract(epoch from clock_timestamp()) + %s
    where name = %s and epoch = %s returning epoch, batch"""

RENEW: Final = """update node set until = extract(epoch from clock_timestamp()) + ?
    where name = ? and epoch = ? returning name"""
LEAVE: Final = "update node set until = null where name = %s and epoch = %s"


class Standing(Struct, frozen=True):
    """As what a node entered: the epoch of its batches, and the last one that is written."""

    epoch: int
    batch: int


def enter(connection: Connection, address: Address, node: str, lease_seconds: float) -> Standing:
    """Begins to serve as this node. It is refused while another process does; one that ended is not waited for."""
    application = address.application(node)
    connection.execute(REGISTER, (node,))
    for _ in range(WAITS):
        lives, has_connection = _one(connection, SERVED, node, application)
        if not (lives and has_connection):
            break
        connection.execute(A_MOMENT)
    else:
        raise AlreadyServed(
            f"another process serves {address} as node {node}; end it, or give this one a name of its own (--node)"
        )
    connection.execute(END, (application,))
    standing = Standing(*_one(connection, RAISE, lease_seconds, node))
    connection.execute(FREE, (node,))
    return standing


def enter_again(connection: Connection, address: Address, node: str, epoch: int, lease_seconds: float) -> Standing:
    """Goes on as this node on a new connection, unless it was taken over meanwhile."""
    connection.execute(END, (address.application(node),))
    found = connection.execute(RAISE_OWN, (lease_seconds, node, epoch)).fetchall()
    if not found:
        raise TakenOver(f"node {node} of {address} was taken over by another process; this one must stop")
    return Standing(*found[0])


def _one(connection: Connection, question: str, *values: object) -> tuple[int, int]:
    found: tuple[int, int] = connection.execute(question.encode(), values).fetchall()[0]
    return found
