"""The types of values: their language, what fits what, values against types, Python annotations."""

import dataclasses
import enum
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Generic, NamedTuple, NotRequired, Optional, TypedDict, TypeVar
from typing import Literal as OneOf

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.model import types
from weft.model.types import Field, File, ObjectClass, TypeFault, ValueFault, from_annotation, parse

CLASSES = {
    "Order": ObjectClass("Order", None, {"id": Field("str"), "cents": Field("int"), "note": Field("str | null", None)}),
    "Rush": ObjectClass("Rush", "Order", {"hours": Field("float", optional=True)}),
    "VeryRush": ObjectClass("VeryRush", "Rush"),
    "shop.Tree": ObjectClass("shop.Tree", None, {"children": Field("list[shop.Tree]", [])}),
    "A": ObjectClass("A", None, {"next": Field("A | B | null")}),
    "B": ObjectClass("B", None, {"next": Field("A | B | null")}),
    "Wrong": ObjectClass("Wrong", None, {"x": Field("list[")}),
}


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("int", "int"),
        (" list[ int|null ] ", "list[int | null]"),
        ("list", "list[any]"),
        ("dict", "dict[str, any]"),
        ("dict[str,list[dict[str, Order]]]", "dict[str, list[dict[str, Order]]]"),
        ("int | int", "int"),
        ("int | any | str", "any"),
        ("None", "null"),
        ("shop.Tree", "shop.Tree"),
        ("'a' | \"b\\n\" | 3 | -4 | true | false", '"a" | "b\\n" | 3 | -4 | true | false'),
        ("true | 1", "true | 1"),
        ("File\n| datetime", "File | datetime"),
        ("größe", "größe"),
    ],
)
def test_a_type_is_read_and_written_back(written: str, canonical: str) -> None:
    assert types.text(parse(written)) == canonical
    assert parse(canonical) == parse(written)
    assert hash(parse(canonical)) == hash(parse(written))


@pytest.mark.parametrize(
    ("written", "column", "message"),
    [
        ("", 1, "expected a type, found 'the end'"),
        ("int |", 6, "expected a type, found 'the end'"),
        ("int | | str", 7, "expected a type, found '|'"),
        ("list[int", 9, "expected ']' after the items' type, found 'the end'"),
        ("int]", 4, "the type ends before ']'"),
        ("int str", 5, "the type ends before 'str'"),
        ("int[str]", 4, "int takes no [ ]; only list[T] and dict[str, T] do"),
        ("dict[int, str]", 6, "the keys of a dict are str, not 'int': write dict[str, T]"),
        ("dict[str]", 9, "expected ',' after dict[str, found ']'"),
        ("dict[str, int", 14, "expected ']' after the values' type, found 'the end'"),
        ("  $", 3, "a type can't have '$' here"),
        ("12x", 1, "a type can't have '1' here"),
        ("list[" * 200 + "]" * 200, 501, "a type may be nested 100 deep"),
        ("a" * 70_000, 1, "a type may have 65536 characters, this has 70000"),
    ],
)
def test_a_wrong_type_is_refused_at_its_place(written: str, column: int, message: str) -> None:
    with pytest.raises(TypeFault) as caught:
        parse(written)
    assert (caught.value.column, caught.value.message) == (column, message)


def test_a_wrong_string_in_a_type_is_refused() -> None:
    with pytest.raises(TypeFault, match="is not a JSON string"):
        parse(r'"\q"')


@pytest.mark.parametrize(
    ("written", "column", "suggestion"),
    [
        ("list[Ordr]", 6, "Order"),
        ("order", 1, "Order"),
        ("int | string", 7, "str"),
        ("Boolean", 1, "bool"),
        ("tree.Of.Nothing.Known", 1, None),
        ("x" * 101, 1, None),
    ],
)
def test_an_unknown_name_is_refused_with_what_was_meant(written: str, column: int, suggestion: str | None) -> None:
    with pytest.raises(TypeFault) as caught:
        parse(written, CLASSES)
    assert (caught.value.column, caught.value.suggestion) == (column, suggestion)
    assert ("did you mean" in str(caught.value)) == (suggestion is not None)
    assert parse("Order | File", CLASSES) == parse("Order | File")


