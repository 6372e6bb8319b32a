"""Draws activities: tasks as boxes, blocks nested, graphs in layers, what takes back or takes over beside them."""

from collections.abc import Iterator, Sequence
from typing import Final

from weft.drawing.figures import (
    SMALL,
    Figure,
    along,
    beside,
    boxed,
    curve,
    figure,
    framed,
    grouped,
    label,
    line,
    number,
    stacked,
)
from weft.drawing.layers import layered
from weft.drawing.nets import drawn_net
from weft.drawing.painting import ANY, Painting
from weft.drawing.text import short, width
from weft.model.definition import (
    Activity,
    AtLeast,
    Call,
    Command,
    Each,
    Flow,
    Function,
    Group,
    Guard,
    Net,
    On,
    Output,
    Person,
    Signal,
    Task,
    Timer,
    When,
    is_unnamed,
)

GAP: Final = 26.0
DOWN: Final = 34.0
WORDS: Final = {
    "all": "and: all of", "any": "or: any of", "race": "xor: one commits", "choice": "choice", "pick": "one starts",
    "at_least": "some of", "loop": "loop", "contingency": "else", "serial": "in turn",
}  # fmt: skip


class Drawing:
    """Draws the activities of one process."""

    def __init__(self, painting: Painting) -> None:
        self.painting = painting

    def whole(self, root: Activity) -> Figure:
        """The root of a process; what is inside a flow at the root bears no prefix in paths."""
        path = root.name
        match root:
            case Flow():
                inside = self._inside(root, "")
            case Net():
                inside = drawn_net(root, path, self.painting, self.of)
            case _:
                return self.of(root)
        return self._with_sides(self._thing(inside, root, path), root, path)

    def of(self, activity: Activity, prefix: str = "", path: str = "") -> Figure:
        """An activity whose path begins with the prefix, or is given, as those in nets and eachs are."""
        inside = path + "/" if path else prefix if is_unnamed(activity.name) else f"{prefix}{activity.name}/"
        path = path or prefix + activity.name
        match activity:
            case Task():
                drawn = boxed(activity.name, _notes(activity), "box" + _marks(activity))
            case Call():
                notes = [f"calls {activity.process}"] if activity.process != activity.name else ["a process"]
                drawn = boxed(activity.name, notes, "box call" + _marks(activity))
            case Each():
                many = f", {activity.at_most} at a time" if activity.at_most else ""
                body = self.of(activity.body, path=path + ANY)
                drawn = framed(body, f"for each {activity.item}{many}", "frame each")
            case Net():
                net = drawn_net(activity, path, self.painting, self.of)
                drawn = framed(net, f"{activity.name} (net)", "frame")
            case Flow():
                if is_unnamed(activity.name):
                    return self._with_sides(self._inside(activity, inside), activity, path)
                drawn = framed(self._inside(activity, inside), activity.name, "frame")
        return self._with_sides(self._thing(drawn, activity, path), activity, path)

    def _thing(self, drawn: Figure, activity: Activity, path: str) -> Figure:
        """A figure with its status, its place in the trace, and what a program and a person may ask of it."""
        status, numbers = self.painting.said(path), self.painting.numbers(path)
        title = activity.name + (f": {status}" if status else "")
        title += f"\n{activity.description}" if activity.description else ""
        parts = list(drawn.parts)
        if numbers:
            parts.append(badge(numbers))
        if sum(self.painting.statuses.get(path, {}).values()) > 1:
            parts.append(label(short(status, drawn.width + 20, SMALL), drawn.width / 2, drawn.height + SMALL, "small"))
        kind = f"thing {self.painting.kind(path)}".strip()
        return figure(drawn.width, drawn.height, [grouped(parts, kind, path, title)], drawn.middle)

    # Flows.

    def _inside(self, flow: Flow, prefix: str) -> Figure:
        if not flow.children:
            return boxed("nothing", [], "box")
        match flow.block:
            case "serial":
                return self._chain(flow, prefix, [""] * len(flow.children))
            case "contingency":
                return self._chain(flow, prefix, ["if it aborts"] * len(flow.children))
            case "loop":
                return self._loop(flow, prefix)
            case "all" | "any" | "race" | "choice" | "pick" | "at_least":
                return self._fork(flow, prefix)
        return self._graph(flow, prefix)

    def _chain(self, flow: Flow, prefix: str, said: Sequence[str]) -> Figure:
        figures = [self.of(one, prefix) for one in flow.children]
        whole, places = stacked(figures, DOWN)
        parts = list(whole.parts)
        for at, (one, (_, y)) in enumerate(zip(figures[:-1], places, strict=False)):
            bottom = y + one.height
            parts.append(
                line([(whole.middle, bottom), (whole.middle, bottom + DOWN)], "edge dashed" if said[at] else "edge")
            )
            if said[at]:
                parts.append(label(said[at], whole.middle + 6, bottom + DOWN / 2 + 4, "small", "start"))
        right = whole.middle + 12 + width(said[0], SMALL) if len(figures) > 1 else 0
        return figure(max(whole.width, right), whole.height, parts, whole.middle)

    def _fork(self, flow: Flow, prefix: str) -> Figure:
        """Children beside each other between two bars."""
        figures = [self.of(one, prefix) for one in flow.children]
        said = [_condition(one, at, flow) for at, one in enumerate(flow.children)]
        wide = [max(width(text, SMALL) + 8, 0) for text in said]
        padded = [_widened(one, room) for one, room in zip(figures, wide, strict=True)]
        inner, places = beside(padded, GAP)
        top, bottom = 44.0 if any(said) else 32.0, 22.0
        high = top + inner.height + bottom
        word = WORDS[flow.block]
        total = max(inner.width, 2 * (width(word, SMALL) + 12))
        shift = (total - inner.width) / 2
        parts = [inner.at(shift, top), _bar(total, 4), _bar(total, high - 4)]
        parts.append(label(word, total / 2 + 8, -3, "small", "start"))
        for one, (x, y), text in zip(padded, places, said, strict=True):
            middle = shift + x + one.middle
            parts.append(line([(middle, 6), (middle, top + y)]))
            parts.append(line([(middle, top + y + one.height), (middle, high - 5)], "edge bare"))
            if text:
                parts.append(label(text, middle, 22, "small paper"))
        return figure(total, high, parts)

    def _loop(self, flow: Flow, prefix: str) -> Figure:
        inner = self._chain(flow, prefix, [""] * len(flow.children))
        text = short(f"while {flow.condition}", 260, SMALL)
        room = 34.0
        right = max(inner.width, inner.middle + width(text, SMALL) / 2 + 8) + room
        left = max(0.0, width(text, SMALL) / 2 - inner.middle)
        parts = [inner.at(left, 38)]
        middle, bottom = left + inner.middle, 38 + inner.height
        parts.append(line([(middle, 18), (middle, 38)]))
        parts.append(label(text, middle, 13, "small"))
        back = [
            (middle, bottom),
            (middle, bottom + 14),
            (left + right - 8, bottom + 14),
            (left + right - 8, 28),
            (middle + 3, 28),
        ]
        parts += [line(back, "edge"), line([(middle, bottom), (middle, bottom + 18)], "edge bare")]
        return figure(left + right, bottom + 18, parts, middle)

    def _graph(self, flow: Flow, prefix: str) -> Figure:
        figures = {one.name: self.of(one, prefix) for one in flow.children}
        joined = dict(_edges(flow))
        edges = list(joined)
        placed = layered({name: room_of(one) for name, one in figures.items()}, edges)
        parts: list[str] = []
        for at, way in placed.ways.items():
            said, kind = joined[edges[at]]
            parts.append(curve(way, kind))
            if said:
                x, y = along(way, 0.6)
                parts.append(label(short(said, 130, SMALL), x + 4, y, "small paper", "start"))
        parts += [figures[name].at(*place) for name, place in placed.places.items()]
        for one in flow.children:
            if one.name in joined_self(flow):
                x, y = placed.places[one.name]
                parts.append(_again(x + figures[one.name].width, y))
        first = figures[flow.children[0].name]
        middle = placed.width / 2 if len(placed.places) > 1 else first.middle
        return figure(placed.width + 4, placed.height, parts, middle)

    # Beside an activity.

    def _with_sides(self, drawn: Figure, activity: Activity, path: str) -> Figure:
        """What takes back and what takes over, to the right of what it is for."""
        sides = list(_sides(activity))
        if not sides:
            return drawn
        ends = {"taken back by": "/compensation", "undone by": "/undo"}
        figures = [self.of(side, path=path + ends.get(word, f"/{side.name}")) for word, side in sides]
        column, places = stacked(figures, 12)
        room = max(width(word, SMALL) for word, _ in sides) + 26
        high = max(drawn.height, column.height)
        top = (high - column.height) / 2
        parts = [drawn.at(0, (high - drawn.height) / 2), column.at(drawn.width + room, top)]
        for (word, _), one, (x, y) in zip(sides, figures, places, strict=True):
            at = top + y + one.height / 2
            start, end = drawn.width, drawn.width + room + x
            begin = min(max(at, (high - drawn.height) / 2 + 8), (high + drawn.height) / 2 - 8)
            parts.append(line([(start, begin), (start + 8, begin), (end - 10, at), (end, at)], "edge side"))
            parts.append(label(word, start + room / 2, min(begin, at) - 5, "small"))
        return figure(drawn.width + room + column.width, high, parts, drawn.middle)


