"""Tasks: functions made into them by `@task`, and other kinds of work. Engines find a function by its reference."""

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from inspect import isroutine
from typing import Any, Final, Generic, Literal, ParamSpec, TypeVar, overload

from weft.languages.python.activities import Activity, Leaf, Prototype
from weft.languages.python.mistakes import Mistake
from weft.languages.python.signatures import Options, TaskCode, Types, outcomes_of
from weft.model import definition
from weft.model.types import ObjectClass

P = ParamSpec("P")
R = TypeVar("R")

LOCAL: Final = "local:"
"""Begins the reference of a function that other processes of the operating system can't find."""

_codes: dict[str, TaskCode] = {}


def lookup(reference: str) -> TaskCode | None:
    """The function of that reference, if a module that was imported here made a task of it. Imports nothing."""
    return _codes.get(reference)


class Task(Leaf, Generic[P, R]):
    """A function as a task; calling it calls the function."""

    def __init__(self, function: Callable[P, R], code: TaskCode, name: str) -> None:
        self.function = function
        self.code = code
        self.__wrapped__ = function
        self.__doc__ = function.__doc__
        self.said = self.named(name).said

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def prototype(self) -> Prototype:
        return self.code.prototype


@overload
def task(
    function: Callable[P, R],
    /,
    *,
    name: str = "",
    outcomes: Types | None = None,
    aborts: Types | None = None,
    marks: Types | None = None,
    errors: Mapping[type[BaseException] | str, str] | None = None,
    idempotent: bool = False,
    transaction: Literal["none", "transactional", "two_phase"] = "none",
    resource: str = "",
    queue: str | Sequence[str] = (),
    checkpoint: bool = False,
) -> Task[P, R]: ...
@overload
def task(
    *,
    name: str = "",
    outcomes: Types | None = None,
    aborts: Types | None = None,
    marks: Types | None = None,
    errors: Mapping[type[BaseException] | str, str] | None = None,
    idempotent: bool = False,
    transaction: Literal["none", "transactional", "two_phase"] = "none",
    resource: str = "",
    queue: str | Sequence[str] = (),
    checkpoint: bool = False,
) -> Callable[[Callable[P, R]], Task[P, R]]: ...
def task(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str = "",
    outcomes: Types | None = None,
    aborts: Types | None = None,
    marks: Types | None = None,
    errors: Mapping[type[BaseException] | str, str] | None = None,
    idempotent: bool = False,
    transaction: Literal["none", "transactional", "two_phase"] = "none",
    resource: str = "",
    queue: str | Sequence[str] = (),
    checkpoint: bool = False,
) -> Task[P, R] | Callable[[Callable[P, R]], Task[P, R]]:
    """Makes a task of a function, `@task`, or `@task(errors={GatewayDown: "task.gateway"})`, or `task(shop.reserve)`.

    `outcomes`, `aborts` and `marks` name what it may end with, or tell early, with the class of the value that means
    it; without them it is `done` with its result. A NamedTuple gives an object for each of its fields.
    """
    queues = (queue,) if isinstance(queue, str) else tuple(queue)
    options = Options(
        outcomes or {}, aborts or {}, marks or {}, errors or {}, idempotent, transaction, resource, queues, checkpoint
    )
    around = sys._getframe(1).f_locals

    def made(given: Callable[P, R]) -> Task[P, R]:
        return _made(given, name, options, around)

    return made if function is None else made(function)


def _made(function: Callable[P, R], name: str, options: Options, around: Mapping[str, object]) -> Task[P, R]:
    if isinstance(function, Activity):
        raise Mistake(f"{function!r} is a task already; use .named(…) and the other methods")
    if isinstance(function, type) or not callable(function):
        raise Mistake(f"@task wants a function, not {function!r}")
    inner = function.func if isinstance(function, partial) else function
    module = str(getattr(inner, "__module__", "") or "__main__")
    qualname = str(getattr(inner, "__qualname__", type(inner).__qualname__))
    is_bound = getattr(inner, "__self__", None) is not None
    *_, holder, own = ["<locals>", *qualname.split(".")]
    is_global = isroutine(function) and not is_bound and "<" not in qualname and module != "__main__"
    if holder != "<locals>" and not is_bound and hasattr(inner, "__qualname__"):
        raise Mistake(
            f"{qualname} stands in a class, where @task would never see the object it is called on: "
            f"move it out of the class, or make a task of a bound method, task(obj.{own})"
        )
    name = name or own
    if not name.isidentifier():
        raise Mistake(f'{qualname} has no name of its own; give the task one: task(…, name="…")')
    reference = f"{module}:{qualname}" if is_global else _local(module, qualname, function)
    code = TaskCode(reference, function, options, around if "<locals>" in qualname else {})
    _codes[reference] = code
    return Task(function, code, name)