simple = st.sampled_from(
    ["any", "null", "int", "str", "bool", "float", "datetime", "Order", "Rush", "File", '"x"', "7"]
)
type_texts = st.recursive(
    simple,
    lambda inner: st.one_of(
        inner.map("list[{}]".format),
        inner.map("dict[str, {}]".format),
        st.lists(inner, min_size=1, max_size=3).map(" | ".join),
    ),
    max_leaves=8,
)


@given(type_texts)
def test_writing_a_type_and_reading_it_changes_nothing(written: str) -> None:
    assert parse(types.text(parse(written))) == parse(written)
    assert types.fits(parse(written), parse(written), CLASSES)
    assert types.fits(parse(written), parse(f"{written} | null"), CLASSES)


@given(st.text(alphabet="intlsdr[]|, \"'.$", max_size=40))
def test_any_text_is_a_type_or_a_fault(written: str) -> None:
    try:
        column = 1 if parse(types.text(parse(written))) == parse(written) else -1
    except TypeFault as fault:
        column = fault.column
    assert 1 <= column <= len(written) + 1


@pytest.mark.parametrize(
    ("offered", "wanted", "answer"),
    [
        ("int", "int", True),
        ("int", "float", True),
        ("float", "int", False),
        ("bool", "int", False),
        ("any", "int", True),
        ("int", "any", True),
        ("null", "int", False),
        ("null", "int | null", True),
        ("int | null", "int", False),
        ("int | null", "float | str | null", True),
        ("Rush", "Order", True),
        ("VeryRush", "Order | null", True),
        ("Order", "Rush", False),
        ("list[Rush]", "list[Order]", True),
        ("list[Order]", "list[Rush]", False),
        ("list[int]", "dict[str, int]", False),
        ("dict[str, int]", "dict[str, float]", True),
        ("Order", "dict[str, any]", True),
        ("Order", "dict[str, int]", False),
        ("dict[str, any]", "Order", False),
        ("'a'", "str", True),
        ("'a'", "'a' | 'b'", True),
        ("'a' | 'b'", "str", True),
        ("str", "'a'", False),
        ("1", "float", True),
        ("1", "true", False),
        ("datetime", "str", False),
        ("Unknown", "Order", False),
        ("Unknown", "Unknown", True),
    ],
)
def test_what_fits_where(offered: str, wanted: str, answer: bool) -> None:
    assert types.fits(parse(offered), parse(wanted), CLASSES) is answer


ORDER = {"id": "17", "cents": 900}


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (None, "null"),
        (True, "bool"),
        (1, "int"),
        (1, "float"),
        (1.5, "float"),
        ("x", "str"),
        ("größe", "str"),
        ("YQ==", "bytes"),
        ("2031-05-01T12:00:00Z", "datetime"),
        ("2031-05-01", "date"),
        ("12:00:00", "time"),
        ("P1D", "timedelta"),
        ("12.50", "decimal"),
        ("8c5e9f6e-3c7a-4d0b-9f5e-2a7f6c1d0e4b", "uuid"),
        ([1, None], "list[int | null]"),
        ({"a": [1.0]}, "dict[str, list[float]]"),
        ({"a": [{"b": None}]}, "any"),
        (ORDER, "Order"),
        (ORDER | {"extra": [1]}, "Order"),
        (ORDER | {"note": None, "hours": 2}, "Rush"),
        ([ORDER, None], "list[Order | null]"),
        ({"children": [{"children": []}, {}]}, "shop.Tree"),
        ({"name": "a", "size": 1, "sha256": "", "reference": ""}, "File"),
        ("a", "'a' | 'b'"),
        (1, "1"),
        (2**63, "int"),
    ],
)
def test_a_value_has_its_type(value: object, wanted: str) -> None:
    assert types.check(value, parse(wanted), CLASSES) is None


