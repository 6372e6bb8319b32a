"""What is wrong with the control of a process: what hangs, never runs, is out of reach, never ends, or is left over."""

from collections.abc import Iterator

from weft.analysis.controls import Controls, Worked
from weft.analysis.ends import Trace, name_of
from weft.analysis.places import Places
from weft.model.definition import ABORTED, Activity, Flow, parts, sides
from weft.model.faults import Fault

Way = tuple[Trace, ...]
"""What happens until an activity starts: the steps in each flow around it."""


class ControlFaults:
    """Walks from the root; what is inside something that never runs is not told again."""

    def __init__(self, controls: Controls, places: Places) -> None:
        self.controls = controls
        self.places = places

    def all(self) -> Iterator[Fault]:
        yield from self.of(self.controls.process.body, ((),))
        root = self.controls.process.body
        worked = self.controls.worked.get(root.name)
        if not self.controls.ends[root.name].may_commit and (worked is None or worked.control.is_complete):
            yield self.places.fault(
                "no-end", root, "the process can't end well: no outcome that commits can be reached",
                "see which activity in it never ends, never runs or always fails",
            )  # fmt: skip

    def of(self, activity: Activity, way: Way) -> Iterator[Fault]:
        """`way` is what happens until the activity starts."""
        worked = self.controls.worked.get(activity.name)
        if isinstance(activity, Flow) and worked is not None:
            yield from self.flow(activity, worked, way)
            return
        for inside in parts(activity):
            yield from self.of(inside, (*way, (f"{name_of(activity)} starts",)))

    def flow(self, flow: Flow, worked: Worked, way: Way) -> Iterator[Fault]:
        control = worked.control
        if not control.is_complete:
            yield self.places.fault(
                "unknown", flow, f"{control.explored} standstills of {flow.name!r} were explored, and there are more",
                "make it of blocks, or of several flows inside one another",
            )  # fmt: skip
        yield from self.hanging(flow, worked, way)
        for number, child in enumerate(flow.children):
            if number in control.runs:
                yield from self.of(child, (*way, control.runs[number]))
            elif control.is_complete:
                yield self.places.fault(
                    "never-runs", child, f"{child.name!r} can never run{_why(worked, number)}",
                    "change what it waits for, or take it out",
                )  # fmt: skip
        for side in sides(flow):
            yield from self.of(side, (*way, (f"{name_of(flow)} starts",)))
        if worked.exploring is not None and control.is_complete:
            yield from self.outcomes(flow, worked)

    def hanging(self, flow: Flow, worked: Worked, way: Way) -> Iterator[Fault]:
        control = worked.control
        if control.stuck is not None:
            trace, waiting = control.stuck
            names = ", ".join(map(repr, waiting))
            what = (
                f"{names} wait{'s' * (len(waiting) == 1)} for what can't come any more"
                if waiting
                else "nothing is left"
            )
            yield self.places.fault(
                "deadlock", flow, f"{flow.name!r} may hang: {what}, and no outcome of it holds",
                "give it an outcome for this case, or something that starts then", _steps(way, trace),
            )  # fmt: skip
        if control.endless is not None:
            yield self.places.fault(
                "endless", flow, f"{flow.name!r} may go on for ever: from there no outcome that ends it can be reached",
                "let a condition, or an outcome of its children, lead out", _steps(way, control.endless),
            )  # fmt: skip
        for outcome, (trace, running) in sorted(control.left.items()):
            if not flow.exclusive and not flow.one_start and not flow.block:
                names = ", ".join(map(repr, running))
                yield self.places.fault(
                    "left-over", flow, f"{flow.name!r} may end by {outcome!r} while {names} runs; it is then stopped",
                    "wait for it in the outcome's guard, if its work counts", _steps(way, trace),
                )  # fmt: skip

    def outcomes(self, flow: Flow, worked: Worked) -> Iterator[Fault]:
        for one in flow.outcomes:
            is_given = one.name in (worked.control.ends.marks if one.kind == "mark" else worked.control.reached)
            if not is_given and one != ABORTED and not (one.kind == "abort" and one.name == "aborted"):
                yield self.places.fault(
                    "unreachable", flow, f"the outcome {one.name!r} of {flow.name!r} can't be reached",
                    "change its guard, or take it out",
                )  # fmt: skip


def _steps(way: Way, trace: Trace) -> tuple[str, ...]:
    return tuple(step for part in (*way, trace) for step in part)


def _why(worked: Worked, number: int) -> str:
    """In a serial block or a contingency, what never lets it start."""
    flow, control = worked.flow, worked.control
    if flow.block == "serial" and number:
        blocking = max(control.runs, default=0)
        return f": {name_of(flow.children[blocking])!r} before it never commits"
    if flow.block == "contingency" and number:
        return f": {name_of(flow.children[max(control.runs, default=0)])!r} before it never aborts"
    if flow.block in ("choice", "loop"):
        return ": its condition can't be true there"
    return ""
