"""Commands: programs that the node allows, or a definition brings where the operator lets it, each in a directory.

No shell reads what a definition or a value says: arguments are passed as they are.
"""

import os
import platform
import shutil
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

import msgspec

from weft.handlers.desk import Route
from weft.handlers.errors import EXIT, failed
from weft.handlers.files import FileFault, Files, as_file
from weft.handlers.fill import FillFault, fill_all
from weft.handlers.jobs import ACTIVATE, CANCELLED, INPUT, OUTPUT, Answers, Done, Failed, Job
from weft.handlers.programs import Ended, Program
from weft.handlers.results import ResultFault, result_of
from weft.handlers.settings import AllowedApplication, Commands
from weft.handlers.workers import Workers
from weft.model.definition import Command, Process, Task
from weft.model.raw_errors import Raw, is_among

PASSED: Final = ("PATH", "LANG", "LC_ALL", "TZ")
"""What every program gets of the node's environment."""


class BroughtApplication(AllowedApplication, frozen=True):
    """A program of the definition, which may be one of the files that a command is given."""


class Programs:
    """Which programs may run here."""

    def __init__(self, allowed: Mapping[str, AllowedApplication], settings: Commands) -> None:
        self.settings = settings
        self._allowed = allowed
        self._host = settings.host or socket.gethostname()
        self._os = settings.os or (platform.system(), platform.platform())
        self._cpu = settings.cpu or (platform.machine(),)

    def application(self, task: Task, process: Process | None) -> AllowedApplication | str:
        """The program of a command, or why it does not run here."""
        assert isinstance(task.handler, Command)
        name = task.handler.application
        allowed = self._allowed.get(name)
        brought = process.applications.get(name) if process is not None else None
        if allowed is None and brought is None:
            return f"this node allows no application {name!r}: it needs [applications.{name}] in weft.toml"
        if allowed is None and not self.settings.allow_commands:
            return (
                f"the definition brings the program {name!r}, and this node runs only what it allows: "
                f"list it as [applications.{name}] in weft.toml, or start with --allow-commands"
            )
        hosts = allowed.hosts if allowed is not None else brought.hosts if brought is not None else ()
        if hosts and not _is_among(self._host, hosts):
            return f"{name} runs on {', '.join(hosts)}; this is {self._host}"
        if allowed is not None:
            return allowed
        assert brought is not None
        for wanted, known, what in ((brought.os, self._os, "system"), (brought.cpu, self._cpu, "processor")):
            if wanted and not _is_among(wanted, known):
                return f"{name} is for the {what} {wanted}; this machine is {', '.join(known)}"
        return BroughtApplication(
            brought.file,
            environment=brought.environment,
            installer=brought.installer,
            size_kilobytes=brought.size_kilobytes,
        )

    def refuses(self, task: Task, process: Process | None) -> str:
        found = self.application(task, process)
        return found if isinstance(found, str) else ""


def _is_among(name: str, names: tuple[str, ...]) -> bool:
    return any(name.casefold() in (one.casefold(), one.casefold().partition(".")[0]) for one in names)


