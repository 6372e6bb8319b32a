"""Python annotations as types of the model. What msgspec converts is understood, all else refused with a way out."""

import dataclasses
import re
from collections.abc import Sequence

import msgspec
from msgspec import inspect

from weft.model.type_language import (
    ANY,
    BOOL,
    BUILT_IN,
    FLOAT,
    INT,
    NULL,
    SIMPLE,
    STR,
    DictOf,
    Field,
    File,
    ListOf,
    Literal,
    Named,
    ObjectClass,
    Type,
    TypeFault,
    text,
    union,
)
from weft.model.type_values import ValueFault, to_plain

LITERALS_MAX = 256  # an enum of more is only its str or int

_PLAIN: dict[type, Type] = {
    inspect.AnyType: ANY,
    inspect.NoneType: NULL,
    inspect.BoolType: BOOL,
    inspect.IntType: INT,
    inspect.FloatType: FLOAT,
    inspect.StrType: STR,
    inspect.BytesType: SIMPLE["bytes"],
    inspect.ByteArrayType: SIMPLE["bytes"],
    inspect.DateTimeType: SIMPLE["datetime"],
    inspect.DateType: SIMPLE["date"],
    inspect.TimeType: SIMPLE["time"],
    inspect.TimeDeltaType: SIMPLE["timedelta"],
    inspect.DecimalType: SIMPLE["decimal"],
    inspect.UUIDType: SIMPLE["uuid"],
}
_ADVICE = {
    "complex": "two floats",
    "object": "Any",
    "Iterable": "list",
    "Iterator": "list",
    "Generator": "list",
    "Path": "str, or File for its content",
    "PosixPath": "str, or File for its content",
    "Callable": "the name of a task",
    "Pattern": "str",
}

_Collection = inspect.ListType | inspect.SetType | inspect.FrozenSetType | inspect.VarTupleType | inspect.CollectionType
_Record = inspect.StructType | inspect.DataclassType | inspect.TypedDictType


def from_annotation(annotation: object) -> tuple[str, dict[str, ObjectClass]]:
    """The text of the annotation's type, and the object classes that the text speaks of.

    >>> from_annotation(list[int] | None)
    ('list[int] | null', {})
    """
    translation = _Translation()
    return text(translation.of(_inspected(annotation))), translation.classes


def _inspected(annotation: object) -> inspect.Type:
    try:
        return inspect.type_info(annotation)
    except NameError as error:
        raise TypeFault(f"an annotation can't be resolved: {error}; define the class before the task") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeFault(f"{_shown(annotation)} is no type of values: {error}") from None


def _shown(annotation: object) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


