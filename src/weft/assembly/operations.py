"""What can be asked of an engine, each as a request and how its answer is read; every way to ask is made of these."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from msgspec.structs import replace

from weft.analysis.checking import check
from weft.engine.problems import Broken, Problem
from weft.engine.requests import (
    Accepted,
    AnyRequest,
    Await,
    Begin,
    Begun,
    Change,
    Declined,
    Deploy,
    Deployed,
    Ending,
    Heard,
    Remove,
    Reply,
    Send,
    Tell,
    Whom,
)
from weft.engine.result import Result
from weft.kernel import commands, refusals
from weft.kernel.commands import Command
from weft.kernel.refusals import Refused
from weft.languages.python.context import Start
from weft.model.definition import Process
from weft.model.faults import Invalid
from weft.model.types import to_plain

T = TypeVar("T")

Instance: TypeAlias = Whom
"""An instance: its id, or the name of its process and its business key."""


class Ask(NamedTuple, Generic[T]):
    request: AnyRequest
    read: Callable[[Any], T]


def answer(ask: Ask[T], reply: Reply) -> T:
    """What a reply means. Raises the refusal, if it is one."""
    if isinstance(reply, Declined):
        raise refusal(reply)
    return ask.read(reply)


def refusal(declined: Declined) -> Exception:
    found = getattr(refusals, declined.kind, None)
    if isinstance(found, type) and issubclass(found, Refused):
        error = Refused.__new__(found)
        error.args = (declined.message,)
        return error
    return Broken(declined.message)


def deploy(process: Process, actor: str = "") -> Ask[Deployed]:
    return Ask(Deploy(process=process, actor=actor), _same)


def proved(process: Process, actor: str, force: str) -> Ask[Deployed]:
    """The same for what the check finds no error in; else raises `Invalid`, unless `force` says why it is wanted."""
    errors = check(process).errors
    if errors and not force:
        raise Invalid(f"the process {process.name!r}", errors)
    return deploy(process, f"{actor or 'somebody'}, in spite of {len(errors)} errors: {force}" if errors else actor)


def start(
    process: Process | str,
    options: tuple[Start, ...],
    inputs: Mapping[str, object],
    actor: str = "",
) -> Ask[Begun]:
    option = options[0] if options else Start()
    if len(options) > 1 or not isinstance(option, Start):
        raise Problem("besides the process and its inputs there may be one Start(…); inputs are given by name")
    given = process if isinstance(process, Process) else None
    if given is not None and option.version not in ("", given.version):
        raise Problem(f"process {given.name} has version {given.version!r}, and {option.version!r} was asked for")
    request = Begin(
        name=given.name if given is not None else str(process),
        version=option.version,
        process=given,
        inputs={name: to_plain(value) for name, value in inputs.items()},
        key=option.key or "",
        priority=option.priority,
        responsible=option.responsible,
        actor=actor,
    )
    return Ask(request, _same)


def run(
    process: Process | str, options: tuple[Start, ...], inputs: Mapping[str, object], actor: str = ""
) -> Ask[Result]:
    begin = start(process, options, inputs, actor).request
    return Ask(replace(begin, is_awaited=True), result_of)


def result(instance: Instance) -> Ask[Result]:
    return Ask(Await(whom=instance), result_of)


def result_of(end: Ending) -> Result:
    return Result(
        end.process,
        "ended",
        end.outcome,
        end.values,
        end.error,
        end.message,
        committed=end.committed,
        exception=end.exception,
        instance=end.instance,
    )


def signal(instance: Instance, name: str, value: object, objects: Mapping[str, object], actor: str = "") -> Ask[int]:
    values = objects or ({} if value is None else {"result": value})
    plain = {key: to_plain(one) for key, one in values.items()}
    return Ask(Send(whom=instance, signal=name, values=plain, actor=actor), _instance)


def tell(instance: Instance, command: Command, actor: str = "") -> Ask[None]:
    return Ask(Tell(whom=instance, command=command, actor=actor), _nothing)


def cancel(instance: Instance, path: str, drain: bool, actor: str = "") -> Ask[None]:
    return tell(instance, commands.Cancel(path, drain=drain), actor)


def change(instance: Instance, process: Process | str, actor: str = "") -> Ask[None]:
    if isinstance(process, Process):
        return Ask(Change(whom=instance, process=process, actor=actor), _nothing)
    return Ask(Change(whom=instance, version=process, actor=actor), _nothing)


def remove(instances: Sequence[int]) -> Ask[None]:
    return Ask(Remove(instances=tuple(instances)), _nothing)


def _same(reply: T) -> T:
    return reply


def _instance(reply: Heard) -> int:
    return reply.instance


def _nothing(reply: Accepted) -> None:
    return None
