"""Imports the module, or runs the Python file, that has a process, for the command line; nothing else in Weft may."""

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from weft.languages.python.mistakes import Mistake


class NotFound(Mistake):
    """There is no such module or file, or it can't be imported under its name."""


def load_module(place: str) -> ModuleType:
    """The module `shop.orders`, or that in the file `shop/orders.py`. What goes wrong inside it is raised as it is."""
    return _from_file(Path(place)) if place.endswith(".py") or "/" in place else _from_name(place)


def _from_name(name: str) -> ModuleType:
    if not name or not all(part.isidentifier() for part in name.split(".")):
        raise NotFound(f"{name!r} is neither a module nor a file")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name + ".").startswith(error.name + "."):
            raise
        raise NotFound(f"there is no module {name!r} here or among the installed ones") from None


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise NotFound(f"there is no file {str(path)!r}")
    name, path = path.stem, path.resolve()
    if not name.isidentifier():
        raise NotFound(f"{path.name!r} can't be imported, since {name!r} is no name: rename the file")
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    if known is not None or name in sys.stdlib_module_names:
        raise NotFound(f"{path.name!r} would be imported as {name!r}, which is another module already: rename the file")
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise NotFound(f"{path.name!r} is no Python file")
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
