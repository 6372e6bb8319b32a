"""The graph of a whole space of markings: who can go on for ever, and which transitions can always happen again."""

from array import array
from dataclasses import dataclass

from weft.analysis.spaces import Space


@dataclass(frozen=True, slots=True)
class Graph:
    """Steps by the number of their marking: those of marking n are `starts[n]` to `starts[n + 1]`."""

    starts: "array[int]"
    targets: "array[int]"
    labels: "array[int]"

    def __len__(self) -> int:
        return len(self.starts) - 1


def graph_of(space: Space) -> Graph:
    number = {marking: index for index, marking in enumerate(space.states)}
    starts, targets, labels = array("l", [0]), array("l"), array("l")
    for marking in space.states:
        for transition, after in space.successors(marking):
            targets.append(number[after])
            labels.append(transition)
        starts.append(len(targets))
    return Graph(starts, targets, labels)


def components(graph: Graph) -> list[int]:
    """The strongly connected component of each marking (Tarjan, without recursion). A later one never reaches back."""
    starts, targets = graph.starts, graph.targets
    order, low = [0] * len(graph), [0] * len(graph)
    component = [-1] * len(graph)
    position = list(starts[: len(graph)])
    stack: list[int] = []
    counter = found = 0
    for root in range(len(graph)):
        if order[root]:
            continue
        work = [root]
        while work:
            node = work[-1]
            if not order[node]:
                counter += 1
                order[node] = low[node] = counter
                stack.append(node)
            end = starts[node + 1]
            while position[node] < end:
                target = targets[position[node]]
                if not order[target]:
                    work.append(target)
                    break
                if component[target] < 0 and low[target] < low[node]:
                    low[node] = low[target]
                position[node] += 1
            else:
                work.pop()
                if low[node] == order[node]:
                    while component[node] < 0:
                        component[stack.pop()] = found
                    found += 1
                if work and component[node] < 0 and low[node] < low[work[-1]]:
                    low[work[-1]] = low[node]
    return component


def bottoms(graph: Graph, component: list[int]) -> dict[int, tuple[int, set[int]]]:
    """The components that nothing leaves: for each one of its markings and the transitions that happen in it."""
    leaving: set[int] = set()
    inside: dict[int, set[int]] = {}
    first: dict[int, int] = {}
    for node, here in enumerate(component):
        first.setdefault(here, node)
        labels = inside.setdefault(here, set())
        for step in range(graph.starts[node], graph.starts[node + 1]):
            if component[graph.targets[step]] != here:
                leaving.add(here)
            labels.add(graph.labels[step])
    return {one: (first[one], inside[one]) for one in inside if one not in leaving}


def fired(graph: Graph) -> set[int]:
    """The transitions that happen anywhere."""
    return set(graph.labels)
