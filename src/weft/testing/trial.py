"""A test of a process without doing its work: the test says what happens, by a clock that it moves itself."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from weft.assembly import operations
from weft.assembly.alone import Alone, Waiting
from weft.assembly.nobody import Nobody
from weft.engine.clocks import HandClock
from weft.engine.live import Live
from weft.engine.offers import Offers
from weft.engine.requests import Await, Ending
from weft.engine.result import Result, RunStatus
from weft.engine.standing import standing_of
from weft.handlers.values import objects_for
from weft.kernel import commands, status
from weft.kernel.commands import Command
from weft.kernel.facts import AnyFact
from weft.kernel.refusals import NotFound, NotRunning
from weft.kernel.state import find
from weft.languages.python.context import Start
from weft.model.definition import Assign, Process, Signal, Task, Timer
from weft.model.types import near

BEGINNING = datetime(2030, 1, 1, tzinfo=UTC)


class Trial:
    """One instance in which nothing works and no time passes unless the test says so.

    >>> trial = Trial(buy, order=Order("17", 900))
    >>> trial.ready
    ['approve']
    >>> trial.finish("approve", True)
    >>> trial.advance(timedelta(hours=1))
    >>> trial.outcome
    'done'

    Assignments, timers that are due, kept signals and called processes are seen to as an engine does. A task is named
    by its path, or by its last word when only one such task is meant.
    """

    def __init__(self, process: Process, /, *options: Start | Process, **inputs: object) -> None:
        self._clock = HandClock(BEGINNING.timestamp())
        self._offers = Offers(self._live_of, is_work)
        self._alone = Alone(Nobody(), self._clock, rooms=[self._offers])
        self._begun: dict[str, Task] = {}
        self._ending = Waiting()
        for one in options:
            if isinstance(one, Process):
                self._alone.ask(operations.deploy(one))
        starts = tuple(one for one in options if isinstance(one, Start))
        self._id = self._alone.ask(operations.start(process, starts, inputs)).instance
        self._alone.put(Await(whom=self._id, token=self._ending))
        self._settle()

    # What a test asks.

    @property
    def ready(self) -> list[str]:
        """The tasks that could begin now, in the order in which they were offered; signals that are waited for too."""
        return [work.path for _, work in self._offers.waiting()] + list(self._live.listening)

    @property
    def started(self) -> list[str]:
        """The tasks that were begun by `start` and have not ended."""
        return [path for path in self._begun if path not in self._offers.stopping]

    @property
    def stopping(self) -> list[str]:
        """The tasks that were told to stop, and whose end is awaited: `finish` or `fail` them."""
        return [path for path in self._offers.stopping if path in self._begun]

    @property
    def facts(self) -> list[AnyFact]:
        return list(self._alone.facts)

    @property
    def result(self) -> Result:
        told = tuple(self._alone.facts)
        end = self._ending.reply
        result = operations.result_of(end) if isinstance(end, Ending) else standing_of(self._live)
        return replace(result, told=lambda: told)

    @property
    def status(self) -> RunStatus:
        return self.result.status

    @property
    def outcome(self) -> str:
        """Empty until it has ended."""
        return self.result.outcome

    @property
    def values(self) -> Mapping[str, Any]:
        return self.result.values

    @property
    def error(self) -> str:
        return self.result.error

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.now(), UTC)

    def inputs(self, name: str) -> Mapping[str, Any]:
        """What a task that is ready or has begun was given."""
        found = find(self._live.state, self._path(name, [*self._offered, *self._begun]))
        execution = found[0].execution[found[1]] if found is not None else None
        return execution.inputs if execution is not None else {}

    def standing(self, name: str) -> str:
        """Where an activity stands: `waiting`, `ready`, `started`, …, `committed`, `aborted` or `skipped`."""
        found = find(self._live.state, name)
        if found is None:
            raise NotFound(f"there is no activity {name!r} in this instance")
        return status.NAMES[found[0].status[found[1]]]

    # What a test says.

    def start(self, name: str) -> None:
        """Someone begins a task. `finish` and `fail` do it too, unless it was done before."""
        path = self._path(name, self._offered)
        offered = self._offers.get(path)
        assert offered is not None
        self._offers.take(path)
        self._begun[path] = offered[0]
        self._do(commands.Begin(path))

    def finish(self, name: str, value: object = None, *, outcome: str = "", **objects: object) -> None:
        """A task is done: with its result, or with several objects by name, in its first outcome or the one said."""
        path = self._begin(name)
        task = self._begun[path]
        values = objects_for(task, outcome, objects or value)
        self._do(commands.Complete(path, outcome=outcome, values=values))
        self._end(path)

    def fail(self, name: str, error: str = "task", message: str = "") -> None:
        """A task fails with an error: `trial.fail("charge", "task.gateway")`."""
        path = self._begin(name)
        self._do(commands.Fail(path, error=error, message=message))
        self._end(path)

    def mark(self, name: str, mark: str, value: object = None, **objects: object) -> None:
        """A task tells something early, by a mark that it declares."""
        path = self._begin(name)
        values = objects_for(self._begun[path], mark, objects or value, ("mark",))
        self._do(commands.Mark(path, mark=mark, values=values))

    def signal(self, name: str, value: object = None, **objects: object) -> None:
        """Sends a signal; one that nobody waits for is kept for the next who asks."""
        values = objects or ({} if value is None else {"result": value})
        self._alone.ask(operations.signal(self._id, name, None, values))
        self._settle()

    def advance(self, time: timedelta) -> None:
        """Lets so much time pass; every timer and deadline that is due on the way fires, each at its time."""
        goal = self._clock.now() + time.total_seconds()
        while (due := self._alone.next_due()) is not None and due <= goal:
            self._clock.move(max(0.0, due - self._clock.now()))
            self._settle()
        self._clock.move(goal - self._clock.now())
        self._settle()

    def cancel(self, name: str = "", *, drain: bool = False) -> None:
        """Cancels an activity, or with no name the instance; with `drain` what runs may end."""
        self._do(commands.Cancel(name, drain=drain))

    def suspend(self) -> None:
        self._do(commands.Suspend())

    def resume(self) -> None:
        self._do(commands.Resume())

    def do(self, command: Command) -> None:
        """Any other command of the kernel."""
        self._do(command)

    def expect(self, outcome: str = "done") -> Result:
        """The result, if the process has ended so; else raises `Unexpected`, which says how it stands."""
        return self.result.expect(outcome)

    # Within.

    @property
    def _live(self) -> Live:
        live = self._live_of(self._id)
        assert live is not None
        return live

    def _live_of(self, instance: int) -> Live | None:
        return self._alone.live(instance)

    @property
    def _offered(self) -> list[str]:
        return [work.path for _, work in self._offers.waiting()]

    def _do(self, command: Command) -> None:
        self._alone.ask(operations.tell(self._id, command))
        self._settle()

    def _settle(self) -> None:
        while self._alone.turn() or self._alone.fire_due():
            pass
        for path in self._offers.stopped:
            self._begun.pop(path, None)
        self._offers.stopped.clear()

    def _begin(self, name: str) -> str:
        path = self._path(name, [*self._begun, *self._offered])
        if path not in self._begun:
            self.start(path)
        return path

    def _end(self, path: str) -> None:
        self._begun.pop(path, None)
        self._offers.stopping.pop(path, None)

    def _path(self, name: str, known: Iterable[str]) -> str:
        """The path that a name means. Raises `NotRunning` when it means none, or more than one."""
        paths = list(dict.fromkeys(known))
        if name in paths:
            return name
        meant = [path for path in paths if path.rpartition("/")[2] == name]
        if len(meant) == 1:
            return meant[0]
        if meant:
            raise NotRunning(f"{name!r} may mean {', '.join(meant[:5])}: say which")
        found = near(name, paths)
        hint = f"did you mean {found!r}?" if found else f"ready are {', '.join(self.ready) or 'none'}"
        standing = find(self._live.state, name)
        now = f" is {status.NAMES[standing[0].status[standing[1]]]}" if standing is not None else " is not ready"
        raise NotRunning(f"{name!r}{now}; {hint}")


def is_work(task: Task) -> bool:
    """Is it done by somebody? Timers and signals occur, assignments are computed."""
    return not isinstance(task.handler, Timer | Signal | Assign)
