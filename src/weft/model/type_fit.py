"""Whether one type may stand where another is wanted, and whether a value has a type. Both in bounded time."""

import math
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

import msgspec

from weft.model.type_language import (
    ANY,
    FLOAT,
    INT,
    NESTING_MAX,
    SIMPLE,
    TEXTUAL,
    DictOf,
    Field,
    ListOf,
    Literal,
    Named,
    ObjectClass,
    Simple,
    Type,
    TypeFault,
    Union,
    ancestry,
    class_named,
    fields_of,
    near,
    parse,
    text,
)

LOOKS_MAX = 1_000_000
SHORT_TEXT_MAX = 1_000  # a date or a number in a text is never longer
INT_MIN, INT_END = -(2**63), 2**64  # what JSON and the stores keep exactly

_READ_AS: dict[str, type] = {
    "bytes": bytes,
    "datetime": datetime,
    "date": date,
    "time": time,
    "timedelta": timedelta,
    "decimal": Decimal,
    "uuid": UUID,
}
_PLAIN_NAMES: dict[type, str] = {
    type(None): "null",
    bool: "a bool",
    int: "an int",
    float: "a float",
    str: "a str",
    list: "a list",
    dict: "a dict",
}


def fits(offered: Type, wanted: Type, classes: Mapping[str, ObjectClass]) -> bool:
    """Whether a value of the offered type may go where the wanted type is. `any` fits both ways.

    The cost is at most the product of the two types' sizes.
    """
    if offered in (wanted, ANY) or wanted == ANY:
        return True
    if isinstance(offered, Union):
        return all(fits(member, wanted, classes) for member in offered.members)
    if isinstance(wanted, Union):
        return offered in wanted.members or any(fits(offered, member, classes) for member in wanted.members)
    match offered, wanted:
        case Literal(value), Simple():
            return fits(SIMPLE[type(value).__name__], wanted, classes)
        case Simple(), Simple():
            return offered == INT and wanted == FLOAT
        case Named(name), Named(base):
            return base in ancestry(name, classes)
        case Named(), DictOf(value):
            return value == ANY
        case ListOf(inner), ListOf(outer):
            return fits(inner, outer, classes)
        case DictOf(inner), DictOf(outer):
            return fits(inner, outer, classes)
    return False


def check(value: object, wanted: Type, classes: Mapping[str, ObjectClass]) -> str | None:
    """None if the value has the type, else one sentence that says where it has not.

    >>> check({"a": [1, "x"]}, parse("dict[str, list[int]]"), {})
    '["a"][1] is a str, not int'
    """
    return _Check(classes).look(value, wanted, ())


Place = tuple[str | int, ...]


