"""GWorkflowDL: nets with data, conditions, sub-nets and operations that are bound late; and back to text."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

import weft
from tests.languages.samples import expected, faults_of, model_of, texts
from weft import Process, Task, pure, task
from weft.languages import registry
from weft.languages.gworkflowdl.data import element_of, value_of
from weft.languages.gworkflowdl.reading import read
from weft.languages.gworkflowdl.writing import write
from weft.languages.text.faults import TextReport
from weft.languages.text.source import Source
from weft.languages.xml.document import document
from weft.model import definition
from weft.model.definition import ArcIn, ArcOut, Net, Person, Place, Transition
from weft.model.expression_functions import CALLS
from weft.model.expression_syntax import FUNCTIONS
from weft.model.faults import Invalid

XMLNS = 'xmlns="http://www.gridworkflow.org/gworkflowdl"'


def read_text(text: str, name: str = "test.gwdl") -> Process:
    reading = read(f"<workflow {XMLNS} ID='w'>{text}</workflow>".encode(), name)
    (process,) = reading.processes
    assert not [fault for fault in reading.faults(process) if fault.severity == "error"]
    return process


@pytest.mark.parametrize("path", texts("gworkflowdl", "accept"), ids=lambda path: path.name)
def test_a_text_is_read_as_the_model_beside_it(path: Path) -> None:
    assert model_of("gworkflowdl", path) == expected(path).read_text("utf-8")


@pytest.mark.parametrize("path", texts("gworkflowdl", "reject"), ids=lambda path: path.name)
def test_a_text_is_refused_with_the_faults_beside_it(path: Path) -> None:
    assert faults_of("gworkflowdl", path) == expected(path).read_text("utf-8")


@pytest.mark.parametrize("path", texts("gworkflowdl", "accept"), ids=lambda path: path.name)
def test_what_is_written_without_loss_is_read_again_as_the_same_net(path: Path) -> None:
    (process,) = read(path.read_bytes(), path.name).processes
    text, losses = write(process)
    (again,) = read(text.encode(), path.name).processes
    if losses:
        assert set(losses) <= {
            "the extension fault-tolerance, which uses prefixes of its own",
            "the operation of reckon, which uses prefixes of its own",
        }
    else:
        assert again == process


# What it does when it runs.

CHOICE = """
  <place ID="begin"><token><data><x>5</x></data></token></place><place ID="end_A"/><place ID="end_B"/>
  <transition ID="A"><inputPlace placeID="begin" edgeExpression="v"/><outputPlace placeID="end_A"/>
    <condition>$v/x = 4</condition></transition>
  <transition ID="B"><inputPlace placeID="begin" edgeExpression="v"/><outputPlace placeID="end_B"/>
    <condition>$v/x != 4</condition></transition>
