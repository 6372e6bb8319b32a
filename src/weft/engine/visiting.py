"""Requests of other operating-system processes: as rows of `command`, and back."""

from typing import Final

import msgspec
from msgspec import Struct

from weft.engine.requests import (
    AnyRequest,
    Await,
    Begin,
    Change,
    Collect,
    Deploy,
    Remove,
    Request,
    Send,
    Tell,
    Whom,
    whom_of,
)
from weft.kernel.commands import Command
from weft.model.definition import Process
from weft.model.json_form import from_json, to_json
from weft.store.problems import Damaged
from weft.store.rows import CommandRow


class Letter(Struct, frozen=True, omit_defaults=True):
    """The payload of a command row: every field of a request, definitions in their JSON form."""

    whom: Whom = 0
    process: str = ""
    """A definition in its JSON form; empty where there is none."""
    name: str = ""
    version: str = ""
    inputs: dict[str, object] = {}
    set: str = ""
    key: str = ""
    priority: float = 0.0
    responsible: str = ""
    seed: int = 0
    signal: str = ""
    command: Command | None = None
    instances: tuple[int, ...] = ()


_encode = msgspec.json.Encoder().encode
_decoder: Final = msgspec.json.Decoder(Letter)


def letter(request: Request, time: float) -> CommandRow:
    """The row that asks for the same as the request."""
    match request:
        case Deploy(process=process):
            payload = Letter(process=_text(process))
        case Begin():
            payload = Letter(
                process=_text(request.process),
                name=request.name,
                version=request.version,
                inputs=request.inputs,
                set=request.set,
                key=request.key,
                priority=request.priority,
                responsible=request.responsible,
                seed=request.seed,
            )
        case Send(whom=whom, signal=signal, values=values):
            payload = Letter(whom=whom, signal=signal, inputs=values)
        case Tell(whom=whom, command=command):
            payload = Letter(whom=whom, command=command)
        case Change(whom=whom, process=changed, version=version):
            payload = Letter(whom=whom, process=_text(changed), version=version)
        case Await(whom=whom) | Collect(whom=whom):
            payload = Letter(whom=whom)
        case Remove(instances=instances):
            payload = Letter(instances=instances)
        case _:
            raise TypeError(request)
    return CommandRow(0, whom_of(request), type(request).__name__, time, request.actor, _encode(payload))


def request_in(row: CommandRow) -> AnyRequest:
    """The request of a row, its token the row's id. Raises `Damaged`."""
    try:
        said = _decoder.decode(row.payload)
        process = from_json(said.process) if said.process else None
        return _made(row, said, process)
    except (msgspec.MsgspecError, KeyError, AssertionError) as error:
        raise Damaged(f"command {row.id} ({row.name}) can't be read: {error}") from error


def _made(row: CommandRow, said: Letter, process: Process | None) -> AnyRequest:
    token, actor = row.id, row.actor
    match row.name:
        case "Deploy":
            assert process is not None
            return Deploy(process=process, token=token, actor=actor)
        case "Begin":
            return Begin(
                name=said.name,
                version=said.version,
                process=process,
                inputs=said.inputs,
                set=said.set,
                key=said.key,
                priority=said.priority,
                responsible=said.responsible,
                seed=said.seed,
                token=token,
                actor=actor,
            )
        case "Send":
            return Send(whom=said.whom, signal=said.signal, values=said.inputs, token=token, actor=actor)
        case "Tell":
            assert said.command is not None
            return Tell(whom=said.whom, command=said.command, token=token, actor=actor)
        case "Change":
            return Change(whom=said.whom, process=process, version=said.version, token=token, actor=actor)
        case "Await":
            return Await(whom=said.whom, token=token, actor=actor)
        case "Collect":
            assert isinstance(said.whom, int)
            return Collect(whom=said.whom, token=token, actor=actor)
        case "Remove":
            return Remove(instances=said.instances, token=token, actor=actor)
        case _:
            raise KeyError(row.name)


def _text(process: Process | None) -> str:
    return "" if process is None else to_json(process).decode()