class _Check:
    """One check. What was found of a part is kept, so that unions of classes don't multiply the work."""

    def __init__(self, classes: Mapping[str, ObjectClass]) -> None:
        self.classes = classes
        self.known: dict[tuple[int, Type], bool] = {}
        self.fields: dict[str, dict[str, Field]] = {}
        self.looks = 0

    def look(self, value: object, wanted: Type, place: Place) -> str | None:
        self.looks += 1
        if self.looks > LOOKS_MAX:
            return f"it has too many parts to check, more than {LOOKS_MAX}"
        if len(place) > NESTING_MAX:
            return f"it is nested more than {NESTING_MAX} deep"
        if type(value) is not list and type(value) is not dict:
            return self.plain(value, wanted, place)
        key = (id(value), wanted)
        if key in self.known:
            return None if self.known[key] else _sentence(place, f"is not {text(wanted):.200}")
        reason = self.parts(value, wanted, place)
        self.known[key] = reason is None
        return reason

    def parts(self, value: object, wanted: Type, place: Place) -> str | None:
        match wanted:
            case Union(members):
                return self.one_of(value, members, place)
            case ListOf(item) if isinstance(value, list):
                return self.each(enumerate(value), item, place)
            case Simple("any") if isinstance(value, list):
                return self.each(enumerate(value), ANY, place)
            case DictOf() | Named() | Simple("any") if isinstance(value, dict):
                for key in value:
                    if type(key) is not str or not _storable(key):
                        return _sentence(place, f"has the key {key!r:.50}; keys are text")
                if isinstance(wanted, Named):
                    return self.record(value, wanted.name, place)
                return self.each(value.items(), wanted.value if isinstance(wanted, DictOf) else ANY, place)
        return _mismatch(value, wanted, place)

    def each(self, parts: Iterable[tuple[str | int, object]], item: Type, place: Place) -> str | None:
        for at, part in parts:
            reason = self.look(part, item, (*place, at))
            if reason is not None:
                return reason
        return None

    def one_of(self, value: object, members: tuple[Type, ...], place: Place) -> str | None:
        reasons: list[str] = []
        for member in members:
            reason = self.look(value, member, place)
            if reason is None:
                return None
            if isinstance(member, Named | DictOf if isinstance(value, dict) else ListOf):
                reasons.append(reason)
        return reasons[0] if len(reasons) == 1 else _mismatch(value, Union(members), place)

    def record(self, value: dict[object, object], name: str, place: Place) -> str | None:
        if class_named(name, self.classes) is None:
            return f"the object class {name!r} is not declared"
        if name not in self.fields:
            self.fields[name] = fields_of(name, self.classes)
        fields = self.fields[name]
        for field, detail in fields.items():
            if field in value:
                reason = self.field(value[field], detail, (*place, field))
            elif detail.required:
                spare = [key for key in value if isinstance(key, str) and key not in fields]
                meant = near(field, spare)
                hint = f"; did you mean it by {meant!r}?" if meant else ""
                reason = _sentence(place, f"lacks the field {field!r} of {name}{hint}")
            else:
                reason = None
            if reason is not None:
                return reason
        known = fields.keys()
        return self.each(
            ((key, part) for key, part in value.items() if isinstance(key, str) and key not in known), ANY, place
        )

    def field(self, value: object, detail: Field, place: Place) -> str | None:
        try:
            wanted = parse(detail.type)
        except TypeFault as fault:
            return f"the type of field {place[-1]!r} is wrong: {fault}"
        return self.look(value, wanted, place)

    def plain(self, value: object, wanted: Type, place: Place) -> str | None:
        reason = _unstorable(value)
        if reason is not None:
            return _sentence(place, reason)
        if isinstance(wanted, Union):
            fine = any(_has(value, member) for member in wanted.members)
        else:
            fine = _has(value, wanted)
        return None if fine else _mismatch(value, wanted, place)


def _has(value: object, wanted: Type) -> bool:
    """Whether a value without parts has a type that is not a union."""
    match wanted:
        case Literal(literal):
            return type(value) is type(literal) and value == literal
        case Simple("any"):
            return True
        case Simple("float"):
            return type(value) in (int, float)
        case Simple("null"):
            return value is None
        case Simple(name) if name in TEXTUAL:
            return isinstance(value, str) and _reads_as(value, name)
        case Simple(name):
            return type(value).__name__ == name
    return False


def _reads_as(value: str, name: str) -> bool:
    if name != "bytes" and len(value) > SHORT_TEXT_MAX:
        return False
    try:
        msgspec.convert(value, _READ_AS[name])
    except msgspec.ValidationError:
        return False
    return True


def _unstorable(value: object) -> str | None:
    """Why a value without parts can't be kept at all."""
    if type(value) not in _PLAIN_NAMES:
        return f"is a Python {type(value).__name__}, not plain data; turn it into plain data first (to_plain)"
    if isinstance(value, float) and not math.isfinite(value):
        return f"is {value}, which JSON can't hold; use null"
    if isinstance(value, int) and not INT_MIN <= value < INT_END:
        return "is an int of more than 64 bits; use decimal or str"
    if isinstance(value, str) and not _storable(value):
        return "is text with half of a surrogate pair, which UTF-8 can't hold"
    return None


def _storable(value: str) -> bool:
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _mismatch(value: object, wanted: Type, place: Place) -> str:
    found = _PLAIN_NAMES[type(value)]
    if isinstance(value, bool | int | float | str) and _mentions_value(wanted):
        found = f"{value!r:.60}"
    hint = f" ({TEXTUAL[wanted.name]})" if isinstance(wanted, Simple) and wanted.name in TEXTUAL else ""
    shown = text(wanted)
    return _sentence(place, f"is {found}, not {shown if len(shown) <= 200 else shown[:200] + '…'}{hint}")


def _mentions_value(wanted: Type) -> bool:
    """Whether the value itself, not only its kind, explains why it does not have the type."""
    members = wanted.members if isinstance(wanted, Union) else (wanted,)
    return any(isinstance(m, Literal) or (isinstance(m, Simple) and m.name in TEXTUAL) for m in members)


def _sentence(place: Place, what: str) -> str:
    shown = "".join(f"[{msgspec.json.encode(step).decode()}]" if _encodable(step) else "[…]" for step in place)
    return f"{shown or 'it'} {what}"


def _encodable(step: str | int) -> bool:
    return isinstance(step, int) or _storable(step)
