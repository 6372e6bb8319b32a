"""How nodes share the slots: what is not a node's to write, which of its own it should give, and to whom."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from itertools import repeat

from weft.store.batch import Batch, Refused
from weft.store.rows import SLOTS, slot_of


def trespass(batch: Batch, slots: Collection[int], node: str) -> Refused | None:
    """Why a node may not write this batch: an instance in it has a slot of another. No fence would find that."""
    if len(slots) == SLOTS:
        return None
    written = {*batch.instances, *batch.removed, *(fact.instance for fact in batch.facts)}
    foreign = [instance for instance in written if slot_of(instance) not in slots]
    if not foreign:
        return None
    return Refused("rows", f"instance {foreign[0]} has slot {slot_of(foreign[0])}, which is not node {node}'s")


def surplus(me: str, owners: Mapping[int, str], living: Collection[str]) -> dict[str, list[int]]:
    """Slots that this node should give to others that live. Nodes that see the same agree without speaking.

    >>> surplus("a", {slot: "a" for slot in range(6)}, ["a", "b", "c"])
    {'b': [2, 3], 'c': [4, 5]}
    """
    has = Counter(owner for owner in owners.values() if owner in living)
    shares = fair_shares(has, living)
    takers = [taker for node in sorted(living) for taker in repeat(node, shares[node] - has[node])]
    before = sum(max(0, has[node] - shares[node]) for node in living if node < me)
    mine = sorted(slot for slot, owner in owners.items() if owner == me)[shares.get(me, 0) :]
    given: dict[str, list[int]] = defaultdict(list)
    for slot, taker in zip(mine, takers[before:], strict=False):
        given[taker].append(slot)
    return dict(given)


def parting(me: str, owners: Mapping[int, str], others: Collection[str]) -> dict[str, list[int]]:
    """All slots of a node that leaves, each for one that has the fewest; none if nobody else is there.

    >>> parting("a", {0: "a", 1: "b", 2: "a", 3: "a"}, ["b", "c"])
    {'c': [0, 3], 'b': [2]}
    """
    has = Counter(dict.fromkeys(others, 0))
    has.update(owner for owner in owners.values() if owner in others)
    given: dict[str, list[int]] = defaultdict(list)
    for slot in sorted(slot for slot, owner in owners.items() if owner == me and others):
        taker = min(sorted(others), key=lambda node: has[node])
        has[taker] += 1
        given[taker].append(slot)
    return dict(given)


def fair_shares(has: Mapping[str, int], living: Collection[str]) -> dict[str, int]:
    """How many each should have. Those that have most keep what can't be divided, so that little moves."""
    if not living:
        return {}
    each, left = divmod(sum(has.values()), len(living))
    ranked = sorted(living, key=lambda node: (-has.get(node, 0), node))
    return {node: each + (place < left) for place, node in enumerate(ranked)}