HALF = "\ud800"


@pytest.mark.parametrize(
    ("value", "wanted", "reason"),
    [
        (None, "int", "it is null, not int"),
        (True, "int", "it is a bool, not int"),
        (1, "bool", "it is an int, not bool"),
        (1.0, "int", "it is a float, not int"),
        ("x", "int | null", "it is a str, not int | null"),
        ("x", "list[int]", "it is a str, not list[int]"),
        ([1, "x"], "list[int]", "[1] is a str, not int"),
        ({"a": [1, "x"]}, "dict[str, list[int]]", '["a"][1] is a str, not int'),
        ({"a": 1}, "list[int]", "it is a dict, not list[int]"),
        ([1], "Order", "it is a list, not Order"),
        ({1: 2}, "any", "it has the key 1; keys are text"),
        ({HALF: 2}, "any", "it has the key '\\ud800'; keys are text"),
        ({"a": {1: 2}}, "dict[str, dict[str, int]]", '["a"] has the key 1; keys are text'),
        ({"id": "17"}, "Order", "it lacks the field 'cents' of Order"),
        ({"id": "17", "Cents": 1}, "Order", "it lacks the field 'cents' of Order; did you mean it by 'Cents'?"),
        (ORDER | {"cents": "9"}, "Order", '["cents"] is a str, not int'),
        (ORDER | {"extra": (1,)}, "Order", None),
        ([ORDER, {"id": "1"}], "list[Order | null]", "[1] lacks the field 'cents' of Order"),
        ({"id": "1"}, "Order | File", "it is a dict, not Order | File"),
        ([1], "list[str] | null", "[0] is an int, not str"),
        (ORDER, "Nowhere", "the object class 'Nowhere' is not declared"),
        ({"x": 1}, "Wrong", "the type of field 'x' is wrong: expected a type, found 'the end'"),
        ("c", "'a' | 'b'", 'it is \'c\', not "a" | "b"'),
        (True, "1", "it is True, not 1"),
        ("yesterday", "date", "it is 'yesterday', not date (a date such as 2031-05-01)"),
        ("!", "bytes", "it is '!', not bytes (base64 text)"),
        (
            "1" * 2000,
            "decimal",
            f"it is '{'1' * 59}, not decimal (a decimal number as text, such as 12.50)",
        ),
        (float("nan"), "float", "it is nan, which JSON can't hold; use null"),
        (float("inf"), "any", "it is inf, which JSON can't hold; use null"),
        (2**64, "int", "it is an int of more than 64 bits; use decimal or str"),
        (HALF, "str", "it is text with half of a surrogate pair, which UTF-8 can't hold"),
        ([HALF], "any", "[0] is text with half of a surrogate pair, which UTF-8 can't hold"),
        (date(2031, 5, 1), "date", "it is a Python date, not plain data; turn it into plain data first (to_plain)"),
        ((1,), "list[int]", "it is a Python tuple, not plain data; turn it into plain data first (to_plain)"),
        (1, " | ".join(f'"{n:03}"' for n in range(60)), None),
    ],
)
def test_a_value_of_another_type_is_told_where(value: object, wanted: str, reason: str | None) -> None:
    found = types.check(value, parse(wanted), CLASSES)
    assert found is not None
    assert reason is None or found == reason
    assert len(found) < 400


def test_a_value_nested_too_deep_or_in_itself_is_refused() -> None:
    endless: list[object] = []
    endless += [endless, endless]
    assert types.check(endless, types.ANY, {}) == "it is nested more than 100 deep"


def test_a_value_of_too_many_parts_is_refused() -> None:
    reason = types.check([0] * 1_000_001, parse("list[int]"), {})
    assert reason == "it has too many parts to check, more than 1000000"


