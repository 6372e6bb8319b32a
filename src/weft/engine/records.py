"""Facts as they are kept: one row for each decision, its payload JSON, every format that there ever was readable.

A value too large for a row lies in a blob of its own; the payload then tells where in the facts it belongs.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar, cast

import msgspec
from msgspec import Struct

from weft.kernel import facts
from weft.kernel.facts import AnyFact
from weft.store.problems import Damaged
from weft.store.rows import BlobRow, FactRow

T = TypeVar("T")

INLINE_BYTES: Final = 256 * 1024
"""A decision whose payload is larger keeps its large values as blobs."""

_encoder = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(list[AnyFact])


class Blobbed(Struct, frozen=True):
    """The form of a payload whose large values lie elsewhere: the facts with null in their places, and where."""

    facts: list[object]
    blobs: list[tuple[int, list[str | int]]]


_blobbed: Final = msgspec.json.Decoder(Blobbed)


def encode(told: list[AnyFact]) -> bytes:
    return _encoder.encode(told)


def parted(payload: bytes, new_id: Callable[[], int]) -> tuple[bytes, dict[int, bytes]]:
    """A large payload without its large values, and these by the ids of their blobs."""
    plain = cast("list[object]", msgspec.json.decode(payload))
    blobs: dict[int, bytes] = {}
    places: list[tuple[int, list[str | int]]] = []

    def walk(holder: list[object] | dict[str, object], path: list[str | int]) -> None:
        entries: list[tuple[str | int, object]]
        entries = [*holder.items()] if isinstance(holder, dict) else [*enumerate(holder)]
        for key, value in entries:
            if isinstance(value, list | dict) and len(path) < 3:  # fact, its field, the value's name
                walk(value, [*path, key])
            elif isinstance(value, str | list | dict):
                data = _encoder.encode(value)
                if len(data) > INLINE_BYTES // 8:
                    id = new_id()
                    blobs[id] = data
                    places.append((id, [*path, key]))
                    holder[key] = None  # type: ignore[index]

    walk(plain, [])
    return _encoder.encode(Blobbed(plain, places)), blobs


def blobs_of(row: FactRow) -> list[int]:
    """The blobs that a row's facts need."""
    if row.payload[:1] == b"[":
        return []
    return [id for id, _ in _read(_blobbed, row).blobs]


def facts_in(row: FactRow, blobs: Mapping[int, BlobRow] | None = None) -> list[AnyFact]:
    """The facts of a row, of whatever format. Raises `Damaged` when they can't be read."""
    reader = READERS.get(row.format)
    if reader is None:
        raise Damaged(
            f"fact {row.sequence} of instance {row.instance} has format {row.format}, and this Weft reads up to "
            f"{facts.FORMAT}: a newer Weft wrote it"
        )
    return reader(row, blobs or {})


def _first(row: FactRow, blobs: Mapping[int, BlobRow]) -> list[AnyFact]:
    if row.payload[:1] == b"[":
        return _read(_decoder, row)
    whole = _read(_blobbed, row)
    for id, path in whole.blobs:
        blob = blobs.get(id)
        if blob is None:
            raise Damaged(f"fact {row.sequence} of instance {row.instance} lacks its value in blob {id}")
        holder: object = whole.facts
        for key in path[:-1]:
            holder = holder[key]  # type: ignore[index]
        holder[path[-1]] = msgspec.json.decode(blob.payload)  # type: ignore[index]
    return msgspec.convert(whole.facts, list[AnyFact])


def _read(decoder: "msgspec.json.Decoder[T]", row: FactRow) -> T:
    try:
        return decoder.decode(row.payload)
    except msgspec.MsgspecError as error:
        raise Damaged(f"fact {row.sequence} of instance {row.instance} can't be read: {error}") from error


READERS: Final[dict[int, Callable[[FactRow, Mapping[int, BlobRow]], list[AnyFact]]]] = {1: _first}
"""A reader for every format; none is ever taken out."""
