"""The desk: all pools of a node behind one. It says who could do a task, and keeps a place for what will be given.

An engine decides that work begins before it may give it away; in between, the place that it counted on stays booked.
Jobs come and go in the engine's thread; answers go past the desk, from the pools to whom they were told to answer.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from weft.handlers.functions import FindCode, no_code
from weft.handlers.jobs import ACTIVATE, About, Answers, Failed, Job, Pool
from weft.model.definition import Function, Handler, Named, Task

DEFAULT: Final = "default"
"""The queue of a task that names none."""

KNOWN_MAX: Final = 10_000


class Route(Struct, frozen=True, eq=False):
    """A pool, and what goes there: kinds of handlers, and what of them it can't do.

    `queues` makes it the pool of just these; a queue that no route names is that of all routes without any.
    """

    pool: Pool
    kinds: tuple[type[Handler], ...]
    refuses: Callable[[Task], str] = lambda task: ""
    """Why it can't do a task; empty when it can."""
    queues: tuple[str, ...] = ()


class _Window:
    """A pool, and how many of its places are booked."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.booked = 0

    @property
    def room(self) -> int:
        return self.pool.room - self.booked


class Desk:
    """Routes jobs to pools. `queues` are those that this node serves; none means all."""

    def __init__(self, routes: Sequence[Route], answer: Answers, *, queues: Sequence[str] = ()) -> None:
        self._windows = {id(route.pool): _Window(route.pool) for route in routes}
        self._routes = routes
        self._answer = answer
        self._queues = frozenset(queues)
        self._booked: dict[About, _Window] = {}
        self._known: dict[int, tuple[Task, list[_Window]]] = {}
        """By identity, who can do a task; the task is kept so that its identity stays its own."""

    @property
    def room(self) -> int:
        return sum(max(0, window.room) for window in self._windows.values())

    def why_not(self, task: Task) -> str:
        """Why nobody here can do this task, with room or without; empty when somebody can."""
        if self._able(task):
            return ""
        queues = task.queues or (DEFAULT,)
        if self._queues and self._queues.isdisjoint(queues):
            return f"{task.name} is for {' or '.join(queues)}; this node serves only {', '.join(sorted(self._queues))}"
        routes = [route for route in self._routes if isinstance(task.handler, route.kinds)]
        reasons = dict.fromkeys(filter(None, (route.refuses(task) for route in routes)))
        return "; ".join(reasons) or f"no pool of this node does {task.name}"

    def book(self, about: About, task: Task) -> bool:
        """Keeps a place for an attempt that will be given or unbooked; the task's queues are tried in their order."""
        for window in self._able(task):
            if window.room > 0:
                window.booked += 1
                self._booked[about] = window
                return True
        return False

    def unbook(self, about: About) -> None:
        window = self._booked.pop(about, None)
        if window is not None:
            window.booked -= 1

    def give(self, jobs: Sequence[Job]) -> None:
        """Each to the pool where its place is booked; without one to the first that can do it, room or not."""
        batches: dict[int, tuple[Pool, list[Job]]] = {}
        for job in jobs:
            window = self._booked.get(job.about)
            if window is not None:
                self.unbook(job.about)
            else:
                able = self._able(job.task)
                window = next((one for one in able if one.room > 0), able[0] if able else None)
            if window is None:
                self._answer(Failed(job, ACTIVATE, self.why_not(job.task)))
            else:
                batches.setdefault(id(window), (window.pool, []))[1].append(job)
        for pool, batch in batches.values():
            pool.give(batch)

    def stop(self, about: About) -> None:
        for window in self._windows.values():
            window.pool.stop(about)

    def close(self) -> None:
        for window in self._windows.values():
            window.pool.close()

    def _able(self, task: Task) -> list[_Window]:
        known = self._known.get(id(task))
        if known is not None:
            return known[1]
        found = [window for queue in task.queues or (DEFAULT,) for window in self._serving(queue, task)]
        if found:  # that nobody can do it is not remembered: code may come later
            if len(self._known) >= KNOWN_MAX:
                self._known.clear()
            self._known[id(task)] = task, found
        return found

    def _serving(self, queue: str, task: Task) -> Iterator[_Window]:
        if self._queues and queue not in self._queues:
            return
        routes = [route for route in self._routes if isinstance(task.handler, route.kinds)]
        named = [route for route in routes if queue in route.queues]
        for route in named or [route for route in routes if not route.queues]:
            if not route.refuses(task):
                yield self._windows[id(route.pool)]


def functions(pool: Pool, find: FindCode, *, coroutines: bool = False, queues: tuple[str, ...] = ()) -> Route:
    """The route to a pool of functions, or of coroutine functions."""

    def refuses(task: Task) -> str:
        assert isinstance(task.handler, Function | Named)
        code = find(task.handler)
        if code is None:
            return no_code(task)
        is_other = code.is_coroutine is not coroutines
        return f"{code.reference} is {'a' if code.is_coroutine else 'no'} coroutine function" if is_other else ""

    return Route(pool, (Function, Named), refuses, queues)
