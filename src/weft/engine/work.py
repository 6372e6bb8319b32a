"""One attempt of a Python function: its inputs converted, its context, its result or error as a command."""

from collections.abc import Callable, Mapping
from typing import Protocol

from weft.engine.problems import Stopped
from weft.kernel.commands import Command, Complete, Fail, Mark
from weft.kernel.effect_types import Dispatch
from weft.kernel.facts import Value
from weft.model.definition import Task
from weft.model.types import ValueFault, to_plain

INPUT = "handler.input"
OUTPUT = "handler.output"


class Code(Protocol):
    """A function behind a task, as `weft.languages.python` registers it."""

    @property
    def reference(self) -> str: ...
    @property
    def function(self) -> Callable[..., object]: ...
    @property
    def is_coroutine(self) -> bool: ...
    @property
    def context(self) -> str: ...
    def arguments(self, inputs: Mapping[str, object]) -> dict[str, object]: ...
    def outcome_for(self, value: object) -> tuple[str, dict[str, object]]: ...
    def mark_for(self, name: str, *values: object, **objects: object) -> dict[str, object]: ...


class Work:
    """One attempt. It is the `Context` that the function gets."""

    def __init__(
        self,
        dispatch: Dispatch,
        task: Task,
        code: Code,
        *,
        instance: str,
        tell: Callable[[Command], None],
        checkpoints: dict[str, Value],
    ) -> None:
        self.task = task
        self.code = code
        self.inputs = dispatch.inputs
        self.path = dispatch.path
        self.round = dispatch.round
        self.attempt = dispatch.attempt
        self.is_stopped = False
        self._instance = instance
        self._tell = tell
        self._checkpoints = checkpoints

    # The context.

    @property
    def key(self) -> str:
        return f"{self._instance}/{self.path}" + (f"@{self.round}" if self.round else "")

    @property
    def checkpoint(self) -> object:
        return self._checkpoints.get(self.key)

    def save(self, checkpoint: object) -> None:
        if not self.task.checkpoint:
            raise TypeError(f"{self.task.name} saves nothing: declare it with @task(checkpoint=True)")
        self._checkpoints[self.key] = to_plain(checkpoint)

    def heartbeat(self) -> None:
        if self.is_stopped:
            raise Stopped(f"{self.path} was told to stop")

    def mark(self, name: str, *values: object, **objects: object) -> None:
        self._tell(Mark(*self.about, name, self.code.mark_for(name, *values, **objects)))

    # The attempt.

    @property
    def about(self) -> tuple[str, int, int]:
        return self.path, self.round, self.attempt

    def arguments(self) -> dict[str, object]:
        """What the function is called with. Raises `ValueFault`."""
        arguments = self.code.arguments(self.inputs)
        if self.code.context:
            arguments[self.code.context] = self
        return arguments

    def done(self, value: object) -> Complete | Fail:
        try:
            outcome, values = self.code.outcome_for(value)
        except (ValueFault, TypeError) as fault:
            return Fail(*self.about, OUTPUT, str(fault))
        return Complete(*self.about, outcome, values)

    def failed(self, exception: BaseException) -> Fail:
        return Fail(*self.about, error_for(self.task, exception), str(exception) or type(exception).__name__)


def error_for(task: Task, exception: BaseException) -> str:
    """The error that the task declares for the exception's class, or for the nearest class above it."""
    for one in type(exception).__mro__:
        declared = task.errors.get(one.__name__)
        if declared is not None:
            return declared
    return f"task.{type(exception).__name__}"