# What is said of an activity.


def _notes(task: Task) -> list[str]:
    match task.handler:
        case Person(role=role):
            return [f"person{': ' + role if role else ''}"]
        case Group(role=role, users=users):
            return [f"together: {role or ', '.join(users)}"]
        case Timer(seconds=seconds):
            return [f"after {seconds:g} s" if seconds else "timer"]
        case Signal(signal=signal):
            return [f"signal {signal}" if signal != task.name else "signal"]
        case Command(application=application):
            return [f"runs {application}"]
        case Function():
            return []
        case _:
            return [type(task.handler).__name__.lower()] if type(task.handler).__name__ != "Named" else []


def _marks(activity: Activity) -> str:
    return (" loose" if not activity.vital else "") + (" critical" if activity.critical else "")


def _sides(activity: Activity) -> Iterator[tuple[str, Activity]]:
    if activity.compensation is not None:
        yield "taken back by", activity.compensation
    if activity.undo is not None:
        yield "undone by", activity.undo
    for rule in activity.on_error:
        if rule.alternate is not None:
            yield f"on {rule.error or 'error'}", rule.alternate


def _condition(child: Activity, at: int, flow: Flow) -> str:
    if flow.block != "choice":
        return ""
    found = [one.text for set in child.input_sets for one in _terms(set.guard) if isinstance(one, When)]
    return short(found[0], 170, SMALL) if found else "otherwise"


