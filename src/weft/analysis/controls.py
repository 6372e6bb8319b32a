"""The control of every flow of a process, from the innermost out: blocks by what they are, other flows by exploring."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from weft.analysis.block_control import block_control, conditions_of
from weft.analysis.conditions import names_in, possible, truths
from weft.analysis.ends import Control, Ends, declared_ends, with_rules
from weft.analysis.exploring_flows import Exploring
from weft.analysis.guards import OWN, Term
from weft.analysis.machines import Machine
from weft.analysis.spaces import Budget
from weft.kernel import events
from weft.kernel.plan import Library, Plan
from weft.model.definition import Activity, Call, Each, Flow, Net, Process, Task, parts

FLOW_BUDGET: Final = Budget(20_000, 5.0)
ONE_AFTER_ANOTHER: Final = ("serial", "choice", "contingency", "loop")


@dataclass(frozen=True, slots=True)
class Worked:
    """A flow with its control; `exploring` has its standstills if it had to be explored."""

    flow: Flow
    control: Control
    exploring: Exploring | None


class Controls:
    """Of one process; `called` are those that it may call, by name, `known` what was found of them.

    Everything is found by an activity's name.
    """

    def __init__(
        self,
        process: Process,
        budget: Budget = FLOW_BUDGET,
        called: Mapping[str, Process] | None = None,
        known: dict[str, Ends] | None = None,
    ) -> None:
        self.process: Final = process
        self.budget: Final = budget
        self.called: Final = {name: one for name, one in (called or {}).items() if name != process.name}
        self.library: Final = Library(process)
        self.known: Final = {} if known is None else known
        self.worked: Final[dict[str, Worked]] = {}
        self.ends: Final[dict[str, Ends]] = {}
        self.writers: Final = _writers(process.body)
        self._plans: dict[str, tuple[Plan, dict[str, int]]] = {}
        self._work(process.body, process.body, frozenset())

    # From the innermost out. `root` is the activity with the plan that this one is in.

    def _work(self, activity: Activity, root: Activity, beside: frozenset[str]) -> Ends:
        inside = self._inside(activity, root, beside)
        alternates: dict[int, Ends] = {}
        for number, rule in enumerate(activity.on_error):
            if rule.alternate is not None:
                alternates[number] = self._work(rule.alternate, rule.alternate, beside)
        for side in (activity.compensation, activity.undo):
            if side is not None:
                self._work(side, side, beside)
        found = self.ends[activity.name] = with_rules(activity, inside, alternates)
        return found

    def _inside(self, activity: Activity, root: Activity, beside: frozenset[str]) -> Ends:
        match activity:
            case Task():
                return declared_ends(activity)
            case Flow():
                return self._flow(activity, root, beside)
            case Each():
                own = self._written(activity) if activity.at_most != 1 else frozenset()
                body = self._work(activity.body, activity.body, beside | own)
                found = declared_ends(activity)
                return (
                    found if body.may_abort and activity.body.vital else Ends(found.commits, frozenset(), found.marks)
                )
            case Net():
                for one in activity.transitions:
                    if one.operation is not None:
                        self._work(one.operation, one.operation, beside | self._written(activity))
            case Call():
                return self._called(activity)
        return declared_ends(activity)

    def _called(self, call: Call) -> Ends:
        """The process that is called, if it is at hand; inside itself it may end in any way that it declares."""
        process = self.called.get(call.process)
        if process is None:
            return declared_ends(call)
        found = self.known.get(process.name)
        if found is None:
            inside = Controls(process, self.budget, self.called, self.known)
            found = self.known[process.name] = inside.ends[process.body.name]
        return found.or_(Ends(aborts=frozenset({"aborted"})))

    def _flow(self, flow: Flow, root: Activity, beside: frozenset[str]) -> Ends:
        is_parallel = flow.block not in ONE_AFTER_ANOTHER
        around = beside.union(*map(self._written, flow.children)) if is_parallel else beside
        kids = [self._work(child, root, around) for child in flow.children]
        control, exploring = block_control(flow, kids), None
        if control is None:
            control, exploring = self._explored(flow, root, kids, beside)
        elif flow.block in ("choice", "loop"):
            _without_impossible(flow, control, kids)
        self.worked[flow.name] = Worked(flow, control, exploring)
        if control.stuck is not None:  # a person will have to cancel it
            control.ends = control.ends.or_(Ends(aborts=frozenset({"aborted"})))
        return control.ends if control.is_complete else declared_ends(flow).or_(control.ends)

    def _explored(
        self, flow: Flow, root: Activity, kids: list[Ends], beside: frozenset[str]
    ) -> tuple[Control, Exploring]:
        plan, nodes = self._plan(root)
        node = nodes[flow.name]
        found: list[tuple[Control, Exploring]] = []
        machine = Machine(plan, node)
        names = [one.name for one in flow.input_sets] if _asks_set(machine) else [machine.set_name]
        for name in names:
            machine = Machine(plan, node, name)
            texts = [one.text for one in machine.questions]
            changing = frozenset().union(*map(names_in, texts)) & (beside | self._written(flow))
            exploring = Exploring(machine, kids, possible(texts, changing))
            found.append((exploring.explore(self.budget), exploring))
        return _joined([control for control, _ in found]), found[0][1]

    def _plan(self, root: Activity) -> tuple[Plan, dict[str, int]]:
        known = self._plans.get(root.name)
        if known is None:
            plan = Plan(root, self.library, None)
            known = self._plans[root.name] = plan, {one.name: node for node, one in enumerate(plan.activity)}
        return known

    def _written(self, activity: Activity) -> frozenset[str]:
        return self.writers[activity.name]


def _writers(root: Activity) -> dict[str, frozenset[str]]:
    """For each activity the variables that it, or anything inside it, writes."""
    found: dict[str, frozenset[str]] = {}
    order = [root]
    for one in order:
        order.extend(parts(one))
    for one in reversed(order):
        found[one.name] = frozenset(one.writes).union(*(found[inside.name] for inside in parts(one)))
    return found


def _without_impossible(flow: Flow, control: Control, kids: Iterable[Ends]) -> None:
    """Branches whose conditions can't be true, and loops whose condition can't be false."""
    if flow.block == "loop":
        vectors = truths([flow.condition])
        if vectors is not None and (False,) not in vectors:
            control.ends = Ends(frozenset(), control.ends.aborts)
            control.endless = None if control.ends.aborts else (f"`{flow.condition}` is always true",)
        if vectors is not None and (True,) not in vectors:
            control.runs = {}
        return
    conditions = conditions_of(flow)
    asked = [one for one in conditions if one]
    vectors = truths(asked)
    if vectors is None:
        return
    for number in range(len(conditions)):
        wanted = (False,) * number + ((True,) if conditions[number] else ())
        if not any(one[: len(wanted)] == wanted for one in vectors):
            control.runs.pop(number, None)
    live = [one for number, one in enumerate(kids) if number in control.runs]
    nothing = all(conditions) and any(not any(one) for one in vectors)
    done = control.ends.commits if nothing or any(one.may_commit for one in live) else frozenset()
    control.ends = Ends(done, control.ends.aborts if any(one.may_abort for one in live) else frozenset())


def _asks_set(machine: Machine) -> bool:
    def asks(term: Term) -> bool:
        return (term.kind == OWN and term.event == events.STARTED_SET) or any(map(asks, term.inside))

    terms = [*machine.outcomes, *machine.conditions, *(one for child in machine.children for one in child.sets)]
    return any(map(asks, terms))


def _joined(controls: list[Control]) -> Control:
    """What may happen with one input set or another."""
    first, *rest = controls
    for one in rest:
        first.ends = first.ends.or_(one.ends)
        first.runs = one.runs | first.runs
        first.reached = one.reached | first.reached
        first.left = one.left | first.left
        first.stuck = first.stuck or one.stuck
        first.endless = first.endless or one.endless
        first.explored += one.explored
        first.is_complete = first.is_complete and one.is_complete
    return first
