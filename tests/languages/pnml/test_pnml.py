"""PNML: texts of the standard and of tools become nets, what can't is named, and what is written is read again."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.languages.samples import expected, faults_of, model_of, texts
from weft.languages import registry
from weft.languages.pnml.reading import read
from weft.languages.pnml.writing import pnml, write
from weft.languages.text.source import TextLimits
from weft.model.definition import ABORTED, DONE, ArcIn, ArcOut, Assign, Net, Person, Place, Process, Task, Transition
from weft.model.faults import Invalid

SMALL = b'<pnml><net id="n"><place id="p"/><transition id="t"/><arc id="a" source="p" target="t"/></net></pnml>'


@pytest.mark.parametrize("path", texts("pnml", "accept"), ids=lambda path: path.name)
def test_a_text_is_read_as_the_model_beside_it(path: Path) -> None:
    assert model_of("pnml", path) == expected(path).read_text("utf-8")


@pytest.mark.parametrize("path", texts("pnml", "reject"), ids=lambda path: path.name)
def test_a_text_is_refused_with_the_faults_beside_it(path: Path) -> None:
    assert faults_of("pnml", path) == expected(path).read_text("utf-8")


@pytest.mark.parametrize("path", texts("pnml", "accept"), ids=lambda path: path.name)
def test_what_is_written_is_read_again_as_the_same_net(path: Path) -> None:
    for process in read(path.read_bytes(), path.name).processes:
        text, _ = write(process)
        assert read(text.encode(), "again.pnml").processes == (process,)


def test_an_xml_file_is_known_by_its_root_element() -> None:
    assert registry.language_of("net.xml", b"<?xml version='1.0'?>\n<!-- a net -->" + SMALL).name == "pnml"


def test_what_a_plain_net_can_t_say_is_listed() -> None:
    work = Task(name="work", handler=Assign({}), outcomes=(DONE, ABORTED))
    net = Net(
        name="n",
        places=(Place("p", "int", (1, 2)), Place("t", "any", output=True)),
        transitions=(
            Transition(
                name="t", inputs=(ArcIn("p", "x"), ArcIn("t", kind="inhibit")), outputs=(ArcOut("t", "x"),),
                guard="x > 1", operation=work, priority=3,
            ),
        ),
    )  # fmt: skip
    text, losses = write(Process(name="n", body=net))
    assert losses == [
        "the values of the tokens of p",
        "the type int of p",
        "the guard of t",
        "the operation of t",
        "the variables on the arcs of t",
        "for tools that know plain arcs only, the arcs that read, inhibit or reset of t",
        "for other tools, the priority of t",
    ]
    (again,) = read(text.encode(), "n").processes
    assert isinstance(again.body, Net)
    assert [len(place.tokens) for place in again.body.places] == [2, 0]
    assert write(Process(name="ask", body=Task(name="ask", handler=Person()))) == (
        "",
        ["ask is no net but a task: nothing can be written"],
    )


def test_a_text_that_is_too_large_is_refused_unread() -> None:
    with pytest.raises(Invalid, match="100 are read"):
        read(SMALL.ljust(101), "x", TextLimits(characters=100))


def test_deep_nesting_and_many_faults_end_soon() -> None:
    for content in (b"<pnml>" + b"<page>" * 100_000, b"<pnml>" * 100_000, b'<a "' * 100_000, b"<a>&x;</b>" * 100_000):
        with pytest.raises(Invalid) as caught:
            read(content, "x")
        assert len(caught.value.faults) <= 50


def test_nothing_outside_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    outside = f'<!DOCTYPE pnml SYSTEM "file://{tmp_path}/secret">'.encode()
    reading = read(outside + SMALL, "x")
    assert [str(fault).partition("\n")[0] for fault in reading.notes] == [
        "x:1:1: warning left-out: the document type is not looked up; nothing outside is read"
    ]


def test_an_entity_that_only_an_outside_text_could_declare_is_refused() -> None:
    with pytest.raises(Invalid, match="&secret;"):
        read(b'<!DOCTYPE pnml SYSTEM "http://127.0.0.1:1/x.dtd"><pnml>&secret;</pnml>', "x")


def test_a_mistake_of_one_text_is_not_told_of_the_next() -> None:
    with pytest.raises(Invalid, match="who"):
        read(b"<pnml>&who;</pnml>", "one")
    with pytest.raises(Invalid) as caught:
        read(b"<pnml>", "two")
    assert "who" not in str(caught.value)


# Whatever a text is, it is read or refused.

WORDS = st.sampled_from(
    [
        b"<pnml>", b"</pnml>", b'<net id="n">', b"</net>", b"<page>", b"</page>", b'<place id="p">', b'<place id="q"/>',
        b"</place>", b'<transition id="t"/>', b'<arc source="p" target="t">', b"</arc>", b"<inscription>", b"<text>",
        b"</text>", b"</inscription>", b"<initialMarking>", b"</initialMarking>", b"9", b"99999999999999999999", b"1.5",
        b'<referencePlace id="r" ref="r"/>', b"<!-- ", b" -->", b"<![CDATA[", b"]]>", b"&amp;", b"&x;", b"\xff", b'"',
        b"<!DOCTYPE pnml [", b"<?xml version='1.0' encoding='latin1'?>", "é".encode(), b"<", b">", b" x='1'", b"\n",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60) | st.lists(WORDS, max_size=25).map(b"".join))
def test_any_text_is_read_or_refused(content: bytes) -> None:
    for text in (content, b'<pnml><net id="n">' + content + b"</net></pnml>"):
        try:
            reading = read(text, "x")
        except Invalid:
            continue
        for process in reading.processes:
            reading.faults(process)
            assert isinstance(process.body, Net)
            assert read(pnml({process.name: process.body}).encode(), "y").processes[0].name == process.name