def test_unions_of_classes_do_not_multiply_the_work() -> None:
    value: dict[str, object] = {"next": 3}
    for _ in range(60):
        value = {"next": value}
    assert types.check(value, parse("A | B"), CLASSES) == "it is a dict, not A | B"


def test_a_part_that_appears_twice_is_told_twice() -> None:
    part = [1]
    assert types.check({"a": part, "b": part}, parse("dict[str, list[str] | list[bool] | list[int]]"), {}) is None
    assert types.check([part, part], parse("list[list[str] | list[bool]]"), {}) == (
        "[0] is a list, not list[str] | list[bool]"
    )


def test_classes_that_are_wrong_are_told_all_at_once() -> None:
    classes = {
        "A": ObjectClass("A", "B", {"x": Field("strin")}),
        "B": ObjectClass("B", "A"),
        "C": ObjectClass("D", "Aa"),
        "E": ObjectClass("E", "Nothing.Known"),
        "int": ObjectClass("int"),
        "a-b": ObjectClass("a-b"),
    }
    assert types.class_faults(classes) == [
        ("A", "it extends itself, by way of A and B"),
        (
            "A",
            (
                "field 'x': there is no type 'strin': it is neither built in nor a declared object class; "
                "did you mean str?"
            ),
        ),
        ("B", "it extends itself, by way of B and A"),
        ("C", "it is declared as 'C' but calls itself 'D'"),
        ("C", "it extends 'Aa', which is not declared; did you mean A?"),
        ("E", "it extends 'Nothing.Known', which is not declared"),
        ("int", "'int' is the name of a built-in type; choose another"),
        ("a-b", "'a-b' is not a name: use letters, digits and _, with dots between"),
    ]
    assert types.class_faults({"Order": CLASSES["Order"], "Rush": CLASSES["Rush"]}) == []


def test_fields_are_inherited_and_may_be_narrowed() -> None:
    classes = CLASSES | {"Free": ObjectClass("Free", "Order", {"cents": Field("0")})}
    assert list(types.fields_of("Free", classes)) == ["id", "cents", "note"]
    assert types.fields_of("Free", classes)["cents"] == Field("0")
    assert types.fields_of("Unknown", classes) == {}


def test_object_classes_survive_json() -> None:
    written = msgspec.json.encode(CLASSES)
    assert msgspec.json.decode(written, type=dict[str, ObjectClass]) == CLASSES


# Python annotations


class Base(msgspec.Struct):
    number: int
    parent: Optional["Base"] = None


class Derived(Base):
    tags: list[str] = []
    made: datetime | None = None


class Renamed(Derived, rename="camel"):
    due_date: date = date(2031, 5, 1)
    key: uuid.UUID = msgspec.field(default_factory=uuid.uuid4)


class Circle(msgspec.Struct, tag=True):
    radius: float


class Square(msgspec.Struct, tag="square", tag_field="kind"):
    side: float


class Pair(msgspec.Struct, array_like=True, tag=True):
    left: int
    right: Optional["Pair"] = None


class Point(NamedTuple):
    x: int
    y: str


class Movie(TypedDict):
    title: str
    year: NotRequired[int]


@dataclasses.dataclass
class Animal:
    name: str


@dataclasses.dataclass
class Dog(Animal):
    friends: dict[str, Animal] = dataclasses.field(default_factory=dict)


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


Many = enum.Enum("Many", {f"N{n}": f"n{n}" for n in range(300)})  # type: ignore[misc]
T = TypeVar("T")


class Box(msgspec.Struct, Generic[T]):
    content: T


class IntBox(Box[int]):
    label: str


class Nothing(msgspec.Struct):
    pass


class FromNothing(Nothing):
    x: int


