"""Checks guards: that each stands where it is asked, and speaks of what can be heard."""

from typing import Final

from weft.model.definition import AtLeast, Call, Each, Flow, Guard, On, Outcome, Task, When
from weft.model.wellformed_reach import PLAIN_EVENTS, Hearing, Reach
from weft.model.wellformed_scope import Scope, Scopes
from weft.model.wellformed_tree import Node, Report

ENDS_AT_ONCE: Final = {"commit": "commits", "repeat": "repeats", "mark": "marks"}


class Guards:
    def __init__(self, hearing: Hearing, scopes: Scopes, report: Report, nesting: int) -> None:
        self.hearing = hearing
        self.scopes = scopes
        self.report = report
        self.nesting = nesting

    def check(self, node: Node) -> None:
        """All guards of one activity."""
        activity = node.activity
        for one in activity.input_sets:
            if one.guard is not None:
                if node.owner is not None:
                    what = f"the guard of input set {one.name!r}"
                    self._not_asked(node, what, f"{_a(node.role)} starts when it is needed")
                elif node.role != "operation":  # the net's checks speak of that
                    self._guard(node, Reach.of_start(node), one.guard, f"input set {one.name!r}")
        if activity.cancel is not None or activity.until is not None:
            self._stops(node)
        for outcome in activity.outcomes:
            if outcome.guard is not None:
                self._outcome(node, outcome, outcome.guard)
            elif (
                outcome.kind in ENDS_AT_ONCE
                and not outcome.bindings
                and isinstance(activity, Flow)
                and activity.children
            ):
                message = (
                    f"{node.name!r} {ENDS_AT_ONCE[outcome.kind]} when it starts: outcome {outcome.name!r} has no guard"
                )
                self.report.add(node, "ends-at-once", message, "give the outcome a guard")

    def _stops(self, node: Node) -> None:
        for place, guard in (("cancel", node.activity.cancel), ("until", node.activity.until)):
            if guard is None or node.role == "operation":
                continue
            if node.role in ("compensation", "undo"):
                self._not_asked(node, f"`{place}`", f"{_a(node.role)} can't be cancelled")
            else:
                self._guard(node, Reach.of_start(node), guard, f"`{place}`")

    def _outcome(self, node: Node, outcome: Outcome, guard: Guard) -> None:
        activity, place = node.activity, f"outcome {outcome.name!r}"
        if isinstance(activity, Call):
            self.report.add(
                node, "call", f"{place} of the call has a guard, but the called process decides how it ends",
                "leave the guard out",
            )  # fmt: skip
        elif not isinstance(activity, Task):
            scope = self.scopes.of_outcome(node)
            self._guard(node, Reach.of_outcome(node), guard, place, scope)
        elif outcome.kind == "commit" and activity.transaction == "none":
            self.report.add(
                node, "immediate-end", f"{place} has a guard, but the end of {node.name!r} is immediate and can't wait",
                "make the task transactional or two_phase, or put the guard on what follows",
            )  # fmt: skip
        elif outcome.kind == "commit":
            self._guard(node, Reach.of_start(node), guard, place)
        elif outcome.kind in ("abort", "mark"):
            advice = "say when in `cancel`" if outcome.kind == "abort" else "put it on what waits for the mark"
            self._not_asked(node, f"the guard of {place}", f"the work alone decides when it {outcome.kind}s", advice)

    def _not_asked(self, node: Node, what: str, why: str, advice: str = "leave it out") -> None:
        self.report.add(node, "guard-not-asked", f"{what} is never asked: {why}", advice)

    def _guard(self, node: Node, reach: Reach, guard: Guard, place: str, scope: Scope | None = None) -> None:
        """One guard, level by level; the guard of a compound's outcome has a scope of its own."""
        known, compound = self.hearing.tree.by_name, reach.compound
        is_outcome = scope is not None
        level: list[Guard] = [guard]
        for _ in range(self.nesting + 1):
            below: list[Guard] = []
            for one in level:
                if type(one) is On:
                    found = known.get(one.activity)
                    if found is None or found is compound or one.event not in PLAIN_EVENTS or not reach.has(found):
                        found = self.hearing.activity(node, reach, one.activity, place)
                        if found is None:
                            continue
                        self.hearing.event(node, reach, found, one.event, place)
                    if is_outcome:
                        self._of_many(node, found, place)
                    elif compound is not None and (
                        one.event.startswith("mark:") if found is compound else found.position >= node.position
                    ):
                        compound.looks_back = True
                elif type(one) is AtLeast:
                    if not 0 <= one.count <= len(one.guards) and (one.count, one.guards) != (1, ()):
                        self._count(node, one, place)
                    below += one.guards
                elif type(one) is When:
                    self.scopes.compile(node, one.text, scope or self.scopes.outside(node), place)
                elif not is_outcome:
                    self._quiet(node, place)
            if not below:
                return
            level = below
        self.report.add(
            node, "too-large", f"the guard of {place} is nested more than {self.nesting} deep", "make it flatter"
        )

    def _count(self, node: Node, guard: AtLeast, place: str) -> None:
        self.report.add(
            node, "count", f"{place} asks for at least {guard.count} of {len(guard.guards)} guards",
            f"ask for 0 to {len(guard.guards)}",
        )  # fmt: skip

    def _quiet(self, node: Node, place: str) -> None:
        self.report.add(
            node, "quiet", f"{place} says Quiet(), which only outcomes of a compound can ask",
            "wait for the end of those it needs, by On(…, 'ended')",
        )  # fmt: skip

    def _of_many(self, node: Node, found: Node, place: str) -> None:
        """The body of an each runs many times; a guard can't tell which run it means."""
        if found is not node and isinstance(node.activity, Each):
            self.report.add(
                node, "out-of-reach", f"{place} speaks of {found.name!r}, which runs once for each item",
                "ask a count: When('committed >= 1'); there are committed, aborted, running and total",
            )  # fmt: skip


def _a(role: str) -> str:
    return f"an {role}" if role[0] in "au" else f"a {role}"
