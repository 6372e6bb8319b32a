"""The JSON form: one canonical text for equal definitions, read back unchanged, and safe to read from anybody."""

import json
import time
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import inspect as shapes
from msgspec.structs import replace

from weft.model import blocks
from weft.model.definition import (
    AtLeast,
    Call,
    Constant,
    Declared,
    Flow,
    Function,
    Guard,
    InputSet,
    Process,
    Quiet,
    Rule,
    Task,
    Timer,
    Variable,
)
from weft.model.faults import Invalid
from weft.model.json_form import content_hash, from_json, pretty, schema, to_json
from weft.model.limits import Limits
from weft.model.types import Field, ObjectClass
from weft.model.wellformed import check

SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "process.schema.json"

# Random definitions, made from the shapes of the structs themselves, so that no field is forgotten.

WORDS = st.sampled_from(["", "a", "b", "start", "done", "any", "POST", "ü"]) | st.text(max_size=5)
PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    PLAIN | WORDS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2), max_leaves=4
)
SHALLOW = {"Task", "Call", "On", "When", "Quiet"}
SIMPLE: dict[type, st.SearchStrategy[Any]] = {
    shapes.StrType: WORDS,
    shapes.BoolType: st.booleans(),
    shapes.IntType: st.sampled_from([0, 1, 300]) | st.integers(-(2**63), 2**63 - 1),
    shapes.FloatType: st.sampled_from([0, 0.0, 1, 1.0, 86_400]) | st.floats(allow_nan=False, allow_infinity=False),
    shapes.NoneType: st.none(),
    shapes.CustomType: VALUES,
    shapes.AnyType: VALUES,
}


def shaped(of: shapes.Type, depth: int) -> st.SearchStrategy[Any]:
    if type(of) in SIMPLE:
        return SIMPLE[type(of)]
    if isinstance(of, shapes.LiteralType):
        return st.sampled_from(of.values)
    if isinstance(of, shapes.UnionType):
        members = [one for one in of.types if not is_struct(one) or depth > 0 or one.cls.__name__ in SHALLOW]  # type: ignore[attr-defined]
        members = members if len(members) > 1 or depth > 0 else list(of.types)
        return st.one_of([shaped(one, depth) for one in members])
    if isinstance(of, shapes.VarTupleType):
        return st.lists(shaped(of.item_type, depth), max_size=2 if depth > 0 else 0).map(tuple)
    if isinstance(of, shapes.DictType):
        return st.dictionaries(WORDS, shaped(of.value_type, depth), max_size=2 if depth > 0 else 0)
    assert isinstance(of, shapes.StructType), of
    return structured(of, depth - 1)


def is_struct(of: shapes.Type) -> bool:
    return isinstance(of, shapes.StructType)


def structured(of: shapes.StructType, depth: int) -> st.SearchStrategy[Any]:
    @st.composite
    def made(draw: st.DrawFn) -> Any:
        fields = {}
        for field in of.fields:
            if field.required or draw(st.integers(0, 3)) == 0:
                fields[field.name] = draw(shaped(field.type, depth))
        return of.cls(**fields)

    return made()


PROCESSES = st.integers(1, 5).flatmap(lambda depth: structured(shapes.type_info(Process), depth))  # type: ignore[arg-type]
CALM = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def explicit(value: Any) -> Any:
    """All fields of a struct, defaults too."""
    if isinstance(value, msgspec.Struct):
        tag = type(value).__struct_config__.tag
        fields = {name: explicit(getattr(value, name)) for name in value.__struct_fields__}
        return {
            **({"type": tag} if tag else {}),
            **{name: one for name, one in fields.items() if one is not msgspec.UNSET},
        }
    if isinstance(value, dict):
        return {key: explicit(one) for key, one in reversed(value.items())}
    return [explicit(one) for one in value] if isinstance(value, tuple | list) else value


@CALM
@given(PROCESSES)
def test_a_round_trip_changes_nothing(process: Process) -> None:
    text = to_json(process)
    again = from_json(text)
    assert again == process
    assert to_json(again) == text
    assert from_json(pretty(process)) == process


