"""The activities of one execution, numbered in preorder; what is inside a node is the range up to its `end`."""

from typing import Final

from weft.model.definition import Activity, Call, Each, Flow, Group, Net, Person, Task, is_unnamed

TASK: Final = 0
FLOW: Final = 1
EACH: Final = 2
CALL: Final = 3
NET: Final = 4
PLACED: Final = 5

KINDS: Final[dict[type, int]] = {Task: TASK, Flow: FLOW, Each: EACH, Call: CALL, Net: NET}


class Tree:
    """Arrays by node number. A compound placed in another group is a leaf here."""

    def __init__(self, root: Activity, group: str | None, is_side: bool) -> None:
        self.group = group
        self.is_side = is_side
        self.activity: list[Activity] = []
        self.kind: list[int] = []
        self.parent: list[int] = []
        self.end: list[int] = []
        self.paths: list[str] = []
        self.children: list[list[int]] = []
        self.index: dict[str, int] = {}
        self.number(root)

    def __len__(self) -> int:
        return len(self.kind)

    def number(self, root: Activity) -> None:
        todo: list[tuple[Activity, int, str]] = [(root, -1, "")]
        group = self.group
        while todo:
            activity, parent, prefix = todo.pop()
            node = len(self.kind)
            kind = KINDS[type(activity)]
            if group is not None and kind != TASK and activity.placement and activity.placement != group:
                kind = PLACED if node or self.is_side else kind
            path = prefix + activity.name
            self.activity.append(activity)
            self.kind.append(kind)
            self.parent.append(parent)
            self.end.append(node + 1)
            self.paths.append(path)
            self.children.append([])
            self.index[path] = node
            if parent >= 0:
                self.children[parent].append(node)
            if kind == FLOW:
                assert isinstance(activity, Flow)
                inside = prefix if node == 0 or is_unnamed(activity.name) else path + "/"
                for child in reversed(activity.children):
                    todo.append((child, node, inside))
        for node in range(len(self.kind) - 1, 0, -1):
            parent = self.parent[node]
            if self.end[parent] < self.end[node]:
                self.end[parent] = self.end[node]


def is_persons(activity: Activity) -> bool:
    return isinstance(activity, Task) and isinstance(activity.handler, Person | Group)
