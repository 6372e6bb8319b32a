"""Families of nets whose answers are published: how many states they have, and whether they can stop."""

from weft.analysis.plain import PlainNet

Arcs = dict[str, tuple[tuple[str, ...], tuple[str, ...]]]


def philosophers(count: int) -> PlainNet:
    """Of the Model Checking Contest: forks are taken in either order; 3 ** count states, and a deadlock."""
    places: dict[str, int] = {}
    arcs: Arcs = {}
    for one in range(count):
        places |= {f"think{one}": 1, f"left{one}": 0, f"right{one}": 0, f"eat{one}": 0, f"fork{one}": 1}
        here, there = f"fork{one}", f"fork{(one + 1) % count}"
        arcs[f"left{one}"] = ((f"think{one}", here), (f"left{one}",))
        arcs[f"right{one}"] = ((f"think{one}", there), (f"right{one}",))
        arcs[f"then_right{one}"] = ((f"left{one}", there), (f"eat{one}",))
        arcs[f"then_left{one}"] = ((f"right{one}", here), (f"eat{one}",))
        arcs[f"end{one}"] = ((f"eat{one}",), (f"think{one}", here, there))
    return PlainNet.of(places, arcs)


def kanban(size: int) -> PlainNet:
    """Four cells of `size` cards (Ciardo); published: 160 states for 1, 4 600 for 2, 58 400 for 3."""
    places = {
        f"{kind}{cell}": size * (kind == "card") for cell in range(1, 5) for kind in ("work", "back", "out", "card")
    }
    arcs: Arcs = {}
    for cell in range(1, 5):
        arcs[f"ok{cell}"] = ((f"work{cell}",), (f"out{cell}",))
        arcs[f"bad{cell}"] = ((f"work{cell}",), (f"back{cell}",))
        arcs[f"redo{cell}"] = ((f"back{cell}",), (f"work{cell}",))
    arcs["in"] = (("card1",), ("work1",))
    arcs["split"] = (("out1", "card2", "card3"), ("card1", "work2", "work3"))
    arcs["join"] = (("out2", "out3", "card4"), ("card2", "card3", "work4"))
    arcs["ship"] = (("out4",), ("card4",))
    return PlainNet.of(places, arcs)


def kanban_states(size: int) -> int:
    """The published formula."""
    n = size
    cell = (n**3 + 6 * n**2 + 11 * n + 6) // 6
    middle = (3 * n**5 + 30 * n**4 + 115 * n**3 + 210 * n**2 + 182 * n + 60) // 60
    return cell**2 * middle


def and_split(branches: int) -> PlainNet:
    """A workflow net: all branches at once, then an end."""
    places = {"start": 1, "end": 0} | {f"{side}{one}": 0 for one in range(branches) for side in ("before", "after")}
    arcs: Arcs = {f"do{one}": ((f"before{one}",), (f"after{one}",)) for one in range(branches)}
    arcs["split"] = (("start",), tuple(f"before{one}" for one in range(branches)))
    arcs["join"] = (tuple(f"after{one}" for one in range(branches)), ("end",))
    return PlainNet.of(places, arcs)


def chain(length: int) -> PlainNet:
    places = {f"p{one}": int(one == 0) for one in range(length + 1)}
    return PlainNet.of(places, {f"t{one}": ((f"p{one}",), (f"p{one + 1}",)) for one in range(length)})
