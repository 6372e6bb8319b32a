"""The tree of a definition as the checks walk it: who is inside whom, in which role, and what each is called."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from weft.model.definition import Activity, Each, Flow, Net, Process, Task, Transition, is_unnamed
from weft.model.faults import ERRORS, Fault
from weft.model.limits import Limits
from weft.model.types import near

NAME: Final = re.compile(r"[A-Za-z_][\w-]*")
ACTIVITY_NAME: Final = re.compile(r"[A-Za-z_][\w-]*(:[A-Za-z_][\w-]*)?")
SUGGESTIONS_MAX: Final = 50
NAMES_MAX: Final = 2_000


class Node:
    """An activity where it stands. `parent` is the compound around it; a side has that of its `owner`."""

    __slots__ = ("activity", "depth", "looks_back", "owner", "parent", "position", "role", "transition")

    def __init__(self, activity: Activity, parent: "Node | None", role: str, depth: int, position: int = 0) -> None:
        self.activity = activity
        self.parent = parent
        self.role = role
        self.depth = depth
        self.position = position
        self.owner: Node | None = None
        self.transition: Transition | None = None
        self.looks_back = False
        """Of a compound: a guard among its children speaks of the child itself or of a later one."""

    @property
    def name(self) -> str:
        return self.activity.name

    @property
    def path(self) -> str:
        steps: list[str] = []
        node: Node | None = self
        while node is not None:
            if node.owner is not None:
                steps.append(node.role)
                node = node.owner
                continue
            if not is_unnamed(node.name) or node is self:
                steps.append(node.name)
            if node.transition is not None:
                steps.append(node.transition.name)
            node = node.parent
        return "/".join(reversed(steps))

    def around(self) -> Iterator["Node"]:
        """The compounds around, from the nearest."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


class Report:
    """Collects the faults. Near names are sought for the first few only, so that ten thousand wrong ones stay quick."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.suggestions = 0

    def add(self, node: Node, code: str, message: str, advice: str = "") -> None:
        severity = "error" if code in ERRORS else "warning"
        self.faults.append(Fault(severity, code, node.name, node.path, message, advice))  # type: ignore[arg-type]

    def meant(self, name: str, known: Iterable[str], otherwise: str) -> str:
        """Advice for an unknown name."""
        self.suggestions += 1
        found = near(name, list(islice(known, NAMES_MAX))) if self.suggestions <= SUGGESTIONS_MAX else None
        return f"did you mean {found!r}?" if found else otherwise


class Tree:
    """All activities of a process, each before those inside it; what nests too deep, or is too many, is left out."""

    def __init__(self, process: Process, limits: Limits, report: Report) -> None:
        self.nodes: list[Node] = []
        self.by_name: dict[str, Node] = {}
        root = Node(process.body, None, "root", 1)
        rest = [root]
        while rest:
            node = rest.pop()
            if len(self.nodes) >= limits.activities:
                report.add(
                    root, "too-large", f"the process has more than {limits.activities} activities",
                    "split it into processes that call one another",
                )  # fmt: skip
                break
            self.nodes.append(node)
            self._name(node, report)
            activity = node.activity
            if type(activity) is Task and not (activity.compensation or activity.undo or activity.on_error):
                continue
            inside = list(_inside(node))
            if inside and node.depth >= limits.nesting:
                report.add(
                    node, "too-large", f"activities are nested more than {limits.nesting} deep",
                    "put what is inside into a process of its own and call it",
                )  # fmt: skip
                continue
            inside.reverse()
            rest += inside
        if root.name != process.name:
            report.add(
                root, "bad-name", f"the process is named {process.name!r} but its root activity {root.name!r}",
                "give both the same name",
            )  # fmt: skip

    def _name(self, node: Node, report: Report) -> None:
        name = node.activity.name
        first = self.by_name.setdefault(name, node)
        if first is not node:
            report.add(
                node, "duplicate-name", f"the name {name!r} is already that of {first.path!r}",
                "guards, history and changes go by names: give one of them another",
            )  # fmt: skip
        if not ACTIVITY_NAME.fullmatch(name):
            report.add(
                node, "bad-name", f"{name!r} can't be the name of an activity",
                "begin with a letter or _, go on with letters, digits, _ or -",
            )  # fmt: skip


def _inside(node: Node) -> Iterator[Node]:
    """What is directly inside, then what stands beside."""
    activity, depth = node.activity, node.depth + 1
    if isinstance(activity, Flow):
        for position, child in enumerate(activity.children):
            yield Node(child, node, "child", depth, position)
    elif isinstance(activity, Each):
        yield Node(activity.body, node, "body", depth)
    elif isinstance(activity, Net):
        for transition in activity.transitions:
            if transition.operation is not None:
                operation = Node(transition.operation, node, "operation", depth)
                operation.transition = transition
                yield operation
    if activity.compensation is not None:
        yield _beside(node, activity.compensation, "compensation")
    if activity.undo is not None:
        yield _beside(node, activity.undo, "undo")
    for rule in activity.on_error:
        if rule.alternate is not None:
            yield _beside(node, rule.alternate, "alternate")


def _beside(node: Node, activity: Activity, role: str) -> Node:
    side = Node(activity, node.parent, role, node.depth + 1, node.position)
    side.owner = node
    return side
