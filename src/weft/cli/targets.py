"""Finds the process that a command line means: in a module, in a Python file, or as the JSON form in a file."""

import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from weft.cli.exits import Wrong
from weft.languages.python.activities import Activity
from weft.languages.python.load import NotFound, load_module
from weft.languages.python.tasks import Task
from weft.model.definition import Process
from weft.model.json_form import from_json
from weft.model.types import near
from weft.model.wellformed import well_formed

FORMS = "give module:process, file.py:process or definition.json"


def process_of(target: str) -> Process:
    """The process, well formed."""
    return well_formed(definition_of(target))


def definition_of(target: str) -> Process:
    """The process, whether or not it is well formed. Raises `Wrong`, or `Invalid` if its text can't be read."""
    place, _, name = target.rpartition(":") if ":" in target else (target, "", "")
    if place.endswith(".json") or target.endswith(".json"):
        return _from_file(target)
    module = module_of(place or target)
    return _process_in(vars(module), place or target, name)


def processes_in(target: str) -> list[Process]:
    """The processes beside the target in its module; those that it may call."""
    place = target.rpartition(":")[0] or target
    if place.endswith(".json") or target.endswith(".json"):
        return []
    return [one for one in vars(module_of(place)).values() if isinstance(one, Process)]


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


def _from_file(target: str) -> Process:
    path = Path(target)
    if not path.is_file():
        meant = _beside(path, "*.json")
        raise Wrong(f"there is no file {target!r}: " + (f"did you mean {meant}?" if meant else FORMS))
    try:
        return from_json(path.read_bytes())
    except OSError as error:
        raise Wrong(f"{target} can't be read: {error.strerror}") from None
