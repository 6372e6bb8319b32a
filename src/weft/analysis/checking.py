"""The check of a definition: what the model finds, and if that is no error, what may go wrong when it runs."""

from collections.abc import Mapping
from time import perf_counter
from typing import Final

from msgspec import Struct

from weft.analysis.control_faults import ControlFaults
from weft.analysis.controls import FLOW_BUDGET, Controls
from weft.analysis.data_faults import DataFaults
from weft.analysis.gap_faults import GapFaults
from weft.analysis.net_faults import NetFaults
from weft.analysis.places import Places
from weft.analysis.spaces import Budget
from weft.model import wellformed
from weft.model.definition import Process
from weft.model.faults import Fault

NONE: Final[Mapping[str, Process]] = {}


class Report(Struct, frozen=True):
    """What is wrong with a process. `explored` is how many standstills of flows that are no blocks were looked at."""

    process: str
    faults: tuple[Fault, ...]
    explored: int = 0
    seconds: float = 0.0

    @property
    def errors(self) -> tuple[Fault, ...]:
        return tuple(fault for fault in self.faults if fault.severity == "error")

    @property
    def is_sound(self) -> bool:
        return not self.errors


def check(process: Process, called: Mapping[str, Process] = NONE, budget: Budget = FLOW_BUDGET) -> Report:
    """All faults of a process; `called` are those that it may call, by name.

    >>> check(process).is_sound
    True
    """
    began = perf_counter()
    faults = wellformed.check(process)
    if any(fault.severity == "error" for fault in faults):
        return Report(process.name, tuple(faults), 0, round(perf_counter() - began, 4))
    found, explored = judge(process, called, budget)
    return Report(process.name, (*faults, *found), explored, round(perf_counter() - began, 4))


def judge(
    process: Process, called: Mapping[str, Process] = NONE, budget: Budget = FLOW_BUDGET
) -> tuple[list[Fault], int]:
    """What may go wrong when a well-formed process runs, and how many standstills were explored for it."""
    controls = Controls(process, budget, called)
    places = Places(process)
    faults = [
        *ControlFaults(controls, places).all(),
        *DataFaults(controls, places).all(),
        *GapFaults(controls, places).all(),
        *NetFaults(process, places).all(),
    ]
    return faults, sum(one.control.explored for one in controls.worked.values())
