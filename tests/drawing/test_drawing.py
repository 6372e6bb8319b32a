"""Drawings: everything is in them, all text fits, they are safe XML, and a small change moves little."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.languages.samples import HERE
from weft.cli.main import main
from weft.cli.targets import target_of
from weft.drawing.layers import layered
from weft.drawing.svg import draw
from weft.drawing.text import lines, width
from weft.languages.text.reading import activities
from weft.model import blocks
from weft.model.definition import (
    ArcIn,
    ArcOut,
    Call,
    Each,
    Flow,
    InputSet,
    Net,
    On,
    Person,
    Place,
    Process,
    Task,
    Transition,
    is_unnamed,
)

EXAMPLES = HERE.parents[1] / "examples"
SAMPLES = [
    *(str(EXAMPLES / name) for name in ("check_up.py", "travel.py", "net_pipeline.py", "saga.py", "map_files.py")),
    *(str(path) for path in sorted(HERE.glob("*/accept/*")) if path.suffix in (".gwdl", ".jdl", ".pnml", ".mfdl")),
]
SVG = "{http://www.w3.org/2000/svg}"


def work(name: str, after: str = "") -> Task:
    guard = On(after, "committed") if after else None
    return Task(name=name, handler=Person(role="clerk"), input_sets=(InputSet(guard=guard),))


def texts(svg: str) -> list[tuple[str, float, float]]:
    """Every text with where it begins and ends, across."""
    found = []
    root = etree.fromstring(svg.encode())
    for one in root.iter(SVG + "text"):
        shift = 0.0
        for around in one.iterancestors(SVG + "g"):
            moved = re.match(r"translate\(([-\d.e]+) ", around.get("transform", ""))
            shift += float(moved[1]) if moved else 0.0
        said = one.text or ""
        size = 11 if "small" in one.get("class", "") else 15 if "title" in one.get("class", "") else 13
        wide = width(said, size)
        before = {"start": 0.0, "middle": wide / 2, "end": wide}[one.get("text-anchor", "start")]
        x = shift + float(one.get("x", "0")) - before
        found.append((said, x, x + wide))
    return found


def titles(svg: str) -> set[str]:
    """The names of the things that are drawn."""
    return {re.split("[:\n]", one.text or "")[0] for one in etree.fromstring(svg.encode()).iter(SVG + "title")}


def test_every_sample_is_drawn_with_all_its_activities_and_text_that_fits() -> None:
    for sample in SAMPLES:
        try:
            process = target_of(sample).process
        except Exception:
            continue  # one that needs a name or a module beside it
        svg = draw(process)
        drawn = titles(svg)
        named = {one.name for one in activities(process) if not is_unnamed(one.name)}
        simple = {one.operation.name for net in activities(process) if isinstance(net, Net)
                  for one in net.transitions if isinstance(one.operation, Task | Call)}  # fmt: skip
        assert named - simple <= drawn, sample
        wide = float(etree.fromstring(svg.encode()).get("width", "0"))
        assert all(left >= -0.5 and right <= wide + 0.5 for _, left, right in texts(svg)), sample


def test_the_samples_are_enough() -> None:
    assert len(SAMPLES) > 10


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=5), st.text(max_size=400))
def test_any_names_and_words_fit_and_are_safe_xml(names: list[str], words: str) -> None:
    tasks = [Task(name=f"{name}{at}", handler=Person(role=words), description=words) for at, name in enumerate(names)]
    net = Net(name="n", places=(Place(words, tokens=(1,) * 7, description=words),), transitions=(
        Transition(name="t", guard=words, inputs=(ArcIn(words, words),), outputs=(ArcOut(words, words, error=words),)),
    ))  # fmt: skip
    body = Flow(name="p", children=(*tasks, net), description=words)
    svg = draw(Process(name="p", body=body), {words: words, f"{names[0]}0": "started"}, [words, "t"])
    wide = float(etree.fromstring(svg.encode()).get("width", "0"))
    assert all(right <= wide + 0.5 for _, _, right in texts(svg))


def test_text_is_broken_between_words_and_cut_at_the_end() -> None:
    assert lines("register_new_patient", 90, 3) == ["register_", "new_patient"]
    assert lines("oneVeryLongCamelCaseName", 80, 2)[1].endswith("…")
    assert all(width(one) <= 60 for one in lines("x" * 500, 60, 3))


def test_blocks_are_nested_and_their_kinds_are_told() -> None:
    body = blocks.serial(
        work("first"),
        blocks.choice([("n > 1", work("many"))], work("few")),
        blocks.race(work("left"), work("right")),
        blocks.loop("again", work("turn")),
        Each(name="all_items", item="item", at_most=3, body=work("item_work")),
        name="p",
    )
    said = [text for text, _, _ in texts(draw(Process(name="p", body=body)))]
    for wanted in (
        "n > 1",
        "otherwise",
        "xor: one commits",
        "while again",
        "for each item, 3 at a time",
        "person: clerk",
    ):
        assert wanted in said


def test_what_waits_stands_below_what_it_waits_for() -> None:
    sizes = dict.fromkeys("dacb", (40.0, 20.0, 20.0, 30.0))
    placed = layered(sizes, [("a", "b"), ("b", "c"), ("a", "c"), ("c", "a"), ("d", "d")])
    tops = {name: y for name, (_, y) in placed.places.items()}
    assert tops["a"] < tops["b"] < tops["c"]
    assert placed.ways[3][0][1] > placed.ways[3][-1][1]


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30))
def test_no_two_nodes_of_a_graph_lie_on_one_another(count: int, pairs: list[tuple[int, int]]) -> None:
    names = [f"n{at}" for at in range(count)]
    sizes = {name: (30.0 + 7 * at, 20.0, 15.0, 20.0) for at, name in enumerate(names)}
    edges = [(names[a % count], names[b % count]) for a, b in pairs]
    placed = layered(sizes, edges)
    boxes = [(x, y, x + sizes[name][0], y + 20) for name, (x, y) in placed.places.items()]
    for at, (x1, y1, x2, y2) in enumerate(boxes):
        assert x1 >= -0.01
        assert x2 <= placed.width + 0.01
        for a1, b1, a2, b2 in boxes[at + 1 :]:
            assert x2 <= a1 or a2 <= x1 or y2 <= b1 or b2 <= y1


def test_a_small_change_moves_nothing_before_it() -> None:
    children = (work("a"), work("b", "a"), work("c", "a"), work("d", "b"))
    before = draw(Process(name="p", body=Flow(name="p", children=children)))
    after = draw(Process(name="p", body=Flow(name="p", children=(*children, work("e", "d")))))
    assert draw(Process(name="p", body=Flow(name="p", children=children))) == before
    for name in "abcd":
        group = re.compile(rf'<g transform="[^"]*"><g class="thing" data-path="{name}">.*?</g></g>')
        assert group.findall(before) == group.findall(after) != []


def test_statuses_and_a_trace_are_painted_by_path() -> None:
    net = Net(name="net", places=(Place("p"),), transitions=(Transition(name="T", operation=work("do")),))
    body = blocks.serial(work("a"), work("b"), net, name="p")
    statuses = {"a": "committed", "b": "started", "net/T[3]": "failed", "net/T[4]": "committed"}
    svg = draw(Process(name="p", body=body), statuses, ["a", "net/T", "a"])
    kinds = {one.get("data-path"): one.get("class") for one in etree.fromstring(svg.encode()).iter(SVG + "g")}
    assert [kinds[path] for path in ("a", "b", "net/T")] == ["thing done", "thing runs", "thing wrong"]
    said = [text for text, _, _ in texts(svg)]
    assert "1 3" in said
    assert "2" in said
    assert "prefers-color-scheme: dark" in svg


def test_the_command_writes_a_file_and_refuses_what_is_no_json(tmp_path: Path) -> None:
    run = CliRunner().invoke
    target, out = str(EXAMPLES / "saga.py"), tmp_path / "x.svg"
    statuses, wrong = tmp_path / "status.json", tmp_path / "wrong.json"
    statuses.write_text(json.dumps({"book_hotel": "failed"}))
    wrong.write_text("[1")
    done = run(main, ["draw", f"{target}:trip", "-o", str(out), "--status", str(statuses)])
    assert (done.exit_code, done.output) == (0, "")
    assert 'class="thing wrong"' in out.read_text("utf-8")
    printed = json.loads(run(main, ["draw", f"{target}:trip", "--json"]).output)
    assert printed["process"] == "trip"
    assert printed["svg"].startswith("<svg ")
    for options in (["--status", str(wrong)], ["--trace", str(statuses)], ["-o", str(tmp_path / "no" / "x.svg")]):
        assert run(main, ["draw", f"{target}:trip", *options]).exit_code == 2


@pytest.mark.parametrize("count", [0, 3_000])
def test_large_and_empty_processes_are_drawn_soon(count: int) -> None:
    body = Flow(name="p", children=tuple(work(f"t{at}", f"t{at // 2}" if at else "") for at in range(count)))
    assert draw(Process(name="p", body=body)).count("data-path") == count + 1
