"""Transactional tasks: a function, or a statement, inside a transaction of a resource, which happens exactly once.

The task may not end the transaction. What needs leave to commit is held open after its answer, until it is told to
commit or to stop.
"""

from collections.abc import Callable, Sequence
from threading import Event
from typing import Final, Protocol

from msgspec import Struct

from weft.handlers.desk import Route
from weft.handlers.errors import SQL, below, failed, raised
from weft.handlers.functions import Attempt, FindCode, attempt_of, no_code
from weft.handlers.jobs import ACTIVATE, CANCELLED, OUTPUT, RECOVER, About, Answers, Confirmed, Done, Failed, Job, Lost
from weft.handlers.results import ResultFault
from weft.handlers.settings import Databases
from weft.handlers.sql.connection import CommitUnknown, Connection, TooManyRows
from weft.handlers.sql.markers import Before, Key, finish, key_of, prepare, take, void
from weft.handlers.sql.resources import Resources
from weft.handlers.sql.rows import bound, objects_of
from weft.handlers.sql.statements import StatementFault, statement_of
from weft.handlers.workers import Workers
from weft.model.definition import Function, Named, Process, Sql, Task

PAUSE_SECONDS_MAX: Final = 30.0
TRIES: Final = 3
"""How often it is looked again whether a commit happened whose connection broke."""


class Held(Struct, frozen=True, eq=False):
    """An open transaction that waits for leave."""

    job: Job
    resource: str
    connection: Connection


class TransactionWork:
    """One transaction on its way."""

    def __init__(self, job: Job, body: "Body", store: str, resources: Resources, hold: Callable[[Held], None]) -> None:
        self.job = job
        self._body = body
        self._key = key_of(store, job)
        self._resource = resource_of(job.task)
        self._resources = resources
        self._hold = hold
        self._error = ""
        self._connection: Connection | None = None

    def stop(self, error: str = "") -> None:
        self._error = error or CANCELLED
        self._body.stop()
        if self._connection is not None:
            self._connection.interrupt()

    def run(self) -> Done | Failed | Lost:
        message = ""
        for _ in range(TRIES):
            if self._is_stopped():
                return Failed(self.job, self._error, f"{self.job.path} was told to stop")
            try:
                return self._once()
            except CommitUnknown as fault:  # its marker tells, so it is done again
                message = str(fault)
        return Lost(self.job, f"the connection broke while it committed, and again: {message}")

    def _once(self) -> Done | Failed:
        try:
            prepare(self._resources, self._resource)
            connection = self._resources.begun(self._resource)
        except Exception as fault:
            return failed(self.job, below(fault), ACTIVATE)
        self._connection = connection
        try:
            return self._in(connection)
        except BaseException as fault:
            self._connection = None
            self._resources.discard(connection)
            if not isinstance(fault, Exception) or isinstance(fault, CommitUnknown):
                raise
            if self._is_stopped():
                return Failed(self.job, self._error, f"{self.job.path} was told to stop")
            return failed(self.job, raised(fault), SQL, fault)

    def _in(self, connection: Connection) -> Done | Failed:
        before = take(connection, self._key)
        answer = self._body.run(connection) if before is None else as_answer(self.job, before)
        if isinstance(answer, Done) and before is None:
            finish(connection, self._key, answer.outcome, answer.values)
        self._connection = None  # what is told to stop after the next line can't be stopped any more
        if before is None and self._is_stopped():
            answer = Failed(self.job, self._error, f"{self.job.path} was told to stop, and rolled back")
        if isinstance(answer, Failed) or before is not None:
            self._resources.give_back(self._resource, connection)
        elif answer.outcome in self.job.holds:
            self._hold(Held(self.job, self._resource, connection))
        else:
            connection.commit()
            self._resources.give_back(self._resource, connection)
        return answer

    def _is_stopped(self) -> bool:
        return bool(self._error)


class CommitWork:
    """A held transaction, or one that was held by a node that is gone, which now has leave to commit."""

    def __init__(self, job: Job, held: Held | None, key: Key, resources: Resources, closing: Event) -> None:
        self.job = job
        self._closing = closing
        self._held = held
        self._key = key
        self._resources = resources

    def stop(self, error: str = "") -> None:
        """Leave was given; it is not taken back."""

    def run(self) -> Confirmed | Failed | Lost:
        try:
            if self._held is not None:
                self._commit(self._held)
                return Confirmed(self.job)
        except CommitUnknown:
            pass
        except Exception as fault:
            return failed(self.job, raised(fault), SQL, fault)
        return self._look()

    def _commit(self, held: Held) -> None:
        try:
            held.connection.commit()
        except BaseException:
            self._resources.discard(held.connection)
            raise
        self._resources.give_back(held.resource, held.connection)

    def _look(self) -> Confirmed | Failed | Lost:
        pause = 0.1
        while True:
            try:
                before = void(self._resources, resource_of(self.job.task), self._key)
                break
            except Exception as fault:  # only the database can tell, so it is asked until it answers
                if self._closing.wait(pause):
                    return Lost(self.job, f"whether it committed can't be read: {fault}")
                pause = min(2 * pause, PAUSE_SECONDS_MAX)
        if before is not None and not before.is_void:
            return Confirmed(self.job)
        return Failed(self.job, RECOVER, f"the transaction of {self.job.path} is gone: its connection or node died")


