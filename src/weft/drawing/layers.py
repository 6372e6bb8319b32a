"""Puts a graph into layers from the top down. What is said first stands left, so that a small change moves little."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

SWEEPS: Final = 6
PORT: Final = 26.0
"""How far apart edges begin and end, where there is room."""
BEND: Final = 14.0
"""The room that an edge takes where it passes a layer."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Where each node begins, the way of each edge, and the size of all."""

    places: dict[str, tuple[float, float]]
    ways: dict[int, list[tuple[float, float]]]
    """By the edge's index: from below its source to above its target; an edge that goes back runs upward."""
    width: float
    height: float


Point = tuple[float, float]
Heights = Mapping[int, float]
Sizes = Mapping[str, tuple[float, float, float, float]]
"""Width, height, the x of the middle, and how wide around it edges may begin and end; in the order of the text."""


def layered(
    sizes: Sizes,
    edges: Sequence[tuple[str, str]],
    across: float = 28,
    down: float = 44,
    firsts: Collection[str] = (),
) -> Placed:
    """In a circle the edges to `firsts` go back, if it has any, else those that close it."""
    return _Layering(sizes, edges, across, down, firsts).placed()


class _Layering:
    def __init__(
        self, sizes: Sizes, edges: Sequence[tuple[str, str]], across: float, down: float, firsts: Collection[str]
    ) -> None:
        self.sizes = dict(sizes)
        self.edges = edges
        self.across = across
        self.down = down
        returning = _returning(list(sizes), edges, firsts) if firsts else set()
        self.back = returning | _backward(list(sizes), edges, returning)
        self.rank = self._ranks()
        self.chains: dict[int, list[str]] = {}
        self.layers = self._with_bends()
        self._order()

    def _forward(self) -> list[tuple[int, str, str]]:
        found = []
        for at, (source, target) in enumerate(self.edges):
            if source != target:
                found.append((at, target, source) if at in self.back else (at, source, target))
        return found

    def _ranks(self) -> dict[str, int]:
        """The longest way to each node; one that nothing waits for stands above the first that waits for it."""
        following: dict[str, list[str]] = {one: [] for one in self.sizes}
        waits = dict.fromkeys(self.sizes, 0)
        for _, source, target in self._forward():
            following[source].append(target)
            waits[target] += 1
        starts = {one for one, count in waits.items() if not count}
        rank = dict.fromkeys(self.sizes, 0)
        ready = [one for one, count in waits.items() if not count]
        while ready:
            one = ready.pop()
            for target in following[one]:
                rank[target] = max(rank[target], rank[one] + 1)
                waits[target] -= 1
                if not waits[target]:
                    ready.append(target)
        for one in starts:
            if following[one]:
                rank[one] = min(rank[target] for target in following[one]) - 1
        return rank

    def _with_bends(self) -> list[list[str]]:
        """The layers, with a bend wherever an edge passes one."""
        layers: list[list[str]] = [[] for _ in range(max(self.rank.values(), default=0) + 1)]
        for one, rank in self.rank.items():
            layers[rank].append(one)
        for at, source, target in self._forward():
            chain = [source]
            for rank in range(self.rank[source] + 1, self.rank[target]):
                bend = f"\0{at} {rank}"
                self.sizes[bend] = (BEND, 0.0, BEND / 2, 0.0)
                layers[rank].append(bend)
                chain.append(bend)
            self.chains[at] = [*chain, target]
        return layers

    def _neighbours(self) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        above: dict[str, list[str]] = {one: [] for one in self.sizes}
        below: dict[str, list[str]] = {one: [] for one in self.sizes}
        for chain in self.chains.values():
            for upper, lower in pairwise(chain):
                above[lower].append(upper)
                below[upper].append(lower)
        return above, below

    def _order(self) -> None:
        """Each node where its neighbours are in the mean; equal ones in the order in which they are said."""
        above, below = self._neighbours()
        at = {one: float(index) for layer in self.layers for index, one in enumerate(layer)}
        for sweep in range(SWEEPS):
            near = above if sweep % 2 == 0 else below
            for layer in self.layers if sweep % 2 == 0 else reversed(self.layers):
                wanted = {one: _mean([at[other] for other in near[one]], at[one]) for one in layer}
                layer.sort(key=lambda one: wanted[one])
                at.update({one: float(index) for index, one in enumerate(layer)})

    def placed(self) -> Placed:
        x = self._across()
        y: dict[int, float] = {}
        top = 0.0
        for rank, layer in enumerate(self.layers):
            y[rank] = top
            top += max((self.sizes[one][1] for one in layer), default=0.0) + self.down
        high = {rank: max((self.sizes[one][1] for one in layer), default=0.0) for rank, layer in enumerate(self.layers)}
        left = min((x[one] - self.sizes[one][2] for one in x), default=0.0)
        places = {
            one: (x[one] - self.sizes[one][2] - left, y[rank] + (high[rank] - self.sizes[one][1]) / 2)
            for rank, layer in enumerate(self.layers)
            for one in layer
        }
        right = max((place[0] + self.sizes[one][0] for one, place in places.items()), default=0.0)
        begins, ends = self._ports(x)
        ways = {}
        for at, chain in self.chains.items():
            way = self._way(chain, places, y, high)
            way[0] = (way[0][0] + begins[at], way[0][1])
            way[-1] = (way[-1][0] + ends[at], way[-1][1])
            ways[at] = way
        ways = {at: way[::-1] if at in self.back else way for at, way in ways.items()}
        return Placed({one: places[one] for one in self.rank}, ways, right, max(0.0, top - self.down))

    def _ports(self, x: Mapping[str, float]) -> tuple[dict[int, float], dict[int, float]]:
        """How far from the middle each edge begins and ends, so that several do not lie on one another."""
        leaving: dict[str, list[tuple[float, int]]] = {}
        coming: dict[str, list[tuple[float, int]]] = {}
        for at, chain in self.chains.items():
            leaving.setdefault(chain[0], []).append((x[chain[1]], at))
            coming.setdefault(chain[-1], []).append((x[chain[-2]], at))
        return self._spread(leaving), self._spread(coming)

    def _spread(self, sides: Mapping[str, list[tuple[float, int]]]) -> dict[int, float]:
        found: dict[int, float] = {}
        for one, edges in sides.items():
            gap = min(PORT, self.sizes[one][3] / max(1, len(edges) - 1))
            for index, (_, at) in enumerate(sorted(edges)):
                found[at] = (index - (len(edges) - 1) / 2) * gap
        return found

    def _way(
        self,
        chain: list[str],
        places: Mapping[str, tuple[float, float]],
        y: Mapping[int, float],
        high: Mapping[int, float],
    ) -> list[tuple[float, float]]:
        ranks = range(self.rank[chain[0]], self.rank[chain[0]] + len(chain))
        way: list[Point] = []
        for place, (one, rank) in enumerate(zip(chain, ranks, strict=True)):
            middle = places[one][0] + self.sizes[one][2]
            if place == 0:
                way.append((middle, places[one][1] + self.sizes[one][1]))
            elif place == len(chain) - 1:
                way.append((middle, places[one][1]))
            else:
                way += [(middle, y[rank]), (middle, y[rank] + high[rank])]
        return way

    def _across(self) -> dict[str, float]:
        """The x of every middle: near those of its neighbours, as far apart as the nodes are wide."""
        above, below = self._neighbours()
        x: dict[str, float] = {}
        for layer in self.layers:
            x.update(zip(layer, self._apart(layer, [0.0] * len(layer)), strict=True))
        for sweep in range(2 * SWEEPS):
            near = above if sweep % 2 == 0 else below
            for layer in self.layers if sweep % 2 == 0 else reversed(self.layers):
                wanted = [_mean([x[other] for other in near[one]], x[one]) for one in layer]
                x.update(zip(layer, self._apart(layer, wanted), strict=True))
        return x

    def _apart(self, layer: Sequence[str], wanted: Sequence[float]) -> list[float]:
        """The places nearest to the wanted ones that keep order and distance (pool adjacent violators)."""
        offsets = [0.0]
        for left, right in pairwise(layer):
            room = self.sizes[left][0] - self.sizes[left][2] + self.sizes[right][2]
            offsets.append(offsets[-1] + room + self.across)
        pools: list[tuple[float, int]] = []
        for want, offset in zip(wanted, offsets, strict=True):
            total, count = want - offset, 1
            while pools and pools[-1][0] / pools[-1][1] > total / count:
                before = pools.pop()
                total, count = total + before[0], count + before[1]
            pools.append((total, count))
        free = [total / count for total, count in pools for _ in range(count)]
        return [one + offset for one, offset in zip(free, offsets, strict=True)]


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _returning(nodes: Sequence[str], edges: Sequence[tuple[str, str]], firsts: Collection[str]) -> set[int]:
    """Edges to the firsts from nodes that are in a circle with them."""
    of = _circles(nodes, edges)
    return {at for at, (source, target) in enumerate(edges) if target in firsts and of[source] == of[target]}


