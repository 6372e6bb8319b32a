"""Functions found by their reference, where nobody has imported their module yet."""

from importlib import import_module

from weft.handlers.functions import Code
from weft.languages.python.tasks import lookup
from weft.model.definition import Function, Named


def by_import(handler: Function | Named) -> Code | None:
    """The function, after importing its module; for executors, whose processes may be anywhere."""
    if isinstance(handler, Named):
        return None
    code = lookup(handler.reference)
    if code is None and handler.reference.partition(":")[0] != "local":
        import_module(handler.reference.partition(":")[0])
        code = lookup(handler.reference)
    return code
