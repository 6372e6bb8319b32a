"""Finds a process by `module:name` or `file.py:name`, for the command line; it runs that module."""

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from weft.languages.python.mistakes import Mistake
from weft.model.definition import Process
from weft.model.types import near


class NotFound(Mistake):
    """There is no process of that name: the message says what there is."""


def load_process(reference: str) -> Process:
    """The process: `shop.orders:buy`, `orders.py:buy`, or without a name the only one there is."""
    place, _, name = reference.rpartition(":") if ":" in reference else (reference, "", "")
    module = _from_file(Path(place)) if place.endswith(".py") else _from_name(place)
    processes = {key: value for key, value in vars(module).items() if isinstance(value, Process)}
    if name in processes:
        return processes[name]
    listed = ", ".join(processes) or "none"
    if name:
        what = "which is no process" if hasattr(module, name) else "which is not there"
        meant = near(name, list(processes))
        raise NotFound(f"{reference} names {name!r}, {what}; {place} has {f'{meant}, meant?' if meant else listed}")
    if len(processes) != 1:
        raise NotFound(f"say which process of {place}, {place}:NAME; it has {listed}")
    return next(iter(processes.values()))


def _from_name(name: str) -> ModuleType:
    if not name or not all(part.isidentifier() for part in name.split(".")):
        raise NotFound(f"{name!r} is no module: write module:process, or file.py:process")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name + ".").startswith(error.name + "."):
            raise
        raise NotFound(f"there is no module {error.name!r} here or among what is installed") from None


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise NotFound(f"there is no file {path}")
    name = path.stem
    if not name.isidentifier():
        raise NotFound(f"{path} can't be imported, since {name!r} is no name: rename the file")
    path = path.resolve()
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    if known is not None or name in sys.stdlib_module_names:
        raise NotFound(f"{path} would be imported as {name!r}, which is another module already: rename the file")
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.path.remove(str(path.parent))
    return module
