"""Prints a process as paper 001 does in its Table 3.2: start, abort and commit guards of every node of its tree.

It is generated from the paper's own rules in `weft.model.guard_rules`. A flow that no block built shows the guards that
it has.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from weft.model.definition import (
    Activity,
    AtLeast,
    Flow,
    Guard,
    Input,
    Net,
    On,
    Output,
    Process,
    Source,
    Task,
    When,
    every,
    some,
)
from weft.model.guard_rules import DEPENDENCIES, SEMANTICS, event_attributes
from weft.model.guard_terms import FALSE, TRUE, Term, at_least, both, either, negated
from weft.model.guard_tree import Node, numbered

SKIPS_NON_VITAL: Final = frozenset(("serial", "all", "loop", "each"))
IN_TURN: Final = frozenset(("serial", "loop", "contingency", "choice"))
CAN_ABORT_AFTER_ONE: Final = frozenset(("all", "loop", "atleast", "each", "", "net"))
"""Blocks that can still abort after one of several children has committed, whichever it is."""


class Row(Struct, frozen=True):
    """One node. A node whose end needs leave of a race's coordinator is `granted`."""

    label: int
    name: str
    kind: str
    start: str
    start_condition: str = ""
    abort: str = "TRUE"
    commit: str = "TRUE"
    commit_condition: str = ""
    granted: bool = False


def guard_table(process: Process) -> list[Row]:
    """A row for each node of a well-formed process.

    They are numbered in preorder, a compensation after its activity, a restart after the last child.
    """
    nodes: list[Node] = []
    numbered(process.body, None, "", nodes)
    return [_row(node) for node in nodes]


HEADINGS: Final = ("label", "name", "start", "start condition", "abort", "commit", "commit condition")
ASCII: Final = str.maketrans({"□": "[]", "∧": "and", "∨": "or"})


def render(rows: Sequence[Row], *, only_ascii: bool = False) -> str:
    """The table as text. □2_cm says that node 2 has committed."""
    cells = [(*HEADINGS, "")] + [
        (
            str(row.label), row.name, row.start, row.start_condition, row.abort, row.commit, row.commit_condition,
            "granted" if row.granted else "",
        )
        for row in rows
    ]  # fmt: skip
    if only_ascii:
        cells = [tuple(cell.translate(ASCII) for cell in line) for line in cells]  # type: ignore[misc]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]]) + "\n"


# Guards of a node.


def _row(node: Node) -> Row:
    start, start_condition = _start(node)
    abort, commit, commit_condition = _ends(node)
    parent = node.parent
    is_granted = parent is not None and parent.block == "race" and not node.role
    if is_granted and parent is not None:
        others = [one for one in parent.children if one is not node]
        abort = either(FALSE if abort == TRUE else abort, *(_caused("ACD", one) for one in others))
        commit = both(commit, *(_caused("CAD", one) for one in others))
    kind = node.role or (type(node.activity).__name__.lower() if node.parent else "process")
    return Row(
        node.label, node.name, kind, start.text, start_condition, abort.text, commit.text, commit_condition, is_granted
    )


def _caused(dependency: str, on: Node) -> Term:
    """Table 3.1: the guard of A's event in `A DEP on`."""
    return Term(f"□{on.label}_{DEPENDENCIES[dependency].cause}")


def _passed(child: Node, on_commit: str, on_abort: str) -> Term:
    """The child committed or, if it is not vital, aborted."""
    return (
        _caused(on_commit, child) if child.is_vital() else either(_caused(on_commit, child), _caused(on_abort, child))
    )


def _start(node: Node) -> tuple[Term, str]:
    """The start guard, and the condition."""
    parent, owner, activity = node.parent, node.owner, node.activity
    if owner is not None:
        if node.role == "compensation":
            return both(either(*(_caused("BAD", one) for one in _abort_list(owner))), _caused("BCD", owner)), ""
        return _caused("BAD", owner), ""
    condition = activity.condition if isinstance(activity, Flow) and _has_own_condition(node) else ""
    if parent is None:
        return TRUE, condition
    if activity is None and node.restarts_by is not None:
        return _of_guard(node.restarts_by, parent), ""
    if parent.block == "net":
        return Term("arcs"), condition
    if parent.block not in SEMANTICS:
        return _actual_start(node)
    if activity is not None:
        own = _own_conditions(node, parent, activity)
        condition = " and ".join(one for one in (own, condition) if one)
        if _is_more_than_its_block(node, parent, activity):
            return _actual_start(node)[0], condition
    dependency = SEMANTICS[parent.block][min(node.position, 1)]
    if dependency == "BD":
        return _caused("BD", parent), condition
    before = parent.children[node.position - 1]
    return (_passed(before, "BCD", "BAD") if dependency == "BCD" else _caused("BAD", before)), condition


