"""The types of values: what they are, and the small language they are written in. Knows nothing of Python classes."""

import functools
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import islice

import msgspec

TEXT_MAX = 65_536
NESTING_MAX = 100
MESSAGE_MAX = 400  # a message may quote the text, which may be long
NAMES_COMPARED_MAX = 2_000


class TypeFault(ValueError):
    """A type's text is wrong. `column` counts characters from 1; `suggestion` is what may have been meant."""

    def __init__(self, message: str, column: int = 1, suggestion: str | None = None) -> None:
        self.message = message if len(message) <= MESSAGE_MAX else message[:MESSAGE_MAX] + "…"
        self.column = column
        self.suggestion = suggestion
        super().__init__(f"{self.message}; did you mean {suggestion}?" if suggestion else self.message)


class Simple(msgspec.Struct, frozen=True):
    """A type that has no parts: `any`, `null`, `int`, `datetime`, …"""

    name: str


class Named(msgspec.Struct, frozen=True):
    """A record of the object class with this name, or of one that extends it."""

    name: str


class Literal(msgspec.Struct, frozen=True):
    """Exactly this value."""

    value: str | int | bool

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return hash((Literal, type(self.value), self.value))


class ListOf(msgspec.Struct, frozen=True, cache_hash=True):
    item: "Type"


class DictOf(msgspec.Struct, frozen=True, cache_hash=True):
    """A dict whose keys are any text."""

    value: "Type"


class Union(msgspec.Struct, frozen=True, cache_hash=True):
    """One of several; made by `union`, so never nested and never of one."""

    members: tuple["Type", ...]


Type = Simple | Named | Literal | ListOf | DictOf | Union

ANY, NULL, BOOL, INT, FLOAT, STR = map(Simple, ("any", "null", "bool", "int", "float", "str"))
# These are text in a value; each says how it is written.
TEXTUAL = {
    "bytes": "base64 text",
    "datetime": "a date and time such as 2031-05-01T12:00:00Z",
    "date": "a date such as 2031-05-01",
    "time": "a time such as 12:00:00",
    "timedelta": "a duration such as P1DT2H",
    "decimal": "a decimal number as text, such as 12.50",
    "uuid": "a UUID such as 8c5e9f6e-3c7a-4d0b-9f5e-2a7f6c1d0e4b",
}
SIMPLE: dict[str, Simple] = {t.name: t for t in (ANY, NULL, BOOL, INT, FLOAT, STR, *map(Simple, TEXTUAL))}
ELSEWHERE_CALLED = {
    "string": "str", "text": "str", "char": "str", "integer": "int", "long": "int", "boolean": "bool",
    "double": "float", "real": "float", "number": "float", "none": "null", "void": "null", "object": "any",
    "array": "list[any]", "tuple": "list[any]", "set": "list[any]", "map": "dict[str, any]", "file": "File",
    "duration": "timedelta", "timestamp": "datetime",
}  # fmt: skip


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    """A field of an object class. One with a default, or `optional`, may be missing from a value."""

    type: str
    default: object = msgspec.UNSET
    optional: bool = False

    @property
    def required(self) -> bool:
        return self.default is msgspec.UNSET and not self.optional


class ObjectClass(msgspec.Struct, frozen=True, omit_defaults=True):
    """A kind of record. Its records have the fields of what it extends too, and may stand where that is wanted."""

    name: str
    extends: str | None = None
    fields: dict[str, Field] = {}


class File(msgspec.Struct, frozen=True):
    """A file that is kept outside the value; `reference` says where."""

    name: str
    size: int
    sha256: str
    reference: str


BUILT_IN = {
    "File": ObjectClass(
        "File", None, {"name": Field("str"), "size": Field("int"), "sha256": Field("str"), "reference": Field("str")}
    )
}