def _terms(guard: Guard | None) -> Iterator[Guard]:
    rest = [guard] if guard is not None else []
    while rest:
        one = rest.pop(0)
        yield one
        if isinstance(one, AtLeast):
            rest = [*one.guards, *rest]


def _edges(flow: Flow) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """From each child to those that wait for it: what the edge says, and how it looks."""
    names = {one.name for one in flow.children}
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for child in flow.children:
        for one in child.input_sets:
            asked = " ".join(f"[{term.text}]" for term in _terms(one.guard) if isinstance(term, When))
            for term in _terms(one.guard):
                if isinstance(term, On) and term.activity in names and term.activity != child.name:
                    event = "" if term.event == "committed" else term.event.removeprefix("committed:")
                    found.setdefault((term.activity, child.name), (f"{event} {asked}".strip(), "edge"))
            for sources in one.bindings.values():
                for source in sources:
                    if isinstance(source, Output) and source.activity in names and source.activity != child.name:
                        found.setdefault((source.activity, child.name), ("", "edge data"))
    yield from found.items()


def joined_self(flow: Flow) -> set[str]:
    """Children that go round again by an outcome of their own."""
    return {one.name for one in flow.children if any(outcome.kind == "repeat" for outcome in one.outcomes)}


# Small parts.


def room_of(one: Figure) -> tuple[float, float, float, float]:
    return one.width, one.height, one.middle, 1.4 * min(one.middle, one.width - one.middle)


def badge(text: str) -> str:
    wide = max(18.0, width(text, SMALL) + 8)
    return f'<rect x="{number(-wide / 2)}" y="-9" width="{number(wide)}" height="18" rx="9" class="badge"/>' + label(
        text, 0, 4, "small badge-text"
    )


def _bar(wide: float, y: float) -> str:
    return f'<path d="M0 {number(y)} H{number(wide)}" class="bar"/>'


def _again(x: float, y: float) -> str:
    return f'<path d="M{number(x)} {number(y + 12)} c26 -4 26 22 2 18" class="edge"/>'


def _widened(one: Figure, room: float) -> Figure:
    """At least so wide around its middle that a label fits."""
    left = max(0.0, room / 2 - one.middle)
    right = max(0.0, room / 2 - (one.width - one.middle))
    return figure(one.width + left + right, one.height, [one.at(left, 0)], one.middle + left)
