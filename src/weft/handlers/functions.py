"""One attempt of a Python function: its inputs converted, its context, and its result or exception as an answer."""

from asyncio import CancelledError
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from weft.handlers.errors import failed, raised
from weft.handlers.jobs import (
    ACTIVATE,
    CANCELLED,
    INPUT,
    OUTPUT,
    Answers,
    Beat,
    Done,
    Failed,
    Job,
    Marked,
    Saved,
    Stopped,
)
from weft.handlers.values import objects_for
from weft.model.definition import Function, Named, Task
from weft.model.types import to_plain


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


FindCode = Callable[[Function | Named], Code | None]
"""Finds the function of a handler, or says that there is none here."""


class Attempt:
    """One job done by a function. It is the `Context` that the function gets."""

    __slots__ = ("_answer", "checkpoint", "code", "error", "given", "is_stopped", "job")

    def __init__(self, job: Job, code: Code, answer: Answers) -> None:
        self.job = job
        self.code = code
        self.checkpoint = job.checkpoint
        self.is_stopped = False
        self.error = CANCELLED
        """What it has failed with when it was stopped."""
        self.given: object = None
        """The connection of a transactional task."""
        self._answer = answer

    # The context.

    @property
    def key(self) -> str:
        return self.job.key

    @property
    def path(self) -> str:
        return self.job.path

    @property
    def round(self) -> int:
        return self.job.round

    @property
    def attempt(self) -> int:
        return self.job.attempt

    @property
    def cancelled(self) -> bool:
        return self.is_stopped

    @property
    def connection(self) -> Any:
        if self.given is None:
            raise TypeError(f"{self.job.task.name} has no connection: declare its resource and its transaction")
        return self.given

    def save(self, checkpoint: object) -> None:
        if not self.job.task.checkpoint:
            raise TypeError(f"{self.job.task.name} saves nothing: declare it with @task(checkpoint=True)")
        self.checkpoint = to_plain(checkpoint)
        self._answer(Saved(self.job, self.checkpoint))
        self._go_on()

    def heartbeat(self) -> None:
        self._go_on()
        self._answer(Beat(self.job))

    def mark(self, name: str, *values: object, **objects: object) -> None:
        self._go_on()
        self._answer(Marked(self.job, name, self.code.mark_for(name, *values, **objects)))

    def _go_on(self) -> None:
        if self.is_stopped:
            raise Stopped(f"{self.path} was told to stop")

    # The attempt.

    def run(self) -> Done | Failed:
        """Calls the function. Whatever it raises is its error, a wish to exit too."""
        if self.is_stopped:
            return not_begun(self)
        try:
            arguments = self.arguments()
        except Exception as fault:
            return Failed(self.job, INPUT, str(fault))
        try:
            value = self.code.function(**arguments)
        except BaseException as exception:
            return self.failed(exception)
        return self.done(value)

    def arguments(self) -> dict[str, object]:
        """What the function is called with; raises when the inputs are not what it asks."""
        arguments = self.code.arguments(self.job.inputs)
        if self.code.context:
            arguments[self.code.context] = self
        return arguments

    def done(self, value: object) -> Done | Failed:
        try:
            outcome, values = self.code.outcome_for(value)
            declared = self.job.task.outcome(outcome)
            if declared is not None and declared.types and declared.types.keys() != values.keys():
                values = objects_for(self.job.task, outcome, value)  # a text has its own names for what tasks give
        except Exception as fault:
            return Failed(self.job, OUTPUT, str(fault))
        return Done(self.job, outcome, values)

    def stop(self, error: str = "") -> None:
        self.error = error or CANCELLED
        self.is_stopped = True

    def failed(self, exception: BaseException) -> Failed:
        if self.is_stopped and isinstance(exception, Stopped | CancelledError):
            return Failed(self.job, self.error, str(exception) or f"{self.path} was told to stop", exception)
        return failed(self.job, raised(exception), exception=exception)


def not_begun(attempt: Attempt) -> Failed:
    return Failed(attempt.job, attempt.error, f"{attempt.path} was told to stop before it began")


def attempt_of(job: Job, find: FindCode, answer: Answers) -> Attempt | Failed:
    handler = job.task.handler
    code = find(handler) if isinstance(handler, Function | Named) else None
    if code is None:
        return Failed(job, ACTIVATE, no_code(job.task))
    return Attempt(job, code, answer)


def no_code(task: Task) -> str:
    """What is missing when a task's function is not found."""
    if isinstance(task.handler, Function):
        reference = task.handler.reference
        return f"this node has no task {reference}: give it the module {reference.partition(':')[0]}"
    return f"this node has no task called {task.name}: give it the module that has it"