@pytest.mark.parametrize(
    ("annotation", "written"),
    [
        (int, "int"),
        (None, "null"),
        (Any, "any"),
        (str | None, "str | null"),
        (bytes, "bytes"),
        (bytearray, "bytes"),
        (datetime, "datetime"),
        (time, "time"),
        (timedelta, "timedelta"),
        (Decimal, "decimal"),
        (uuid.UUID, "uuid"),
        (list, "list[any]"),
        (list[int], "list[int]"),
        (Sequence[bool], "list[bool]"),
        (set[int], "list[int]"),
        (frozenset[int], "list[int]"),
        (tuple[int, ...], "list[int]"),
        (tuple[int, str, int], "list[int | str]"),
        (dict, "dict[str, any]"),
        (Mapping[str, float], "dict[str, float]"),
        (OneOf["a", 1, None], 'null | 1 | "a"'),
        (Colour, '"red" | "blue"'),
        (Level, "1 | 2"),
        (Many, "str"),
        (Point, "list[int | str]"),
        (File, "File"),
    ],
)
def test_annotations_become_types(annotation: object, written: str) -> None:
    assert from_annotation(annotation) == (written, {})


def test_structs_become_object_classes_that_inherit() -> None:
    written, classes = from_annotation(list[Renamed])
    assert written == "list[Renamed]"
    assert classes == {
        "Renamed": ObjectClass(
            "Renamed",
            "Derived",
            {"dueDate": Field("date", "2031-05-01"), "key": Field("uuid", optional=True)},
        ),
        "Derived": ObjectClass(
            "Derived", "Base", {"tags": Field("list[str]", []), "made": Field("datetime | null", None)}
        ),
        "Base": ObjectClass("Base", None, {"number": Field("int"), "parent": Field("Base | null", None)}),
    }
    assert types.class_faults(classes) == []


class Early(msgspec.Struct):
    late: Optional["Late"] = None


class Late(Early):
    more: int = 0


def test_the_order_of_meeting_does_not_change_a_class() -> None:
    assert from_annotation(Early)[1] == from_annotation(Late)[1]
    assert from_annotation(Late)[1]["Late"] == ObjectClass("Late", "Early", {"more": Field("int", 0)})


def test_other_records_become_object_classes() -> None:
    assert from_annotation(Dog) == (
        "Dog",
        {
            "Dog": ObjectClass("Dog", "Animal", {"friends": Field("dict[str, Animal]", {})}),
            "Animal": ObjectClass("Animal", None, {"name": Field("str")}),
        },
    )
    assert from_annotation(Movie)[1]["Movie"].fields == {"title": Field("str"), "year": Field("int", optional=True)}
    assert from_annotation(Box[int]) == (
        "Box_int",
        {"Box_int": ObjectClass("Box_int", None, {"content": Field("int")})},
    )
    assert from_annotation(IntBox)[1]["IntBox"].extends is None
    assert from_annotation(FromNothing)[1]["FromNothing"].extends is None
    assert from_annotation(Circle)[1]["Circle"].fields["type"] == Field('"Circle"')
    assert from_annotation(Square)[1]["Square"].fields["kind"] == Field('"square"')
    assert from_annotation(Pair)[0] == 'list[int | list[any] | null | "Pair"]'


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (Derived(1, Base(2), ["a"], datetime(2031, 5, 1, tzinfo=UTC)), Derived),
        (Dog("Rex", {"a": Animal("Tom")}), Dog),
        (Circle(1.5), Circle),
        (Square(2.0), Square),
        (Pair(1, Pair(2)), Pair),
        (Point(1, "a"), Point),
        ({1, 2}, set[int]),
        ((1, "a"), tuple[int, str]),
        ({"title": "x"}, Movie),
        (Colour.RED, Colour),
        (Level.HIGH, Level),
        (b"abc", bytes),
        (timedelta(hours=3), timedelta),
        (Decimal("1.50"), Decimal),
        (File("a", 1, "b", "c"), File),
        (Renamed(1), Renamed),
        ([Box(3)], list[Box[int]]),
    ],
)
def test_values_go_to_plain_data_and_back(value: object, annotation: object) -> None:
    written, classes = from_annotation(annotation)
    plain = types.to_plain(value)
    assert types.check(plain, parse(written), classes) is None
    assert types.from_plain(msgspec.json.decode(msgspec.json.encode(plain)), annotation) == value
    assert msgspec.json.decode(msgspec.json.encode(plain)) == plain


