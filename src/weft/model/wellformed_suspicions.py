"""What is allowed but suspicious in the tree as a whole: losers that can't be taken back, locks of critical tasks."""

from collections.abc import Sequence
from typing import Final

from weft.model.definition import Activity, Assign, Flow, Signal, Task, Timer
from weft.model.wellformed_rules import resource
from weft.model.wellformed_tree import Node, Report

LEAVES_NOTHING: Final = (Timer, Signal, Assign)


def check_losers(nodes: Sequence[Node], report: Report) -> None:
    """Only the children of exclusive flows can lose, with all that is inside them. `nodes` are in preorder."""
    losing: set[Node] = set()
    for node in nodes:
        if node.parent is None or node.owner is not None:
            continue
        around = node.parent
        is_child = isinstance(around.activity, Flow) and around.activity.exclusive
        if not is_child and around not in losing:
            continue
        losing.add(node)
        task = node.activity
        if not isinstance(task, Task) or isinstance(task.handler, LEAVES_NOTHING):
            continue
        if task.compensation is None and task.undo is None and task.transaction == "none":
            _warn(node, "its work is done at once and has neither undo nor compensation", report)
        elif task.compensation is None and not is_child and not task.critical and task.transaction != "none":
            _warn(node, "it commits inside what may lose, and has no compensation", report)


def _warn(node: Node, why: str, report: Report) -> None:
    report.add(
        node, "loser", f"if {node.name!r} loses the race its work can't be taken back: {why}",
        "give it a compensation, or make it transactional and a direct child of the race",
    )  # fmt: skip


def check_resources(nodes: Sequence[Node], report: Report) -> None:
    """Warns of a task that comes, in a serial block, after a critical one in the same resource."""
    critical: dict[tuple[Node, str], tuple[Node, Node]] = {}
    for node in nodes:
        name = resource(node.activity)
        if not name or node.owner is not None:
            continue
        below = node
        for around in node.around():
            found = critical.get((around, name))
            if found is not None and found[1] is not below and _is_serial(around.activity):
                report.add(
                    node, "critical-resource",
                    f"{node.name!r} works in {name!r}, where {found[0].name!r} stays prepared until the process ends",
                    "let it come before, or work on other rows",
                )  # fmt: skip
                break
            below = around
        if node.activity.critical:
            below = node
            for around in node.around():
                critical.setdefault((around, name), (node, below))
                below = around


def _is_serial(activity: Activity) -> bool:
    return isinstance(activity, Flow) and activity.block in ("serial", "loop")
