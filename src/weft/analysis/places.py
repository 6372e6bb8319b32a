"""Where activities stand in their process, and the faults of this package by their codes."""

from typing import Final, Literal

from weft.model.definition import Activity, Process
from weft.model.faults import Fault
from weft.model.limits import Limits
from weft.model.wellformed_tree import Node, Report, Tree

ERRORS: Final = {
    "deadlock": "A flow may come to a point where nothing can happen and no outcome of it holds.",
    "endless": "A flow may go on for ever: there is no way out any more.",
    "never-runs": "An activity can never run, whatever happens.",
    "no-end": "The process has no way to commit.",
    "shared-apart": "A compound placed apart reads a variable that may be written meanwhile.",
    "unbounded": "Tokens may pile up without bound in a place of a net.",
    "written-twice": "A variable is written by two activities that may run at the same time: one write is lost.",
}

WARNINGS: Final = {
    "gap": "Work that nothing can take back may be left behind when what is around it aborts and compensates the rest.",
    "left-over": "A flow may end well while work in it still runs, and is then stopped.",
    "never-read": "A variable is written and never read.",
    "read-before-written": "A variable may be read before anything was written to it.",
    "read-while-written": "A variable may be read at the same time as it is written.",
    "tokens-left": "A net may end well with tokens left in places that are no outputs.",
    "unfilled": "A net may stop with an output place empty, and then aborts.",
    "unknown": "There was too much to explore; what was found is told, the rest is unknown.",
    "unreachable": "An outcome of a flow can't be reached.",
    "unused-error": "An error class is declared, and nothing raises or handles it.",
}


class Places:
    """The paths of a process's activities, by their names."""

    def __init__(self, process: Process) -> None:
        self.nodes: Final[dict[str, Node]] = Tree(process, Limits(), Report()).by_name

    def fault(self, code: str, activity: Activity, message: str, advice: str, trace: tuple[str, ...] = ()) -> Fault:
        severity: Literal["error", "warning"] = "error" if code in ERRORS else "warning"
        path = self.nodes[activity.name].path
        return Fault(severity, code, activity.name, path, message, advice, trace)