class _Translation:
    """One annotation on its way into the model, with the classes met so far."""

    def __init__(self) -> None:
        self.classes: dict[str, ObjectClass] = {}
        self.owners: dict[str, object] = {}
        self.lists_within: list[object] = []

    def of(self, info: inspect.Type) -> Type:
        plain = _PLAIN.get(type(info))
        if plain is not None:
            return plain
        match info:
            case inspect.Metadata(inner):
                return self.of(inner)
            case inspect.UnionType(types):
                return union([self.of(member) for member in types])
            case inspect.LiteralType(values):
                return _literals(values)
            case inspect.EnumType(cls):
                return _literals([member.value for member in cls])
            case inspect.DictType(key, value):
                return self.mapping(key, value)
            case inspect.TupleType(types):
                return ListOf(union([self.of(member) for member in types]))
            case inspect.NamedTupleType():
                return self.array(info)
            case inspect.StructType(array_like=True):
                return self.array(info)
            case inspect.StructType() | inspect.DataclassType() | inspect.TypedDictType():
                return self.record(info)
        if isinstance(info, _Collection):
            return ListOf(self.of(info.item_type))
        raise _refusal(info)

    def mapping(self, key: inspect.Type, value: inspect.Type) -> Type:
        if not isinstance(key, inspect.StrType | inspect.AnyType):
            raise TypeFault("the keys of a dict must be str, as in JSON: use dict[str, …], or a list of pairs")
        return DictOf(self.of(value))

    def array(self, info: inspect.NamedTupleType | inspect.StructType) -> Type:
        """A class whose plain form is a list."""
        if info.cls in self.lists_within:
            return ListOf(ANY)
        self.lists_within.append(info.cls)
        items = [self.of(field.type) for field in info.fields]
        self.lists_within.pop()
        if isinstance(info, inspect.StructType) and info.tag is not None:
            items.append(Literal(info.tag))
        return ListOf(union(items))

    def record(self, info: _Record) -> Type:
        if info.cls is File:
            return Named("File")
        name = _name_of(info.cls)
        if name in SIMPLE or name in BUILT_IN or name in ("list", "dict", "true", "false"):
            raise TypeFault(f"a class can't be called {name}, which is a built-in type; give it another name")
        if self.owners.setdefault(name, info.cls) != info.cls:
            raise TypeFault(f"two different classes are called {name}; give one of them another name")
        if name not in self.classes:
            self.classes[name] = ObjectClass(name)  # it may hold itself
            self.classes[name] = self.declared(name, info)
        return Named(name)

    def declared(self, name: str, info: _Record) -> ObjectClass:
        fields = self.all_fields(info)
        base = _base_of(info.cls)
        if base is None:
            return ObjectClass(name, None, fields)
        base_info = _inspected(base)
        assert isinstance(base_info, _Record)
        extends = self.record(base_info)
        assert isinstance(extends, Named)
        inherited = self.all_fields(base_info)
        own = {key: field for key, field in fields.items() if inherited.get(key) != field}
        return ObjectClass(name, extends.name, own)

    def all_fields(self, info: _Record) -> dict[str, Field]:
        fields = {field.encode_name: self.field(field) for field in info.fields}
        if isinstance(info, inspect.StructType) and info.tag is not None and info.tag_field is not None:
            fields = {info.tag_field: Field(text(Literal(info.tag)))} | fields
        return fields

    def field(self, field: inspect.Field) -> Field:
        wanted = text(self.of(field.type))
        if field.required:
            return Field(wanted)
        default = field.default
        if field.default_factory in (list, dict, set, tuple, frozenset):
            default = field.default_factory()
        if default is msgspec.NODEFAULT or default is msgspec.UNSET:
            return Field(wanted, optional=True)
        try:
            return Field(wanted, to_plain(default))
        except ValueFault as fault:
            raise TypeFault(f"the default of {field.name} is no plain value: {fault}") from None


def _refusal(info: inspect.Type) -> TypeFault:
    cls = getattr(info, "cls", None)
    if cls is msgspec.UnsetType:
        return TypeFault("a value can't be UNSET: use None")
    if cls is None:
        return TypeFault(f"{type(info).__name__.removesuffix('Type')} is no type of values; use bytes or Any")
    name = getattr(cls, "__name__", str(cls))
    instead = _ADVICE.get(name, "a msgspec Struct, a dataclass or a TypedDict with its data")
    return TypeFault(f"{name} is no type of values, since it has no plain form; use {instead}")


def _literals(values: Sequence[object]) -> Type:
    if len(values) > LITERALS_MAX:
        return union([SIMPLE[type(value).__name__] for value in values])
    return union([NULL if value is None else Literal(value) for value in values])  # type: ignore[arg-type]


def _name_of(cls: object) -> str:
    """The class's name, with the classes around it, without the function it was made in."""
    origin = getattr(cls, "__origin__", cls)
    arguments = "".join(f"_{re.sub(r'[^0-9A-Za-z]+', '_', _shown(a)).strip('_')}" for a in getattr(cls, "__args__", ()))
    return str(getattr(origin, "__qualname__", origin)).rpartition("<locals>.")[2] + arguments


def _base_of(cls: object) -> type | None:
    """The class it extends: the first base whose records are data of their own."""
    for base in getattr(cls, "__bases__", ()):
        if base is msgspec.Struct or not isinstance(base, type):
            continue
        if issubclass(base, msgspec.Struct):
            data = bool(base.__struct_fields__) and not base.__struct_config__.array_like
        else:
            data = dataclasses.is_dataclass(base) and bool(dataclasses.fields(base))
        if data and not getattr(base, "__parameters__", ()):
            return base
    return None