def local_class() -> type:
    class Base(msgspec.Struct):
        other: int

    return Base


class Mixed(enum.Enum):
    A = "a"
    B = 1


class date_(msgspec.Struct):  # noqa: N801
    x: int


date_.__qualname__ = "date"


class BadDefault(msgspec.Struct):
    x: object = msgspec.field(default=1)
    y: Any = msgspec.field(default=complex(1))


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (complex, "complex is no type of values, since it has no plain form; use two floats"),
        (object, "object is no type of values, since it has no plain form; use Any"),
        (Path, "use str, or File for its content"),
        (Iterable[int], "Iterable is no type of values, since it has no plain form; use list"),
        (Callable, "use the name of a task"),
        (Mapping[int, str], "the keys of a dict must be str"),
        (Base | Derived, "no type of values: If a type union contains multiple Struct types"),
        (Mixed, "Mixed is no type of values: Enums must contain either all str or all int"),
        ("int", "no type of values"),
        (msgspec.UnsetType, "a value can't be UNSET: use None"),
        (msgspec.Raw, "Raw is no type of values; use bytes or Any"),
        (memoryview, "MemoryView is no type of values; use bytes or Any"),
        (date_, "a class can't be called date, which is a built-in type"),
        (tuple[Base, local_class()], "two different classes are called Base"),  # type: ignore[misc]
        (list[local_class()], None),  # type: ignore[misc]
        (BadDefault, "object is no type of values"),
    ],
)
def test_other_annotations_are_refused_with_a_way_out(annotation: object, message: str | None) -> None:
    if message is None:
        assert from_annotation(annotation)[0] == "list[Base]"
        return
    with pytest.raises(TypeFault) as caught:
        from_annotation(annotation)
    assert message in str(caught.value)


def test_a_default_without_plain_form_is_refused() -> None:
    struct = msgspec.defstruct("S", [("x", Any, complex(1))])
    with pytest.raises(TypeFault, match="the default of x is no plain value"):
        from_annotation(struct)


def test_an_annotation_of_a_missing_class_is_refused() -> None:
    struct = msgspec.defstruct("S", [("x", "Missing")])
    with pytest.raises(TypeFault, match="define the class before the task"):
        from_annotation(struct)


def test_a_value_that_is_no_data_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(ValueFault, match="nested too deep, or holds itself"):
        types.to_plain(endless)
    with pytest.raises(ValueFault, match="this object has no plain form"):
        types.to_plain(object())
    with pytest.raises(ValueFault, match="Expected `int`, got `str`"):
        types.from_plain("x", int)
    with pytest.raises(ValueFault, match="can't be made into"):
        types.from_plain("x", "int")
    deep: object = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueFault, match="too deep"):
        types.from_plain(deep, _Nest)


class _Nest(msgspec.Struct, array_like=True):
    inner: "_Nest | int | None"


finite = st.floats(allow_nan=False, allow_infinity=False)
plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | finite | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)


@given(plain_values)
def test_the_size_is_about_that_of_json(value: object) -> None:
    json = len(msgspec.json.encode(value))
    size = types.size_of(value)
    assert json / 6 - 10 <= size <= 3 * json + 30
    assert types.exceeds(value, size - 1)
    assert not types.exceeds(value, size)
    assert types.to_plain(value) == value
    assert types.check(value, types.ANY, {}) is None


def test_measuring_stops_early() -> None:
    endless: list[object] = []
    endless.append(endless)
    assert types.exceeds(endless, 1000)
    assert types.exceeds("ä" * 10_000, 9_999)
    assert types.size_of("ää") == 6
    with pytest.raises(ValueFault, match="a set is not plain data"):
        types.size_of({1})