def _local(module: str, qualname: str, function: object) -> str:
    """A reference for what can't be found by its name; the second closure of one name gets a number, and so on."""
    first = reference = f"{LOCAL}{module}:{qualname}"
    number = 1
    while reference in _codes and _codes[reference].function != function:
        number += 1
        reference = f"{first}#{number}"
    return reference


class Work(Leaf):
    """A task that is no function: what it asks is what `.using` gives it."""

    def __init__(
        self,
        name: str,
        handler: definition.Handler,
        gives: object,
        outcomes: Types | None = None,
        aborts: Types | None = None,
        errors: Mapping[str, str] | None = None,
    ) -> None:
        classes: dict[str, ObjectClass] = {}
        expressions = handler.objects if isinstance(handler, definition.Assign) else {}
        self._prototype = Prototype(
            {"handler": handler, "errors": dict(errors or {})},
            outcomes_of(f"the task {name!r}", outcomes or {"done": gives}, aborts or {}, {}, classes),
            {},
            classes,
            is_open=True,
            expressions=expressions,
        )
        self.said = self.named(name).said

    def prototype(self) -> Prototype:
        return self._prototype


def person(
    name: str,
    *,
    role: str = "",
    title: str = "",
    gives: object = None,
    outcomes: Types | None = None,
    aborts: Types | None = None,
) -> Work:
    """Work for people of a role: `person("approve", role="manager", gives=bool).into("approved")`."""
    return Work(name, definition.Person(role, title), gives, outcomes, aborts)


def timer(name: str, after: timedelta | None = None) -> Work:
    """Occurs after a time; without one, after its parameter `seconds`, `.using(seconds=…)`."""
    if after is not None and not isinstance(after, timedelta):
        raise Mistake(f"timer({name!r}, …) wants a timedelta, not {after!r}: write timedelta(minutes=5)")
    return Work(name, definition.Timer(after.total_seconds() if after is not None else 0.0), None)


def signal(name: str, signal: str = "", *, gives: object = None, keep: bool = True) -> Work:
    """Occurs when a signal comes, of its own name unless another is said; without `keep` one can be missed."""
    return Work(name, definition.Signal(signal or name, keep), gives)


def command(
    name: str,
    application: str,
    *arguments: str,
    gives: object = None,
    files: Mapping[str, str] | None = None,
    outcomes: Types | None = None,
    aborts: Types | None = None,
    errors: Mapping[str, str] | None = None,
) -> Work:
    """Runs an application that the node allows: `command("pack", "zip", "-q", "all.zip", "{source}")`.

    `{source}` is a parameter; a `File` is its path. What it prints is its result, or the files it leaves:
    `files={"archive": "all.zip"}, gives={"archive": File}`. `errors` maps exit codes: `{"2-9": "task.bad_file"}`.
    """
    handler = definition.Command(application, arguments, dict(files or {}))
    return Work(name, handler, gives, outcomes, aborts, errors)


def http(
    name: str,
    endpoint: str,
    path: str = "",
    *,
    method: str = "POST",
    gives: object = None,
    errors: Mapping[str, str] | None = None,
) -> Work:
    """Calls an endpoint that the node allows; `errors` maps statuses: `errors={"503": "task.gateway"}`."""
    return Work(name, definition.Http(endpoint, method, path), gives, errors=errors)


def sql(
    name: str,
    resource: str,
    statement: str,
    *,
    gives: object = None,
    errors: Mapping[str, str] | None = None,
) -> Work:
    """Runs a statement on a resource that the node allows; its parameters are bound, never pasted."""
    return Work(name, definition.Sql(resource, statement), gives, errors=errors)


def assign(name: str, /, **expressions: str) -> Work:
    """Computes variables from variables: `assign("count", tries="tries + 1")`."""
    if not expressions:
        raise Mistake(f'assign({name!r}) assigns nothing; say which variable: assign({name!r}, tries="tries + 1")')
    work = Work(name, definition.Assign(expressions), dict.fromkeys(expressions, Any))
    return work.into(**{variable: variable for variable in expressions})
