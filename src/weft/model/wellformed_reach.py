"""Who can hear whom (SEMANTICS §1, Scope), and which events, sets, outcomes and objects there are to hear of."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from weft.model.definition import Activity, InputSet, Net, Outcome, Process
from weft.model.wellformed_tree import Node, Report, Tree

PLAIN_EVENTS: Final = frozenset(("ready", "started", "committed", "aborted", "skipped", "ended"))
SEEN_FROM_INSIDE: Final = frozenset(("ready", "started", "mark"))
ERROR: Final = re.compile(r"(task|handler|engine)(\.[A-Za-z_][\w-]*)*")


class Reach:
    """What one guard or source may speak of: `compound` and its children, but for `asker` itself."""

    __slots__ = ("asker", "compound", "only")

    def __init__(self, compound: Node | None, asker: Node | None, only: Node | None = None) -> None:
        self.compound = compound
        self.asker = asker
        self.only = only

    @classmethod
    def of_start(cls, node: Node) -> "Reach":
        """For input sets, `cancel`, `until` and the outcomes of a task."""
        if node.role in ("compensation", "undo"):
            return cls(None, node, node.owner)
        return cls(node.parent, node.owner if node.role == "alternate" else node)

    @classmethod
    def of_outcome(cls, node: Node) -> "Reach":
        """For the outcomes of a compound."""
        return cls(node, None)

    def has(self, node: Node) -> bool:
        if node is self.only or node is self.compound:
            return True
        return node.parent is self.compound is not None and node.role in ("child", "body") and node is not self.asker

    def names(self) -> Iterator[str]:
        """Names in reach, for suggestions."""
        if self.only is not None:
            yield self.only.name
        if self.compound is not None:
            yield self.compound.name
            yield from (child.name for child in getattr(self.compound.activity, "children", ()))


class Hearing:
    """Looks up what guards and sources name, and reports what is not there."""

    def __init__(self, tree: Tree, process: Process, report: Report) -> None:
        self.tree = tree
        self.report = report
        self.errors = process.errors

    def activity(self, node: Node, reach: Reach, name: str, place: str) -> Node | None:
        """The activity of that name, if it can be heard from there."""
        found = self.tree.by_name.get(name)
        if found is None:
            known = chain(reach.names(), self.tree.by_name)
            advice = self.report.meant(name, known, "name an activity of this process")
            self.report.add(node, "unknown-activity", f"{place} speaks of {name!r}, which does not exist", advice)
            return None
        if reach.has(found):
            return found
        why, advice = _out_of_reach(node, reach, found)
        message = f"{place} speaks of {name!r}, which is out of reach, because {why}"
        self.report.add(node, "out-of-reach", message, advice)
        return None

    def event(self, node: Node, reach: Reach, found: Node, event: str, place: str) -> None:
        kind, colon, name = event.partition(":")
        activity = found.activity
        wanted = f"{place} waits for {found.name!r} to be {event!r}"
        if found is reach.compound and kind not in SEEN_FROM_INSIDE:
            self.report.add(
                node, "never", f"{wanted}, but it ends after everything in it",
                "wait for its start, for one of its marks, or for a child",
            )  # fmt: skip
        if not colon and event in PLAIN_EVENTS:
            return
        if kind == "error" and colon:
            self.error(node, name, wanted)
        elif kind == "started" and colon:
            self.input_set(node, found, name, wanted)
        elif kind in ("committed", "aborted", "mark") and colon:
            outcome = self.outcome(node, activity, name, wanted)
            kinds = {"committed": "commit", "aborted": "abort", "mark": "mark"}
            if outcome is not None and outcome.kind != kinds[kind]:
                prefix = {"commit": "committed:", "abort": "aborted:", "mark": "mark:"}.get(outcome.kind)
                advice = f"write {prefix + name!r}" if prefix else "a repeat is no news; wait for another event"
                self.report.add(node, "unknown-event", f"{wanted}, but {name!r} is of kind {outcome.kind}", advice)
        else:
            advice = self.report.meant(kind, sorted(PLAIN_EVENTS), "events are listed under SEMANTICS, Events")
            self.report.add(node, "unknown-event", f"{wanted}, which is no event", advice)

    def input_set(self, node: Node, found: Node, name: str, place: str) -> InputSet | None:
        one = found.activity.input_set(name)
        if one is None:
            sets = [one.name for one in found.activity.input_sets]
            self.report.add(
                node, "unknown-set", f"{place}, but {found.name!r} has no input set {name!r}",
                self.report.meant(name, sets, f"it has {_listed(sets)}"),
            )  # fmt: skip
        return one

    def outcome(self, node: Node, activity: Activity, name: str, place: str) -> Outcome | None:
        outcome = activity.outcome(name)
        if outcome is None:
            outcomes = [one.name for one in activity.outcomes]
            self.report.add(
                node, "unknown-outcome", f"{place}, but {activity.name!r} has no outcome {name!r}",
                self.report.meant(name, outcomes, f"it has {_listed(outcomes)}"),
            )  # fmt: skip
        return outcome

    def error(self, node: Node, name: str, place: str) -> None:
        if not ERROR.fullmatch(name):
            self.report.add(
                node, "unknown-error", f"{place}, but {name!r} is no name of an error",
                "errors are task, handler or engine, or a dotted name below one of these",
            )  # fmt: skip
        elif self.errors and name.startswith("task.") and not self._is_declared(name):
            self.report.add(
                node, "unknown-error", f"{place}, but the process does not declare the error {name!r}",
                self.report.meant(name, self.errors, "declare it under `errors`"),
            )  # fmt: skip

    def _is_declared(self, name: str) -> bool:
        return any(_is_below(name, one) or _is_below(one, name) for one in self.errors)


def _is_below(error: str, above: str) -> bool:
    return error == above or error.startswith(above + ".")


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "") if names else "none"


def _out_of_reach(node: Node, reach: Reach, found: Node) -> tuple[str, str]:
    """Why, and what to do instead."""
    if reach.only is not None:
        return f"what takes back {reach.only.name!r} sees only that", f"use what {reach.only.name!r} took in or gave"
    if found is reach.asker or found is node:
        return "nothing can wait for itself", "leave it out"
    if found.owner is not None:
        return f"it is the {found.role} of {found.owner.name!r}", f"speak of {found.owner.name!r}"
    if reach.compound is None:
        return "nothing is around the root", "speak of the root's children in its outcomes only"
    if isinstance(reach.compound.activity, Net) and found.parent is reach.compound:
        return "activities of a net hear of one another by tokens", "join them by a place and arcs"
    below = found
    while below.parent is not None and below.parent is not reach.compound:
        below = below.parent
    if below.parent is reach.compound:
        return f"it is inside {below.name!r}", f"speak of {below.name!r}, and let an outcome of it tell"
    around = found.parent.name if found.parent is not None else found.name
    inside = reach.compound.name
    return f"it is in {around!r}, outside {inside!r}", f"let the guard of {inside!r} ask, or bring it in as a parameter"
