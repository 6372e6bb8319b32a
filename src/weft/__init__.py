"""Weft, a transactional workflow management system: what users need, each name imported when it is first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft.assembly.engine import AsyncEngine, Engine
    from weft.assembly.running import Answers, run
    from weft.engine.result import Result
    from weft.handlers.values import Ends
    from weft.languages.python.activities import Activity
    from weft.languages.python.blocks import (
        all_of,
        any_of,
        at_least,
        call,
        choice,
        contingency,
        each,
        flow,
        loop,
        pick,
        race,
        serial,
    )
    from weft.languages.python.context import Context, Start
    from weft.languages.python.data import Source, expr, first_of, given, var
    from weft.languages.python.functions import pure
    from weft.languages.python.guards import Guard, quiet, when
    from weft.languages.python.mistakes import Mistake
    from weft.languages.python.nets import Net
    from weft.languages.python.process import process
    from weft.languages.python.tasks import Task, assign, command, http, person, signal, sql, task, timer
    from weft.model.definition import Process
    from weft.model.faults import Invalid
    from weft.model.types import File

__all__ = [
    "Activity", "Answers", "AsyncEngine", "Context", "Ends", "Engine", "File", "Guard", "Invalid", "Mistake", "Net",
    "Process", "Result", "Source", "Start", "Task", "all_of", "any_of", "assign", "at_least", "call", "choice",
    "command", "contingency", "each", "expr", "first_of", "flow", "given", "http", "loop", "person", "pick",
    "process", "pure", "quiet", "race", "run", "serial", "signal", "sql", "task", "timer", "var", "when",
]  # fmt: skip

_PYTHON = "weft.languages.python."
_HOMES = {
    "weft.assembly.engine": "AsyncEngine Engine",
    "weft.assembly.running": "Answers run",
    "weft.engine.result": "Result",
    "weft.handlers.values": "Ends",
    "weft.model.definition": "Process",
    "weft.model.faults": "Invalid",
    "weft.model.types": "File",
    _PYTHON + "activities": "Activity",
    _PYTHON + "blocks": "all_of any_of at_least call choice contingency each flow loop pick race serial",
    _PYTHON + "context": "Context Start",
    _PYTHON + "data": "Source expr first_of given var",
    _PYTHON + "functions": "pure",
    _PYTHON + "guards": "Guard quiet when",
    _PYTHON + "mistakes": "Mistake",
    _PYTHON + "nets": "Net",
    _PYTHON + "process": "process",
    _PYTHON + "tasks": "Task assign command http person signal sql task timer",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'weft' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value
