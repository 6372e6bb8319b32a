"""A state as bytes, and back: a cache of what the facts say, so that a recovery need not read them all.

`load(plan, dump(plan, state))` is equal to `state` in all that replaying its facts would give. What was never touched
costs nothing. Between two decisions only: what is still to be looked at is no part of it.
"""

from typing import Final

from msgspec import DecodeError, Raw, msgpack

from weft.kernel.plan import Plan
from weft.kernel.snapshot_form import FORMAT, StateRecord
from weft.kernel.snapshot_reading import Reader
from weft.kernel.snapshot_writing import Writer
from weft.kernel.state import State

__all__ = ("FORMAT", "Unreadable", "definitions_in", "dump", "load")

Head = tuple[int, list[str], Raw]


class Unreadable(Exception):
    """These bytes are no snapshot that this release reads: the state is to be replayed from its facts."""


def dump(plan: Plan, state: State) -> bytes:
    """The state of an instance, whose own definition is compiled in `plan`."""
    writer = Writer(plan, state)
    record = writer.record()
    return ENCODER.encode((FORMAT, writer.definitions, record))


def definitions_in(payload: bytes) -> list[str]:
    """The hashes of the definitions that the state refers to, but for the instance's own.

    Calls and changes bring them. `plan.library` must have learned each of them before the state is loaded.
    """
    return head_of(payload)[1]


def load(plan: Plan, payload: bytes) -> State:
    """The state that was dumped. Raises `Unreadable`."""
    _, definitions, body = head_of(payload)
    unknown = [one for one in definitions if one not in plan.library.plans]
    if unknown:
        raise Unreadable(f"the snapshot refers to definitions that were not learned: {', '.join(unknown)}")
    try:
        return Reader(plan, definitions, BODY.decode(body)).state()
    except (DecodeError, LookupError, AssertionError) as problem:
        raise Unreadable(f"the snapshot is damaged, or of another definition: {problem!r}") from None


def head_of(payload: bytes) -> Head:
    try:
        head: Head = HEAD.decode(payload)
    except DecodeError as problem:
        raise Unreadable(f"the bytes are no snapshot: {problem}") from None
    if head[0] != FORMAT:
        raise Unreadable(f"the snapshot has format {head[0]}, and this release reads format {FORMAT}")
    return head


ENCODER: Final = msgpack.Encoder()
HEAD: Final = msgpack.Decoder(Head)
BODY: Final = msgpack.Decoder(StateRecord)
