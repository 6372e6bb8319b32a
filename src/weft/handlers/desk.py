"""The desk: all pools of a node behind one. It says who could do a task, and how much could begin now.

An engine asks for the lane of each task that is ready, counts down what room the lane has, decides that the work
begins, and gives it away when that is durable. One thread does all this; answers go past the desk, from the pools to
whom they were told to answer.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from weft.handlers.functions import FindCode, no_code
from weft.handlers.jobs import ACTIVATE, About, Answers, Failed, Holding, Job, Lost, Pool
from weft.handlers.watch import Watch
from weft.model.definition import Command, Function, Handler, Http, Named, Process, Read, Sql, Task

DEFAULT: Final = "default"
"""The queue of a task that names none."""

KNOWN_MAX: Final = 10_000

Refuses = Callable[[Task, Process | None], str]
"""Why a pool can't do a task; empty when it can."""


def _nothing(task: Task, process: Process | None) -> str:
    return ""


class Route(Struct, frozen=True, eq=False):
    """A pool, and what goes there: kinds of handlers, and what of them it can't do.

    `queues` makes it the pool of just these; a queue that no route names is that of all routes without any.
    """

    pool: Pool
    kinds: tuple[type[Handler], ...]
    refuses: Refuses = _nothing
    queues: tuple[str, ...] = ()


class Desk:
    """Routes jobs to pools. `queues` are those that this node serves; none means all.

    With a `watch`, pools answer to it, and it to the engine; work that is late is then stopped.
    """

    def __init__(
        self, routes: Sequence[Route], answer: Answers, *, queues: Sequence[str] = (), watch: Watch | None = None
    ) -> None:
        self._routes = routes
        self._watch = watch
        self._answer = answer
        self._queues = frozenset(queues)
        self._pools = list({id(route.pool): route.pool for route in routes}.values())
        self._lanes: dict[str, list[Pool]] = {}
        """By name, the pools that do what is in the lane, in the order in which they are tried."""
        self._known: dict[int, tuple[Task, Process | None, str]] = {}
        """By identity of the task, its lane; the task is kept so that its identity stays its own."""
        if watch is not None:
            watch.begin(self.stop)

    def lane(self, task: Task, process: Process | None = None) -> str:
        """Where a task goes: the same word for all that the same pools can do; empty when nobody here can."""
        known = self._known.get(id(task))
        if known is not None and known[1] is process:
            return known[2]
        pools = list(dict.fromkeys(self._able(task, process)))
        if not pools:  # not remembered: code may come later
            return ""
        lane = ">".join(str(self._pools.index(pool)) for pool in pools)
        self._lanes[lane] = pools
        if len(self._known) >= KNOWN_MAX:
            self._known.clear()
        self._known[id(task)] = task, process, lane
        return lane

    def rooms(self) -> dict[str, int]:
        """How much could soon begin in each lane that was asked for. Lanes with a pool in common share its room."""
        room = {id(pool): pool.room for pool in self._pools}
        return {lane: sum(room[id(pool)] for pool in pools) for lane, pools in self._lanes.items()}

    def why_not(self, task: Task, process: Process | None = None) -> str:
        """Why nobody here can do this task, with room or without; empty when somebody can."""
        if self.lane(task, process):
            return ""
        queues = task.queues or (DEFAULT,)
        if self._queues and self._queues.isdisjoint(queues):
            return f"{task.name} is for {' or '.join(queues)}; this node serves only {', '.join(sorted(self._queues))}"
        routes = [route for route in self._routes if isinstance(task.handler, route.kinds)]
        reasons = dict.fromkeys(filter(None, (route.refuses(task, process) for route in routes)))
        return "; ".join(reasons) or f"no pool of this node does {task.name}{_hint(task)}"

    def give(self, jobs: Iterable[Job]) -> None:
        """Each to the first pool of its lane that has room; when none has, to the first. A message for each pool.

        A second attempt begins with the second pool, and so on, so that alternates are tried in their order.
        """
        jobs = list(jobs)
        if self._watch is not None:
            self._watch.given(jobs)
        batches: dict[tuple[str, int], list[Job]] = {}
        for job in jobs:
            lane = self.lane(job.task, job.process)
            if not lane:
                self._answer(Failed(job, ACTIVATE, self.why_not(job.task, job.process)))
                continue
            first = (job.attempt - 1) % len(self._lanes[lane])
            if (lane, first) in batches:
                batches[lane, first].append(job)
            else:
                batches[lane, first] = [job]
        for (lane, first), batch in batches.items():
            pools = self._lanes[lane]
            _share(batch, [*pools[first:], *pools[:first]])

    def stop(self, abouts: Iterable[About], error: str = "") -> None:
        """Tells attempts to stop; `error` is what they have failed with when they do."""
        for about in abouts:
            for pool in self._pools:
                pool.stop(about, error)

    def commit(self, jobs: Iterable[Job]) -> None:
        """What was held has leave to commit. What nobody here can commit may have been committed elsewhere."""
        for job in jobs:
            pools = self._lanes.get(self.lane(job.task, job.process), [])
            pool = next((one for one in pools if isinstance(one, Holding)), None)
            if pool is None:
                self._answer(Lost(job, self.why_not(job.task, job.process)))
            else:
                pool.commit([job])

    def close(self) -> None:
        if self._watch is not None:
            self._watch.close()
        for pool in self._pools:
            pool.close()

    def _able(self, task: Task, process: Process | None) -> Iterator[Pool]:
        for queue in task.queues or (DEFAULT,):
            if self._queues and queue not in self._queues:
                continue
            routes = [route for route in self._routes if isinstance(task.handler, route.kinds)]
            named = [route for route in routes if queue in route.queues]
            for route in named or [route for route in routes if not route.queues]:
                if not route.refuses(task, process):
                    yield route.pool


def no_transactions(task: Task) -> str:
    """Why a pool without connections can't do a task that works in a resource."""
    return f"{task.name} is {task.transaction} on {task.resource}, which takes a node with [resources.{task.resource}]"


def _hint(task: Task) -> str:
    """What to write in `weft.toml` for work that this node does not do."""
    match task.handler:
        case Command(application):
            section = f"[applications.{application}]"
            return f": it needs {section} in weft.toml, or --allow-commands if the definition brings the program"
        case Http(endpoint):
            return f": it needs [endpoints.{endpoint}] in weft.toml"
        case Sql(resource):
            return f": it needs [resources.{resource}] in weft.toml"
        case Read():
            return ": it needs [files] directories in weft.toml"
        case _:
            return ""


def _share(jobs: list[Job], pools: list[Pool]) -> None:
    for pool in pools if len(pools) > 1 else ():
        room = pool.room
        taken, jobs = jobs[:room], jobs[room:]
        if taken:
            pool.give(taken)
    if jobs:
        pools[0].give(jobs)


def functions(pool: Pool, find: FindCode, *, coroutines: bool | None = False, queues: tuple[str, ...] = ()) -> Route:
    """The route to a pool of functions, of coroutine functions, or with None of both."""

    def refuses(task: Task, process: Process | None) -> str:
        assert isinstance(task.handler, Function | Named)
        if task.transaction != "none" and task.resource:
            return no_transactions(task)
        code = find(task.handler)
        if code is None:
            return no_code(task)
        is_other = coroutines is not None and code.is_coroutine is not coroutines
        return f"{code.reference} is {'a' if code.is_coroutine else 'no'} coroutine function" if is_other else ""

    return Route(pool, (Function, Named), refuses, queues)
