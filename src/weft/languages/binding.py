"""Binds the tasks that a definition only names to functions: by their name, or as somebody chose.

What is chosen is recorded: a bound definition says `module:qualname` where the text said a name, so its JSON form, its
hash and every later run have the same function.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

from weft.languages.python.activities import Parameter, Prototype
from weft.languages.python.tasks import Task as Implementation
from weft.languages.text.faults import meant
from weft.model.definition import Function, Named, Process, Task
from weft.model.faults import Fault
from weft.model.rewriting import with_tasks
from weft.model.types import ANY, NULL, Type, TypeFault, Union, fits, parse, text, union

AnyImplementation = Implementation[..., object]

RESULT: Final = "result"


@dataclass(frozen=True, slots=True)
class Tasks:
    """The functions that may be chosen from, and the choices: `{"register": "clinic:register_by_card"}`.

    A choice is for a named task, or for one activity, which wins.
    """

    implementations: tuple[AnyImplementation, ...]
    choices: Mapping[str, str] = field(default_factory=dict)

    def bind(self, process: Process, without: Container[str] = ()) -> tuple[Process, list[Fault]]:
        """The process with functions for its named tasks, and what is wrong. Activities in `without` need none."""
        faults: list[Fault] = []

        def bound(task: Task) -> Task:
            if not isinstance(task.handler, Named) or task.name in without:
                return task
            found = self._found(task, task.handler.task, faults)
            if found is None:
                return task
            faults.extend(misfits(task, found))
            return _with(task, found)

        made = with_tasks(process, bound)
        return _with_errors(process, made), faults

    def unknown_choices(self, processes: Iterable[Process]) -> Iterator[str]:
        """Choices for what no process names."""
        known: set[str] = set()

        def look(task: Task) -> Task:
            if isinstance(task.handler, Named):
                known.update((task.name, task.handler.task))
            return task

        for process in processes:
            with_tasks(process, look)
        for name in self.choices:
            if name not in known:
                hint = meant(name, known) or f"it has {', '.join(sorted(known)) or 'none'}"
                yield f"--bind {name}={self.choices[name]}: the text names no task {name!r}; {hint}"

    def _found(self, task: Task, name: str, faults: list[Fault]) -> AnyImplementation | None:
        chosen = self.choices.get(task.name) or self.choices.get(name)
        wanted = chosen or name
        found = {one.code.reference: one for one in self.implementations if wanted in (one.name, one.code.reference)}
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            listed = " or ".join(f"--bind {name}={reference}" for reference in found)
            faults.append(
                _fault(task, "duplicate-name", f"several tasks are called {wanted!r}", f"say which: {listed}")
            )
            return None
        known = [one.name for one in self.implementations]
        advice = meant(wanted, known) or f"write a function {name} with @task, and give its module with --tasks"
        why = f"no registered task {chosen!r}, which was chosen for it" if chosen else f"no registered task {name!r}"
        faults.append(_fault(task, "unbound", f"there is {why}", advice))
        return None


def notes(process: Process) -> list[Fault]:
    """A warning for each task that is only named."""
    _, faults = Tasks(()).bind(process)
    return [replace(fault, severity="warning", advice="bind it when it runs: --tasks MODULE") for fault in faults]


# Does it fit?


def misfits(task: Task, implementation: AnyImplementation) -> Iterator[Fault]:
    """Why the function can't do the work that the definition describes."""
    prototype = implementation.prototype()
    reference = implementation.code.reference
    for one in task.input_sets:
        yield from _parameters(task, reference, one.types, prototype)
    for outcome in prototype.outcomes:
        if outcome.name == "aborted" and not outcome.types:
            continue
        declared = task.outcome(outcome.name)
        if declared is None:
            known = ", ".join(one.name for one in task.outcomes)
            yield _fault(
                task, "unknown-outcome", f"{reference} may end as {outcome.name!r}, which is not declared here",
                f"declared are {known}",
            )  # fmt: skip
        else:
            yield from _objects(task, reference, declared.types, outcome.types, prototype)


