"""Where every activity of an instance stands, as a tree, and which guards of what waits do not hold yet, in words."""

from collections.abc import Iterator
from typing import TypeAlias

from weft.engine.live import Live
from weft.kernel import status
from weft.kernel.places import frames_of
from weft.kernel.state import Frame
from weft.kernel.tree import TASK
from weft.model.definition import AtLeast, Flow, Guard, InputSet, On, Quiet, When

Whereabouts: TypeAlias = tuple[str, int, str, tuple[str, ...]]
"""A path, how deep it lies, where it stands, and what it waits for."""


def whereabouts(live: Live) -> Iterator[Whereabouts]:
    """In the order of the definition, what runs inside an each, a net or a call behind it."""
    for frame in frames_of(live.state):
        above = frame.prefix.count("/")
        for node, now in enumerate(frame.status):
            path = frame.path(node)
            yield path, above + _depth(frame, node), status.NAMES[now], tuple(_why(live, frame, node, now))


def _depth(frame: Frame, node: int) -> int:
    depth = 0
    while node > 0:
        node = frame.plan.parent[node]
        depth += 1
    return depth


def _why(live: Live, frame: Frame, node: int, now: int) -> Iterator[str]:
    path = frame.path(node)
    if now == status.WAITING and node > 0 and frame.status[frame.plan.parent[node]] == status.STARTED:
        yield from _unmet_sets(frame, node)
    elif now == status.READY and frame.plan.kind[node] == TASK:
        if path in live.unable:
            yield live.unable[path]
        else:
            yield from _names_taken(live, frame, node)
    elif now in (status.FAILED, status.DOUBTED):
        execution = frame.execution[node]
        if execution is not None and execution.error:
            yield execution.error + (f": {execution.message}" if execution.message else "")


def _names_taken(live: Live, frame: Frame, node: int) -> Iterator[str]:
    for name in frame.plan.activity[node].holds:
        holder = live.state.holders.get(name)
        if holder is not None:
            yield f"{name} is held by {holder[0].path(holder[1])}"


def _unmet_sets(frame: Frame, node: int) -> Iterator[str]:
    sets = frame.plan.activity[node].input_sets
    for one in sets:
        words = _unmet_set(frame, node, one)
        if words:
            yield f"{one.name}: {words}" if len(sets) > 1 else words


def _unmet_set(frame: Frame, node: int, one: InputSet) -> str:
    over = frame.plan.parent[node]
    flow = frame.plan.activity[over]
    if not isinstance(flow, Flow):
        return ""
    names = {frame.plan.activity[child].name: child for child in frame.plan.children[over]}
    names[flow.name] = over
    return _unmet(frame, names, one.guard) if one.guard is not None else ""


def _unmet(frame: Frame, names: dict[str, int], guard: Guard) -> str:
    """What of a guard has not happened, in words; empty when it holds."""
    match guard:
        case On(activity, event):
            return "" if _has_happened(frame, names.get(activity, 0), event) else f"{activity} {event}"
        case When(text):
            return f"when {text}"
        case AtLeast(count, guards):
            open_ones = [words for one in guards if (words := _unmet(frame, names, one))]
            lacking = count - (len(guards) - len(open_ones))
            if lacking <= 0:
                return ""
            if lacking == len(open_ones):
                return " and ".join(open_ones)
            return " or ".join(open_ones) if lacking == 1 else f"{lacking} of ({', '.join(open_ones)})"
        case Quiet():
            return "everything to have ended"


def _has_happened(frame: Frame, node: int, event: str) -> bool:
    kind, _, name = event.partition(":")
    now, execution = frame.status[node], frame.execution[node]
    if kind == "skipped":
        return now == status.SKIPPED
    if kind == "ended":
        return now in status.ENDS
    if execution is None or now == status.SKIPPED:
        return False
    if kind == "ready":
        return True
    if kind == "started":
        return now >= status.STARTED and name in ("", execution.set)
    if kind == "committed":
        return now == status.COMMITTED and name in ("", execution.outcome)
    if kind == "aborted":
        return now == status.ABORTED and name in ("", execution.outcome)
    if kind == "mark":
        return name in (execution.marks or {})
    return now == status.ABORTED and (execution.error + ".").startswith(name + ".")
