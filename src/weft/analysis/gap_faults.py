"""Gaps in taking back: work that an abort leaves behind while it compensates what stands beside it; idle errors."""

from collections.abc import Iterator
from typing import Final

from weft.analysis.controls import Controls
from weft.analysis.ends import Trace, name_of
from weft.analysis.exploring_flows import Exploring
from weft.analysis.places import Places
from weft.analysis.standings import COMMITTED
from weft.analysis.standstills import End
from weft.model.definition import (
    Activity,
    Assign,
    AtLeast,
    Each,
    Flow,
    Guard,
    Net,
    On,
    Person,
    Process,
    Read,
    Signal,
    Task,
    Timer,
    parts,
    sides,
)
from weft.model.faults import Fault

LEAVES_NOTHING: Final = (Timer, Signal, Assign, Read, Person)


class GapFaults:
    def __init__(self, controls: Controls, places: Places) -> None:
        self.controls = controls
        self.places = places
        self.told: set[str] = set()

    def all(self) -> Iterator[Fault]:
        yield from self.of(self.controls.process.body)
        yield from self.unused(self.controls.process)

    def of(self, activity: Activity) -> Iterator[Fault]:
        taking_back = list(sides(activity))
        for inside in parts(activity):
            if inside not in taking_back:
                yield from self.of(inside)
        if isinstance(activity, Flow) and _has_compensation(activity, is_outer=True):
            for number, child in enumerate(activity.children):
                left = [one for one in self.left_by(child) if one.name not in self.told]
                trace = self.abort_after(activity, number) if left else None
                if trace is not None:
                    yield from (self.gap(one, activity, trace) for one in left)

    def gap(self, task: Task, around: Flow, trace: Trace) -> Fault:
        self.told.add(task.name)
        return self.places.fault(
            "gap", task,
            f"if {name_of(around)!r} aborts after {task.name!r} has committed, what {task.name!r} did is left behind",
            "give it a compensation, make it critical, or let it come last", tuple(trace),
        )  # fmt: skip

    def left_by(self, activity: Activity) -> list[Task]:
        """The tasks in it whose work nothing takes back once it has committed."""
        if activity.compensation is not None or activity.critical:
            return []
        if isinstance(activity, Task):
            return [] if isinstance(activity.handler, LEAVES_NOTHING) else [activity]
        inside = activity.children if isinstance(activity, Flow) else _working(activity)
        return [task for one in inside for task in self.left_by(one)]

    def abort_after(self, flow: Flow, number: int) -> Trace | None:
        """How the flow may abort when this child has committed."""
        worked = self.controls.worked.get(flow.name)
        child = flow.children[number]
        if worked is None or not self.controls.ends[child.name].may_commit:
            return None
        if worked.exploring is not None:
            return _abort_in(worked.exploring, number)
        others = list(enumerate(flow.children))
        candidates = others[number + 1 :] if flow.block in ("serial", "loop") else others if flow.block == "all" else []
        for other, one in candidates:
            if (
                other != number
                and other in worked.control.runs
                and one.vital
                and self.controls.ends[one.name].may_abort
            ):
                before = worked.control.runs[other] or (f"{name_of(child)} commits",)
                return (*before, f"{name_of(one)} aborts")
        return None

    # Errors.

    def unused(self, process: Process) -> Iterator[Fault]:
        used = set(_errors_in(process.body))
        for error in process.errors:
            if not any(one == error or one.startswith(error + ".") or error.startswith(one + ".") for one in used):
                yield self.places.fault(
                    "unused-error", process.body, f"nothing raises or handles the declared error class {error!r}",
                    "map a raw error to it, give it a rule, or take it out",
                )  # fmt: skip


def _abort_in(exploring: Exploring, number: int) -> Trace | None:
    for reached, (previous, _) in exploring.before.items():
        is_abort = isinstance(reached, End) and reached.kind == "abort"
        if is_abort and previous is not None and previous.children[number].kind == COMMITTED:
            return exploring.trace(reached)
    return None


def _working(activity: Activity) -> list[Activity]:
    if isinstance(activity, Each):
        return [activity.body]
    return [one.operation for one in activity.transitions if one.operation] if isinstance(activity, Net) else []


def _has_compensation(activity: Activity, is_outer: bool = False) -> bool:
    """Whether anything in it is compensated: then its author counts on aborts leaving nothing behind."""
    if activity.compensation is not None and not is_outer:
        return True
    taking_back = list(sides(activity))
    return any(_has_compensation(one) for one in parts(activity) if one not in taking_back)


def _errors_in(activity: Activity) -> Iterator[str]:
    if isinstance(activity, Task):
        yield from activity.errors.values()
    yield from (rule.error for rule in activity.on_error if rule.error)
    guards: list[Guard | None] = [activity.cancel, activity.until]
    guards += [one.guard for one in activity.input_sets]
    guards += [one.guard for one in activity.outcomes]
    for guard in guards:
        yield from _errors_of(guard)
    for one in parts(activity):
        yield from _errors_in(one)


def _errors_of(guard: Guard | None) -> Iterator[str]:
    if isinstance(guard, On) and guard.event.startswith("error:"):
        yield guard.event.removeprefix("error:")
    elif isinstance(guard, AtLeast):
        for one in guard.guards:
            yield from _errors_of(one)
