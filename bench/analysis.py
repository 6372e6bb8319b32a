"""Figures of the analysis: states explored per CPU-second and bytes per state, beside SNAKES, and times of proofs."""

import json
import os
import subprocess
import tracemalloc
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from time import process_time

from bench.figures import Figure, best, figure, surroundings
from weft.analysis.checking import check
from weft.analysis.exploring_safe import explore_safe
from weft.analysis.plain import PlainNet
from weft.analysis.spaces import Budget
from weft.analysis.structure import workflow_ends
from weft.analysis.verdicts import analyse
from weft.model.blocks import all_of, serial
from weft.model.definition import Activity, Function, Process, Task

PLENTY = Budget(10_000_000, 1e9)
SNAKES_STATES = 400
PM4PY_BRANCHES = 7


def figures(beside_snakes: bool = True) -> Iterator[Figure]:
    net = philosophers(10)
    ours = best(partial(explored, net))
    yield figure("exploring 10 philosophers", ours, "states/s")
    yield figure("exploring 10 philosophers, memory", bytes_per_state(net), "bytes/state")
    if beside_snakes and find_spec("snakes") is not None:
        peer = f"SNAKES {version('snakes')}"
        theirs = best(partial(explored_by_snakes, philosophers(6)))
        yield Figure("exploring 6 philosophers", theirs, "states/s", peer)
        yield Figure("exploring: Weft ÷ SNAKES", ours / theirs, "×", surroundings() + ", " + peer)
    yield figure("proof of 200 activities in blocks", 1_000 * least(partial(check, blocks(200))), "ms")
    yield figure("proof of an and-split of 12", 1_000 * least(partial(check, and_split_process(12))), "ms")
    yield figure("soundness of an and-split net of 12", 1_000 * least(partial(analyse, and_split_net(12))), "ms")
    yield from beside_pm4py(and_split_net(PM4PY_BRANCHES))


def beside_pm4py(net: PlainNet) -> Iterator[Figure]:
    """Only where WEFT_PM4PY names an interpreter that has pm4py: it runs there as a program of its own."""
    interpreter = os.environ.get("WEFT_PM4PY")
    ends = workflow_ends(net)
    if not interpreter or ends is None:
        return
    given = {
        "places": net.places,
        "transitions": [[one.name, list(one.takes), list(one.puts)] for one in net.transitions],
        "source": ends.source,
        "sink": ends.sink,
    }
    program = str(Path(__file__).with_name("pm4py_soundness.py"))
    done = subprocess.run([interpreter, program], input=json.dumps(given), capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout.splitlines()[-1])["seconds"]
    ours = least(partial(analyse, net))
    name = f"soundness of an and-split net of {PM4PY_BRANCHES}"
    yield figure(name, 1_000 * ours, "ms")
    yield Figure(name, 1_000 * theirs, "ms", "pm4py")
    yield Figure(f"{name}: pm4py ÷ Weft", theirs / ours, "×", surroundings() + ", pm4py")


def explored(net: PlainNet) -> float:
    began = process_time()
    space = explore_safe(net, PLENTY)
    return len(space.states) / (process_time() - began)


def bytes_per_state(net: PlainNet) -> float:
    tracemalloc.start()
    space = explore_safe(net, PLENTY)
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return used / len(space.states)


def least(act: "partial[object]") -> float:
    found = []
    for _ in range(5):
        began = process_time()
        act()
        found.append(process_time() - began)
    return min(found)


def explored_by_snakes(net: PlainNet) -> float:
    from snakes.nets import MultiArc, PetriNet, Place, StateGraph, Substitution, Transition, Value, dot  # noqa: F401

    theirs = PetriNet("philosophers")
    for name, tokens in zip(net.places, net.marking, strict=True):
        theirs.add_place(Place(name, [dot] * tokens))
    for one in net.transitions:
        name = f"transition {one.name}"  # theirs have one name space for places and transitions
        theirs.add_transition(Transition(name))
        for place in one.takes:
            theirs.add_input(net.places[place], name, Value(dot))
        for place in one.puts:
            theirs.add_output(net.places[place], name, Value(dot))
    began = process_time()
    graph = StateGraph(theirs)
    count = 0
    for _ in graph:
        count += 1
        if count >= SNAKES_STATES:
            break
    return count / (process_time() - began)


def philosophers(count: int) -> PlainNet:
    """Forks are taken in either order: 3 ** count states."""
    places: dict[str, int] = {}
    arcs: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    for one in range(count):
        places |= {f"think{one}": 1, f"left{one}": 0, f"right{one}": 0, f"eat{one}": 0, f"fork{one}": 1}
        here, there = f"fork{one}", f"fork{(one + 1) % count}"
        arcs[f"left{one}"] = ((f"think{one}", here), (f"left{one}",))
        arcs[f"right{one}"] = ((f"think{one}", there), (f"right{one}",))
        arcs[f"then_right{one}"] = ((f"left{one}", there), (f"eat{one}",))
        arcs[f"then_left{one}"] = ((f"right{one}", here), (f"eat{one}",))
        arcs[f"end{one}"] = ((f"eat{one}",), (f"think{one}", here, there))
    return PlainNet.of(places, arcs)


def and_split_net(branches: int) -> PlainNet:
    places = {"start": 1, "end": 0} | {f"{side}{one}": 0 for one in range(branches) for side in ("before", "after")}
    arcs = {f"do{one}": ((f"before{one}",), (f"after{one}",)) for one in range(branches)}
    split = (("start",), tuple(f"before{one}" for one in range(branches)))
    join = (tuple(f"after{one}" for one in range(branches)), ("end",))
    return PlainNet.of(places, {**arcs, "split": split, "join": join})


def and_split_process(branches: int) -> Process:
    body = all_of(*[task(f"t{one}") for one in range(branches)], name="split")
    return Process(name="split", body=body)


def blocks(activities: int) -> Process:
    """Serial blocks of and-blocks of serial blocks."""
    numbers = iter(range(activities))

    def inside(count: int, depth: int) -> Activity:
        if count == 1:
            return task(f"t{next(numbers)}")
        parts = min(4, count)
        sizes = [count // parts + (one < count % parts) for one in range(parts)]
        block = serial if depth % 2 == 0 else all_of
        return block(*[inside(size, depth + 1) for size in sizes], name=f"b{next(names)}")

    names = iter(range(activities))
    body = inside(activities, 0)
    return Process(name=body.name, body=body)


def task(name: str) -> Task:
    return Task(name=name, handler=Function(f"work:{name}"))