@CALM
@given(PROCESSES)
def test_equal_definitions_have_equal_bytes(process: Process) -> None:
    """However much of it is written out, and in whatever order."""
    text = msgspec.json.encode({**explicit(process), "weft": 1})
    again = from_json(text)
    assert again == process
    assert to_json(again) == to_json(process)
    assert content_hash(again) == content_hash(process)


@CALM
@given(PROCESSES)
def test_the_schema_accepts_every_definition(process: Process) -> None:
    VALIDATOR.validate(json.loads(to_json(process)))


VALIDATOR = jsonschema.Draft202012Validator(schema())


def test_the_published_schema_is_the_one_that_the_code_makes() -> None:
    made = json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
    assert SCHEMA.read_text("utf-8") == made, "write it anew, as this test makes it"


def test_the_text_on_the_page_is_well_formed() -> None:
    page = (SCHEMA.parent / "definition.md").read_text("utf-8")
    text = page.partition("```json\n")[2].partition("```")[0]
    assert check(from_json(text)) == []


def work(name: str = "p", **fields: Any) -> Task:
    return Task(name=name, handler=Function("m:f"), **fields)


def test_the_canonical_form_leaves_out_what_says_nothing() -> None:
    body = work(
        input_sets=(InputSet("start", None, {}, {}),),
        vital=True,
        on_error=(Rule("retry", "task", 2, 5, 1),),
        compensation=Task(name="c", handler=Timer(0)),
    )
    process = Process(
        name="p",
        body=body,
        version="3",
        classes={"O": ObjectClass("O", None, {"b": Field("int", 0), "a": Field("str")})},
    )
    assert to_json(process).decode() == (
        '{"body":{"compensation":{"handler":{"type":"timer"},"name":"c","type":"task"},'
        '"handler":{"reference":"m:f","type":"function"},"name":"p",'
        '"on_error":[{"action":"retry","delay_seconds":5.0,"error":"task","times":2}],"type":"task"},'
        '"classes":{"O":{"fields":{"a":{"type":"str"},"b":{"default":0,"type":"int"}},"name":"O"}},'
        '"name":"p","version":"3","weft":1}'
    )


def test_a_value_keeps_its_kind() -> None:
    bindings = {"x": (Constant(1), Constant(1.0), Constant(True), Constant(None), Constant({"b": [], "a": {}}))}
    process = Process(name="p", body=work(input_sets=(InputSet(bindings=bindings),)))
    again = from_json(to_json(process))
    assert [repr(one) for one in again.body.input_sets[0].bindings["x"]] == [
        "Constant(value=1)", "Constant(value=1.0)", "Constant(value=True)", "Constant(value=None)",
        "Constant(value={'a': {}, 'b': []})",
    ]  # fmt: skip


def test_pretty_goes_by_declaration() -> None:
    assert pretty(Process(name="p", body=Call(name="p", process="q"))) == (
        '{\n  "weft": 1,\n  "name": "p",\n  "body": {\n    "type": "call",\n'
        '    "name": "p",\n    "process": "q"\n  }\n}\n'
    )


def test_the_hash_covers_names_and_not_the_version() -> None:
    process = Process(name="p", body=work())
    known = content_hash(process)
    assert len(known) == 64
    assert content_hash(replace(process, version="2")) == known
    assert content_hash(replace(process, name="q")) != known
    assert content_hash(replace(process, body=work(priority=1))) != known
    unchanged = "4adcacd766075eb7e0db9d4955370904f9f7c6ea2635bd67f96c94709b2f40c6"
    assert known == unchanged, "the form has changed: every stored definition would get another hash"


# Texts that are wrong.

