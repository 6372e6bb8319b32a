"""Finds circles in a graph; knows nothing of what the nodes are."""


def circles(edges: dict[int, list[int]]) -> dict[int, int]:
    """The nodes that lie on a circle, each with a number that those of its circle share: Tarjan's, no recursion."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: dict[int, int] = {}
    for start in edges:
        if start in order:
            continue
        work = [(start, 0)]
        while work:
            node, position = work.pop()
            if position == 0:
                order[node] = low[node] = len(order)
                stack.append(node)
                on_stack.add(node)
            targets = edges[node]
            while position < len(targets):
                target = targets[position]
                position += 1
                if target not in order:
                    work.append((node, position))
                    work.append((target, 0))
                    break
                if target in on_stack:
                    low[node] = min(low[node], order[target])
            else:
                if low[node] == order[node]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.append(member)
                        if member == node:
                            break
                    if len(component) > 1 or node in targets:
                        found.update(dict.fromkeys(component, node))
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[node])
    return found
