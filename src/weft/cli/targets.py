"""Finds the process that a command line means: in a module, in a Python file, or as the JSON form in a file."""

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from weft.cli.exits import Wrong
from weft.languages.python.activities import Activity
from weft.languages.python.load import NotFound, load_module
from weft.languages.python.tasks import Task
from weft.languages.registry import is_text, language_of, named
from weft.languages.text.reading import Reading
from weft.model.definition import Process
from weft.model.faults import Fault, Invalid
from weft.model.types import near
from weft.model.wellformed import check

FORMS = "give module:process, file.py:process or a file in one of the languages, such as definition.json"


@dataclass(frozen=True, slots=True)
class Target:
    """A process that was found, with those beside it, which it may call, and the text that it comes from."""

    process: Process
    beside: tuple[Process, ...] = ()
    reading: Reading | None = None

    def faults(self) -> list[Fault]:
        """Everything that is wrong or suspicious, at its place in the text."""
        return check(self.process) if self.reading is None else self.reading.faults(self.process)

    def placed(self, process: Process, faults: list[Fault]) -> list[Fault]:
        """Faults of a process's activities, at their places in the text."""
        return faults if self.reading is None else self.reading.placed(process.name, faults)

    def beside_those_of(self, places: Sequence[str]) -> "Target":
        """The same, and what it may call of those files."""
        more = [one for place in places for one in processes_of(place)]
        return replace(self, beside=(*self.beside, *more))

    def well_formed(self) -> "Target":
        """Raises `Invalid` if the process, or one beside it in a text, is not well formed."""
        asked = (self.process,) if self.reading is None else (self.process, *self.beside)
        faults = [fault for one in asked for fault in replace(self, process=one).faults()]
        if any(fault.severity == "error" for fault in faults):
            raise Invalid(f"the process {self.process.name!r}", faults)
        return self


def processes_of(place: str) -> tuple[Process, ...]:
    """Everything in a text, a module or a Python file, well formed."""
    if is_text(place):
        reading = _reading(place, "")
        first, *others = reading.processes
        found = Target(first, tuple(others), reading).well_formed()
        return found.process, *found.beside
    return tuple(one for one in vars(module_of(place)).values() if isinstance(one, Process))


def target_of(target: str, language: str = "") -> Target:
    """What a command line names, well formed or not. Raises `Wrong`, or `Invalid` if its text can't be read."""
    place, _, name = target.rpartition(":") if ":" in target and not Path(target).is_file() else (target, "", "")
    place = place or target
    if language or is_text(place):
        return _from_text(place, name, language)
    module = module_of(place)
    process = _process_in(vars(module), place, name)
    return Target(process, tuple(one for one in vars(module).values() if isinstance(one, Process) and one != process))


def process_of(target: str, language: str = "") -> Process:
    """The process, well formed."""
    return target_of(target, language).well_formed().process


def tasks_in(module: str) -> list[Task[..., object]]:
    """The tasks of a module or Python file, for definitions that only name them."""
    return [one for one in vars(module_of(module)).values() if isinstance(one, Task)]


def module_of(place: str) -> ModuleType:
    """The module of that name, or in that file."""
    is_file = place.endswith(".py") or "/" in place
    if is_file and not Path(place).is_file():
        meant = _beside(Path(place), "*")
        raise Wrong(f"there is no file {place!r}: " + (f"did you mean {meant}?" if meant else FORMS))
    try:
        return load_module(place)
    except NotFound as error:
        hint = f"; did you mean {place}.py?" if not is_file and Path(f"{place}.py").exists() else ""
        raise Wrong(f"{error}{hint}") from None
    except Exception as error:
        raise _failed(place, error) from error


def _beside(path: Path, pattern: str) -> Path | None:
    """A file there whose name is much like this one."""
    meant = near(path.name, [one.name for one in path.parent.glob(pattern)]) if path.parent.is_dir() else None
    return path.with_name(meant) if meant else None


def _failed(place: str, error: Exception) -> Exception:
    """What went wrong when the user's module was imported, with the line of theirs where it did."""
    if isinstance(error, SyntaxError):
        where = f"{error.filename}, line {error.lineno}: {(error.text or '').strip()}"
        return Wrong(f"{place} can't be imported: {error.msg}\n  {where}")
    own = Path(__file__).resolve().parents[1]
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<") and own not in Path(frame.filename).parents
    ]
    frames = [frame for frame in frames if "importlib" not in frame.filename]
    line = f"\n  {frames[-1].filename}, line {frames[-1].lineno}: {frames[-1].line}" if frames else ""
    kind = "" if type(error).__module__.startswith("weft.") else f"{type(error).__name__}: "
    return Wrong(f"{place} can't be imported: {kind}{error}{line}")


def _process_in(names: Mapping[str, object], place: str, name: str) -> Process:
    there = {key: value for key, value in names.items() if isinstance(value, Process)}
    known = ", ".join(there) or "none"
    if not name:
        if len(there) == 1:
            return next(iter(there.values()))
        raise Wrong(f"say which process of {place}: it has {known}")
    if name in there:
        return there[name]
    by_own_name = [value for value in there.values() if value.name == name]
    if by_own_name:
        return by_own_name[0]
    if name not in names:
        meant = near(name, list(there))
        hint = f"did you mean {meant!r}?" if meant else f"its processes: {known}"
        raise Wrong(f"{place} has no {name!r}; {hint}")
    found = names[name]
    if isinstance(found, Activity):
        raise Wrong(f"{name} of {place} is an activity, not a process: make it one, process({name!r})({name})")
    raise Wrong(f"{name} of {place} is no process but {type(found).__name__}; its processes: {known}")


def _from_text(place: str, name: str, language: str) -> Target:
    reading = _reading(place, language)
    process = _process_in({one.name: one for one in reading.processes}, place, name or reading.main)
    return Target(process, tuple(one for one in reading.processes if one is not process), reading)


def _reading(place: str, language: str) -> Reading:
    path = Path(place)
    if not path.is_file():
        meant = _beside(path, "*" + path.suffix)
        raise Wrong(f"there is no file {place!r}: " + (f"did you mean {meant}?" if meant else FORMS))
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Wrong(f"{place} can't be read: {error.strerror}") from None
    return (named(language) if language else language_of(place, content)).read(content, place)
