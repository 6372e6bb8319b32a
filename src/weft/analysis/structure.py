"""What the arcs alone say of a net: workflow net, free choice, siphons and traps, place invariants."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import gcd

from weft.analysis.plain import PlainNet

FOUND_MAX = 200
"""Siphons, traps and invariants may be exponentially many; beyond this the answer is "more"."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Of a workflow net: the place where a case begins and the one where it ends."""

    source: int
    sink: int


def workflow_ends(net: PlainNet) -> Ends | None:
    """Source and sink, if there is one of each and every place and transition lies on a way from one to the other."""
    into: list[set[int]] = [set() for _ in net.places]
    out_of: list[set[int]] = [set() for _ in net.places]
    for number, one in enumerate(net.transitions):
        for place in (*one.takes, *one.reads):
            out_of[place].add(number)
        for place in (*one.puts, *one.reads):
            into[place].add(number)
    sources = [place for place in range(len(net.places)) if not into[place]]
    sinks = [place for place in range(len(net.places)) if not out_of[place]]
    if len(sources) != 1 or len(sinks) != 1 or sources == sinks:
        return None
    ends = Ends(sources[0], sinks[0])
    forward = _reached(ends.source, out_of, [[*one.puts, *one.reads] for one in net.transitions])
    backward = _reached(ends.sink, into, [[*one.takes, *one.reads] for one in net.transitions])
    count = len(net.places) + len(net.transitions)
    return ends if len(forward) == len(backward) == count else None


def _reached(start: int, transitions: list[set[int]], places: list[list[int]]) -> set[tuple[str, int]]:
    seen: set[tuple[str, int]] = {("place", start)}
    todo = [start]
    while todo:
        for number in transitions[todo.pop()]:
            if ("transition", number) in seen:
                continue
            seen.add(("transition", number))
            for place in places[number]:
                if ("place", place) not in seen:
                    seen.add(("place", place))
                    todo.append(place)
    return seen


def is_free_choice(net: PlainNet) -> bool:
    """Two transitions that share a place they take from take from the same places."""
    if not net.is_ordinary:
        return False
    asked: dict[int, frozenset[int]] = {}
    return all(
        asked.setdefault(place, frozenset(one.takes)) == frozenset(one.takes)
        for one in net.transitions
        for place in one.takes
    )


# Siphons and traps.


def largest_siphon(net: PlainNet, within: set[int]) -> set[int]:
    """The largest set of these places that, once empty, stays empty: whoever puts into it also takes from it."""
    found = set(within)
    changed = True
    while changed:
        changed = False
        for one in net.transitions:
            if found.intersection(one.puts) and not found.intersection(one.needs()):
                found.difference_update(one.puts)
                changed = True
    return found


def largest_trap(net: PlainNet, within: set[int]) -> set[int]:
    """The largest set of these places that, once marked, stays marked: whoever takes from it also puts into it."""
    found = set(within)
    changed = True
    while changed:
        changed = False
        for one in net.transitions:
            if found.intersection(one.takes) and not found.intersection({*one.puts, *one.reads}):
                found.difference_update(one.takes)
                changed = True
    return found


def siphons(net: PlainNet, at_most: int = FOUND_MAX) -> list[frozenset[int]]:
    """The minimal siphons, the smallest first; `at_most` of them."""
    feeding = [[one for one in net.transitions if place in one.puts] for place in range(len(net.places))]
    return _minimal(range(len(net.places)), lambda place: [set(one.needs()) for one in feeding[place]], at_most)


def traps(net: PlainNet, at_most: int = FOUND_MAX) -> list[frozenset[int]]:
    """The minimal traps, the smallest first; `at_most` of them."""
    draining = [[one for one in net.transitions if place in one.takes] for place in range(len(net.places))]
    return _minimal(range(len(net.places)), lambda place: [{*one.puts, *one.reads} for one in draining[place]], at_most)


