"""Messages between a node and its handler processes: plain data by `marshal`, which both ends have from one Python.

It is the fastest way, and takes whole numbers and texts of any size; it is no form for anything that is kept.
"""

import marshal
import struct
from collections.abc import Mapping
from typing import BinaryIO, Final, TypeAlias

from weft.handlers.jobs import Answer, Beat, Begun, Confirmed, Done, Failed, Job, Lost, Marked, Saved

HEAD: Final = struct.Struct(">Q")

WireJob: TypeAlias = tuple[int, int, int, str, int, int, str, Mapping[str, object], object]
"""Number, number of the task, instance, path, round, attempt, key, inputs, checkpoint."""

ToChild: TypeAlias = tuple[list[tuple[int, bytes]], list[WireJob], list[tuple[int, str]]]
"""Tasks that the child has not seen yet, jobs, and jobs to stop with their error."""

WireAnswer: TypeAlias = tuple[int, str, object, object]
FromChild: TypeAlias = tuple[int, list[WireAnswer]]
"""How many jobs the child can have at a time now, and answers by the numbers of their jobs."""


def send(stream: BinaryIO, message: ToChild | FromChild) -> None:
    body = marshal.dumps(message)
    stream.write(HEAD.pack(len(body)) + body)
    stream.flush()


def receive(stream: BinaryIO) -> object:
    """The next message; None when the other end is gone."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    (size,) = HEAD.unpack(head)
    body = stream.read(size)
    return marshal.loads(body) if len(body) == size else None


def wire_answer(number: int, answer: Answer) -> WireAnswer:
    """An answer without its job. What a function raised stays where it was raised."""
    match answer:
        case Done():
            return number, "done", answer.outcome, answer.values
        case Failed():
            return number, "failed", answer.error, answer.message
        case Lost():
            return number, "lost", answer.message, None
        case Marked():
            return number, "marked", answer.name, answer.values
        case Saved():
            return number, "saved", answer.checkpoint, None
        case Beat():
            return number, "beat", None, None
        case Begun():
            return number, "begun", None, None
        case Confirmed():
            return number, "confirmed", None, None


def answer_of(job: Job, kind: str, first: object, second: object) -> Answer:
    """The answer that came by wire."""
    make = _ANSWERS[kind]
    return make(job, *(first, second)[: _COUNTS[kind]])  # type: ignore[arg-type]


_ANSWERS: Final[dict[str, type[Answer]]] = {
    "done": Done, "failed": Failed, "lost": Lost, "marked": Marked, "saved": Saved, "beat": Beat, "begun": Begun,
    "confirmed": Confirmed,
}  # fmt: skip
_COUNTS: Final = {"done": 2, "failed": 2, "lost": 1, "marked": 2, "saved": 1, "beat": 0, "begun": 0, "confirmed": 0}
_ENDS: Final = frozenset({"done", "failed", "lost"})


def is_end(kind: str) -> bool:
    """Whether an answer of this kind is the last of its job."""
    return kind in _ENDS