def near(name: str, known: Sequence[str]) -> str | None:
    """The known name that was probably meant."""
    if len(name) > 100:
        return None
    candidates = list(islice(known, NAMES_COMPARED_MAX))
    same = [candidate for candidate in candidates if candidate.lower() == name.lower()]
    return next(iter(same or get_close_matches(name, candidates, 1)), None)


def class_named(name: str, classes: Mapping[str, ObjectClass]) -> ObjectClass | None:
    return BUILT_IN.get(name) or classes.get(name)


def ancestry(name: str, classes: Mapping[str, ObjectClass]) -> tuple[str, ...]:
    """The class and what it extends, nearest first; a cycle ends where it began."""
    names: dict[str, None] = {}
    current: str | None = name
    while current is not None and current not in names:
        names[current] = None
        found = class_named(current, classes)
        current = found.extends if found else None
    return tuple(names)


def fields_of(name: str, classes: Mapping[str, ObjectClass]) -> dict[str, Field]:
    """All fields of a class, those it inherits first."""
    fields: dict[str, Field] = {}
    for ancestor in reversed(ancestry(name, classes)):
        found = class_named(ancestor, classes)
        fields.update(found.fields if found else {})
    return fields


def union(members: Sequence[Type]) -> Type:
    """The union of these, flattened, each once; `any` swallows the rest."""
    flat: dict[Type, None] = {}
    for member in members:
        flat.update(dict.fromkeys(member.members if isinstance(member, Union) else (member,)))
    if ANY in flat or not flat:
        return ANY
    return next(iter(flat)) if len(flat) == 1 else Union(tuple(flat))


def text(of: Type) -> str:
    """The type as it is written; `parse(text(t)) == t`."""
    match of:
        case Simple(name) | Named(name):
            return name
        case Literal(bool() as value):
            return "true" if value else "false"
        case Literal(int() as value):
            return str(value)
        case Literal(value):
            return msgspec.json.encode(value).decode()
        case ListOf(item):
            return f"list[{text(item)}]"
        case DictOf(value):
            return f"dict[str, {text(value)}]"
        case Union(members):
            return " | ".join(map(text, members))


def parse(source: str, classes: Mapping[str, ObjectClass] | None = None) -> Type:
    """The type that a text means. Where `classes` is given, every name must be one of them.

    >>> text(parse("list[ int|null ]"))
    'list[int | null]'
    """
    parsed, names = _parse(source)
    if classes is not None:
        for name, column in names:
            if class_named(name, classes) is None:
                raise _unknown(name, column, classes)
    return parsed


def _unknown(name: str, column: int, classes: Mapping[str, ObjectClass]) -> TypeFault:
    meant = ELSEWHERE_CALLED.get(name.lower()) or near(name, [*SIMPLE, "list", "dict", *BUILT_IN, *classes])
    return TypeFault(f"there is no type {name!r}: it is neither built in nor a declared object class", column, meant)


def class_faults(classes: Mapping[str, ObjectClass]) -> list[tuple[str, str]]:
    """What is wrong with a set of object classes: the class and a sentence, all at once."""
    faults: list[tuple[str, str]] = []
    for name, declared in classes.items():
        faults.extend((name, sentence) for sentence in _faults_of(name, declared, classes))
    return faults


def _faults_of(name: str, declared: ObjectClass, classes: Mapping[str, ObjectClass]) -> list[str]:
    faults: list[str] = []
    if name != declared.name:
        faults.append(f"it is declared as {name!r} but calls itself {declared.name!r}")
    if name in SIMPLE or name in BUILT_IN or name in ("list", "dict"):
        faults.append(f"{name!r} is the name of a built-in type; choose another")
    elif not _NAME.fullmatch(name):
        faults.append(f"{name!r} is not a name: use letters, digits and _, with dots between")
    if declared.extends is not None:
        chain = ancestry(name, classes)
        last = class_named(chain[-1], classes)
        if class_named(declared.extends, classes) is None:
            meant = near(declared.extends, list(classes))
            hint = f"; did you mean {meant}?" if meant else ""
            faults.append(f"it extends {declared.extends!r}, which is not declared{hint}")
        elif last is not None and last.extends is not None:
            faults.append(f"it extends itself, by way of {' and '.join(chain)}")
    for field, detail in declared.fields.items():
        try:
            parse(detail.type, classes)
        except TypeFault as fault:
            faults.append(f"field {field!r}: {fault}")
    return faults