def _has_own_condition(node: Node) -> bool:
    """An IF without ELSE and a WHILE are one node with a condition; of several branches each has its own."""
    return node.block == "loop" or (node.block == "choice" and len(node.children) == 1)


def _own_conditions(node: Node, parent: Node, activity: Activity) -> str:
    asked = [text for one in activity.input_sets for text in _conditions(one.guard)]
    if _has_own_condition(parent) and isinstance(parent.activity, Flow):
        return " and ".join(text for text in asked if text != parent.activity.condition)
    if parent.block == "choice" and not asked:
        before = [one.activity for one in parent.children[: parent.children.index(node)]]
        texts = [text for one in before if one for each in one.input_sets for text in _conditions(each.guard)]
        return negated(texts[0]) if len(texts) == 1 else "else"
    return " and ".join(asked)


def _conditions(guard: Guard | None) -> list[str]:
    """The conditions of which all must be true."""
    if isinstance(guard, When):
        return [guard.text]
    if isinstance(guard, AtLeast) and guard.count == len(guard.guards):
        return [text for one in guard.guards for text in _conditions(one)]
    return []


def _is_more_than_its_block(node: Node, parent: Node, activity: Activity) -> bool:
    """Whether the activity waits for others than its block makes it wait for."""
    before = parent.children[node.position - 1 : node.position] if parent.block in IN_TURN else []
    usual = {one.activity.name for one in (*before, parent) if one.activity is not None}
    return any(name not in usual for one in activity.input_sets for name in _names(one.guard))


def _names(guard: Guard | None) -> Iterator[str]:
    if isinstance(guard, On):
        yield guard.activity
    elif isinstance(guard, AtLeast):
        for one in guard.guards:
            yield from _names(one)


def _ends(node: Node) -> tuple[Term, Term, str]:
    """The abort guard, the commit guard and its condition, but for what a race adds."""
    activity, block = node.activity, node.block
    stop = FALSE if activity is None or activity.cancel is None else _of_guard(activity.cancel, node.parent)
    if isinstance(activity, Task):
        commit = TRUE
        if event_attributes(activity).commit == "normal":
            commit = either(
                *(_outcome_guard(one.guard, node.parent) for one in activity.outcomes if one.kind == "commit")
            )
        return stop if stop != FALSE else TRUE, commit, ""
    if block in SEMANTICS and node.children:
        condition = negated(activity.condition) if block == "loop" and isinstance(activity, Flow) else ""
        return either(_block_abort(node), stop), _block_commit(node), condition
    if not isinstance(activity, Flow | Net):
        return stop if stop != FALSE else TRUE, TRUE, ""
    ends = {kind: [one.guard for one in activity.outcomes if one.kind == kind] for kind in ("abort", "commit")}
    abort = either(stop, *(_of_guard(one, node) for one in ends["abort"] if one is not None))
    commit = either(*(Term("quiet") if one is None else _of_guard(one, node) for one in ends["commit"]))
    return abort if abort != FALSE else TRUE, commit, ""


def _outcome_guard(guard: Guard | None, compound: Node | None) -> Term:
    return TRUE if guard is None else _of_guard(guard, compound)


def _block_commit(node: Node) -> Term:
    children, block = node.children, node.block
    rule = SEMANTICS[block].commits_on
    passed = [
        _passed(child, "CD", "CAD") if block in SKIPS_NON_VITAL else _caused("CD", child) for child in children
    ]  # fmt: skip
    if rule == "last":
        return passed[-1]
    if rule == "every":
        return both(*passed)
    if rule == "count":
        return at_least(_least(node), passed)
    some_committed = either(*passed)
    if rule == "any":
        return some_committed
    return both(some_committed, *(either(_caused("CD", one), _caused("CAD", one)) for one in children))


