"""The tree of a process as the guard table shows it: nodes numbered in preorder, with restarts and compensations."""

from collections.abc import Iterable, Iterator
from typing import Final

from weft.model.definition import Activity, Each, Flow, Guard, Net, is_unnamed
from weft.model.guard_rules import SEMANTICS


class Node:
    """A node of the process tree. One without an activity restarts the compound around it."""

    def __init__(self, label: int, activity: Activity | None, parent: "Node | None", role: str) -> None:
        self.label = label
        self.activity = activity
        self.parent = parent
        self.role = role
        self.owner: Node | None = None
        self.children: list[Node] = []
        self.restarts_by: Guard | None = None
        self.name = "restart"
        self.position = 0
        self.near: dict[str, Node] = {}
        """The compound and its children by name; guards inside speak of these."""

    @property
    def block(self) -> str:
        """The block that a compound is, "" for a graph, "task" for a leaf."""
        activity = self.activity
        if isinstance(activity, Flow):
            return _ALIASES.get(activity.block, activity.block)
        return "each" if isinstance(activity, Each) else "net" if isinstance(activity, Net) else "task"

    def is_vital(self) -> bool:
        return self.activity is None or self.activity.vital


_ALIASES: Final = {"all_of": "all", "any_of": "any", "at_least": "atleast"}


def numbered(activity: Activity, parent: Node | None, role: str, nodes: list[Node]) -> Node:
    node = Node(len(nodes), activity, parent, role)
    nodes.append(node)
    node.name = SEMANTICS[node.block].word if is_unnamed(activity.name) and node.block in SEMANTICS else activity.name
    inside: Iterable[Activity] = ()
    if isinstance(activity, Flow):
        inside = activity.children
    elif isinstance(activity, Each):
        inside = (activity.body,)
    elif isinstance(activity, Net):
        inside = (one.operation for one in activity.transitions if one.operation is not None)
    node.children = [numbered(one, node, "", nodes) for one in inside]
    if isinstance(activity, Flow):
        node.children += _restarts(node, activity, nodes)
    node.near = {one.activity.name: one for one in (*node.children, node) if one.activity is not None}
    for position, one in enumerate(node.children):
        one.position = position
    for side, beside in (("compensation", activity.compensation), ("undo", activity.undo)):
        if beside is not None:
            numbered(beside, parent, side, nodes).owner = node
    for rule in activity.on_error:
        if rule.alternate is not None:
            numbered(rule.alternate, parent, "alternate", nodes).owner = node
    return node


def _restarts(node: Node, flow: Flow, nodes: list[Node]) -> Iterator[Node]:
    """A loop has one node for its next round; a graph one for each outcome that repeats, by its name."""
    for outcome in flow.outcomes:
        if outcome.kind == "repeat":
            restart = Node(len(nodes), None, node, "restart")
            nodes.append(restart)
            if node.block != "loop":
                restart.name = outcome.name
                restart.restarts_by = outcome.guard
            yield restart
