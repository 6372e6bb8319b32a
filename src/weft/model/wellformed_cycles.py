"""Finds guards that wait for one another in a circle.

The children of a flow have two moments each, the start and the end. A start waits for what its input sets name, an end
for its own start and for what the guards of its outcomes name. A start decides `skipped`, an end `ended`. A mark of the
flow is a moment too: it waits for what its guard names.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from weft.model.definition import AtLeast, Flow, Guard, Input, On, Output, Source, Task
from weft.model.wellformed_tree import Node, Report

START_EVENTS = ("ready", "started", "skipped")
NEGATIVE = ("skipped", "ended")


class Wait(NamedTuple):
    """To which moment a wait goes, and the words for it; refused on a circle if it is `negative`."""

    target: int
    words: str = ""
    negative: bool = False


def check_cycles(node: Node, flow: Flow, nesting: int, report: Report) -> None:
    waits = _waits(flow, nesting)
    for component in components([[wait.target for wait in found] for found in waits]):
        members = set(component)
        inner = [(one, wait) for one in sorted(members) for wait in waits[one] if wait.target in members]
        first = next(((one, wait) for one, wait in inner if wait.negative), inner[0])
        circle = _circle(waits, members, *first)
        is_wrong = first[1].negative
        report.add(
            node, "guard-cycle" if is_wrong else "cycle",
            f"guards wait for one another in a circle: {circle}" + ("" if is_wrong else "; they may never start"),
            "let one of them wait for `committed` or `aborted` of something outside the circle" if is_wrong
            else "see that something else can start one of them",
        )  # fmt: skip


def _waits(flow: Flow, nesting: int) -> list[list[Wait]]:
    """For each moment (twice the position for a start, one more for an end, then the marks) what it waits for."""
    marks = [one for one in flow.outcomes if one.kind == "mark"]
    position = {child.name: 2 * number for number, child in enumerate(flow.children)}
    position |= {f"{flow.name} mark:{one.name}": 2 * len(flow.children) + at for at, one in enumerate(marks)}
    found: list[list[Wait]] = []
    for number, child in enumerate(flow.children):
        start: list[Wait] = []
        end = [Wait(2 * number)]
        for one in child.input_sets:
            start += _of_guard(child.name, one.guard, position, nesting)
            for sources in one.bindings.values():
                start += _of_sources(child.name, sources, position)
        if isinstance(child, Task):
            for outcome in child.outcomes:
                end += _of_guard(child.name, outcome.guard, position, nesting)
        found += (start, end)
    for mark in marks:
        waits = list(_of_guard(f"mark {mark.name}", mark.guard, position, nesting))
        for sources in mark.bindings.values():
            waits += _of_sources(f"mark {mark.name}", sources, position)
        found.append(waits)
    return found


def _of_guard(waiting: str, guard: Guard | None, position: dict[str, int], nesting: int) -> Iterator[Wait]:
    level = [] if guard is None else [guard]
    for _ in range(nesting + 1):
        for one in level:
            if not isinstance(one, On):
                continue
            words = f"{waiting!r} for {one.activity!r} {one.event}"
            if one.activity in position:
                kind = one.event.partition(":")[0]
                yield Wait(position[one.activity] + (kind not in START_EVENTS), words, kind in NEGATIVE)
            elif f"{one.activity} {one.event}" in position:
                yield Wait(position[f"{one.activity} {one.event}"], words)
        level = [below for one in level if isinstance(one, AtLeast) for below in one.guards]


def _of_sources(waiting: str, sources: Sequence[Source], position: dict[str, int]) -> Iterator[Wait]:
    for source in sources:
        if not isinstance(source, Output | Input) or source.activity == waiting:
            continue
        words = f"{waiting!r} for {source.object!r} of {source.activity!r}"
        if source.activity in position:
            yield Wait(position[source.activity] + isinstance(source, Output), words)
        elif isinstance(source, Output) and f"{source.activity} mark:{source.outcome}" in position:
            yield Wait(position[f"{source.activity} mark:{source.outcome}"], words)


def _circle(waits: list[list[Wait]], members: set[int], begin: int, first: Wait) -> str:
    """The words of a shortest circle that begins with this wait."""
    came: dict[int, tuple[int, Wait]] = {}
    rest = [first.target]
    for here in rest:
        if here == begin:
            break
        for wait in waits[here]:
            if wait.target in members and wait.target not in came and wait.target != first.target:
                came[wait.target] = (here, wait)
                rest.append(wait.target)
    words: list[str] = []
    here = begin
    while here != first.target:
        here, wait = came[here]
        words.append(wait.words)
    words.append(first.words)
    return ", ".join(one for one in reversed(words) if one)


def components(targets: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strongly connected components that have a circle, by Tarjan's algorithm without recursion."""
    order = [-1] * len(targets)
    low = [0] * len(targets)
    is_open = [False] * len(targets)
    path: list[int] = []
    found: list[list[int]] = []
    count = 0
    for root in range(len(targets)):
        if order[root] >= 0:
            continue
        work = [(root, 0)]
        while work:
            node, at = work.pop()
            if at == 0:
                order[node] = low[node] = count
                count += 1
                path.append(node)
                is_open[node] = True
            elif is_open[targets[node][at - 1]]:
                low[node] = min(low[node], low[targets[node][at - 1]])
            while at < len(targets[node]):
                target = targets[node][at]
                at += 1
                if order[target] < 0:
                    work += ((node, at), (target, 0))
                    break
                if is_open[target]:
                    low[node] = min(low[node], order[target])
            else:
                if low[node] == order[node]:
                    component: list[int] = []
                    while not component or component[-1] != node:
                        component.append(path.pop())
                        is_open[component[-1]] = False
                    if len(component) > 1 or node in targets[node]:
                        found.append(component)
    return found
