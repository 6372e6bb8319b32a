"""A process as an SVG diagram: readable in light and dark, with what an instance has come to and with a trace."""

from collections.abc import Iterable, Mapping
from typing import Final

from weft.drawing.activities import Drawing
from weft.drawing.figures import label, number
from weft.drawing.painting import Painting
from weft.drawing.text import SIZE, escape, lines, width
from weft.model.definition import Process

MARGIN: Final = 20.0
WIDE_AT_LEAST: Final = 220.0

_STYLE: Final = """
svg { background: #ffffff; }
text { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1c2733; }
.small { font-size: 11px; fill: #51606f; }
.title { font-size: 15px; font-weight: 600; }
.paper { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; stroke-linejoin: round; }
.box, .transition { fill: #f3f6f9; stroke: #7d8b99; stroke-width: 1.2; }
.works { fill: #eaf1f8; }
.call { stroke-width: 3; }
.loose { stroke-dasharray: 5 3; }
.critical { stroke-width: 2.6; }
.frame { fill: #7d8b99; fill-opacity: 0.05; stroke: #a9b4bf; stroke-width: 1; }
.each { stroke-dasharray: 2 3; stroke-width: 1.6; }
.place { fill: #ffffff; stroke: #7d8b99; stroke-width: 1.4; }
.output { stroke-width: 3; }
.token { fill: #1c2733; }
.edge { fill: none; stroke: #66737f; stroke-width: 1.3; marker-end: url(#arrow); }
.bare { marker-end: none; }
.dashed, .side { stroke-dasharray: 5 3; }
.data { stroke-dasharray: 1.5 3; }
.read { stroke-dasharray: 5 3; marker-end: none; }
.inhibits { marker-end: url(#circle); }
.resets { marker-end: url(#double); }
.wrong-edge { stroke: #b3372f; }
.bar { stroke: #66737f; stroke-width: 3; stroke-linecap: round; }
.arrow { fill: #66737f; }
.ring { fill: #ffffff; stroke: #66737f; stroke-width: 1.3; }
.badge { fill: #6a3fb5; }
.badge-text { fill: #ffffff; font-weight: 600; }
"""
_LIGHT: Final = {
    "ready": ("#fff6d9", "#b98900"), "runs": ("#dcebfd", "#2a6fc9"), "done": ("#def3e2", "#2e8746"),
    "wrong": ("#fce1de", "#b3372f"), "back": ("#fdebd8", "#b8681a"), "skipped": ("#f1f1f1", "#b9bec4"),
}  # fmt: skip
_DARK_STYLE: Final = """
svg { background: #14191f; }
text { fill: #e4eaf0; }
.small { fill: #a3b0bd; }
.paper { stroke: #14191f; }
.box, .transition { fill: #222b35; stroke: #8795a3; }
.works { fill: #24313f; }
.frame { stroke: #4d5966; }
.place { fill: #14191f; stroke: #8795a3; }
.token { fill: #e4eaf0; }
.edge, .bar { stroke: #9aa7b4; }
.wrong-edge { stroke: #f08a80; }
.arrow { fill: #9aa7b4; }
.ring { fill: #14191f; stroke: #9aa7b4; }
.badge { fill: #b79cf0; }
.badge-text { fill: #14191f; }
"""
_DARK: Final = {
    "ready": ("#3d3517", "#e0b84a"), "runs": ("#17304d", "#7db4f5"), "done": ("#17361f", "#77cc8d"),
    "wrong": ("#45211e", "#f08a80"), "back": ("#40291a", "#eda35c"), "skipped": ("#1c2228", "#4d5966"),
}  # fmt: skip
_MARKERS: Final = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0.5 L8 4 L0 7.5 z" class="arrow"/></marker>'
    '<marker id="double" viewBox="0 0 14 8" refX="13" refY="4" markerWidth="12" markerHeight="7" orient="auto">'
    '<path d="M0 0.5 L8 4 L0 7.5 z M6 0.5 L14 4 L6 7.5 z" class="arrow"/></marker>'
    '<marker id="circle" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" orient="auto">'
    '<circle cx="5" cy="5" r="3.8" class="ring"/></marker></defs>'
)


def draw(process: Process, statuses: Mapping[str, str] | None = None, trace: Iterable[str] = ()) -> str:
    """The SVG of a process. `statuses` are of paths as facts have them; `trace` says paths or names in order.

    Equal definitions give equal text. Every activity, place and transition is a group with its `data-path`.
    """
    painting = Painting(statuses, trace)
    whole = Drawing(painting).whole(process.body)
    about = lines(process.body.description, max(whole.width, 420), 3, 11) if process.body.description else []
    words = lines(process.name, max(whole.width, 420), 2, 17)
    needed = max([width(one, 17) for one in words] + [width(one, 11) for one in about])
    wide = max(whole.width, needed, WIDE_AT_LEAST) + 2 * MARGIN
    top = MARGIN + 20 * len(words) + 15 * len(about) + 14
    high = top + whole.height + MARGIN + SIZE
    parts = [label(one, MARGIN, MARGIN + 12 + 20 * at, "title", "start") for at, one in enumerate(words)]
    below = MARGIN + 20 * len(words) + 8
    parts += [label(one, MARGIN, below + 15 * at, "small", "start") for at, one in enumerate(about)]
    parts.append(whole.at((wide - whole.width) / 2, top))
    size = f'width="{number(wide)}" height="{number(high)}" viewBox="0 0 {number(wide)} {number(high)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(process.name)}">'
        f"<style>{_style()}</style>{_MARKERS}{''.join(parts)}</svg>\n"
    )


def _style() -> str:
    return f"{_STYLE}{_painted(_LIGHT)}@media (prefers-color-scheme: dark) {{{_DARK_STYLE}{_painted(_DARK)}}}"


def _painted(colours: Mapping[str, tuple[str, str]]) -> str:
    """Only what a status is said of is painted, not what is inside it."""
    return "".join(
        f".{kind} > .box, .{kind} > .transition {{ fill: {fill}; stroke: {stroke}; stroke-width: 2; }}\n"
        f".{kind} > .frame {{ stroke: {stroke}; stroke-width: 2; }}\n"
        for kind, (fill, stroke) in colours.items()
    )