def _parameters(task: Task, reference: str, given: Mapping[str, str], prototype: Prototype) -> Iterator[Fault]:
    for name, of_type in given.items():
        wanted: Parameter | None = prototype.parameters.get(name)
        if wanted is None:
            yield _fault(
                task, "arguments", f"{reference} has no parameter {name!r}, which it would be given",
                meant(name, prototype.parameters) or f"give the function the parameter {name}",
            )  # fmt: skip
        elif not _fits(_without_null(parse(of_type)), _read(wanted.type, prototype), prototype):
            yield _fault(
                task, "misfit", f"parameter {name!r} of {reference} is {wanted.type}, and is given {of_type}",
                "change one of the two types",
            )  # fmt: skip
    for name, parameter in prototype.parameters.items():
        if name not in given and not parameter.has_default:
            listed = ", ".join(given) or "nothing"
            yield _fault(
                task, "arguments", f"{reference} asks for {name!r}, and is given {listed}",
                meant(name, given) or "give that parameter a default, or declare it",
            )  # fmt: skip


def _objects(
    task: Task, reference: str, declared: Mapping[str, str], given: Mapping[str, str], prototype: Prototype
) -> Iterator[Fault]:
    """One result is the one object that is declared; several have its names, or are a list or dict in one."""
    if not declared:
        return
    if len(declared) == len(given) == 1:
        (name, wanted), (_, offered) = *declared.items(), *given.items()
        yield from _object(task, reference, name, offered, wanted, prototype)
    elif list(given) == [RESULT]:
        whole = _read(given[RESULT], prototype)
        if whole != ANY and not text(whole).startswith(("list", "dict")):
            yield _fault(
                task, "misfit", f"{reference} returns {text(whole)}, and {', '.join(declared)} are wanted",
                "return a NamedTuple, or a dict, with these names",
            )  # fmt: skip
    elif set(given) != set(declared):
        returned = ", ".join(given) or "nothing"
        yield _fault(
            task, "misfit", f"{reference} returns {returned}, and {', '.join(declared)} is wanted",
            "return the values under these names",
        )  # fmt: skip
    else:
        for name, wanted in declared.items():
            yield from _object(task, reference, name, given[name], wanted, prototype)


def _object(task: Task, reference: str, name: str, offered: str, wanted: str, prototype: Prototype) -> Iterator[Fault]:
    if not _fits(_read(offered, prototype), parse(wanted), prototype):
        yield _fault(
            task, "misfit", f"{reference} returns {offered} for {name!r}, which is {wanted}",
            "change one of the two types",
        )  # fmt: skip


def _read(source: str, prototype: Prototype) -> Type:
    try:
        return parse(source, prototype.classes)
    except TypeFault:
        return ANY


def _fits(offered: Type, wanted: Type, prototype: Prototype) -> bool:
    return ANY in (offered, wanted) or fits(offered, wanted, prototype.classes)


def _without_null(of: Type) -> Type:
    """Whether a value that may be null is there can only be seen when the task starts."""
    members = tuple(one for one in of.members if one != NULL) if isinstance(of, Union) else ()
    return union(members) if members else of


# The bound definition.


def _with(task: Task, implementation: AnyImplementation) -> Task:
    """What the text says wins; what it leaves open is as the function has it."""
    fields = implementation.prototype().fields
    return replace(
        task,
        handler=Function(implementation.code.reference),
        errors={**fields["errors"], **task.errors},  # type: ignore[dict-item]
        idempotent=task.idempotent or bool(fields["idempotent"]),
        checkpoint=task.checkpoint or bool(fields["checkpoint"]),
        resource=task.resource or str(fields["resource"]),
        queues=task.queues or fields["queues"],
    )


def _with_errors(process: Process, bound: Process) -> Process:
    """A process that declares its errors declares those of its functions too."""
    if not process.errors or bound is process:
        return bound
    found = dict.fromkeys(process.errors)

    def look(task: Task) -> Task:
        found.update(dict.fromkeys(error for error in task.errors.values() if error.startswith("task.")))
        return task

    with_tasks(bound, look)
    return replace(bound, errors=tuple(found))


def _fault(task: Task, code: str, message: str, advice: str) -> Fault:
    return Fault("error", code, task.name, task.name, message, advice)
