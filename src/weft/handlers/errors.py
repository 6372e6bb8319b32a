"""From what went wrong in a handler to an error with a name: the one place that maps exceptions to declared errors."""

from collections.abc import Iterable, Mapping


def error_for(errors: Mapping[str, str], classes: Iterable[str]) -> str:
    """The error that is declared for an exception's class, or for the nearest class above it.

    >>> error_for({"OSError": "task.disk"}, ["FileNotFoundError", "OSError", "Exception"])
    'task.disk'
    """
    names = tuple(classes)
    declared = next((errors[name] for name in names if name in errors), None)
    return declared if declared is not None else f"task.{names[0]}"


def classes_of(exception: BaseException) -> list[str]:
    """The names of an exception's class and of those above it, nearest first."""
    return [one.__name__ for one in type(exception).__mro__]
