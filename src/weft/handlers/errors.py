"""From what went wrong in a handler to an error with a name: the one place that maps it to what the task declares.

What is declared is looked up first. What is not is `task.` and the class of an exception, `task.exit` for an exit code,
`task.status` for a status of HTTP, `task.sql` for what a database refused; a handler that could not do its own part
says so by an error below `handler`.
"""

from typing import Final

from weft.handlers.jobs import Failed, Job
from weft.model.raw_errors import Raw, declared_for

EXIT: Final = "task.exit"
STATUS: Final = "task.status"
SQL: Final = "task.sql"
MESSAGE_MAX: Final = 4_000


def raised(exception: BaseException) -> Raw:
    """What a function raised."""
    classes = tuple(one.__name__ for one in type(exception).__mro__ if one is not object)
    return Raw(classes, message=str(exception) or classes[0])


def below(fault: Exception) -> Raw:
    """A fault of ours, as the exception that it wraps, if there is one, which a task may have declared."""
    return Raw(raised(fault.__cause__ or fault).classes, message=str(fault))


def failed(job: Job, raw: Raw, otherwise: str = "", exception: BaseException | None = None) -> Failed:
    """The answer for what went wrong in a job. `otherwise` is its name when the task declares none."""
    error = declared_for(job.task.errors, raw) or otherwise or f"task.{raw.classes[0]}"
    message = raw.message if len(raw.message) <= MESSAGE_MAX else raw.message[:MESSAGE_MAX] + " …"
    return Failed(job, error, message, exception)
