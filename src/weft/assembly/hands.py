"""The pools of a node behind one desk: functions on threads, coroutines on a side loop, and what its settings allow."""

import gc
import sys
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Final, TypeAlias

from weft.assembly.outside import outside
from weft.engine.hands import Hands
from weft.handlers.coroutines import Coroutines
from weft.handlers.desk import Desk, functions
from weft.handlers.functions import Code, FindCode
from weft.handlers.jobs import Answers
from weft.handlers.processes import Processes
from weft.handlers.settings import Allowed
from weft.handlers.threads import SWITCH_SECONDS, Threads
from weft.handlers.watch import Watch
from weft.languages.python.load import load_module
from weft.languages.python.tasks import Task, lookup
from weft.model.definition import Function, Named

Tasks: TypeAlias = "Iterable[str | ModuleType | Task[..., object]]"
"""Modules, by name or as such, whose tasks a node runs; and tasks for texts that only name them."""


def finder(tasks: Tasks) -> FindCode:
    """Finds the code of functions that were imported here, and of named tasks among those that were given."""
    named: dict[str, Code] = {}
    for one in tasks:
        if isinstance(one, str):
            one = load_module(one)
        for task in [one] if isinstance(one, Task) else vars(one).values():
            if isinstance(task, Task):
                named[task.name] = task.code

    def find(handler: Function | Named) -> Code | None:
        return named.get(handler.task) if isinstance(handler, Named) else lookup(handler.reference)

    return find


OBJECTS_BETWEEN_COLLECTIONS: Final = 50_000


def settle_interpreter() -> None:
    """Threads take turns often, and garbage is looked for seldom.

    With Python's own 700 new objects, a fifth of the time went into looking through instances that are no garbage.
    """
    sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_SECONDS))
    young, middle, old = gc.get_threshold()
    if 0 < young < OBJECTS_BETWEEN_COLLECTIONS:
        gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, middle, old)


def embedded(find: FindCode, answer: Answers, allowed: Allowed, *, threads: int = 32) -> Desk:
    """What an engine inside a program works with."""
    settle_interpreter()
    watch = Watch(answer)
    routes = [
        functions(Threads(find, watch.hear, threads=threads), find),
        functions(Coroutines(find, watch.hear), find, coroutines=True),
        *outside(find, watch.hear, allowed),
    ]
    return Desk(routes, watch.hear, watch=watch)


def in_processes(modules: Sequence[str]) -> "MakeHands":
    """What `weft serve` works with: functions run in processes that have these modules."""

    def make(find: FindCode, answer: Answers, allowed: Allowed) -> Desk:
        settle_interpreter()
        watch = Watch(answer)
        command = [sys.executable, "-m", "weft.assembly.worker", str(allowed.workers.threads), *modules]
        pool = Processes(command, watch.hear, allowed.workers)
        routes = [functions(pool, find, coroutines=None), *outside(find, watch.hear, allowed)]
        return Desk(routes, watch.hear, watch=watch)

    return make


MakeHands: TypeAlias = Callable[[FindCode, Answers, Allowed], Hands]
