"""Whose slots are whose, in SQL: what a node gives, and what it takes from one that ended or lost its lease."""

from collections.abc import Collection
from typing import Final

from weft.store.batch import Value
from weft.store.postgres.connecting import Connection
from weft.store.rows import SLOTS

OWNERS: Final = "select slot, node from slot order by slot"
OF_NODE: Final = "select slot from slot where node = ?"

# The slots of nobody, when a node comes: the first has all of them.
FREE: Final = "update slot set node = %s where node = ''"

# Other nodes whose lease has run out, or that ended, and that still have slots.
LAPSED: Final = """select name from node
    where name <> ? and coalesce(until, 0) < extract(epoch from clock_timestamp())
    and exists (select from slot where slot.node = node.name) order by name"""

# Gives slots to a node that lives, if the giver is still the one of its epoch; tells whether it is, and how many went.
GIVE: Final = """with
    giver as (update node set until = extract(epoch from clock_timestamp()) + %(lease)s
        where name = %(me)s and epoch = %(epoch)s returning name),
    taker as (select name from node
        where name = %(node)s and until > extract(epoch from clock_timestamp())),
    moved as (update slot set node = taker.name from giver, taker
        where slot.slot = any(%(slots)s) and slot.node = giver.name returning slot.slot)
select (select count(*) from giver), (select count(*) from moved),
    (select pg_notify(%(channel)s, 'node ' || name) from taker)"""

# Takes all slots of another node and fences it off. It waits for a transaction that still has that node's row.
TAKE_OVER: Final = """with
    taker as (update node set until = extract(epoch from clock_timestamp()) + %(lease)s
        where name = %(me)s and epoch = %(epoch)s returning name),
    fenced as (update node set epoch = node.epoch + 1, until = null from taker
        where node.name = %(node)s
        and (%(forced)s or coalesce(node.until, 0) < extract(epoch from clock_timestamp())) returning node.name),
    moved as (update slot set node = taker.name from taker, fenced where slot.node = fenced.name returning slot.slot)
select slot from moved"""


def of_node(connection: Connection, node: str) -> frozenset[int]:
    return frozenset(slot for (slot,) in connection.execute(OF_NODE.replace("?", "%s").encode(), (node,)))


def own(column: str, slots: Collection[int]) -> tuple[str, list[Value]]:
    """A condition that the slot of an instance, or of a command, is among these, and its parameter."""
    if len(slots) == SLOTS:
        return "true", []
    listed: list[Value] = [sorted(slots)]  # type: ignore[list-item]
    return f"(({column}) & {SLOTS - 1}) = any(?)", listed
