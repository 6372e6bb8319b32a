"""One instance in memory: its state and log, and the answers to all that its effects ask but work.

Timers, signals, assignments, commits, called processes and the rest of a long decision are seen to here. What is left,
tasks to be done and work to be stopped, is handed to a `Worker`. There is no clock in here: who calls says the time.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from heapq import heappop, heappush
from typing import Protocol

from weft.engine.problems import Endless
from weft.kernel import commands
from weft.kernel.commands import Command
from weft.kernel.decide import apply
from weft.kernel.effect_types import (
    AnyEffect,
    Ask,
    Commit,
    Continue,
    Dispatch,
    Ended,
    Lookup,
    SettleBranch,
    Stop,
    Timer,
    Withdraw,
)
from weft.kernel.facts import AnyFact, Values
from weft.kernel.outstanding import effects
from weft.kernel.plan import plan_of
from weft.kernel.refusals import Refused
from weft.kernel.state import State, find
from weft.model import definition
from weft.model.definition import Assign, Net, Process, Signal, Task
from weft.model.expressions import ExpressionError
from weft.model.json_form import content_hash

Watch = Callable[[float, list[AnyFact]], None]
"""Told of every decision: its time and its facts."""

DECISIONS_MAX = 1_000_000


class Worker(Protocol):
    """Does the work of an instance, or has somebody do it."""

    def offer(self, task: Task, work: Dispatch) -> None:
        """A task may be begun."""
        ...

    def withdraw(self, path: str) -> None:
        """A task that was offered may not be begun any more."""
        ...

    def stop(self, effect: Stop) -> None:
        """Work that has begun is to stop; if `awaited`, its end must be reported."""
        ...


class Instance:
    def __init__(
        self,
        process: Process,
        worker: Worker,
        *,
        processes: Iterable[Process] = (),
        watch: Watch | None = None,
        decisions_max: int = DECISIONS_MAX,
    ) -> None:
        self.process = process
        self.plan = plan_of(process)
        self.state = State()
        self.decisions: list[tuple[float, list[AnyFact]]] = []
        self.ended: Ended | None = None
        self.listening: dict[str, tuple[str, Dispatch]] = {}
        """Signals that are waited for: by path, the signal's name and the work."""
        self._worker = worker
        self._processes = [process, *processes]
        self._watch = watch
        self._decisions_max = decisions_max
        self._todo: deque[AnyEffect] = deque()
        self._timers: list[tuple[float, int, Command]] = []
        self._timers_made = 0
        self._mailbox: dict[str, list[Values]] = {}

    # What is done to it.

    def do(self, command: Command, now: float) -> list[AnyFact]:
        """Decides one command, at this time. Raises `Refused`. What follows is done by `settle`."""
        if len(self.decisions) >= self._decisions_max:
            raise Endless(
                f"process {self.process.name} has made {self._decisions_max:,} decisions and has not ended: "
                "it probably goes round for ever; look at its last facts and at the conditions of its loops"
            )
        state = self.state
        state.time = max(now, state.time)
        told = apply(self.plan, state, command)
        self.decisions.append((state.time, told))
        self._todo.extend(effects(self.plan, state, told))
        if self._watch is not None:
            self._watch(state.time, told)
        return told

    def try_to(self, command: Command, now: float) -> bool:
        """The same for what may come too late; False if it was refused."""
        try:
            self.do(command, now)
        except Refused:
            return False
        return True

    def settle(self, now: float) -> None:
        """Sees to every effect that is still open, until only work and time are left to wait for."""
        while self._todo:
            self._see_to(self._todo.popleft(), now)

    def send(self, signal: str, values: Mapping[str, object], now: float) -> int:
        """Every task that waits for the signal gets it; if none does it is kept for the next. Says how many got it.

        Raises `Refused` when the values are not those that a task declares.
        """
        waiting = [work for name, work in self.listening.values() if name == signal]
        if not waiting or self.state.paused_at >= 0:
            self._mailbox.setdefault(signal, []).append(dict(values))
            return 0
        for work in waiting:
            if work.path in self.listening:  # another's occurrence may have withdrawn it
                self.do(commands.Complete(work.path, work.round, work.attempt, "", dict(values)), now)
                self.listening.pop(work.path, None)
                self.settle(now)
        return len(waiting)

    # Time.

    def next_due(self) -> float | None:
        """When the next timer is due, or None when none runs."""
        if not self._timers or self.state.paused_at >= 0 or self.ended is not None:
            return None
        return self._timers[0][0] + self.state.paused

    def fire_due(self, now: float) -> bool:
        """Fires the first timer that is due; one nobody waits for does nothing. False when none is due."""
        due = self.next_due()
        if due is None or due > now:
            return False
        _, _, command = heappop(self._timers)
        self.try_to(command, now)
        return True

    def _set_timer(self, due: float, command: Command) -> None:
        self._timers_made += 1
        heappush(self._timers, (due, self._timers_made, command))

    # What stands where.

    def task_at(self, path: str) -> Task:
        """The task that a path leads to, be it one that a net only offers."""
        offer = self.state.offers.get(path)
        if offer is not None:
            frame, node, number = offer
            net = frame.plan.activity[node]
            assert isinstance(net, Net)
            execution = frame.execution[node]
            assert execution is not None
            assert execution.body is not None
            activity = net.transitions[execution.body.firings[number].transition].operation
        else:
            found = find(self.state, path)
            activity = found[0].plan.activity[found[1]] if found is not None else None
        assert isinstance(activity, Task), path
        return activity

    # Effects. Each may come when what it was about is over, since others were seen to before.

    def _see_to(self, effect: AnyEffect, now: float) -> None:
        about = effect.path, effect.round, effect.attempt
        match effect:
            case Dispatch():
                self._dispatch(effect, now)
            case Withdraw(path):
                if self.listening.pop(path, None) is None:
                    self._worker.withdraw(path)
            case Stop():
                self._worker.stop(effect)
            case Commit():
                self.try_to(commands.Confirm(*about), now)
            case SettleBranch():
                self.try_to(commands.Settle(*about), now)
            case Continue():
                self.try_to(commands.Continue(), now)
            case Timer():
                self._timer(effect)
            case Lookup():
                self._look_up(effect, now)
            case Ended():
                self.ended = effect
            case Ask():
                pass  # a person must tell; `weft.kernel.outstanding` knows that it is open
            case _:  # what groups ask of one another; here one group owns all
                raise AssertionError(f"an instance in one group asked for {effect!r}")

    def _dispatch(self, work: Dispatch, now: float) -> None:
        task = self.task_at(work.path)
        match task.handler:
            case definition.Timer(seconds):
                self._wait(work, float(_number(work.inputs.get("seconds"), seconds)))
            case Signal():
                self._listen(task.handler, work, now)
            case Assign():
                self._assign(task, task.handler, work, now)
            case _:
                self._worker.offer(task, work)

    def _wait(self, work: Dispatch, seconds: float) -> None:
        found = find(self.state, work.path)
        execution = found[0].execution[found[1]] if found is not None else None
        since = self.state.clock if execution is None else execution.since
        self._set_timer(since + seconds, commands.Complete(work.path, work.round, work.attempt))

    def _listen(self, signal: Signal, work: Dispatch, now: float) -> None:
        kept = self._mailbox.get(signal.signal)
        self.listening[work.path] = signal.signal, work
        if not kept or not signal.keep:
            return
        about = work.path, work.round, work.attempt
        del self.listening[work.path]
        try:
            self.do(commands.Complete(*about, "", kept.pop(0)), now)
        except Refused as refused:
            if self.try_to(commands.Begin(*about), now):
                self.try_to(commands.Fail(*about, "handler.output", str(refused)), now)

    def _assign(self, task: Task, assign: Assign, work: Dispatch, now: float) -> None:
        if not self.try_to(commands.Begin(work.path, work.round, work.attempt), now):
            return
        found = find(self.state, work.path)
        assert found is not None
        library = found[0].plan.library
        try:
            values = {name: library.expression(text)(work.inputs) for name, text in assign.objects.items()}
            self.do(commands.Complete(work.path, work.round, work.attempt, "", values), now)
        except ExpressionError as error:
            self.try_to(commands.Fail(work.path, work.round, work.attempt, "engine.expression", str(error)), now)
        except Refused as refused:
            self.try_to(commands.Fail(work.path, work.round, work.attempt, "handler.output", str(refused)), now)

    def _timer(self, effect: Timer) -> None:
        about = effect.path, effect.round, effect.attempt
        again = effect.kind == "retry"
        self._set_timer(effect.due_seconds, commands.Retry(*about) if again else commands.Due(*about, effect.warning))

    def _look_up(self, effect: Lookup, now: float) -> None:
        about = effect.path, effect.round, effect.attempt
        found = self.process_named(effect.process, effect.version)
        if found is not None:
            self.try_to(commands.Bind(*about, content_hash(found), found), now)
            return
        version = f" in version {effect.version}" if effect.version else ""
        message = (
            f"no process {effect.process!r}{version} is known to this run; give it beside the one that calls it: "
            f"weft.run({self.process.name}, {effect.process}, …)"
        )
        self.try_to(commands.Fail(*about, "engine.no_process", message), now)

    def process_named(self, name: str, version: str = "") -> Process | None:
        known = (one for one in self._processes if one.name == name and version in ("", one.version))
        return next(known, None)


def _number(given: object, otherwise: float) -> float:
    return given if isinstance(given, int | float) else otherwise