def _block_abort(node: Node) -> Term:
    rule = SEMANTICS[node.block].aborts_on
    children = [one for one in node.children if one.is_vital() or node.block not in SKIPS_NON_VITAL]
    aborted = [_caused("AD", child) for child in children]
    if rule == "any":
        return either(*aborted)
    if rule == "every":
        return both(*aborted)
    if rule == "too many":
        return at_least(len(aborted) - _least(node) + 1, aborted)
    return aborted[-1]


def _least(node: Node) -> int:
    """How many children an at-least block needs."""
    assert node.activity is not None
    guards = [one.guard for one in node.activity.outcomes if one.kind == "commit"]
    return next((guard.count for guard in guards if isinstance(guard, AtLeast)), 1)


def _abort_list(activity: Node) -> list[Node]:
    """The compounds around that can still abort after it committed, up to the nearest that has a compensation."""
    found: list[Node] = []
    below, can_abort = activity, False
    around = activity.parent
    while around is not None:
        can_abort = (can_abort and _aborts_with(around, below)) or _can_abort_after(around, below)
        if can_abort:
            found.append(around)
        if around.activity is not None and around.activity.compensation is not None:
            break
        below, around = around, around.parent
    return found


def _aborts_with(around: Node, child: Node) -> bool:
    """Whether the abort of the child can bring that of the compound."""
    return child.is_vital() or around.block not in SKIPS_NON_VITAL


def _can_abort_after(around: Node, child: Node) -> bool:
    """Whether another child can still bring the abort of the compound when this one has committed."""
    if around.block == "serial":
        return any(one.is_vital() for one in reversed(around.children[child.position + 1 :]))
    others = (one for one in around.children if one is not child and one.is_vital())
    return around.block in CAN_ABORT_AFTER_ONE and any(others)


# The guards that a graph has.

_EVENTS: Final = {"ready": "rd", "started": "st", "committed": "cm", "aborted": "ab", "skipped": "sk", "ended": "en"}


def _actual_start(node: Node) -> tuple[Term, str]:
    activity, parent = node.activity, node.parent
    if activity is None or parent is None:
        return TRUE, ""
    sets = activity.input_sets
    asked = _conditions(sets[0].guard) if len(sets) == 1 else []
    terms = []
    for one in sets:
        guard = _without(one.guard, asked)
        data = [_of_sources(sources, parent) for sources in one.bindings.values()]
        terms.append(both(*([] if guard is None else [_of_guard(guard, parent)]), *data))
    started = _caused("BD", parent)
    return either(*(started if term == TRUE else term for term in terms)), " and ".join(asked)


def _without(guard: Guard | None, asked: list[str]) -> Guard | None:
    """The guard without the conditions that stand in a column of their own."""
    if isinstance(guard, When) and guard.text in asked:
        return None
    if isinstance(guard, AtLeast) and guard.count == len(guard.guards):
        rest = [one for one in (_without(one, asked) for one in guard.guards) if one is not None]
        return every(*rest) if rest else None
    return guard


def _of_sources(sources: Sequence[Source], compound: Node) -> Term:
    """When a parameter has a value: always, or when an activity has brought it."""
    guards: list[Guard] = []
    for source in sources:
        if isinstance(source, Output):
            guards.append(On(source.activity, f"committed:{source.outcome}"))
        elif isinstance(source, Input):
            guards.append(On(source.activity, f"started:{source.set}"))
        else:
            return TRUE
    return _of_guard(some(*guards), compound)


def _of_guard(guard: Guard, compound: Node | None) -> Term:
    if isinstance(guard, When):
        return Term(f"[{guard.text}]")
    if isinstance(guard, AtLeast):
        return at_least(guard.count, [_of_guard(one, compound) for one in guard.guards])
    return _of_event(guard, compound) if isinstance(guard, On) else Term("quiet")


def _of_event(event: On, compound: Node | None) -> Term:
    node = None if compound is None else compound.near.get(event.activity)
    kind, colon, name = event.event.partition(":")
    shown = _EVENTS.get(kind, kind)
    if colon and not _is_only(node, kind, name):
        shown += f":{name}"
    return Term(f"□{event.activity if node is None else node.label}_{shown}")


def _is_only(node: Node | None, kind: str, name: str) -> bool:
    """Whether the set or outcome is the only one of its kind, so that its name says nothing."""
    if node is None or node.activity is None:
        return False
    if kind == "started":
        return len(node.activity.input_sets) == 1
    wanted = {"committed": "commit", "aborted": "abort"}.get(kind)
    return [one.name for one in node.activity.outcomes if one.kind == wanted] == [name]