class CommandWork:
    """One command on its way."""

    def __init__(self, job: Job, application: AllowedApplication, programs: Programs, files: Files) -> None:
        self.job = job
        self._application = application
        self._programs = programs
        self._files = files
        self._error = ""
        self._program: Program | None = None

    def stop(self, error: str = "") -> None:
        self._error = error or CANCELLED
        if self._program is not None:
            self._program.stop()

    def run(self) -> Done | Failed:
        try:
            with _directory(self._programs.settings) as directory:
                return self._run_in(directory)
        except OSError as fault:
            return Failed(self.job, ACTIVATE, f"no directory for {self.job.path}: {fault}")

    def _run_in(self, directory: Path) -> Done | Failed:
        handler, application = self.job.task.handler, self._application
        assert isinstance(handler, Command)
        if self._error:
            return Failed(self.job, self._error, f"{self.job.path} was told to stop before it began")
        try:
            words = list(fill_all(handler.arguments, self._with_files(directory)))
        except (FillFault, FileFault) as fault:
            return Failed(self.job, INPUT, str(fault))
        try:
            file = self._file(directory)
            stdin = _inside(directory, handler.stdin) if handler.stdin else None
            ended = self._started([file, *application.arguments, *words], directory, stdin).run()
            _keep_printed(directory, handler, ended)
        except FileFault as fault:
            return Failed(self.job, INPUT, str(fault))
        except (OSError, ValueError) as fault:  # a ValueError is a null byte in an argument
            return Failed(self.job, self._error_or(ACTIVATE), f"{application.file} could not be begun: {fault}")
        return self._answer(directory, ended)

    def _error_or(self, otherwise: str) -> str:
        return self._error or otherwise

    def _with_files(self, directory: Path) -> dict[str, object]:
        """The parameters, files among them as the names that they have in the directory."""
        return {name: self._local(value, name, directory) for name, value in self.job.inputs.items()}

    def _local(self, value: object, name: str, directory: Path) -> object:
        if isinstance(value, list):
            return [self._local(one, f"{name}-{number}", directory) for number, one in enumerate(value)]
        file = as_file(value)
        if file is None:
            return value
        target = directory / (Path(file.name).name or name)
        if target.exists():
            (directory / name).mkdir()
            target = directory / name / target.name
        self._files.write(file, target)
        return str(target.relative_to(directory))

    def _file(self, directory: Path) -> str:
        application = self._application
        own = directory / Path(application.file).name
        if isinstance(application, BroughtApplication) and own.is_file() and not os.path.isabs(application.file):
            own.chmod(0o700)  # a file that it was given; a program that the node allows is never one of these
            return str(own)
        found = shutil.which(application.file)
        if found is None and application.installer:
            self._install(application, directory)
            found = shutil.which(application.file)
        if found is None:
            raise FileNotFoundError(f"this machine has no program {application.file}, or it may not be executed")
        return os.path.abspath(found)

    def _install(self, application: AllowedApplication, directory: Path) -> None:
        place = next((one for one in Path(application.file).absolute().parents if one.exists()), directory)
        if shutil.disk_usage(place).free < application.size_kilobytes * 1024:
            raise OSError(f"{application.file} takes {application.size_kilobytes:,} kB, and {place} has less")
        ended = self._started([application.installer], directory).run()
        if ended.code != 0:
            raise OSError(f"its installer {application.installer} ended with {ended.code}: {ended.errors.strip()}")

    def _started(self, words: list[str], directory: Path, stdin: Path | None = None) -> Program:
        self._program = program = Program(
            words,
            directory=directory,
            environment=self._environment(directory),
            stdin=stdin,
            output_bytes=self._application.output_bytes,
            stop_seconds=self._application.stop_seconds,
        )
        if self._error:  # told to stop just before
            program.stop()
        return program

    def _environment(self, directory: Path) -> dict[str, str]:
        passed = {name: os.environ[name] for name in (*PASSED, *self._application.passes) if name in os.environ}
        own = {"HOME": str(directory), "TMPDIR": str(directory), "WEFT_KEY": self.job.key, "WEFT_PATH": self.job.path}
        return passed | own | {"WEFT_ATTEMPT": str(self.job.attempt)} | self._application.environment

    def _answer(self, directory: Path, ended: Ended) -> Done | Failed:
        if not is_among(ended.code, self._application.ok):
            if self._error:
                return Failed(self.job, self._error, f"{self.job.path} was told to stop")
            what = f"ended with {ended.code}" if ended.code >= 0 else f"was killed by signal {-ended.code}"
            said = ended.errors.strip() or ended.output[-1000:].decode(errors="replace").strip()
            code = ended.code if ended.code >= 0 else 128 - ended.code  # as shells say it
            return failed(self.job, Raw(code=code, message=f"{self._application.file} {what}: {said}"), EXIT)
        if ended.is_cut:
            most = self._application.output_bytes
            return Failed(self.job, OUTPUT, f"{self._application.file} printed more than the {most:,} bytes allowed")
        try:
            kept = self._kept(directory)
            return Done(self.job, *result_of(self.job.task, ended.output.decode(errors="replace"), kept))
        except (FileFault, ResultFault, OSError) as fault:
            return Failed(self.job, OUTPUT, str(fault))

    def _kept(self, directory: Path) -> dict[str, object]:
        """The files that it left, as objects."""
        handler, kept = self.job.task.handler, dict[str, object]()
        assert isinstance(handler, Command)
        for name, left in handler.files.items():
            path = _inside(directory, left)
            if not path.is_file():
                raise FileFault(f"{self._application.file} should have left the file {left} in its directory")
            with path.open("rb") as content:
                file = self._files.keep(content, path.name, self._application.file_bytes)
            kept[name] = msgspec.to_builtins(file)
        return kept


def _inside(directory: Path, name: str) -> Path:
    path = (directory / name).resolve()
    if not path.is_relative_to(directory.resolve()):
        raise FileFault(f"{name} does not lie in the directory of the command")
    return path


def _keep_printed(directory: Path, handler: Command, ended: Ended) -> None:
    """What it printed, in the files that were asked for; of errors the end."""
    for name, content in ((handler.stdout, ended.output), (handler.stderr, ended.errors.encode())):
        if name:
            path = _inside(directory, name)
            if path.exists() and not path.is_file():
                raise FileFault(f"{name} can't have what was printed: it is there already, and no file")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


@contextmanager
def _directory(settings: Commands) -> Iterator[Path]:
    path = Path(mkdtemp(prefix="weft-", dir=settings.directory or None))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def commands(programs: Programs, files: Files, answer: Answers, queues: tuple[str, ...] = ()) -> Route:
    """The route to a pool of commands."""

    def made(job: Job) -> CommandWork | Failed:
        application = programs.application(job.task, job.process)
        if isinstance(application, str):
            return Failed(job, ACTIVATE, application)
        return CommandWork(job, application, programs, files)

    pool = Workers(made, answer, threads=programs.settings.at_once, most=1_000, name="command")
    return Route(pool, (Command,), programs.refuses, queues)
