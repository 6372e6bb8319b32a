"""SQL tasks: one bound statement on a resource that the node allows, in a transaction of its own."""

from weft.handlers.desk import Route
from weft.handlers.errors import SQL, below, failed, raised
from weft.handlers.jobs import ACTIVATE, CANCELLED, INPUT, OUTPUT, Answers, Done, Failed, Job, Lost
from weft.handlers.results import ResultFault
from weft.handlers.settings import Databases
from weft.handlers.sql.connection import CannotConnect, CommitUnknown, Connection, TooManyRows
from weft.handlers.sql.resources import Resources
from weft.handlers.sql.rows import bound, objects_of
from weft.handlers.sql.statements import Statement, StatementFault, statement_of
from weft.handlers.workers import Workers
from weft.model.definition import Process, Sql, Task


class SqlWork:
    """One statement on its way."""

    def __init__(self, job: Job, handler: Sql, resources: Resources) -> None:
        self.job = job
        self._handler = handler
        self._resources = resources
        self._error = ""
        self._connection: Connection | None = None

    def stop(self, error: str = "") -> None:
        self._error = error or CANCELLED
        if self._connection is not None:
            self._connection.interrupt()

    def run(self) -> Done | Failed | Lost:
        try:
            statement = statement_of(self._handler.statement)
            values = bound(self.job.inputs, statement.names)
        except (StatementFault, ResultFault) as fault:
            return Failed(self.job, INPUT, str(fault))
        if self._is_stopped():
            return Failed(self.job, self._error, f"{self.job.path} was told to stop before it began")
        try:
            return self._execute(statement, dict(values))
        except CannotConnect as fault:
            return failed(self.job, below(fault), ACTIVATE)
        except (ResultFault, TooManyRows) as fault:
            return Failed(self.job, OUTPUT, str(fault))
        except CommitUnknown as fault:
            if self.job.task.idempotent:
                return failed(self.job, raised(fault), SQL)
            return Lost(self.job, f"the connection broke while it committed: {fault}")
        except Exception as fault:  # what a database raises is the driver's own
            if self._is_stopped():
                return Failed(self.job, self._error, f"{self.job.path} was told to stop")
            return failed(self.job, raised(fault), SQL)

    def _execute(self, statement: Statement, values: dict[str, object]) -> Done:
        """What does not fit what the task gives is rolled back too."""
        resource = self._resources.resource(self._handler.resource)
        rows_max = 0 if isinstance(resource, str) else resource.rows
        with self._resources.connection(self._handler.resource, only_reads=statement.only_reads) as connection:
            self._connection = connection
            try:
                rows = connection.execute(statement, values, rows_max)
                done = Done(self.job, *objects_of(self.job.task, rows))
            finally:
                self._connection = None  # from here on it can't be stopped
            connection.commit()
        return done

    def _is_stopped(self) -> bool:
        return bool(self._error)


def statements(resources: Resources, settings: Databases, answer: Answers, queues: tuple[str, ...] = ()) -> Route:
    """The route to a pool of SQL statements."""

    def made(job: Job) -> SqlWork | Failed:
        assert isinstance(job.task.handler, Sql)
        reason = resources.refuses(job.task)
        return Failed(job, ACTIVATE, reason) if reason else SqlWork(job, job.task.handler, resources)

    pool = Workers(made, answer, threads=settings.at_once, most=10_000, name="sql")

    def refuses(task: Task, process: Process | None) -> str:
        if task.transaction != "none":
            return f"{task.name} is {task.transaction}, and this pool commits each statement by itself"
        return resources.refuses(task)

    return Route(pool, (Sql,), refuses, queues)
