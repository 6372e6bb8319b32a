"""A definition compiled once: arrays by node number, and for every event the formulas that speak of it.

A plan covers one execution: an activity with all that is inside, but not the bodies of eaches, the operations of
nets, called processes, or what takes back and takes over. Those have plans of their own, made when first needed
and shared by all executions. A compound placed in another group is a leaf here.
"""

from weft.kernel.guards import Guards
from weft.kernel.net_plan import NetPlan
from weft.kernel.tree import PLACED, TASK
from weft.model.definition import (
    Activity,
    Each,
    Net,
    Process,
)
from weft.model.expressions import Expression as Compiled
from weft.model.expressions import Limits, compile_expression
from weft.model.types import ObjectClass


class Plan(Guards):
    """See the module. The caller may read every field; nothing is changed after it was made."""

    def __init__(self, root: Activity, library: "Library", group: str | None, is_side: bool = False) -> None:
        super().__init__(root, library.expression, group, is_side)
        self.library = library
        count = len(self.formulas)
        self.zeros = [0] * max(count, len(self.kind))
        self.nones: list[None] = [None] * len(self.kind)
        self.keeps = [
            kind == PLACED or one.compensation is not None or one.critical
            for kind, one in zip(self.kind, self.activity, strict=True)
        ]
        """Is an execution that commits kept to be taken back? A placed one may be, as its group says."""
        self.is_plain = [
            kind == TASK and one.deadline is None for kind, one in zip(self.kind, self.activity, strict=True)
        ]
        """A task whose start and whose end ask nothing of the engine."""
        self.nets: dict[int, NetPlan] = {}
        self.holding: dict[int, list[tuple[int, tuple[str, ...]]]] = {}
        self.sides: dict[tuple[int, str], Plan] = {}
        self.owner: Plan | None = None
        """The plan of which this is the side of `owner_node` that is called `owner_role`."""
        self.owner_node = -1
        self.owner_role = ""

    def side(self, node: int, role: str) -> "Plan":
        """The plan of a `body`, an `operation NAME`, a `compensation`, an `undo`, or an `alternate K`."""
        found = self.sides.get((node, role))
        if found is None:
            activity = beside(self.activity[node], role)
            assert activity is not None, f"{self.activity[node].name} has no {role}"
            found = self.sides[node, role] = Plan(activity, self.library, self.group, is_side=True)
            found.owner, found.owner_node, found.owner_role = self, node, role
        return found

    def has_side(self, node: int, role: str) -> bool:
        return beside(self.activity[node], role) is not None

    def net_holds(self, node: int) -> list[tuple[int, tuple[str, ...]]]:
        """The transitions of a net whose operations hold names."""
        found = self.holding.get(node)
        if found is None:
            net = self.activity[node]
            assert isinstance(net, Net)
            found = self.holding[node] = [
                (number, one.operation.holds)
                for number, one in enumerate(net.transitions)
                if one.operation is not None and one.operation.holds
            ]
        return found

    def net(self, node: int) -> NetPlan:
        found = self.nets.get(node)
        if found is None:
            activity = self.activity[node]
            assert isinstance(activity, Net)
            found = self.nets[node] = NetPlan(activity, self.library.expression)
        return found


def beside(activity: Activity, role: str) -> Activity | None:
    kind, _, name = role.partition(" ")
    found: Activity | None = None
    if kind == "body" and isinstance(activity, Each):
        found = activity.body
    elif kind == "operation" and isinstance(activity, Net):
        found = next((one.operation for one in activity.transitions if one.name == name), None)
    elif kind == "compensation":
        found = activity.compensation
    elif kind == "undo":
        found = activity.undo
    elif kind == "alternate":
        found = activity.on_error[int(name)].alternate if int(name) < len(activity.on_error) else None
    return found


class Library:
    """The expressions of a process, compiled once, and the plans of the processes its calls were bound to."""

    def __init__(
        self, process: Process, limits: Limits | None = None, group: str | None = None, definition: str = ""
    ) -> None:
        self.process = process
        self.group = group
        self.definition = definition
        self.limits = limits or Limits()
        self.expressions: dict[str, Compiled] = {}
        self.plans: dict[str, Plan] = {}

    @property
    def classes(self) -> dict[str, ObjectClass]:
        return self.process.classes

    def expression(self, text: str) -> Compiled:
        found = self.expressions.get(text)
        if found is None:
            found = self.expressions[text] = compile_expression(text, None, self.process.classes, self.limits)
        return found

    def learn(self, definition: str, process: Process) -> Plan:
        """The plan of another definition, under its hash, so that `Bound` and `Changed` facts can name it."""
        found = self.plans.get(definition)
        if found is None:
            library = Library(process, self.limits, self.group, definition)
            library.plans = self.plans
            found = self.plans[definition] = Plan(process.body, library, self.group)
        return found


def plan_of(process: Process, group: str | None = None, limits: Limits | None = None) -> Plan:
    """Compiles a well-formed process: whole, or only what a group owns of it, the first being the empty one."""
    return Plan(process.body, Library(process, limits, group), group)
