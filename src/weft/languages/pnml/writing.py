"""Writes a net as PNML, and says what of it a place/transition net can't say."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from lxml import etree

from weft.model.definition import Net, Place, Process, Transition

NAMESPACE: Final = "http://www.pnml.org/version-2009/grammar/pnml"
TYPE: Final = "http://www.pnml.org/version-2009/grammar/ptnet"
TOOL: Final = "weft"
"""What this tool says of a transition that the standard can't."""


def write(process: Process) -> tuple[str, list[str]]:
    """The text, and what it leaves out. A process that is no net has no text: its loss is that."""
    if not isinstance(process.body, Net):
        return "", [f"{process.name} is no net but a {type(process.body).__name__.lower()}: nothing can be written"]
    return pnml({process.name: process.body}), list(_losses(process.body))


def pnml(nets: Mapping[str, Net]) -> str:
    """The places, transitions and arcs of nets, by their names; what tokens and arcs carry is not said."""
    root = etree.Element(f"{{{NAMESPACE}}}pnml", nsmap={None: NAMESPACE})  # type: ignore[dict-item]
    taken = set(nets)
    for name, net in nets.items():
        _net(_sub(root, "net", id=name, type=TYPE), name, net, _Ids(taken))
    text: bytes = etree.tostring(root, pretty_print=True, xml_declaration=True, encoding="UTF-8")
    return text.decode()


def _net(whole: etree._Element, name: str, net: Net, ids: "_Ids") -> None:
    _labelled(whole, net.description or name)
    page_of = _sub(whole, "page", id=ids.of("page", "page"))
    for place in net.places:
        _place(page_of, ids.of("place", place.name), place)
    for one in net.transitions:
        _transition(page_of, ids.of("transition", one.name), one)
    for one in net.transitions:
        _arcs(page_of, ids, one)
    _final(whole, ids, net.places)


class _Ids:
    """Ids that are unique in the text: a place and a transition may bear one name, and the net too."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self._ids: dict[tuple[str, str], str] = {}

    def of(self, kind: str, name: str) -> str:
        if (kind, name) not in self._ids:
            id = name
            while id in self._taken:
                id += "." + kind
            self._taken.add(id)
            self._ids[kind, name] = id
        return self._ids[kind, name]


def _sub(parent: etree._Element, tag: str, **attributes: str) -> etree._Element:
    return etree.SubElement(parent, f"{{{NAMESPACE}}}{tag}", attributes)


def _labelled(element: etree._Element, text: str) -> None:
    _sub(_sub(element, "name"), "text").text = text


def _place(page: etree._Element, id: str, place: Place) -> None:
    element = _sub(page, "place", id=id)
    _labelled(element, place.description or place.name)
    if place.tokens:
        _sub(_sub(element, "initialMarking"), "text").text = str(len(place.tokens))


def _transition(page: etree._Element, id: str, one: Transition) -> None:
    element = _sub(page, "transition", id=id)
    _labelled(element, one.description or one.name)
    if one.priority:
        own = _sub(element, "toolspecific", tool=TOOL, version="1")
        _sub(_sub(own, "priority"), "text").text = str(one.priority)


def _arcs(page: etree._Element, ids: _Ids, one: Transition) -> None:
    transition = ids.of("transition", one.name)
    ends = [(ids.of("place", arc.place), transition, arc.weight, arc.kind) for arc in one.inputs]
    ends += [(transition, ids.of("place", arc.place), arc.weight, "take") for arc in one.outputs]
    for number, (source, target, weight, kind) in enumerate(ends, 1):
        arc = _sub(page, "arc", id=f"{transition}.arc{number}", source=source, target=target)
        if weight > 1:
            _sub(_sub(arc, "inscription"), "text").text = str(weight)
        if kind != "take":
            _sub(arc, "type", value={"inhibit": "inhibitor"}.get(kind, kind))


def _final(whole: etree._Element, ids: _Ids, places: Sequence[Place]) -> None:
    """The final marking, as process-mining tools write it: a token in every output place."""
    outputs = [place for place in places if place.output]
    if outputs:
        marking = _sub(_sub(whole, "finalmarkings"), "marking")
        for place in outputs:
            _sub(_sub(marking, "place", idref=ids.of("place", place.name)), "text").text = "1"


def _losses(net: Net) -> Iterator[str]:
    for place in net.places:
        if any(token is not None for token in place.tokens):
            yield f"the values of the tokens of {place.name}"
        if place.type not in ("null", "any"):
            yield f"the type {place.type} of {place.name}"
    for one in net.transitions:
        yield from (f"{what} of {one.name}" for what in _said(one))
    if net.input_sets != Net(name="n", places=(), transitions=()).input_sets:
        yield f"the inputs of {net.name}"


def _said(one: Transition) -> Iterator[str]:
    """What a transition says that a plain one can't."""
    if one.guard:
        yield "the guard"
    if one.assigns:
        yield "the assignments"
    if one.operation is not None:
        yield "the operation"
    if any(arc.variable for arc in one.inputs) or any(arc.variable for arc in one.outputs):
        yield "the variables on the arcs"
    if any(arc.outcome or arc.error for arc in one.outputs):
        yield "the ends that the arcs wait for"
    if any(arc.each for arc in one.outputs):
        yield "the arcs that put each element"
    if any(arc.kind != "take" for arc in one.inputs):
        yield "for tools that know plain arcs only, the arcs that read, inhibit or reset"
    for said, what in (
        (one.priority, "for other tools, the priority"),
        (one.at_most, "the bound"),
        (one.cancels, "the cancellations"),
    ):
        if said:
            yield what
    if one.join == "or":
        yield "the or-join"
