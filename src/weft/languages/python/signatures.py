"""What a function asks and gives, read from its signature, and how its values become those of a process and back."""

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from weft.languages.python.activities import Parameter, Prototype
from weft.languages.python.context import Context
from weft.languages.python.mistakes import Mistake
from weft.model import definition
from weft.model.definition import Outcome, OutcomeKind
from weft.model.types import ObjectClass, TypeFault, ValueFault, from_annotation, from_plain, to_plain

Types = Mapping[str, object]
"""An outcome or mark with the annotation of what it gives."""

RESULT = "result"


@dataclass(frozen=True, slots=True)
class Options:
    """What `@task(…)` was given."""

    outcomes: Types
    aborts: Types
    marks: Types
    errors: Mapping[type[BaseException] | str, str]
    idempotent: bool
    transaction: str
    resource: str
    queues: tuple[str, ...]
    checkpoint: bool


class TaskCode:
    """A function that a process may name, with all that an engine needs to run it."""

    def __init__(
        self, reference: str, function: Callable[..., object], options: Options, names: Mapping[str, object]
    ) -> None:
        self.reference = reference
        self.function = function
        self.options = options
        self.is_coroutine = inspect.iscoroutinefunction(function)
        self._names = names
        try:
            self._signature = inspect.signature(function)
        except (TypeError, ValueError):
            raise Mistake(f"{reference} does not tell its parameters; wrap it in a function of your own") from None
        for parameter in self._signature.parameters.values():
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                raise Mistake(
                    f"{reference} has the parameter {str(parameter)!r}; a task's parameters are passed by name"
                )

    def __repr__(self) -> str:
        return f"TaskCode({self.reference!r})"

    @cached_property
    def annotations(self) -> dict[str, object]:
        """With `return` too."""
        target = self.function.func if isinstance(self.function, partial) else self.function
        target = target if inspect.isroutine(target) else type(target).__call__
        try:
            return typing.get_type_hints(inspect.unwrap(target), localns=dict(self._names), include_extras=True)
        except (NameError, TypeError) as error:
            raise Mistake(
                f"an annotation of {self.reference} can't be resolved: {error}; define the class before the task"
            ) from None

    @cached_property
    def context(self) -> str:
        """The parameter that takes the context, if there is one."""
        return next((name for name in self._signature.parameters if self.annotations.get(name) is Context), "")

    @cached_property
    def parameters(self) -> dict[str, object]:
        """The annotation of each parameter but the context's."""
        names = (name for name in self._signature.parameters if name != self.context)
        return {name: self.annotations.get(name, typing.Any) for name in names}

    @cached_property
    def prototype(self) -> Prototype:
        classes: dict[str, ObjectClass] = {}
        parameters = {
            name: Parameter(
                type_of(annotation, classes, f"the parameter {name!r} of {self.reference}"),
                self._signature.parameters[name].default is not inspect.Parameter.empty,
            )
            for name, annotation in self.parameters.items()
        }
        given = self.options
        commits = given.outcomes or {"done": self.annotations.get("return", typing.Any)}
        outcomes = outcomes_of(self.reference, commits, given.aborts, given.marks, classes)
        fields: dict[str, object] = {
            "handler": definition.Function(self.reference),
            "errors": {
                error if isinstance(error, str) else error.__name__: name for error, name in given.errors.items()
            },
            "idempotent": given.idempotent,
            "transaction": given.transaction,
            "resource": given.resource,
            "queues": given.queues,
            "checkpoint": given.checkpoint,
        }
        return Prototype(fields, outcomes, parameters, classes)

    def arguments(self, inputs: Mapping[str, object]) -> dict[str, object]:
        """The plain inputs of an execution as what the function takes; the context comes beside them."""
        return {name: from_plain(value, self.parameters.get(name, typing.Any)) for name, value in inputs.items()}

    def outcome_for(self, value: object) -> tuple[str, dict[str, object]]:
        """The outcome that a returned value means, and its objects as plain values."""
        given = {**self.options.outcomes, **self.options.aborts}
        if not self.options.outcomes:
            given = {"done": self.annotations.get("return", typing.Any), **given}
        for name, annotation in given.items():
            if len(given) == 1 or _is_of(value, annotation):
                return name, _values(value, annotation)
        classes = ", ".join(str(getattr(one, "__name__", one)) for one in given.values())
        raise TypeError(f"{self.reference} returned {type(value).__name__}, which is none of its outcomes: {classes}")

    def mark_for(self, name: str, *values: object, **objects: object) -> dict[str, object]:
        """The objects of a mark, as `ctx.mark` was given them."""
        if name not in self.options.marks:
            raise TypeError(f"{self.reference} has no mark {name!r}; declare it: @task(marks={{{name!r}: …}})")
        names = list(_fields(self.options.marks[name]))
        return {key: to_plain(one) for key, one in {**dict(zip(names, values, strict=False)), **objects}.items()}


def type_of(annotation: object, classes: dict[str, ObjectClass], what: str) -> str:
    try:
        text, found = from_annotation(annotation)
    except TypeFault as fault:
        raise Mistake(f"{what}: {fault}") from None
    classes.update(found)
    return text


def outcomes_of(
    task: str, commits: Types, aborts: Types, marks: Types, classes: dict[str, ObjectClass]
) -> tuple[Outcome, ...]:
    """The outcomes of a task; `aborted` is always among them."""
    kinds: list[tuple[OutcomeKind, Types]] = [
        ("commit", commits),
        ("abort", {"aborted": None, **aborts}),
        ("mark", marks),
    ]
    return tuple(
        Outcome(name, kind, types=_objects(gives, classes, f"the outcome {name!r} of {task}"))
        for kind, named in kinds
        for name, gives in named.items()
    )


def _objects(annotation: object, classes: dict[str, ObjectClass], what: str) -> dict[str, str]:
    return {name: type_of(one, classes, what) for name, one in _fields(annotation).items()}


def _is_record(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, tuple) and hasattr(annotation, "_fields")


def _fields(annotation: object) -> Mapping[str, object]:
    """A NamedTuple, or a dict of annotations, gives an object for each field; None gives none; all else one result."""
    if annotation is None or annotation is type(None):
        return {}
    if isinstance(annotation, Mapping):
        return annotation
    if _is_record(annotation):
        return typing.get_type_hints(annotation, include_extras=True)
    return {RESULT: annotation}


def _values(value: object, annotation: object) -> dict[str, object]:
    if isinstance(annotation, Mapping):
        given = value if isinstance(value, Mapping) else {}
        return {name: to_plain(given.get(name)) for name in annotation}
    if _is_record(annotation):
        return {name: to_plain(getattr(value, name, None)) for name in _fields(annotation)}
    return {name: to_plain(value) for name in _fields(annotation)}


def _is_of(value: object, annotation: object) -> bool:
    if annotation is None or annotation is typing.Any:
        return annotation is not None or value is None
    if isinstance(annotation, Mapping):
        return isinstance(value, Mapping) and set(annotation) == set(value)
    try:
        return isinstance(value, annotation)  # type: ignore[arg-type]
    except TypeError:
        return _converts(value, annotation)


def _converts(value: object, annotation: object) -> bool:
    """A generic, such as list[int], of which Python has no instances."""
    try:
        from_plain(to_plain(value), annotation)
    except ValueFault:
        return False
    return True
