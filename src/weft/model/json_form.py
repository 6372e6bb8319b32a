"""The JSON form of a definition: written in one canonical way, read within bounds, described by a JSON Schema.

Canonical: keys sorted, what equals a default left out, numbers of declared float fields as floats, no blanks. So equal
definitions give equal bytes. The order of the entries of a mapping (variables, types, bindings) means nothing.
"""

import hashlib
import re
from collections.abc import Callable
from itertools import accumulate
from typing import Final, cast, get_args, get_type_hints

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo, astuple, fields

from weft.model.definition import Process, Task
from weft.model.faults import Fault, Invalid
from weft.model.limits import Limits

FORM: Final = 1
"""The number of this form; a text bears it as `"weft"`."""

DEFAULT_LIMITS: Final = Limits()
LEVELS: Final = 6
"""A definition may nest so and so deep: the form has three levels for an activity, two for a guard, one for a value."""


class Document(Process, frozen=True, omit_defaults=True, kw_only=True):
    """A process as a text: the form's number, and the process."""

    weft: int


# Writing.

_CANONICAL: Final = msgspec.json.Encoder(order="deterministic")
_DECLARED: Final = msgspec.json.Encoder()


def to_json(process: Process) -> bytes:
    """The canonical bytes.

    >>> to_json(Process(name="p", body=Call(name="p", process="q", vital=True)))
    b'{"body":{"name":"p","process":"q","type":"call"},"name":"p","weft":1}'
    """
    return _CANONICAL.encode(_whole(process, _CANONICAL))


def pretty(process: Process) -> str:
    """The same, laid out for people, the fields of each part in the order of its declaration."""
    return msgspec.json.format(_DECLARED.encode(_whole(process, _DECLARED)), indent=2).decode() + "\n"


def content_hash(process: Process) -> str:
    """SHA-256 of the canonical bytes, in hex. A given version is not part of it, nor is any code behind the names."""
    return hashlib.sha256(to_json(msgspec.structs.replace(process, version=""))).hexdigest()


def _whole(process: Process, encoder: msgspec.json.Encoder) -> dict[str, object]:
    try:
        return {"weft": FORM, **_form_of(process, encoder)}
    except RecursionError:
        raise _wrong("it is nested too deep", "", "too-large") from None


def _form_of(struct: Struct, encoder: msgspec.json.Encoder) -> dict[str, object]:
    """A struct as builtins, without what equals its default."""
    cls = type(struct)
    tag, names, defaults, floats = _LAYOUTS.get(cls) or _layout(cls)
    form: dict[str, object] = {} if tag is None else {"type": tag}
    for name, default, is_float, value in zip(names, defaults, floats, astuple(struct), strict=True):
        if value is default:
            continue
        kind = type(value)
        if is_float:
            value = [float(one) for one in value] if kind is tuple else float(value)
        if value == default and (is_float or kind is type(default)):
            continue
        if kind is tuple:
            form[name] = [_inside(one, encoder) for one in value]
        elif kind is dict:
            form[name] = {key: _inside(one, encoder) for key, one in value.items()} if name in _STRUCTURED else value
        else:
            form[name] = _inside(value, encoder)
    return form


def _inside(value: object, encoder: msgspec.json.Encoder) -> object:
    """A part of a struct. A task is written at once: a hundred thousand small dicts would keep the collector busy."""
    if isinstance(value, Task):
        return msgspec.Raw(encoder.encode(_form_of(value, encoder)))
    if isinstance(value, Struct):
        return _form_of(value, encoder)
    return [_inside(one, encoder) for one in value] if type(value) is tuple else value


_Layout = tuple[str | None, tuple[str, ...], tuple[object, ...], tuple[bool, ...]]
_LAYOUTS: Final[dict[type, _Layout]] = {}
_STRUCTURED: Final = frozenset(("applications", "bindings", "classes", "fields", "variables"))
_ABSENT: Final = object()


def _layout(cls: type[Struct]) -> _Layout:
    """How a struct is written: its tag, and of each field its name, its default, and whether it holds floats."""
    hints = get_type_hints(cls)
    names = tuple(field.encode_name for field in fields(cls))
    floats = tuple(_is_float(hints[field.name]) for field in fields(cls))
    tag = cast("str | None", cls.__struct_config__.tag)
    found = _LAYOUTS[cls] = (tag, names, tuple(map(_default, fields(cls))), floats)
    return found


def _default(field: FieldInfo) -> object:
    if field.default is not msgspec.NODEFAULT:
        return field.default
    if field.default_factory is not msgspec.NODEFAULT:
        return cast("Callable[[], object]", field.default_factory)()
    return _ABSENT


def _is_float(hint: object) -> bool:
    return hint is float or float in get_args(hint)


# Reading.

_BRACKETS: Final = b"[]{}"
_NO_MARKS: Final = bytes(set(range(256)) - set(_BRACKETS + b'"'))
_STEP: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_BYTE: Final = re.compile(r" \(byte (\d+)\)")
_decoder: Final = msgspec.json.Decoder(Document)


def from_json(text: bytes | str, limits: Limits = DEFAULT_LIMITS) -> Process:
    """The process of a JSON form. Raises `Invalid`, which says where the text is wrong; the rest is for `check`."""
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    if len(data) > limits.json:
        raise _wrong(f"it has {len(data)} bytes, and may have {limits.json}", "", "too-large")
    depth = (limits.nesting + 2) * LEVELS
    if _nesting(data) > depth:
        raise _wrong(f"it is nested more than {depth} deep", "", "too-large")
    try:
        document = _decoder.decode(data)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at ")
        raise _wrong(message, place.strip("`")) from None
    except msgspec.DecodeError as error:
        raise _wrong(*_placed(str(error), data)) from None
    except UnicodeDecodeError:
        raise _wrong("it is not UTF-8", _place(data, len(_readable(data)))) from None
    except RecursionError:
        raise _wrong("it is nested too deep", "", "too-large") from None
    if document.weft != FORM:
        raise _wrong(f"it has form {document.weft}; this Weft reads form {FORM}", "$.weft")
    return Process(**{name: getattr(document, name) for name in Process.__struct_fields__})


def _nesting(data: bytes) -> int:
    """How deep brackets nest; found without a stack, so that no text can overflow one."""
    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    marks = data.translate(None, _NO_MARKS).replace(b'""', b"")
    outside = b"".join(marks.split(b'"')[::2])  # what is between an odd quote and the next is text
    return max(accumulate(map(_STEP.__getitem__, outside)), default=0)


def _placed(message: str, data: bytes) -> tuple[str, str]:
    """The message with line and column in place of a byte number."""
    found = _BYTE.search(message)
    if found is None:
        return message, "the end" if "truncated" in message else ""
    return message[: found.start()], _place(data, int(found[1]))


def _place(data: bytes, position: int) -> str:
    before = data[:position]
    column = len(before[before.rfind(b"\n") + 1 :].decode(errors="replace")) + 1
    line = before.count(b"\n") + 1
    return f"line {line}, column {column}"


def _readable(data: bytes) -> bytes:
    """What comes before the first byte that is not UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return data[: error.start]
    return data


def _wrong(message: str, place: str, code: str = "json") -> Invalid:
    advice = "see docs/reference/definition.md for the form" if code == "json" else "split it, or raise the limit"
    return Invalid("the JSON form", [Fault("error", code, "", place or "the text", message, advice)])


# The schema.


def schema() -> dict[str, object]:
    """The JSON Schema of the form."""
    found = msgspec.json.schema(Document, schema_hook=lambda _: {"description": "Any JSON value."})
    found["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    found["title"] = "A process definition of Weft"
    return found
