"""Draws nets: places as circles with their tokens, transitions as boxes, in layers as tokens go."""

from collections.abc import Callable, Mapping
from typing import Final

from weft.drawing.figures import PAD, SMALL, Figure, along, boxed, curve, figure, framed, grouped, label
from weft.drawing.layers import layered
from weft.drawing.painting import ANY, Painting
from weft.drawing.text import LINE, lines, short, width
from weft.model.definition import Activity, ArcIn, Call, Net, Place, Task, Transition

CIRCLE: Final = 17.0
DOTS: Final = {
    1: [(0, 0)],
    2: [(-5, 0), (5, 0)],
    3: [(0, -5), (-5, 4), (5, 4)],
    4: [(-5, -5), (5, -5), (-5, 5), (5, 5)],
}
Draw = Callable[[Activity, str, str], Figure]


def drawn_net(net: Net, path: str, painting: Painting, draw: Draw) -> Figure:
    if not net.places and not net.transitions:
        return boxed("nothing", [], "box")
    figures: dict[str, Figure] = {}
    for kind, index in _order(net):
        if kind == "place":
            figures[f"place {net.places[index].name}"] = _place(net.places[index], f"{path}/{net.places[index].name}")
        else:
            one = net.transitions[index]
            figures[f"transition {one.name}"] = _transition(one, f"{path}/{one.name}", painting, draw)
    edges, looks = _arcs(net, figures)
    marked = {f"place {one.name}" for one in net.places if one.tokens}
    placed = layered({name: _room(name, one) for name, one in figures.items()}, edges, 30, 52, marked)
    parts: list[str] = []
    labels: list[str] = []
    right = placed.width
    for at, way in placed.ways.items():
        said, kind = looks[at]
        parts.append(curve(way, kind))
        is_told = (edges[at][1], edges[at][0]) in edges[:at] and said == looks[edges.index(edges[at][::-1])][0]
        if said and not is_told:
            x, y = along(way, 0.36 if edges[at][0].startswith("place ") else 0.68)
            labels.append(label(short(said, 150, SMALL), x + 5, y, "small paper", "start"))
            right = max(right, x + 5 + width(short(said, 150, SMALL), SMALL))
    parts += [figures[name].at(*place) for name, place in placed.places.items()]
    return figure(right + 4, placed.height, [*parts, *labels])


def _room(name: str, one: Figure) -> tuple[float, float, float, float]:
    is_place = name.startswith("place ")
    return one.width, one.height, one.middle, CIRCLE if is_place else 1.4 * min(one.middle, one.width - one.middle)


def _order(net: Net) -> list[tuple[str, int]]:
    """Places and transitions as one would say them: each place before the first transition that takes from it."""
    places = {one.name: index for index, one in enumerate(net.places)}
    found: list[tuple[str, int]] = []
    seen: set[int] = set()
    for index, one in enumerate(net.transitions):
        for arc in one.inputs:
            at = places.get(arc.place, -1)
            if at >= 0 and at not in seen:
                seen.add(at)
                found.append(("place", at))
        found.append(("transition", index))
        for out in one.outputs:
            at = places.get(out.place, -1)
            if at >= 0 and at not in seen:
                seen.add(at)
                found.append(("place", at))
    return found + [("place", index) for index in range(len(net.places)) if index not in seen]


def _place(place: Place, path: str) -> Figure:
    """A circle with its name to the right."""
    words = lines(place.description or place.name, 120, 2, SMALL)
    wide = 2 * CIRCLE + 6 + max(width(one, SMALL) for one in words)
    kind = "place output" if place.output else "place"
    parts = [
        f'<circle cx="{CIRCLE:g}" cy="{CIRCLE:g}" r="{CIRCLE - 1:g}" class="{kind}"/>',
        *_tokens(len(place.tokens)),
    ]
    y = CIRCLE + 4 - (len(words) - 1) * 6.5
    for one in words:
        parts.append(label(one, 2 * CIRCLE + 4, y, "small", "start"))
        y += 13
    title = f"{place.name}: {place.type}, {len(place.tokens)} tokens"
    return figure(wide, 2 * CIRCLE, [grouped(parts, "thing", path, title)], CIRCLE)


def _tokens(count: int) -> list[str]:
    if count not in DOTS:
        return [label(str(count) if count < 100_000 else "many", CIRCLE, CIRCLE + 4, "small")] if count else []
    return [f'<circle cx="{CIRCLE + x:g}" cy="{CIRCLE + y:g}" r="3.5" class="token"/>' for x, y in DOTS[count]]


def _transition(one: Transition, path: str, painting: Painting, draw: Draw) -> Figure:
    operation = one.operation
    guard = [f"[{one.guard}]"] if one.guard else []
    name = one.description or one.name
    if operation is None:
        drawn = boxed(name, guard, "transition")
    elif isinstance(operation, Task | Call) and operation.compensation is None:
        does = f"calls {operation.process}" if isinstance(operation, Call) else operation.name
        notes = [*guard, *([does] if does != one.name else [])]
        drawn = boxed(name, notes, "transition works" + (" call" if isinstance(operation, Call) else ""))
    else:
        title = " ".join([name, *guard])
        drawn = framed(draw(operation, "", path + ANY), title, "transition works")
    status, numbers = painting.said(path + ANY) or painting.said(path), painting.numbers(path)
    kind = painting.kind(path + ANY) or painting.kind(path)
    parts = list(drawn.parts)
    if numbers:
        wide = max(18.0, width(numbers, SMALL) + 8)
        parts.append(f'<rect x="{-wide / 2:g}" y="-9" width="{wide:g}" height="18" rx="9" class="badge"/>')
        parts.append(label(numbers, 0, 4, "small badge-text"))
    title = one.name + (f": {status}" if status else "")
    whole = grouped(parts, f"thing {kind}".strip(), path, title)
    return figure(drawn.width, max(drawn.height, float(LINE + PAD)), [whole], drawn.middle)


def _arcs(net: Net, figures: Mapping[str, Figure]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The edges, and for each what it says and how it looks; several between the same two are one."""
    found: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for one in net.transitions:
        transition = f"transition {one.name}"
        for arc in one.inputs:
            if f"place {arc.place}" in figures:
                said, looks = found.setdefault((f"place {arc.place}", transition), ([], []))
                said.append(_said(arc.variable, arc.weight))
                looks.append(_look(arc))
        for out in one.outputs:
            if f"place {out.place}" in figures:
                end = out.error or out.outcome
                when = f"on {end.rpartition('.')[2]}" if end else ""
                said, looks = found.setdefault((transition, f"place {out.place}"), ([], []))
                said.append(" ".join(filter(None, [_said(out.variable, out.weight), when])))
                looks.append("edge wrong-edge" if out.error else "edge")
    edges = list(found)
    words = [", ".join(_once(said)) for said, _ in found.values()]
    return edges, list(zip(words, (min(looks) for _, looks in found.values()), strict=True))


def _once(said: list[str]) -> list[str]:
    """Each once, and nothing that is said at some end and at any."""
    plain = {one for one in said if " on " not in one}
    return [one for one in dict.fromkeys(said) if one and (one in plain or one.partition(" on ")[0] not in plain)]


def _look(arc: ArcIn) -> str:
    return {"take": "edge", "read": "edge read", "inhibit": "edge inhibits", "reset": "edge resets"}[arc.kind]


def _said(variable: str, weight: int) -> str:
    plain = "" if variable == "control" else variable
    return f"{weight}× {plain}".strip() if weight > 1 else plain
