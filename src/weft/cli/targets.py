"""Finds the process that a command line means: in a module, in a Python file, or as the JSON form in a file."""

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from weft.cli.exits import Wrong
from weft.languages.python.activities import Activity
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
    if place.endswith(".py") or "/" in place:
        return _module_in_file(Path(place))
    if not all(word.isidentifier() for word in place.split(".")):
        raise Wrong(f"{place!r} is neither a module nor a file: {FORMS}")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name is not None and (place == error.name or place.startswith(error.name + ".")):
            hint = f"; did you mean {place}.py?" if Path(f"{place}.py").exists() else f"; {FORMS}"
            raise Wrong(f"there is no module {place!r} here or among the installed ones{hint}") from None
        raise _failed(place, error) from error
    except Exception as error:
        raise _failed(place, error) from error


def _module_in_file(path: Path) -> ModuleType:
    if not path.is_file():
        beside = near(path.name, [one.name for one in path.parent.glob("*")]) if path.parent.is_dir() else None
        hint = f"did you mean {path.with_name(beside)}?" if beside else FORMS
        raise Wrong(f"there is no file {str(path)!r}: {hint}")
    path = path.resolve()
    known = sys.modules.get(path.stem)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    name = path.stem if known is None and path.stem.isidentifier() else f"weft_file_{abs(hash(path))}"
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise Wrong(f"{path.name!r} is no Python file: {FORMS}")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise _failed(path.name, error) from error
    return module


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
        meant = near(path.name, [one.name for one in path.parent.glob("*.json")]) if path.parent.is_dir() else None
        raise Wrong(f"there is no file {target!r}" + (f": did you mean {path.with_name(meant)}?" if meant else ""))
    try:
        return from_json(path.read_bytes())
    except OSError as error:
        raise Wrong(f"{target} can't be read: {error.strerror}") from None
