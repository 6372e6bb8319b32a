"""Writes a net as GWorkflowDL, and says what of it the language can't say."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from lxml import etree

from weft.languages.gworkflowdl.data import XSD, XSI, element_of
from weft.languages.gworkflowdl.edges import CONTROL
from weft.languages.gworkflowdl.expressions import PLAIN
from weft.languages.gworkflowdl.parsing import EXTENSION, OPERATION, OWN_TYPE
from weft.model.definition import (
    ABORTED,
    DONE,
    Activity,
    ArcIn,
    ArcOut,
    Call,
    Named,
    Net,
    Place,
    Process,
    Task,
    Transition,
)
from weft.model.json_form import to_json

GWDL: Final = "http://www.gridworkflow.org/gworkflowdl"
OPERATIONS: Final = "http://www.gridworkflow.org/gworkflowdl/operationclass"
_XPATH: Final = re.compile(r'xpath(?:_data)?\("((?:[^"\\]|\\.)*)", \{[^{}]*\}\)')
_NAMED: Final = re.compile(r'"([^"\\{}]+)": (\w+)(?=[,}])')
_EDGES: Final = {"take": "inputPlace", "read": "readPlace", "inhibit": "inhibitorPlace", "reset": "resetPlace"}
_OWN: Final = ("ID", "capacity", "tokenClass", OPERATION)


def write(process: Process) -> tuple[str, list[str]]:
    """The text, and what it leaves out. A process that is no net has no text: its loss is that."""
    if not isinstance(process.body, Net):
        return "", [f"{process.name} is no net but a {type(process.body).__name__.lower()}: nothing can be written"]
    writing = _Writing()
    root = etree.Element(f"{{{GWDL}}}workflow", nsmap={None: GWDL, "xsi": XSI, "xsd": XSD, "oc": OPERATIONS})  # type: ignore[dict-item]
    writing.net(root, process.body)
    text: bytes = etree.tostring(root, pretty_print=True, xml_declaration=True, encoding="UTF-8")
    return text.decode(), writing.losses


def _sub(parent: etree._Element, tag: str, **attributes: str) -> etree._Element:
    return etree.SubElement(parent, f"{{{GWDL}}}{tag}", attributes)


class _Writing:
    def __init__(self) -> None:
        self.losses: list[str] = []

    def net(self, root: etree._Element, net: Net) -> None:
        root.set("ID", net.name)
        self.said(root, net.description, net.properties)
        places = {place.name: place for place in net.places}
        for place in net.places:
            self.place(root, place)
        for one in net.transitions:
            self.transition(root, one, places)
        own = [outcome.name for outcome in net.outcomes if outcome.name not in (DONE.name, ABORTED.name)]
        self.losses += [f"the outcome {name} of {net.name}" for name in own]
        self.losses += [f"what else is said of {net.name}" for _ in _more(net)]

    def said(self, element: etree._Element, description: str, properties: Mapping[str, str]) -> None:
        if description:
            _sub(element, "description").text = description
        for key, text in properties.items():
            if key in _OWN:
                continue
            if key.startswith(EXTENSION):
                self.verbatim(element, text, f"the extension {key.removeprefix(EXTENSION)}")
            else:
                _sub(element, "property", name=key).text = text or None

    def verbatim(self, parent: etree._Element, text: str, what: str) -> bool:
        """Elements as they were written; their prefixes are those that texts of this language use."""
        around = f'<x xmlns="{GWDL}" xmlns:oc="{OPERATIONS}" xmlns:gwdl="{GWDL}" xmlns:xsi="{XSI}" xmlns:xsd="{XSD}">'
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        try:
            parent.extend(list(etree.fromstring(f"{around}{text}</x>", parser)))
        except etree.XMLSyntaxError:
            self.losses.append(f"{what}, which uses prefixes of its own")
            return False
        return True

    def place(self, root: etree._Element, place: Place) -> None:
        element = _sub(root, "place", ID=_id(place))
        if "capacity" in place.properties:
            element.set("capacity", place.properties["capacity"])
        self.said(element, place.description, place.properties)
        own = OWN_TYPE + place.type if place.type not in ("any", "null") else ""
        kind = place.properties.get("tokenClass") or own
        if kind:
            _sub(element, "tokenClass", type=kind)
        for value in place.tokens:
            token = _sub(element, "token")
            if isinstance(value, bool):
                _sub(token, "control").text = str(value).lower()
            elif isinstance(value, list):
                self.losses.append(f"that a token of {place.name} is a list")
                self.losses += element_of("data", {"item": value}, token, GWDL)
            elif value is not None:
                self.losses += element_of("data", value, token, GWDL)

    def transition(self, root: etree._Element, one: Transition, places: Mapping[str, Place]) -> None:
        element = _sub(root, "transition", ID=one.name)
        self.said(element, one.description, one.properties)
        names = _names(one)
        for arc in one.inputs:
            if not _is_room(one, arc, places[arc.place]):
                self.arc_in(element, one, arc, places[arc.place], names)
        for out in one.outputs:
            self.arc_out(element, one, out, places[out.place], names)
        if one.guard:
            self.condition(element, one.guard)
        self.operation(element, one)
        for what in _unsaid(one):
            self.losses.append(f"{what} of {one.name}")

    def arc_in(
        self, element: etree._Element, one: Transition, arc: ArcIn, place: Place, names: Mapping[str, str]
    ) -> None:
        if arc.kind == "inhibit" and arc.weight > 1:
            self.losses.append(f"that {one.name} waits for fewer than {arc.weight} tokens in {arc.place}")
            return
        if arc.weight > 1 and arc.variable:
            self.losses.append(f"that {one.name} takes {arc.weight} tokens of {arc.place} as a list")
        for _ in range(arc.weight):
            edge = _sub(element, _EDGES[arc.kind], placeID=_id(place))
            if arc.variable:
                edge.set("edgeExpression", names.get(arc.variable, arc.variable))

    def arc_out(
        self, element: etree._Element, one: Transition, arc: ArcOut, place: Place, names: Mapping[str, str]
    ) -> None:
        for _ in range(arc.weight):
            edge = _sub(element, "outputPlace", placeID=_id(place))
            text = one.assigns.get(arc.variable, "")
            xpath = _XPATH.fullmatch(text)
            is_control = arc.variable.startswith(CONTROL) and text == "True"
            if xpath and text.startswith("xpath_data"):
                edge.set("edgeExpression", _unquoted(xpath[1]))
            elif arc.variable and not is_control:
                edge.set("edgeExpression", names.get(arc.variable, arc.variable))
        if not arc.variable:
            self.losses.append(f"that {one.name} puts an empty token to {arc.place}: it is a control token")

    def condition(self, element: etree._Element, guard: str) -> None:
        xpath = _XPATH.fullmatch(guard)
        asked = _unquoted(xpath[1]) if xpath else ""
        if asked.startswith("boolean(") and asked.endswith(")"):
            _sub(element, "condition").text = asked.removeprefix("boolean(").removesuffix(")")
        else:
            _sub(element, "condition", language="python").text = guard

    def operation(self, element: etree._Element, one: Transition) -> None:
        body = one.operation
        kept = body.properties.get(OPERATION, "") if body is not None else ""
        if kept and self.verbatim(element, kept, f"the operation of {one.name}"):
            return
        computed = {name: text for name, text in one.assigns.items() if not _is_edge(name, text)}
        if body is not None:
            self.activity(_sub(element, "operation"), body)
            self.losses += [f"what {one.name} computes beside its operation: {name}" for name in computed]
        elif computed:
            lines = [f"{name} = {text}" for name, text in computed.items()]
            _sub(_sub(element, "operation"), "python").text = "\n".join(lines)

    def activity(self, element: etree._Element, body: Activity) -> None:
        if isinstance(body, Net):
            self.net(_sub(element, "workflow"), body)
            return
        called = body.process if isinstance(body, Call) else ""
        operation = etree.SubElement(element, f"{{{OPERATIONS}}}operationClass", name=called or body.name)
        if isinstance(body, Task):
            named = isinstance(body.handler, Named)
            task = body.handler.task if isinstance(body.handler, Named) else body.name
            attributes = {"type": "weft", "operationName": task, "selected": "true"}
            etree.SubElement(operation, f"{{{OPERATIONS}}}operationCandidate", attributes)
            if not named:
                self.losses.append(f"how {body.name} is done: {to_json(Process(name='p', body=body)).decode()[:200]}")
        elif not called:
            self.losses.append(f"what is inside {body.name}, a {type(body).__name__.lower()}")


def _id(place: Place) -> str:
    return place.properties.get("ID", place.name)


def _names(one: Transition) -> dict[str, str]:
    """Variable → what XPath calls it, where that is another name."""
    texts = [one.guard, *one.assigns.values()]
    return {variable: name for text in texts for name, variable in _NAMED.findall(text)}


def _is_room(one: Transition, arc: ArcIn, place: Place) -> bool:
    """Whether it only says that the place has a capacity."""
    capacity = place.properties.get("capacity", "")
    puts = sum(out.place == arc.place for out in one.outputs)
    return arc.kind == "inhibit" and capacity.isdigit() and arc.weight == max(1, int(capacity) - puts + 1)


def _unquoted(text: str) -> str:
    return text.replace('\\"', '"').replace("\\\\", "\\")


def _is_edge(name: str, text: str) -> bool:
    """Whether what is assigned is said on an edge: a control token, an empty one, or XPath."""
    xpath = _XPATH.fullmatch(text)
    return text in ("True", "None") or bool(xpath and text.startswith("xpath_data"))


def _unsaid(one: Transition) -> Iterator[str]:
    if one.priority:
        yield "the priority"
    if one.at_most is not None:
        yield "the bound"
    if one.cancels:
        yield "the cancellations"
    if one.join == "or":
        yield "the or-join"
    for out in one.outputs:
        if out.outcome or out.error:
            yield f"the end that its arc to {out.place} waits for"
        if out.each:
            yield f"that its arc to {out.place} puts each element"
    for arc in one.inputs:
        if arc.variable and not PLAIN.fullmatch(arc.variable):
            yield f"the name {arc.variable}"


def _more(net: Net) -> Iterator[str]:
    """What a compound may say that a workflow can't."""
    plain = Net(name=net.name, places=(), transitions=())
    for name in ("cancel", "until", "holds", "compensation", "undo", "on_error", "deadline", "variables", "critical"):
        if getattr(net, name) != getattr(plain, name):
            yield name
