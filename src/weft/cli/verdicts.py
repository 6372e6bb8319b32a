"""Verdicts about nets, as lines that people read."""

from collections.abc import Iterator, Mapping
from typing import Final

from weft.model.definition import Activity, Net, Process, parts

SAID: Final = {
    "workflow_net": "workflow net",
    "free_choice": "free choice",
    "sound": "sound",
    "generalised_sound": "sound for any number of cases",
    "deadlock": "deadlock",
    "bounded": "bounded",
    "bound": "most tokens in a place",
    "safe": "safe",
    "live": "live",
}
WIDTH: Final = 30


def nets_in(process: Process) -> list[Net]:
    """The nets of a process, from its root on."""
    found: list[Net] = []
    rest: list[Activity] = [process.body]
    while rest:
        activity = rest.pop(0)
        rest += parts(activity)
        if isinstance(activity, Net):
            found.append(activity)
    return found


def lines_of(verdict: Mapping[str, object]) -> Iterator[str]:
    yield f"{verdict['net']}: {verdict['places']} places, {verdict['transitions']} transitions"
    for key, words in SAID.items():
        yield f"  {words:<{WIDTH}}{said(verdict[key])}"
    states = verdict["states"]
    explored = f"{states}" if states is not None else f"unknown, {verdict['explored']} explored"
    yield f"  {'states':<{WIDTH}}{explored}, {verdict['seconds']} s"
    never = verdict["never"]
    if isinstance(never, list) and never:
        yield f"  {'never happens':<{WIDTH}}{', '.join(never)}"
    if verdict["reason"]:
        yield f"  {verdict['reason']}"
    yield from _trace_lines(verdict)
    notes = verdict["notes"]
    if isinstance(notes, list | tuple):
        yield from (f"  note: {note}" for note in notes)
    structure = verdict.get("structure")
    if isinstance(structure, Mapping):
        yield from _structure_lines(structure)


def said(value: object) -> str:
    return "unknown" if value is None else {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _trace_lines(verdict: Mapping[str, object]) -> Iterator[str]:
    trace, marking = verdict["trace"], verdict["marking"]
    if isinstance(trace, list) and trace:
        yield f"  after: {', '.join(trace)}"
    if isinstance(marking, Mapping):
        yield f"  tokens: {', '.join(_counted(place, count) for place, count in marking.items())}"


def _structure_lines(structure: Mapping[str, object]) -> Iterator[str]:
    invariants = structure["place_invariants"]
    if isinstance(invariants, list):
        for one in invariants:
            yield f"  constant: {' + '.join(f'{n}·{place}' if n > 1 else place for place, n in one.items())}"
    else:
        yield "  invariants: too many to list"
    for key in ("siphons", "traps"):
        sets = structure[key]
        assert isinstance(sets, list)
        yield from (f"  {key[:-1]}: {', '.join(one)}" for one in sets)


def _counted(place: object, count: object) -> str:
    return str(place) if count == 1 else f"{place} ×{count}"
