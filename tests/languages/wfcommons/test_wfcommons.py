"""WfCommons: instances of every version become processes of commands, joined by parents, children and files."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.languages.samples import expected, faults_of, model_of, texts
from weft.languages import registry
from weft.languages.wfcommons.reading import read
from weft.model.definition import Command, Flow, Output, Task
from weft.model.faults import Invalid
from weft.testing import Trial


@pytest.mark.parametrize("path", texts("wfcommons", "accept"), ids=lambda path: path.name)
def test_a_text_is_read_as_the_model_beside_it(path: Path) -> None:
    assert model_of("wfcommons", path) == expected(path).read_text("utf-8")


@pytest.mark.parametrize("path", texts("wfcommons", "reject"), ids=lambda path: path.name)
def test_a_text_is_refused_with_the_faults_beside_it(path: Path) -> None:
    assert faults_of("wfcommons", path) == expected(path).read_text("utf-8")


def test_a_json_file_is_known_by_its_keys() -> None:
    content = json.dumps({"schemaVersion": "1.5", "workflow": {}}).encode()
    assert registry.language_of("a.json", content).name == "wfcommons"
    assert registry.language_of("a.json", b'{"weft": 1}').name == "json"


def instance(*tasks: dict[str, object]) -> bytes:
    return json.dumps({"schemaVersion": "1.5", "workflow": {"specification": {"tasks": tasks}}}).encode()


def test_a_file_that_is_changed_later_is_not_waited_for() -> None:
    (process,) = read(
        instance(
            {"id": "use", "inputFiles": ["x"]},
            {"id": "change", "parents": ["use"], "inputFiles": ["x"], "outputFiles": ["x"]},
            {"id": "last", "parents": ["change"], "inputFiles": ["x"]},
        ),
        "files.json",
    ).processes
    assert isinstance(process.body, Flow)
    sources = {one.name: one.input_sets[0].bindings.get("x") for one in process.body.children}
    outside = (Output("read-x", "done", "file"),)
    assert sources == {"read-x": None, "use": outside, "change": outside, "last": (Output("change", "done", "x"),)}


def test_children_alone_say_the_order_too() -> None:
    (process,) = read(instance({"id": "a", "children": ["b"]}, {"id": "b", "children": []}), "x").processes
    trial = Trial(process)
    assert trial.ready == ["a"]
    trial.finish("a")
    assert trial.ready == ["b"]


def test_ten_thousand_lines_are_read_in_two_seconds() -> None:
    tasks = [
        {
            "id": f"t{i}",
            "parents": [f"t{i - 1}"] * bool(i),
            "inputFiles": [f"f{i}", "shared"],
            "outputFiles": [f"f{i + 1}"],
        }
        for i in range(1_000)
    ]
    content = json.dumps(json.loads(instance(*tasks)), indent=1).encode()
    assert content.count(b"\n") > 10_000
    before = time.process_time()
    (process,) = read(content, "x").processes
    assert time.process_time() - before < 2
    assert isinstance(process.body, Flow)
    assert sum(isinstance(one, Task) and isinstance(one.handler, Command) for one in process.body.children) == 1_000


KEYS = st.sampled_from(
    ["id", "name", "parents", "children", "files", "link", "tasks", "workflow", "specification", "execution", "command"]
)
VALUES = st.recursive(
    st.none() | st.integers() | st.sampled_from(["a", "b", "input", "output", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=200, deadline=None)
@given(VALUES, st.lists(st.dictionaries(KEYS, VALUES, max_size=4), max_size=4))
def test_any_json_is_read_or_refused(value: object, tasks: list[dict[str, object]]) -> None:
    for whole in (value, {"workflow": value}, {"workflow": {"specification": {"tasks": tasks}, "execution": value}}):
        try:
            reading = read(json.dumps(whole).encode(), "x")
        except Invalid:
            continue
        reading.faults(reading.processes[0])


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "9" * 10_000, '{"a": NaN', "\x00", ""])
def test_hostile_json_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        read(text.encode(), "x")
