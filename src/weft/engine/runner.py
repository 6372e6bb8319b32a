"""The small runner: a process runs to its end in memory, in this thread, by the clock it is given. Nothing is durable.

Functions run one after the other, coroutine functions side by side. Work for people is done by the answers that were
given beforehand, else it waits. Commands, HTTP and SQL are for the durable engine and are refused before anything runs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Final

from weft.engine.ability import called_from, what_cannot_run
from weft.engine.clocks import Clock
from weft.engine.coroutines import Coroutines
from weft.engine.instance import DECISIONS_MAX, Instance, Watch
from weft.engine.problems import CannotRun
from weft.engine.result import Result
from weft.engine.standing import result_of
from weft.handlers.functions import Attempt, FindCode, no_code
from weft.handlers.jobs import ACTIVATE, INPUT, OUTPUT, Done, Job, Marked, Saved
from weft.handlers.jobs import Answer as News
from weft.handlers.values import Ends, Fails, Script, objects_for
from weft.kernel.commands import Begin, Complete, Fail, Mark, Start
from weft.kernel.effect_types import Dispatch, Stop
from weft.kernel.refusals import NotAvailable, NotDeclared, NotFitting, Refused
from weft.model.definition import Function, Group, Named, Person, Process, Task
from weft.model.types import ValueFault

Answer = object
"""What a person answers: a value, `Ends`, `Fails`, a `Script` of these, or a function that makes one of the inputs."""

NO_ANSWER: Final = object()

People = Callable[[Sequence[tuple[Task, Dispatch]]], "tuple[Dispatch, object] | None"]
"""Chooses one of the works that wait for people, and answers it; None leaves them waiting."""


class Runner:
    """Runs one instance. `tasks` finds the code of a `Function` or `Named` handler, or gives None."""

    def __init__(
        self,
        process: Process,
        *,
        tasks: FindCode,
        clock: Clock,
        instance: str,
        processes: Iterable[Process] = (),
        answers: Mapping[str, Answer] | None = None,
        people: People | None = None,
        watch: Watch | None = None,
        decisions_max: int = DECISIONS_MAX,
    ) -> None:
        known = [process, *processes]
        answers = answers or {}
        reasons = [
            reason for one in called_from(process, known) for reason in what_cannot_run(one, tasks, answers.keys())
        ]
        if reasons:
            raise CannotRun(process.name, reasons)
        self.instance = Instance(process, self, processes=processes, watch=watch, decisions_max=decisions_max)
        self._tasks = tasks
        self._clock = clock
        self._id = instance
        self._answers = answers
        self._people = people
        self._offered: dict[str, tuple[Task, Dispatch]] = {}
        self._queue: list[tuple[int, int, Dispatch]] = []
        self._queued = 0
        self._working: dict[str, Attempt] = {}
        self._checkpoints: dict[str, object] = {}
        self._coroutines: Coroutines | None = None
        self._exceptions: dict[str, BaseException] = {}
        """By error, the last exception that meant it."""

    def run(self, start: Start) -> Result:
        """Begins the instance, and goes on until it has ended or only people and signals could bring it on."""
        try:
            self.instance.do(start, self._clock.now())
            return self.go_on()
        finally:
            if self._coroutines is not None:
                self._coroutines.close()
                self._coroutines = None

    def signal(self, name: str, **values: object) -> Result:
        """Sends a signal, and goes on."""
        self.instance.send(name, values, self._clock.now())
        return self.go_on()

    def go_on(self) -> Result:
        while self._step():
            pass
        return result_of(self.instance, self._exceptions)

    def _step(self) -> bool:
        """One thing that there is to do; False when there is none."""
        instance, now = self.instance, self._clock.now()
        instance.settle(now)
        if instance.fire_due(now):
            return True
        dispatch = self._next()
        if dispatch is not None:
            self._begin(dispatch)
            return True
        if instance.ended is not None:
            return False
        due = instance.next_due()
        if self._coroutines:
            self._wait_for_coroutines(due)
            return True
        if self._ask_people():
            return True
        return due is not None and self._clock.wait_until(due)

    # What the instance asks.

    def offer(self, task: Task, work: Dispatch) -> None:
        self._offered[work.path] = task, work
        if not isinstance(task.handler, Person | Group) or self._answer_of(task, work) is not NO_ANSWER:
            self._queued += 1
            heappush(self._queue, (-task.priority, self._queued, work))

    def withdraw(self, path: str) -> None:
        self._offered.pop(path, None)

    def stop(self, effect: Stop) -> None:
        self._offered.pop(effect.path, None)
        work = self._working.get(effect.path)
        if work is not None:
            work.is_stopped = True
            if self._coroutines is not None:
                self._coroutines.cancel(effect.path)

    # Work.

    def _next(self) -> Dispatch | None:
        """The most urgent work that may still begin."""
        while self._queue:
            _, _, dispatch = heappop(self._queue)
            offered = self._offered.get(dispatch.path)
            if offered is not None and offered[1] is dispatch:
                return dispatch
        return None

    def _begin(self, dispatch: Dispatch) -> None:
        task, _ = self._offered[dispatch.path]
        given = self._answer_of(task, dispatch)
        if given is NO_ANSWER and isinstance(task.handler, Person | Group):  # another took the last one
            return
        if not self._began(dispatch):
            return
        if given is not NO_ANSWER:
            self._answer(task, dispatch, given.next() if isinstance(given, Script) else given)
            return
        code = self._tasks(task.handler) if isinstance(task.handler, Function | Named) else None
        if code is None:
            self._report(Fail(dispatch.path, dispatch.round, dispatch.attempt, ACTIVATE, no_code(task)))
            return
        key = f"{self._id}/{dispatch.path}" + (f"@{dispatch.round}" if dispatch.round else "")
        about = dispatch.path, dispatch.round, dispatch.attempt
        self._work(Attempt(Job(task, 0, *about, key, dispatch.inputs, self._checkpoints.get(key)), code, self._hear))

    def _began(self, dispatch: Dispatch) -> bool:
        """Takes the work; not if a name that it holds was taken meanwhile, for then it is offered again."""
        del self._offered[dispatch.path]
        try:
            self.instance.do(Begin(dispatch.path, dispatch.round, dispatch.attempt), self._clock.now())
        except NotAvailable:
            return False
        return True

    # Answers.

    def _answer_of(self, task: Task, dispatch: Dispatch) -> Answer:
        for name in (dispatch.path, task.name):
            found = self._answers.get(name, NO_ANSWER)
            if found is not NO_ANSWER and not (isinstance(found, Script) and not len(found)):
                return found
        return NO_ANSWER

    def _ask_people(self) -> bool:
        """Has somebody do one of the works that wait, if there is somebody."""
        if self._people is None:
            return False
        waiting = [one for one in self._offered.values() if isinstance(one[0].handler, Person | Group)]
        chosen = self._people(waiting) if waiting else None
        if chosen is None:
            return False
        dispatch, value = chosen
        task, _ = self._offered[dispatch.path]
        if self._began(dispatch):
            self._answer(task, dispatch, value)
        return True

    def _answer(self, task: Task, dispatch: Dispatch, given: Answer) -> None:
        about = dispatch.path, dispatch.round, dispatch.attempt
        try:
            value = given(**dispatch.inputs) if callable(given) else given
            if isinstance(value, Fails):
                self._report(Fail(*about, value.error, value.message))
                return
            ends = value if isinstance(value, Ends) else Ends("", value)
            self._report(Complete(*about, ends.outcome, objects_for(task, ends.outcome, ends.value)))
        except ValueFault as fault:
            self._report(Fail(*about, OUTPUT, str(fault)))

    def _work(self, work: Attempt) -> None:
        try:
            arguments = work.arguments()
        except ValueFault as fault:
            self._report(Fail(work.path, work.round, work.attempt, INPUT, str(fault)))
            return
        self._working[work.path] = work
        if work.code.is_coroutine:
            if self._coroutines is None:
                self._coroutines = Coroutines()
            self._coroutines.start(work.path, work.code.function(**arguments))  # type: ignore[arg-type]
        else:
            self._finish(work, lambda: work.code.function(**arguments))

    def _wait_for_coroutines(self, due: float | None) -> None:
        assert self._coroutines is not None
        now = self._clock.now()
        seconds = max(0.0, due - now) if due is not None and self._clock.is_real else None
        for path, result in self._coroutines.wait(seconds):
            self._finish(self._working[path], result)
            self.instance.settle(self._clock.now())

    def _finish(self, work: Attempt, result: Callable[[], object]) -> None:
        try:
            answer = work.done(result())
        except KeyboardInterrupt:
            raise
        except BaseException as exception:  # whatever a function raises is its error, a wish to exit too
            answer = work.failed(exception)
            self._exceptions[answer.error] = exception
        del self._working[work.path]
        about = work.path, work.round, work.attempt
        if isinstance(answer, Done):
            self._report(Complete(*about, answer.outcome, answer.values))
        else:
            self._report(Fail(*about, answer.error, answer.message))

    def _hear(self, news: News) -> None:
        """A mark is given while its function runs; what it makes ready waits, but a stop reaches the function."""
        job = news.job
        match news:
            case Marked(_, name, values):
                self.instance.do(Mark(job.path, job.round, job.attempt, name, values), self._clock.now())
                self.instance.settle(self._clock.now())
            case Saved(_, checkpoint):
                self._checkpoints[job.key] = checkpoint
            case _:
                pass

    def _report(self, command: Complete | Fail) -> None:
        """Says how work ended; what doesn't fit the declaration is a failure, what nobody waits for is passed over."""
        try:
            self.instance.do(command, self._clock.now())
        except (NotDeclared, NotFitting) as refused:
            about = command.path, command.round, command.attempt
            self.instance.try_to(Fail(*about, OUTPUT, str(refused)), self._clock.now())
        except Refused:
            pass
