"""What lies outside when a task is ready: a file or the rows of a query, as plain data for the fact that keeps it.

Reading changes nothing, so an engine may do it as often as it likes; what the fact says is what the task works with.
"""

from pathlib import Path

from weft.handlers.desk import Route
from weft.handlers.errors import below, failed
from weft.handlers.files import FileFault, Files
from weft.handlers.jobs import CANCELLED, EXECUTE, Answers, Done, Failed, Job
from weft.handlers.settings import OpenFiles
from weft.handlers.workers import Workers
from weft.model.definition import Outcome, Process, Read, Task


class Reader:
    """Reads files in the directories that the node allows."""

    def __init__(self, settings: OpenFiles, files: Files) -> None:
        self._settings = settings
        self._files = files

    def read(self, name: str) -> dict[str, object]:
        """The file as it is now, as a plain `File`; its content is kept. Raises `FileFault`."""
        path = self.path(name)
        try:
            with path.open("rb") as content:
                file = self._files.keep(content, path.name, self._settings.file_bytes)
        except OSError as fault:
            raise FileFault(f"{name} can't be read: {fault.strerror or fault}") from fault
        return {"name": file.name, "size": file.size, "sha256": file.sha256, "reference": file.reference}

    def path(self, name: str) -> Path:
        """Where a file lies, if it lies in a directory that is allowed."""
        directories = [Path(one).resolve() for one in self._settings.directories]
        for directory in directories:
            path = (directory / name).resolve()
            if path.is_file() and any(path.is_relative_to(one) for one in directories):
                return path
        where = ", ".join(map(str, directories)) or "no directory: set directories in [files] of weft.toml"
        raise FileFault(f"there is no file {name!r} that may be read; this node allows {where}")

    def refuses(self, task: Task, process: Process | None) -> str:
        return "" if self._settings.directories else f"{task.name} reads a file, and [files] of weft.toml allows none"


class ReadWork:
    """One file on its way."""

    def __init__(self, job: Job, handler: Read, reader: Reader) -> None:
        self.job = job
        self._handler = handler
        self._reader = reader
        self._error = ""

    def stop(self, error: str = "") -> None:
        self._error = error or CANCELLED

    def run(self) -> Done | Failed:
        if self._error:
            return Failed(self.job, self._error, f"{self.job.path} was told to stop before it began")
        try:
            file = self._reader.read(self._handler.file)
        except FileFault as fault:
            return failed(self.job, below(fault), EXECUTE)
        outcome = next((one for one in self.job.task.outcomes if one.kind == "commit"), Outcome("done"))
        return Done(self.job, outcome.name, dict.fromkeys(outcome.types, file))


def reads(reader: Reader, answer: Answers, queues: tuple[str, ...] = ()) -> Route:
    """The route to a pool that reads files."""

    def made(job: Job) -> ReadWork | Failed:
        assert isinstance(job.task.handler, Read)
        return ReadWork(job, job.task.handler, reader)

    return Route(Workers(made, answer, threads=4, most=10_000, name="read"), (Read,), reader.refuses, queues)
