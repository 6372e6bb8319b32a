"""Checks what an activity says of itself: its ends, its failures, its numbers, and what may stand together."""

from collections.abc import Callable
from math import isfinite
from typing import Final

from weft.model.definition import (
    Activity,
    Call,
    Deadline,
    Each,
    Flow,
    Rule,
    Sql,
    Task,
    Timer,
)
from weft.model.raw_errors import KeyFault, read_key
from weft.model.types import ANY, ListOf, text
from weft.model.wellformed_data import Data
from weft.model.wellformed_reach import Hearing, Reach
from weft.model.wellformed_scope import Scopes, element
from weft.model.wellformed_tree import Node, Report

VITAL_BLOCKS: Final = {"any": "an or-block", "race": "a race", "contingency": "a contingency"}


class Rules:
    def __init__(self, hearing: Hearing, scopes: Scopes, data: Data, report: Report) -> None:
        self.hearing = hearing
        self.scopes = scopes
        self.data = data
        self.report = report
        self.good_ends: set[int] = set()
        """The outcomes, by identity, that many tasks without a transaction share, and that are without fault."""

    def check(self, node: Node) -> None:
        activity = node.activity
        self._sets(node)
        if id(activity.outcomes) not in self.good_ends:
            before = len(self.report.faults)
            self._outcomes(node)
            if len(self.report.faults) == before and type(activity) is Task and activity.transaction == "none":
                self.good_ends.add(id(activity.outcomes))
        if activity.on_error:
            self._on_error(node)
        if activity.deadline is not None:
            self._deadline(node, activity.deadline)
        if activity.critical:
            self._critical(node)
        if not activity.vital:
            self._non_vital(node)
        for name in activity.holds:
            self.data.name(node, name, "hold")
        kind = _KINDS.get(type(activity))
        if kind is not None:
            kind(self, node, activity)

    # Ways to start and to end.

    def _sets(self, node: Node) -> None:
        sets = node.activity.input_sets
        if not sets:
            self.report.add(node, "no-input-set", f"{node.name!r} has no input set", "give it one, InputSet()")
        if len(sets) != 1 or sets[0].name not in self.data.good_names:
            self._names(node, [one.name for one in sets], "input set")
        for one in sets:
            if one.types or one.bindings:
                for name in {**one.types, **one.bindings}:
                    self.data.name(node, name, "parameter")

    def _outcomes(self, node: Node) -> None:
        activity = node.activity
        outcomes = activity.outcomes
        if not any(outcome.kind == "commit" for outcome in outcomes):
            self.report.add(
                node, "no-commit", f"{node.name!r} has no outcome of kind commit, so it can only fail",
                "add an outcome of kind commit",
            )  # fmt: skip
        self._names(node, [outcome.name for outcome in outcomes], "outcome")
        for outcome in outcomes:
            for name in {**outcome.types, **outcome.bindings}:
                self.data.name(node, name, "object")
            if not isinstance(activity, Task):
                continue
            if outcome.kind == "repeat":
                self.report.add(
                    node, "task-outcome", f"outcome {outcome.name!r} is a repeat, but only a compound has rounds",
                    "put the task in a loop, or retry it by a rule",
                )  # fmt: skip
            elif outcome.kind == "mark" and activity.transaction != "none":
                self.report.add(
                    node, "task-outcome",
                    f"{outcome.name!r} is a mark, but a {activity.transaction} task shows nothing before it commits",
                    "make it a commit outcome, or the task's transaction none",
                )  # fmt: skip

    def _names(self, node: Node, names: list[str], what: str) -> None:
        """Names of one kind, each good and each once."""
        seen: set[str] = set()
        for name in names:
            if name in seen:
                self.report.add(node, "duplicate-name", f"the {what} {name!r} is there twice", "rename one of them")
            else:
                seen.add(name)
                self.data.name(node, name, what)

    # Failing and being late.

    def _on_error(self, node: Node) -> None:
        for number, rule in enumerate(node.activity.on_error, 1):
            place = f"rule {number}"
            if rule.error:
                self.hearing.error(node, rule.error, f"{place} is for {rule.error!r}")
            if rule.when:
                self.scopes.compile(node, rule.when, self.scopes.outside(node), place)
            self._at_least(node, rule.times, 0, f"`times` of {place}")
            self._at_least(node, rule.delay_seconds, 0, f"`delay_seconds` of {place}")
            self._at_least(node, rule.delay_seconds_max, 0, f"`delay_seconds_max` of {place}")
            self._at_least(node, rule.factor, 0, f"`factor` of {place}")
            self._alternate(node, rule, place)

    def _alternate(self, node: Node, rule: Rule, place: str) -> None:
        if (rule.action == "alternate") != (rule.alternate is not None):
            why = "names no alternate" if rule.alternate is None else f"is to {rule.action} but has an alternate"
            self.report.add(
                node, "alternate", f"{place} {why}", "give the action `alternate` and an activity, or neither"
            )
        if rule.alternate is None:
            return
        wanted = {one.name: (one.kind, one.types) for one in node.activity.outcomes}
        found = {one.name: (one.kind, one.types) for one in rule.alternate.outcomes}
        different = sorted(name for name in wanted | found if wanted.get(name) != found.get(name))
        if different:
            self.report.add(
                node, "alternate",
                f"{rule.alternate.name!r} can't take its place: outcome {different[0]!r} is not the same in both",
                "give both the same outcomes, with the same kinds and types",
            )  # fmt: skip

    def _deadline(self, node: Node, deadline: Deadline) -> None:
        self._at_least(node, deadline.seconds, 0, "the deadline's `seconds`")
        for warning in deadline.warn_seconds:
            self._at_least(node, warning, 0, "the deadline's `warn_seconds`")

    def _at_least(self, node: Node, number: float, least: int, what: str) -> None:
        if not (isfinite(number) and number >= least):
            self.report.add(node, "number", f"{what} is {number}", f"give a finite number of {least} or more")

    # What may stand together.

    def _critical(self, node: Node) -> None:
        activity = node.activity
        if not isinstance(activity, Task) or activity.transaction != "two_phase":
            self.report.add(
                node, "critical", f"{node.name!r} is critical, but only a two-phase task can stay prepared",
                "give it transaction two_phase, or leave critical out",
            )  # fmt: skip
        if activity.compensation is not None:
            self.report.add(
                node, "critical", f"{node.name!r} is critical and has a compensation, but is rolled back instead",
                "leave out one of the two",
            )  # fmt: skip
        for around in node.around():
            inside = around.activity
            if isinstance(inside, Each) and inside.enough is None:
                why = f"the each {around.name!r}, which does not say when it has enough"
            elif any(outcome.kind == "repeat" for outcome in inside.outcomes):
                why = f"the loop {around.name!r}, whose rounds have no bound"
            else:
                continue
            self.report.add(
                node, "critical", f"{node.name!r} is critical inside {why}, and every execution would stay prepared",
                "move it out, or make it transactional with a compensation",
            )  # fmt: skip

    def _non_vital(self, node: Node) -> None:
        around = node.parent.activity if node.parent is not None else None
        if isinstance(around, Flow) and around.block in VITAL_BLOCKS and node.role == "child":
            self.report.add(
                node, "non-vital", f"vital=False changes nothing in {VITAL_BLOCKS[around.block]}", "leave it out"
            )

    # By kind.

    def _task(self, node: Node, activity: Task) -> None:
        for raw, error in activity.errors.items():
            self.hearing.error(node, error, f"the raw error {raw!r} becomes {error!r}")
            try:
                read_key(raw)
            except KeyFault as fault:
                what, _, advice = str(fault).partition(": ")
                self.report.add(node, "raw-error", what, advice)
        if activity.placement:
            self.report.add(
                node, "placement", f"{node.name!r} is a task and can't be placed in {activity.placement!r}",
                "put it in a flow of one child and place that",
            )  # fmt: skip
        if activity.limits is not None:
            for what in ("start_seconds", "run_seconds", "heartbeat_seconds"):
                self._at_least(node, getattr(activity.limits, what), 0, f"the limit `{what}`")
        for queue in activity.queues:
            self.data.name(node, queue, "queue")
        handler = activity.handler
        if type(handler) is Timer:
            self._at_least(node, handler.seconds, 0, "the timer's `seconds`")

    def _each(self, node: Node, activity: Each) -> None:
        self.data.name(node, activity.item, "variable")
        for one in activity.input_sets:
            declared = self.scopes.type(one.types.get("items", "any"))
            if "items" not in one.types and "items" not in one.bindings and not activity.adds and not activity.open:
                self.report.add(
                    node, "each", f"input set {one.name!r} has no parameter 'items', the list to go through",
                    "add the parameter `items` of a type list[…], or say what adds to it",
                )  # fmt: skip
            elif not isinstance(declared, ListOf) and declared != ANY:
                self.report.add(
                    node, "each", f"parameter 'items' of input set {one.name!r} is {text(declared)}, not a list",
                    "make it list[…]",
                )  # fmt: skip
        for what, number in (("at_most", activity.at_most), ("enough", activity.enough)):
            if number is not None:
                self._at_least(node, number, 1, f"`{what}`")
        self._adds(node, activity)

    def _adds(self, node: Node, activity: Each) -> None:
        wanted = ListOf(element(self.scopes.inputs(activity).get("items", ANY)))
        for source in activity.adds:
            what = "`adds`"
            found = self.hearing.activity(node, Reach.of_start(node), source.activity, what)
            outcome = (
                None
                if found is None
                else self.hearing.outcome(node, found.activity, source.outcome, f"{what} takes from {found.name!r}")
            )
            if found is None or outcome is None:
                continue
            if outcome.kind != "mark":
                self.report.add(
                    node, "each", f"{what} takes from {source.outcome!r} of {found.name!r}, which is not a mark",
                    "items are added by the marks of a sibling",
                )  # fmt: skip
            elif source.object not in outcome.types:
                advice = self.report.meant(source.object, outcome.types, "declare it in the mark's types")
                message = f"{what} takes {source.object!r}, which {outcome.name!r} of {found.name!r} does not have"
                self.report.add(node, "unknown-object", message, advice)
            elif not self.scopes.fits(offered := self.scopes.type(outcome.types[source.object]), wanted):
                self.scopes.misfit(node, f"what the mark {outcome.name!r} adds", offered, "the list of items", wanted)

    def _call(self, node: Node, activity: Call) -> None:
        if not activity.process:
            self.report.add(node, "call", f"{node.name!r} says no process to call", "name a process")


_KINDS: dict[type, Callable[..., None]] = {Task: Rules._task, Each: Rules._each, Call: Rules._call}


def resource(activity: Activity) -> str:
    """The resource in which a task works."""
    if not isinstance(activity, Task):
        return ""
    return activity.resource or (activity.handler.resource if isinstance(activity.handler, Sql) else "")
