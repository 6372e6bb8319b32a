"""What can be asked about the nodes of a store, and of them."""

import os
import time
from collections import Counter
from typing import Final

from msgspec import Struct

from weft.engine.problems import Problem
from weft.store.codec import Codec
from weft.store.interface import SharedStore, SharedVisitor
from weft.store.opening import POSTGRES, open_store, open_visitor
from weft.store.problems import Unavailable
from weft.store.rows import NodeRow
from weft.store.sharing import parting

LOOK_SECONDS: Final = 0.05


class NodeState(Struct, frozen=True):
    """`state` is "serves", "leaves" or "gone"; `until` is when its lease ends, by the database's clock."""

    name: str
    state: str
    slots: int
    epoch: int
    batches: int
    until: float | None


def visit(url: str, codec: Codec) -> SharedVisitor:
    """The store of several nodes. Raises `Problem` where there is only one."""
    if not url.startswith(POSTGRES):
        raise Problem(f"{url} has one node at most: only a store in PostgreSQL is served by several")
    found = open_visitor(url, codec)
    assert isinstance(found, SharedVisitor)
    return found


def nodes(visitor: SharedVisitor) -> list[NodeState]:
    """All that ever served, by name."""
    slots = Counter(visitor.owners().values())
    return [
        NodeState(row.name, _state(row), slots[row.name], row.epoch, row.batch, row.until) for row in visitor.nodes()
    ]


def _state(row: NodeRow) -> str:
    if row.until is None or row.until < time.time():
        return "gone"
    return "leaves" if row.wanted else "serves"


def drain(visitor: SharedVisitor, node: str, seconds: float) -> NodeState:
    """Asks a node to give its slots to others and to end, and waits until it has."""
    if named(visitor, node).state == "gone" or not visitor.ask_to_leave(node):
        raise Problem(f"node {node} is gone already; weft node take-over {node} has others go on with what it left")
    end = time.monotonic() + seconds
    while (found := named(visitor, node)).state != "gone":
        if time.monotonic() >= end:
            raise TimeoutError(f"node {node} still has {found.slots} slots: it waits for work that runs, and will end")
        time.sleep(LOOK_SECONDS)
    return found


def named(visitor: SharedVisitor, node: str) -> NodeState:
    found = {one.name: one for one in nodes(visitor)}
    if node not in found:
        raise Problem(f"there is no node {node!r}; there are {', '.join(found) or 'none'}")
    return found[node]


def take_over(url: str, codec: Codec, node: str) -> dict[str, int]:
    """Fences a node off, whether it lives or not, and gives its slots to those that live: how many to each."""
    store = open_store(url, f"take-over-{os.getpid()}", codec)
    assert isinstance(store, SharedStore)
    try:
        store.take_over(node, is_forced=True)
        living = {row.name for row in store.nodes() if _state(row) == "serves"} - {store.node, node}
        given = parting(store.node, store.owners(), living)
        for taker, slots in given.items():
            store.give(slots, taker)
        if left := len(store.slots) * bool(living):
            raise Unavailable(f"{left} slots found no node that lives; the next one that serves takes them")
        return {taker: len(slots) for taker, slots in given.items()}
    finally:
        store.close()