"""


def test_of_two_ways_one_is_taken_and_the_other_end_stays_empty() -> None:
    result = weft.run(read_text(CHOICE))
    assert result.outcome == "done"
    assert result.values == {"end_A": [], "end_B": [True]}


def test_a_token_is_joined_and_split_by_xpath() -> None:
    result = weft.run(
        read_text("""
          <place ID="a"><token><data><value><x>15</x><y>23</y></value></data></token></place>
          <place ID="b"><token><data><value><x>16</x><y>24</y></value></data></token></place>
          <place ID="xs"/><place ID="values"/>
          <transition ID="split">
            <inputPlace placeID="a" edgeExpression="first"/><inputPlace placeID="b" edgeExpression="second"/>
            <outputPlace placeID="xs" edgeExpression="$first/value/x | $second/value/x"/>
            <outputPlace placeID="values" edgeExpression="$first/value | $second/value"/>
          </transition>""")
    )
    assert result.values["xs"] == [{"x": [15, 16]}]
    assert result.values["values"] == [{"value": [{"x": 15, "y": 23}, {"x": 16, "y": 24}]}]


def test_a_loop_counts_and_a_write_edge_replaces_what_lies_there() -> None:
    result = weft.run(
        read_text("""
          <place ID="i"><token><data><number>0</number></data></token></place>
          <place ID="last"><token><data><number>-1</number></data></token></place>
          <place ID="end"/>
          <transition ID="again"><inputPlace placeID="i" edgeExpression="i"/>
            <outputPlace placeID="i" edgeExpression="$i/number + 1"/>
            <writePlace placeID="last" edgeExpression="i"/><condition>$i/number &lt; 10</condition></transition>
          <transition ID="stop"><inputPlace placeID="i" edgeExpression="i"/>
            <readPlace placeID="last" edgeExpression="l"/>
            <outputPlace placeID="end" edgeExpression="l"/><condition>$i/number = 10</condition></transition>""")
    )
    assert result.values == {"end": [{"number": 9}]}


def test_a_capacity_holds_back_what_would_overflow_it() -> None:
    result = weft.run(
        read_text("""
          <place ID="many"><token/><token/><token/></place><place ID="few" capacity="2"/>
          <transition ID="move"><inputPlace placeID="many"/><outputPlace placeID="few"/></transition>""")
    )
    assert result.values == {"few": [True, True]}


def test_conditions_of_earlier_versions_name_the_token_and_its_data() -> None:
    result = weft.run(
        read_text("""
          <place ID="begin"><token><data><v>15 8 0</v></data></token><token><data><v/></data></token></place>
          <place ID="end"/>
          <transition ID="sort"><inputPlace placeID="begin" edgeExpression="input"/><outputPlace placeID="end"/>
            <condition>string-length($input/gwdl:token/gwdl:data/*) &gt; 0</condition></transition>""")
    )
    assert result.values == {"end": [True]}


SUB = """
  <place ID="a"><token><data><n>3</n></data></token></place><place ID="b"/>
  <transition ID="T"><inputPlace placeID="a" edgeExpression="x"/><outputPlace placeID="b" edgeExpression="y"/>
    <operation>{}</operation></transition>
"""


def test_a_sub_net_gets_the_tokens_of_the_edges_and_gives_those_of_its_places() -> None:
    process = read_text(
        SUB.format("""<workflow><place ID="x"/><place ID="y"/>
      <transition ID="t"><inputPlace placeID="x" edgeExpression="v"/>
        <outputPlace placeID="y" edgeExpression='v["n"] + 1'/></transition></workflow>""")
    )
    assert weft.run(process).values == {"b": [4]}
    stuck = read_text(SUB.format('<workflow><place ID="x"/><place ID="y"/></workflow>'))
    assert weft.run(stuck).error == "engine.unfilled"


ABSTRACT = '<o:operationClass xmlns:o="urn:o" name="triple"/>'


def test_an_abstract_operation_is_resolved_when_it_fires() -> None:
    process = read_text(SUB.format(ABSTRACT))
    assert weft.run(process).error == "engine.no_process"
    refined = read(
        f"""<workflow {XMLNS}><place ID="x"/><place ID="y"/>
          <transition ID="t"><inputPlace placeID="x" edgeExpression="v"/>
            <outputPlace placeID="y" edgeExpression='v["n"] * 3'/></transition></workflow>""".encode(),
        "lib/triple.gwdl",
    ).processes[0]
    assert weft.run(process, refined).values == {"b": [9]}


@task
def triple(x: dict[str, int]) -> int:
    return 3 * x["n"]


def test_a_task_refines_an_abstract_operation_too() -> None:
    assert weft.run(read_text(SUB.format(ABSTRACT)), triple).values == {"b": [9]}


def test_a_chosen_candidate_is_the_task_of_that_name() -> None:
    chosen = '<o><c type="ws" operationName="triple" selected="true"/></o>'
    assert weft.run(read_text(SUB.format(chosen)), triple).values == {"b": [9]}


@pytest.fixture
def forgets() -> Iterator[None]:
    before = set(FUNCTIONS)
    yield
    for name in FUNCTIONS - before:
        FUNCTIONS.discard(name)
        del CALLS[name]


@pytest.mark.usefixtures("forgets")
def test_an_operation_in_python_may_call_what_the_operator_registered() -> None:
    @pure
    def quadrupled(number: int) -> int:
        return 4 * number

    assert weft.run(read_text(SUB.format('<python>y = quadrupled(x["n"])</python>'))).values == {"b": [12]}


def test_places_without_tokens_that_nothing_fills_are_the_inputs() -> None:
    process = read_text("""<place ID="in"/><place ID="out"/>
      <transition ID="t"><inputPlace placeID="in" edgeExpression="v"/>
        <outputPlace placeID="out" edgeExpression="concat($v/a, '!')"/></transition>""")
    assert weft.run(process, **{"in": {"a": "hi"}}).values == {"out": {"string": "hi!"}}


def test_an_xml_file_is_known_by_its_root_element_with_any_prefix() -> None:
    text = f"<?xml version='1.0'?><g:workflow xmlns:g='urn:x' {XMLNS}/>".encode("utf-16")
    assert registry.language_of("a.xml", b"<g:workflow/>").name == "gworkflowdl"
    assert read(text.replace(b"?>", b"?>"), "dir/no.name.gwdl").processes[0].name == "no_name"


# Data.

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("ab 1.-x é<&", min_size=1, max_size=5).filter(lambda text: text == text.strip())
)
NAMES = st.sampled_from(["a", "b", "value", "ä-1"])
DATA = st.dictionaries(
    NAMES,
    st.recursive(
        LEAVES,
        lambda inner: st.dictionaries(NAMES, inner | st.lists(inner, min_size=2, max_size=3), min_size=1, max_size=3),
        max_leaves=6,
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=200, deadline=None)
@given(DATA)
def test_data_that_is_written_without_loss_is_read_again_the_same(value: dict[str, object]) -> None:
    root = etree.Element("root")
    assert element_of("data", value, root) == []
    source = Source("x", etree.tostring(root, encoding="unicode"))
    assert value_of(document(source, TextReport(source)).children[0]) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("<x>5</x>", {"x": 5}),
        ("<x>05</x>", {"x": "05"}),
        ("<x>1.5</x>", {"x": 1.5}),
        ("<x>1.50</x>", {"x": "1.50"}),
        ("<x>true</x>", {"x": True}),
        ("<x>nan</x>", {"x": "nan"}),
        ("<x/>", {"x": None}),
        ("<x u='m'>5</x>", {"x": {"@u": "m", "#text": "5"}}),
        ("5", 5),
        ("<a>1</a><a>2</a><b>3</b>", {"a": [1, 2], "b": 3}),
        ("<x>" + "9" * 5000 + "</x>", {"x": "9" * 5000}),
    ],
)
def test_what_text_means(text: str, value: object) -> None:
    source = Source("x", f"<data>{text}</data>")
    assert value_of(document(source, TextReport(source))) == value


def test_what_the_language_can_t_say_is_listed() -> None:
    work = definition.Task(name="ask", handler=Person())
    net = Net(
        name="n",
        places=(Place("p", "int", ([1],)), Place("q", output=True)),
        transitions=(
            Transition(
                name="t", inputs=(ArcIn("p", "x", weight=2), ArcIn("q", kind="inhibit", weight=3)),
                outputs=(ArcOut("q", "x", each=True),), operation=work, priority=1, join="or", at_most=2,
                cancels=("t",),
            ),
        ),
        holds=("h",),
    )  # fmt: skip
    _, losses = write(Process(name="n", body=net))
    for wanted in (
        "a token of p is a list", "takes 2 tokens", "fewer than 3", "puts each", "ask is done", "the priority",
        "the or-join", "the bound", "the cancellations", "what else is said of n",
    ):  # fmt: skip
        assert any(wanted in loss for loss in losses), wanted
    assert write(Process(name="a", body=work))[1] == ["a is no net but a task: nothing can be written"]


# Whatever a text is, it is read or refused.

WORDS = st.sampled_from(
    [
        '<place ID="p">', "<place ID='q'/>", "</place>", "<token>", "</token>", "<data>", "</data>", "<control>",
        '<transition ID="t">', "</transition>", '<inputPlace placeID="p" edgeExpression="x"/>', "<condition>",
        "</condition>", "$x/a > 1", 'x["a"]', '<outputPlace placeID="q" edgeExpression="$x"/>', "<operation>",
        "</operation>",
        "<workflow>", "</workflow>", "<python>", "</python>", "y = x", '<o name="n"/>', "&amp;", "]]>", "<", "5", "é",
        '<writePlace placeID="p" edgeExpression="y"/>', '<property name="k">', "</property>", "<a:b/>", "\x00",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=25).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        reading = read(f"<workflow>{text}</workflow>".encode(), "x")
    except Invalid:
        return
    (process,) = reading.processes
    reading.faults(process)
    written, _ = write(process)
    read(written.encode(), "y")


def test_workflows_inside_one_another_are_bounded() -> None:
    text = "<workflow><transition ID='t'><operation>" * 80
    with pytest.raises(Invalid):
        read(text.encode(), "x")
    closed = text + "</operation></transition></workflow>" * 80
    (process,) = read(closed.encode(), "x").processes
    assert isinstance(process.body, Net)


assert isinstance(triple, Task)