def _minimal(places: Iterable[int], asks: Callable[[int], list[set[int]]], at_most: int) -> list[frozenset[int]]:
    """The least sets that have, for each place in them and each question about it, one of the places that answer it."""
    found: list[frozenset[int]] = []
    for least in places:
        todo: list[frozenset[int]] = [frozenset({least})]
        seen: set[frozenset[int]] = set()
        while todo and len(found) < at_most and len(seen) < 50 * at_most:
            one = todo.pop(0)
            if one in seen or any(known <= one for known in found):
                continue
            seen.add(one)
            open_question = next((q for place in sorted(one) for q in asks(place) if not one & q), None)
            if open_question is None:
                found = [known for known in found if not one <= known] + [one]
            else:
                todo += [one | {place} for place in sorted(open_question)]
    return sorted(found, key=lambda one: (len(one), sorted(one)))


# Place invariants.


def place_invariants(net: PlainNet, at_most: int = FOUND_MAX) -> list[dict[int, int]] | None:
    """The minimal weights of places, none negative, under which no transition changes the sum of tokens.

    Found by Farkas' algorithm; none (and not the empty list) when more than `at_most` rows would have to be kept.
    """
    if any(one.resets for one in net.transitions):
        return None
    effects = [
        {
            place: change
            for place in {*one.takes, *one.puts}
            if (change := one.puts.get(place, 0) - one.takes.get(place, 0))
        }
        for one in net.transitions
    ]
    rows: list[tuple[dict[int, int], dict[int, int]]] = [
        ({number: effect[place] for number, effect in enumerate(effects) if place in effect}, {place: 1})
        for place in range(len(net.places))
    ]
    while open_columns := {number for columns, _ in rows for number in columns}:
        column = min(open_columns, key=lambda number: _products(rows, number))
        plus = [row for row in rows if row[0].get(column, 0) > 0]
        minus = [row for row in rows if row[0].get(column, 0) < 0]
        rows = [row for row in rows if column not in row[0]]
        if len(rows) + len(plus) * len(minus) > 10 * at_most:
            return None
        rows = _without_larger(rows + [_combined(one, other, column) for one in plus for other in minus])
        if len(rows) > at_most + len(net.places):
            return None
    return [weights for _, weights in rows]


def _products(rows: list[tuple[dict[int, int], dict[int, int]]], column: int) -> int:
    plus = sum(row[0].get(column, 0) > 0 for row in rows)
    minus = sum(row[0].get(column, 0) < 0 for row in rows)
    return plus * minus - plus - minus


def _combined(
    one: tuple[dict[int, int], dict[int, int]], other: tuple[dict[int, int], dict[int, int]], column: int
) -> tuple[dict[int, int], dict[int, int]]:
    first, second = -other[0][column], one[0][column]
    columns = {key: first * one[0].get(key, 0) + second * other[0].get(key, 0) for key in {*one[0], *other[0]}}
    weights = {key: first * one[1].get(key, 0) + second * other[1].get(key, 0) for key in {*one[1], *other[1]}}
    divisor = gcd(*columns.values(), *weights.values())
    return (
        {key: value // divisor for key, value in columns.items() if value},
        {key: value // divisor for key, value in weights.items()},
    )


def _without_larger(rows: list[tuple[dict[int, int], dict[int, int]]]) -> list[tuple[dict[int, int], dict[int, int]]]:
    """Only rows whose places no other row's places are a part of."""
    kept: list[tuple[dict[int, int], dict[int, int]]] = []
    for row in sorted(rows, key=lambda row: len(row[1])):
        if not any(known[1].keys() <= row[1].keys() for known in kept):
            kept.append(row)
    return kept


def bound_by(net: PlainNet, invariants: list[dict[int, int]]) -> list[int | None]:
    """The tokens that each place holds at most, as far as the invariants tell."""
    bounds: list[int | None] = [None] * len(net.places)
    for weights in invariants:
        total = sum(weight * net.marking[place] for place, weight in weights.items())
        for place, weight in weights.items():
            known = bounds[place]
            bounds[place] = total // weight if known is None else min(known, total // weight)
    return bounds