_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)|(?P<number>-?[0-9]{1,20}(?!\w))"""
    r"""|(?P<string>"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*')|(?P<mark>[][|,])|(?P<end>\Z))"""
)


@functools.lru_cache(maxsize=4096)
def _parse(source: str) -> tuple[Type, tuple[tuple[str, int], ...]]:
    if len(source) > TEXT_MAX:
        raise TypeFault(f"a type may have {TEXT_MAX} characters, this has {len(source)}")
    reader = _Reader(source)
    parsed = reader.alternatives(1)
    if reader.kind != "end":
        raise TypeFault(f"the type ends before {reader.word!r}", reader.column)
    return parsed, tuple(reader.names)


class _Reader:
    """Reads one type from its text by recursive descent, one token ahead."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.position = 0
        self.names: list[tuple[str, int]] = []
        self.advance()

    def advance(self) -> None:
        found = _TOKEN.match(self.source, self.position)
        if found is None:
            rest = self.source[self.position :]
            at = self.position + len(rest) - len(rest.lstrip(" \t\r\n"))
            raise TypeFault(f"a type can't have {self.source[at]!r} here", at + 1)
        self.kind = str(found.lastgroup)
        self.word = found[self.kind]
        self.column = found.start(self.kind) + 1
        self.position = found.end()

    def expect(self, mark: str, after: str) -> None:
        if self.word != mark:
            raise TypeFault(f"expected {mark!r} after {after}, found {self.word or 'the end'!r}", self.column)
        self.advance()

    def alternatives(self, depth: int) -> Type:
        if depth > NESTING_MAX:
            raise TypeFault(f"a type may be nested {NESTING_MAX} deep", self.column)
        members = [self.single(depth)]
        while self.word == "|" and self.kind == "mark":
            self.advance()
            members.append(self.single(depth))
        return union(members)

    def single(self, depth: int) -> Type:
        kind, word, column = self.kind, self.word, self.column
        if kind not in ("name", "number", "string"):
            raise TypeFault(f"expected a type, found {word or 'the end'!r}", column)
        self.advance()
        if kind == "name":
            return self.named(word, column, depth)
        if kind == "number":
            return Literal(int(word))
        if word[0] == "'":
            return Literal(word[1:-1])
        try:
            return Literal(msgspec.json.decode(word, type=str))
        except msgspec.DecodeError as error:
            raise TypeFault(f"{word} is not a JSON string: {error}", column) from None

    def named(self, word: str, column: int, depth: int) -> Type:
        match word:
            case "list":
                return ListOf(self.item(depth) if self.word == "[" else ANY)
            case "dict":
                return DictOf(self.value(depth) if self.word == "[" else ANY)
            case "true" | "false":
                return Literal(word == "true")
            case "None":
                return NULL
        if word not in SIMPLE:
            self.names.append((word, column))
        if self.word == "[":
            raise TypeFault(f"{word} takes no [ ]; only list[T] and dict[str, T] do", self.column)
        return SIMPLE.get(word) or Named(word)

    def item(self, depth: int) -> Type:
        self.advance()
        item = self.alternatives(depth + 1)
        self.expect("]", "the items' type")
        return item

    def value(self, depth: int) -> Type:
        self.advance()
        if self.word != "str":
            raise TypeFault(f"the keys of a dict are str, not {self.word!r}: write dict[str, T]", self.column)
        self.advance()
        self.expect(",", "dict[str")
        value = self.alternatives(depth + 1)
        self.expect("]", "the values' type")
        return value
