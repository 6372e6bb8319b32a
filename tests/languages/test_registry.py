"""A file's language is known by its suffix, an `.xml` by its root, a `.json` by its keys; else it is asked for."""

import pytest

from weft.languages import registry
from weft.model.definition import Person, Process, Task
from weft.model.faults import Invalid
from weft.model.json_form import to_json

ASK = Process(name="ask", body=Task(name="ask", handler=Person()))


def test_a_suffix_tells_the_language() -> None:
    assert registry.language_of("a/b.JSON", b"{}").name == "json"
    assert registry.is_text("x.json")
    assert registry.is_text("x.xml")
    assert not registry.is_text("x.py")
    assert not registry.is_text("shop.orders")


def test_every_language_can_be_imported_and_has_suffixes_of_its_own() -> None:
    assert sum(len(one.suffixes) for one in registry.LANGUAGES.values()) == len(registry.suffixes())
    for one in registry.LANGUAGES.values():
        with pytest.raises(Invalid):
            one.read(b"\xff\x00 no text of any language {", "x")


def test_the_json_form_is_a_language() -> None:
    reading = registry.named("json").read(to_json(ASK), "ask.json")
    assert reading.processes == (ASK,)
    assert reading.main == "ask"
    assert reading.faults(ASK) == []


@pytest.mark.parametrize(
    ("place", "content", "message"),
    [
        ("x.txt", b"", "its suffix tells no language"),
        ("x.xml", b"<?xml version='1.0'?><!-- <pnml/> --><nothing/>", "its root element <nothing> tells no language"),
        ("x.xml", b"", "it has no root element"),
    ],
)
def test_what_tells_no_language_is_refused(place: str, content: bytes, message: str) -> None:
    with pytest.raises(Invalid, match=message):
        registry.language_of(place, content)


def test_an_unknown_language_is_refused_with_a_near_one() -> None:
    with pytest.raises(Invalid, match="did you mean 'json'"):
        registry.named("jsn")
