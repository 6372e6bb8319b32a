"""The analysis of plain nets once more, as slowly and plainly as can be: what the quick one is compared with."""

from weft.analysis.plain import PlainNet, PlainTransition

Marking = tuple[int, ...]


def is_enabled(one: PlainTransition, marking: Marking) -> bool:
    for place, held in enumerate(marking):
        if held < one.takes.get(place, 0) + one.reads.get(place, 0):
            return False
        if place in one.inhibits and held >= one.inhibits[place]:
            return False
    return True


def fire(one: PlainTransition, marking: Marking) -> Marking:
    return tuple(
        (0 if place in one.resets else held - one.takes.get(place, 0)) + one.puts.get(place, 0)
        for place, held in enumerate(marking)
    )


class Unbounded(Exception):
    """More than 50 tokens in one place: none of the nets that are tried has a bound as high."""


def steps(net: PlainNet, states_max: int = 20_000) -> dict[Marking, list[tuple[str, Marking]]]:
    """Every marking that can be reached, with its steps."""
    found: dict[Marking, list[tuple[str, Marking]]] = {}
    todo = [net.marking]
    while todo:
        marking = todo.pop()
        if marking in found:
            continue
        if max(marking, default=0) > 50 or len(found) > states_max:
            raise Unbounded
        found[marking] = [(one.name, fire(one, marking)) for one in net.transitions if is_enabled(one, marking)]
        todo += [after for _, after in found[marking]]
    return found


def reach(graph: dict[Marking, list[tuple[str, Marking]]], start: Marking) -> set[Marking]:
    seen, todo = {start}, [start]
    while todo:
        for _, after in graph[todo.pop()]:
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return seen


def is_live(net: PlainNet, graph: dict[Marking, list[tuple[str, Marking]]]) -> bool:
    everything = {one.name for one in net.transitions}
    return all({name for there in reach(graph, one) for name, _ in graph[there]} == everything for one in graph)


def is_sound(net: PlainNet, graph: dict[Marking, list[tuple[str, Marking]]], sink: int) -> bool:
    final = tuple(int(place == sink) for place in range(len(net.places)))
    happened = {name for there in graph for name, _ in graph[there]}
    return (
        all(final in reach(graph, one) for one in graph)
        and not any(one != final and one[sink] for one in graph)
        and happened == {one.name for one in net.transitions}
    )