class Transactions(Workers):
    """Runs transactional tasks for a store; its name is part of what makes a transaction the same one."""

    def __init__(self, find: FindCode, store: str, resources: Resources, settings: Databases, answer: Answers) -> None:
        self._find = find
        self._store = store
        self._resources = resources
        self._held: dict[About, Held] = {}
        self._closing = Event()
        super().__init__(self._work, answer, threads=settings.at_once, most=10_000, name="transaction")

    def commit(self, jobs: Sequence[Job]) -> None:
        """What was held may commit; each is answered `Confirmed`, or has failed."""
        for job in jobs:
            held, key = self._held.pop(job.about, None), key_of(self._store, job)
            self.put(CommitWork(job, held, key, self._resources, self._closing))

    def stop(self, about: About, error: str = "") -> None:
        """What is held is rolled back; it has had its answer."""
        held = self._held.pop(about, None)
        if held is None:
            super().stop(about, error)
        else:
            self._resources.give_back(held.resource, held.connection)

    def close(self, seconds: float = 1.0) -> None:
        self._closing.set()
        super().close(seconds)
        for about in list(self._held):
            self.stop(about)
        self._resources.close()

    def _work(self, job: Job) -> TransactionWork | Failed:
        reason = self._resources.refuses(job.task)
        if reason:
            return Failed(job, ACTIVATE, reason)
        if isinstance(job.task.handler, Sql):
            body: Body = StatementBody(job, job.task.handler, self._resources)
        else:
            attempt = attempt_of(job, self._find, self._answer)
            if isinstance(attempt, Failed):
                return attempt
            body = FunctionBody(attempt)
        return TransactionWork(job, body, self._store, self._resources, self._keep)

    def _keep(self, held: Held) -> None:
        self._held[held.job.about] = held


def transactions(pool: Transactions, find: FindCode, resources: Resources, queues: tuple[str, ...] = ()) -> Route:
    """The route to a pool of transactional tasks."""

    def refuses(task: Task, process: Process | None) -> str:
        if task.transaction != "transactional" or not resource_of(task):
            return f"{task.name} has no transaction that one connection could commit"
        if isinstance(task.handler, Function | Named):
            code = find(task.handler)
            if code is None:
                return no_code(task)
            if code.is_coroutine:
                return f"{code.reference} is a coroutine function, and a transaction is for one thread"
        return resources.refuses(task)

    return Route(pool, (Function, Named, Sql), refuses, queues)


def resource_of(task: Task) -> str:
    return task.resource or (task.handler.resource if isinstance(task.handler, Sql) else "")


def as_answer(job: Job, before: Before) -> Done | Failed:
    """The answer of an attempt that finds what an earlier one did."""
    if before.is_void:
        return Failed(job, RECOVER, f"{job.path} was given up, so it can't be done any more")
    return Done(job, before.outcome, before.values)


class Body(Protocol):
    """What is done in a transaction."""

    def run(self, connection: Connection) -> Done | Failed: ...

    def stop(self) -> None: ...


class FunctionBody:
    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt

    def run(self, connection: Connection) -> Done | Failed:
        self._attempt.given = connection.given
        return self._attempt.run()

    def stop(self) -> None:
        self._attempt.stop()


class StatementBody:
    def __init__(self, job: Job, handler: Sql, resources: Resources) -> None:
        self._job = job
        self._handler = handler
        self._resources = resources

    def run(self, connection: Connection) -> Done | Failed:
        resource = self._resources.resource(self._handler.resource)
        try:
            statement = statement_of(self._handler.statement)
            values = bound(self._job.inputs, statement.names)
            rows = connection.execute(statement, values, 0 if isinstance(resource, str) else resource.rows)
            return Done(self._job, *objects_of(self._job.task, rows))
        except (ResultFault, TooManyRows, StatementFault) as fault:
            return Failed(self._job, OUTPUT, str(fault))

    def stop(self) -> None:
        """The connection is interrupted, which ends it."""
