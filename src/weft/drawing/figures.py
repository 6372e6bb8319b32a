"""Figures: drawings with a size, put beside, below and into one another. Coordinates are rounded, and so stay put."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from weft.drawing.text import LINE, SIZE, escape, lines, width

SMALL: Final = 11
PAD: Final = 10
RADIUS: Final = 7


@dataclass(frozen=True, slots=True)
class Figure:
    """`enter` and `leave` are where arrows come in at the top and go out at the bottom."""

    width: float
    height: float
    parts: tuple[str, ...]
    middle: float
    """The x at which arrows enter and leave."""

    def at(self, x: float, y: float) -> str:
        return f'<g transform="translate({number(x)} {number(y)})">{"".join(self.parts)}</g>'


def number(value: float) -> str:
    return f"{round(value, 1):g}"


def figure(wide: float, high: float, parts: Iterable[str], middle: float | None = None) -> Figure:
    return Figure(wide, high, tuple(parts), wide / 2 if middle is None else middle)


# Parts.


def label(text: str, x: float, y: float, kind: str = "", anchor: str = "middle") -> str:
    names = f' class="{kind}"' if kind else ""
    return f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"{names}>{escape(text)}</text>'


def rectangle(wide: float, high: float, kind: str, x: float = 0, y: float = 0, radius: float = RADIUS) -> str:
    return (
        f'<rect x="{number(x)}" y="{number(y)}" width="{number(wide)}" height="{number(high)}"'
        f' rx="{number(radius)}" class="{kind}"/>'
    )


def line(points: Sequence[tuple[float, float]], kind: str = "edge") -> str:
    """A straight or bent line with an arrow at its end."""
    said = " ".join(f"{'M' if at == 0 else 'L'}{number(x)} {number(y)}" for at, (x, y) in enumerate(points))
    return f'<path d="{said}" class="{kind}"/>'


def curve(points: Sequence[tuple[float, float]], kind: str = "edge") -> str:
    """A line from above to below that is upright at every point."""
    said = f"M{number(points[0][0])} {number(points[0][1])}"
    for (x1, y1), (x2, y2) in pairwise(points):
        half = (y1 + y2) / 2
        said += f" C{number(x1)} {number(half)} {number(x2)} {number(half)} {number(x2)} {number(y2)}"
    return f'<path d="{said}" class="{kind}"/>'


def along(way: Sequence[tuple[float, float]], t: float) -> tuple[float, float]:
    """Where the label of a curve stands: at that part of its middle part."""
    at = (len(way) - 2) // 2
    (x1, y1), (x2, y2) = way[at], way[at + 1]
    return x1 + (x2 - x1) * (3 - 2 * t) * t * t, y1 + (y2 - y1) * (1.5 * t - 1.5 * t * t + t * t * t) + 4


def grouped(parts: Iterable[str], kind: str, path: str, title: str) -> str:
    """Parts that are one thing of the process: a program finds it by its path, a person by its title."""
    return f'<g class="{kind}" data-path="{escape(path)}"><title>{escape(title)}</title>{"".join(parts)}</g>'


# Arranging.


def beside(figures: Sequence[Figure], gap: float) -> tuple[Figure, list[tuple[float, float]]]:
    """Side by side, each in the middle of the height; and where each begins."""
    high = max(one.height for one in figures)
    places: list[tuple[float, float]] = []
    x = 0.0
    for one in figures:
        places.append((x, (high - one.height) / 2))
        x += one.width + gap
    parts = [one.at(*place) for one, place in zip(figures, places, strict=True)]
    return figure(x - gap, high, parts), places


def stacked(figures: Sequence[Figure], gap: float) -> tuple[Figure, list[tuple[float, float]]]:
    """One below the other, their middles on one line."""
    left = max(one.middle for one in figures)
    wide = left + max(one.width - one.middle for one in figures)
    places: list[tuple[float, float]] = []
    y = 0.0
    for one in figures:
        places.append((left - one.middle, y))
        y += one.height + gap
    parts = [one.at(*place) for one, place in zip(figures, places, strict=True)]
    return figure(wide, y - gap, parts, left), places


def boxed(title: str, notes: Sequence[str], kind: str, wide: float = 170, most: int = 3) -> Figure:
    """A box with a name and small notes below it."""
    words = lines(title, wide, most)
    small = [lines(note, wide, 1, SMALL)[0] for note in notes]
    inner = max([width(one) for one in words] + [width(one, SMALL) for one in small] + [40.0])
    high = len(words) * LINE + len(small) * (LINE - 2) + 2 * PAD - 2
    box = inner + 2 * PAD
    parts = [rectangle(box, high, kind)]
    y = float(PAD + SIZE - 2)
    for one in words:
        parts.append(label(one, box / 2, y))
        y += LINE
    for one in small:
        parts.append(label(one, box / 2, y - 1, "small"))
        y += LINE - 2
    return figure(box, high, parts)


def framed(inside: Figure, title: str, kind: str) -> Figure:
    """A figure in a frame, with the title at its top left."""
    words = lines(title, max(inside.width, 240), 1, SMALL)[0] if title else ""
    top = float(2 * PAD + (6 if words else 0))
    shift = max(0.0, (width(words, SMALL) + 4 - inside.width) / 2)
    wide = inside.width + 2 * (PAD + 4) + 2 * shift
    high = inside.height + top + PAD + 4
    parts = [rectangle(wide, high, kind, radius=RADIUS + 3)]
    if words:
        parts.append(label(words, PAD, SMALL + 5, "small", "start"))
    parts.append(inside.at(PAD + 4 + shift, top))
    return figure(wide, high, parts, PAD + 4 + shift + inside.middle)