def _circles(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """For each node which strongly connected part it is in."""
    leaving: dict[str, list[str]] = {one: [] for one in nodes}
    coming: dict[str, list[str]] = {one: [] for one in nodes}
    for source, target in edges:
        leaving[source].append(target)
        coming[target].append(source)
    ended: list[str] = []
    seen: set[str] = set()
    for first in nodes:
        walk = [] if first in seen else [(first, iter(leaving[first]))]
        seen.add(first)
        while walk:
            one, rest = walk[-1]
            following = next((other for other in rest if other not in seen), None)
            if following is None:
                ended.append(one)
                walk.pop()
            else:
                seen.add(following)
                walk.append((following, iter(leaving[following])))
    found: dict[str, int] = {}
    for number, first in enumerate(reversed(ended)):
        rest_of = [first] if first not in found else []
        while rest_of:
            one = rest_of.pop()
            if one not in found:
                found[one] = number
                rest_of += [other for other in coming[one] if other not in found]
    return found


def _backward(nodes: Sequence[str], edges: Sequence[tuple[str, str]], without: set[int]) -> set[int]:
    """Edges that close a circle when the graph is walked from what is said first."""
    leaving: dict[str, list[tuple[int, str]]] = {one: [] for one in nodes}
    for at, (source, target) in enumerate(edges):
        if at not in without:
            leaving[source].append((at, target))
    entered = {target for at, (source, target) in enumerate(edges) if source != target and at not in without}
    back: set[int] = set()
    done: set[str] = set()
    for first in [*(one for one in nodes if one not in entered), *nodes]:
        if first in done:
            continue
        done.add(first)
        open = {first}
        walk = [(first, iter(leaving[first]))]
        while walk:
            one, rest = walk[-1]
            at, target = next(rest, (-1, ""))
            if at < 0:
                open.discard(one)
                walk.pop()
            elif target in open:
                back.add(at)
            elif target not in done:
                done.add(target)
                open.add(target)
                walk.append((target, iter(leaving[target])))
    return back
