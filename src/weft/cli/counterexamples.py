"""Draws what a check found: for each fault with a trace the process, with the steps numbered and the place painted."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from weft.analysis.ends import name_of
from weft.analysis.places import Places
from weft.drawing.svg import draw
from weft.model.definition import Process
from weft.model.faults import Fault

VERBS = (" commits", " aborts", " starts", " gives ", " fails", " has stopped")


def drawn(process: Process, faults: Sequence[Fault], folder: Path) -> list[Path]:
    """The files that were written, `1-deadlock-order.svg` and so on."""
    places = Places(process)
    paths = {name_of(node.activity): node.path for node in places.nodes.values()}
    folder.mkdir(parents=True, exist_ok=True)
    found: list[Path] = []
    for fault in faults:
        if fault.trace:
            file = folder / f"{len(found) + 1}-{fault.code}-{fault.activity.replace(':', '-')}.svg"
            file.write_text(draw(process, {fault.path: "failed"}, steps_of(fault, paths)), "utf-8")
            found.append(file)
    return found


def steps_of(fault: Fault, paths: dict[str, str]) -> Iterator[str]:
    """The paths of the activities that do something in the trace, in order."""
    for step in fault.trace:
        subject = next((step.partition(verb)[0] for verb in VERBS if verb in step), step.partition(":")[0])
        if subject in paths:
            yield paths[subject]