HEAD = b'{"weft":1,"name":"p","body":'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "error json at the end: Input data was truncated"),
        (HEAD, "error json at the end: Input data was truncated"),
        (b'{"weft": 1,\n "name": "\xc3\xbc",, ', "error json at line 2, column 14: JSON is malformed: object keys"),
        (b"\xff", "error json at line 1, column 1: JSON is malformed: invalid character"),
        ("\ud800", "error json at line 1, column 1: JSON is malformed: invalid character"),
        ("[1]", "error json at the text: Expected `object`, got `array`"),
        (b'{"name":"p"}', "error json at the text: Object missing required field `body`"),
        (b'{"weft":2,"name":"p","body":{"type":"call","name":"p","process":"q"}}',
         "error json at $.weft: it has form 2; this Weft reads form 1"),
        (HEAD + b'{"type":"call","name":"p","proces":"q"}}',
         "error json at $.body: Object contains unknown field `proces`"),
        (HEAD + b'{"type":"job","name":"p"}}', "error json at $.body.type: Invalid value 'job'"),
        (HEAD + b'{"type":"flow","name":"p","children":[{"type":"call","name":1}]}}',
         "error json at $.body.children[0].name: Expected `str`, got `int`"),
        (b'"' + b"\\", "error json at the end: Input data was truncated"),
        (b'{"a":"\xff"}', "error json at the text: Object contains unknown field `a`"),
        (b'{"name":"\xff"}', "error json at line 1, column 10: it is not UTF-8"),
    ],
)  # fmt: skip
def test_a_wrong_text_says_where_it_is_wrong(text: bytes | str, message: str) -> None:
    with pytest.raises(Invalid) as raised:
        from_json(text)
    (fault,) = raised.value.faults
    assert str(fault).startswith(message)


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 5_000_000,
        b'{"a":' * 1_000_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":"]]]","b":' * 1_000_000,
        b'"\\"[' + b"]" * 10 + b'"' + b"[" * 1_000_000,
        b'"\\\\"' + b"[" * 1_000_000,
        HEAD + b'{"type":"flow","name":"f","children":[' * 310 + b"]}" * 310 + b"}",
    ],
    ids=range(7),
)
def test_deep_text_is_refused_before_it_is_read(text: bytes) -> None:
    with pytest.raises(Invalid) as raised:
        from_json(text)
    assert str(raised.value.faults[0]).startswith("error too-large at the text: it is nested more than 612 deep")


def test_a_limit_beyond_what_can_be_read_is_no_danger() -> None:
    with pytest.raises(Invalid, match="it is nested too deep"):
        from_json(HEAD + b'{"type":"flow","name":"f","children":[' * 50_000, Limits(nesting=1_000_000))


def test_brackets_in_texts_do_not_count() -> None:
    names = '[[[[{{{{\\"' * 1_000
    process = Process(name=names, body=Call(name=names, process="q"))
    assert from_json(to_json(process)) == process


def test_a_large_text_is_refused() -> None:
    with pytest.raises(Invalid, match="it has 101 bytes, and may have 100"):
        from_json(b" " * 101, Limits(json=100))


def test_the_deepest_definition_that_is_well_formed_can_be_read() -> None:
    guard: Guard = Quiet()
    for _ in range(100):
        guard = AtLeast(1, (guard,))
    value: object = 1
    for _ in range(99):
        value = [value]
    deepest = work("leaf", cancel=guard, input_sets=(InputSet(bindings={"x": (Constant(value),)}),))
    body = deepest
    for level in range(98):
        body = work(f"t{level}", on_error=(Rule("alternate", alternate=body),))
    process = Process(name="p", body=Flow(name="p", children=(body,), variables={"v": Declared("list", value)}))
    assert from_json(to_json(process)) == process


def test_a_definition_that_is_too_deep_to_write_is_refused() -> None:
    body: Flow = Flow(name="p", children=())
    for _ in range(5_000):
        body = Flow(name="p", children=(body,))
    for write in (to_json, pretty, content_hash):
        with pytest.raises(Invalid, match="it is nested too deep"):
            write(Process(name="p", body=body))


def test_a_hundred_thousand_steps_are_loaded_in_two_seconds() -> None:
    """The best of three, since the machine may be busy."""
    tasks = [work(f"t{i}", input_sets=(InputSet(bindings={"x": (Variable("x"),)}),)) for i in range(100_000)]
    text = to_json(Process(name="p", body=blocks.serial(*tasks, name="p")))
    seconds = []
    for _ in range(3):
        before = time.perf_counter()
        process = from_json(text)
        seconds.append(time.perf_counter() - before)
        assert isinstance(process.body, Flow)
        assert len(process.body.children) == 100_000
    assert min(seconds) <= 2
