"""Kept logs: what instances told, written by a release, and where their replay leads. Every later Weft reads them so.

A log is a JSON text: the definition, those of the processes it calls, the decisions with their times, and what stands
where at their end. What it says of the end are only words that will not change: statuses, values, and what is asked.
"""

import json
from pathlib import Path
from typing import Any

import msgspec

from weft.kernel import facts, status
from weft.kernel.evolve import replay
from weft.kernel.facts import AnyFact
from weft.kernel.outstanding import outstanding
from weft.kernel.places import frames_of
from weft.kernel.plan import Plan, plan_of
from weft.kernel.state import State
from weft.model.definition import Process
from weft.model.json_form import from_json, to_json

FOLDER = Path(__file__).resolve().parent
Decisions = list[tuple[float, list[AnyFact]]]


class Log(msgspec.Struct):
    """See the module."""

    format: int
    process: Any
    called: dict[str, Any]
    decisions: list[tuple[float, list[AnyFact]]]
    end: Any


def log_of(process: Process, called: dict[str, Process], decisions: Decisions, plan: Plan, state: State) -> Log:
    return Log(
        facts.FORMAT,
        json.loads(to_json(process)),
        {definition: json.loads(to_json(one)) for definition, one in called.items()},
        decisions,
        end_of(plan, state),
    )


def replayed(log: Log) -> tuple[Plan, State]:
    plan = plan_of(from_json(json.dumps(log.process)))
    for definition, called in log.called.items():
        plan.library.learn(definition, from_json(json.dumps(called)))
    return plan, replay(plan, log.decisions)


def end_of(plan: Plan, state: State) -> Any:
    """What stands where, in words."""
    activities = [
        {
            "path": frame.path(node),
            "round": frame.rounds[node],
            "status": status.NAMES[frame.status[node]],
            "attempt": one.attempt,
            "inputs": one.inputs,
            "outcome": one.outcome,
            "values": one.values,
            "error": one.error,
            "variables": {} if one.body is None else one.body.variables,
        }
        for frame in frames_of(state)
        for node, one in enumerate(frame.execution)
        if one is not None
    ]
    asked = sorted(outstanding(plan, state), key=repr)
    return msgspec.to_builtins({"activities": activities, "asked": asked, "kept": [list(key) for key in state.kept]})


def read(path: Path) -> Log:
    return msgspec.json.decode(path.read_bytes(), type=Log)


def write(path: Path, log: Log) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(log), indent=1) + b"\n")


def kinds_of(log: Log) -> set[str]:
    return {type(fact).__name__ for _, told in log.decisions for fact in told}
