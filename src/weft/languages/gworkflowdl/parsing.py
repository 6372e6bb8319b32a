"""Makes the tree of a GWorkflowDL text. What it does not know is kept as a property and told."""

import re
from pathlib import PurePath
from typing import Final

from weft.languages.gworkflowdl.data import value_of
from weft.languages.gworkflowdl.tree import (
    Condition,
    Edge,
    EdgeKind,
    OperationText,
    PlaceText,
    Said,
    TransitionText,
    WorkflowText,
)
from weft.languages.text.faults import TextReport, meant
from weft.languages.xml.document import Element
from weft.model.types import TypeFault, parse

EXTENSION: Final = "gwdl:"
"""With this begin the names of properties that keep an element as it was written."""
OPERATION: Final = EXTENSION + "operation"
OWN_TYPE: Final = "weft:"
PYTHON: Final = ("python", "pythonOperation", "pythonExpression")
_BETWEEN: Final = re.compile(r">\s+<")
UNNAMED: Final = ("", "No_ID")

EDGES: Final[dict[str, EdgeKind]] = {
    "inputPlace": "input", "readPlace": "read", "writePlace": "write", "outputPlace": "output",
    "inhibitorPlace": "inhibit", "resetPlace": "reset",
}  # fmt: skip
_KNOWN: Final = {
    "workflow": ("place", "transition", "property", "description", "owl"),
    "place": ("token", "tokenClass", "property", "description", "owl"),
    "transition": (*EDGES, "condition", "operation", "property", "description", "owl"),
}
_ATTRIBUTES: Final = {
    "workflow": ("ID", "schemaLocation"), "place": ("ID", "capacity"), "transition": ("ID",),
    "edge": ("placeID", "edgeExpression"),
}  # fmt: skip


class Parsing:
    def __init__(self, report: TextReport, nesting: int) -> None:
        self.report = report
        self.nesting = nesting

    def workflow(self, element: Element, levels: int = 0) -> WorkflowText:
        if levels > self.nesting:
            self.report.add("too-large", element.span, f"workflows are nested more than {self.nesting} deep")
        found = WorkflowText(self._id(element), element.span, self._said(element, "workflow"))
        if found.id in UNNAMED and not levels:
            found.id = PurePath(self.report.source.name).stem
        for one in element.children if levels <= self.nesting else ():
            if one.name == "place":
                place = self._place(one)
                if self._is_new(one, place.id, "place", found.places):
                    found.places[place.id] = place
            elif one.name == "transition":
                transition = self._transition(one, levels)
                if self._is_new(one, transition.id, "transition", found.transitions):
                    found.transitions[transition.id] = transition
        return found

    def _id(self, element: Element) -> str:
        return element.get("ID") or element.get("id") or element.get("name")

    def _is_new(
        self, element: Element, id: str, kind: str, known: dict[str, PlaceText] | dict[str, TransitionText]
    ) -> bool:
        if not id:
            self.report.add("syntax", element.span, f"this <{kind}> has no ID", 'say ID="…"')
        elif id in known:
            line = self.report.source.position(known[id].span.start)[0]
            self.report.add(
                "duplicate-name", element.span, f"the {kind} {id!r} is already in line {line}", "rename one"
            )
        return bool(id) and id not in known

    # What may stand anywhere.

    def _said(self, element: Element, kind: str) -> Said:
        said = Said()
        for name, value in element.attributes.items():
            if name not in _ATTRIBUTES[kind] and name not in ("id", "name"):
                said.properties[name] = value
        for one in element.children:
            if one.name == "description":
                said.description = " ".join(one.text.split())
            elif one.name == "property":
                self._property(one, said)
            elif one.name == "owl":
                said.properties["owl"] = one.text
            elif one.name not in _KNOWN.get(kind, ()):
                self._extension(one, said, kind)
        return said

    def _property(self, element: Element, said: Said) -> None:
        name = element.get("name")
        if not name:
            self.report.add("syntax", element.span, "this <property> has no name", 'say name="…"')
        else:
            said.properties[name] = element.text or element.get("value")

    def _extension(self, element: Element, said: Said, kind: str) -> None:
        known = [*_KNOWN.get(kind, ())]
        hint = meant(element.name, known)
        self.report.add("left-out", element.span, f"<{element.name}> of a {kind} is kept, but does nothing", hint)
        key = EXTENSION + element.name
        said.properties[key] = said.properties.get(key, "") + self._written(element)

    def _written(self, element: Element) -> str:
        return _BETWEEN.sub("><", self.report.source.text[element.whole.start : element.whole.end])

    # Places.

    def _place(self, element: Element) -> PlaceText:
        found = PlaceText(self._id(element), element.span, self._said(element, "place"))
        capacity = element.get("capacity")
        if capacity and capacity not in ("unlimited", "-1"):
            if capacity.isascii() and capacity.isdigit() and 0 < int(capacity[:18]) == int(capacity):
                found.capacity = int(capacity)
            else:
                self.report.add("number", element.span, f"the capacity {capacity!r} is no number of tokens")
        for one in element.children:
            if one.name == "token":
                self._token(found, one)
            elif one.name == "tokenClass":
                self._token_class(found, one)
        return found

    def _token(self, place: PlaceText, element: Element) -> None:
        data, control = element.child("data"), element.child("control")
        for one in element.children:
            if one is not data and one is not control:
                self.report.add("left-out", one.span, f"<{one.name}> of a token is kept nowhere")
        if data is not None:
            place.tokens.append(value_of(data))
        elif control is not None:
            place.tokens.append(control.text != "false")
        else:
            place.tokens.append(None)

    def _token_class(self, place: PlaceText, element: Element) -> None:
        type = element.get("type")
        if not type.startswith(OWN_TYPE):
            place.said.properties["tokenClass"] = type or element.get("name") or element.text
            return
        try:
            parse(type.removeprefix(OWN_TYPE))
            place.type = type.removeprefix(OWN_TYPE)
        except TypeFault as fault:
            self.report.add("bad-type", element.span, f"the type {type!r} can't be read: {fault}")

    # Transitions.

    def _transition(self, element: Element, levels: int) -> TransitionText:
        found = TransitionText(self._id(element), element.span, self._said(element, "transition"))
        for one in element.children:
            if one.name in EDGES:
                self._edge(found, one)
            elif one.name == "condition":
                found.conditions += self._conditions(one)
            elif one.name == "operation":
                if found.operation is not None:
                    self.report.add("left-out", one.span, f"the second operation of {found.id!r} is not done")
                else:
                    found.operation = self._operation(found.id, one, levels)
        return found

    def _edge(self, transition: TransitionText, element: Element) -> None:
        place = element.get("placeID") or element.get("place")
        if not place:
            self.report.add("syntax", element.span, f"this <{element.name}> names no place", 'say placeID="…"')
            return
        for name in element.attributes:
            if name not in (*_ATTRIBUTES["edge"], "place"):
                self.report.add("left-out", element.span, f"the attribute {name!r} of an edge is kept nowhere")
        for one in element.children:
            self.report.add("left-out", one.span, f"<{one.name}> of an edge is kept nowhere")
        transition.edges.append(Edge(EDGES[element.name], place, element.get("edgeExpression"), element.span))

    def _conditions(self, element: Element) -> list[Condition]:
        said = f"{element.get('language')} {element.get('type')} {element.get('expressionLanguage')}".lower()
        language = next((one for one in ("python", "xpath") if one in said), "")
        inner = [Condition(one.text, "python" if one.name in PYTHON else one.name.lower(), one.span)
                 for one in element.children if one.name in (*PYTHON, "xpath")]  # fmt: skip
        return inner or ([Condition(element.text, language, element.span)] if element.text else [])

    def _operation(self, transition: str, element: Element, levels: int) -> OperationText | None:
        found = OperationText(element.span)
        found.said.properties[OPERATION] = self._written(element)
        inner = [one for one in element.children if one.name not in ("description", "property", "owl")]
        if not inner:
            found.python = element.text
            found.name = transition
            return found
        for one in inner[1:]:
            self.report.add("left-out", one.span, f"<{one.name}> is a second way to do {transition!r}, and not taken")
        first = inner[0]
        if first.name == "workflow":
            found.workflow = self.workflow(first, levels + 1)
        elif first.name in PYTHON or "python" in (first.get("language") + first.get("type")).lower():
            found.python = first.text or first.get("operationName")
        else:
            self._candidates(found, transition, first)
        return found

    def _candidates(self, found: OperationText, transition: str, element: Element) -> None:
        """A class of operations with its candidates, of which one may be selected; or one candidate by itself."""
        found.name = element.get("name") or element.get("operationClass") or element.get("owl").rpartition("#")[2]
        chosen = [one for one in element.children if one.get("selected").lower() in ("true", "1")]
        if element.get("operationName") and not element.children:
            chosen = [element]
        if len(chosen) > 1:
            self.report.add("left-out", chosen[1].span, f"{transition!r} selects two candidates; the first is taken")
        if chosen:
            found.candidate = chosen[0].get("operationName") or chosen[0].get("name") or found.name
            found.type = chosen[0].get("type") or chosen[0].name
            if "python" in found.type.lower():
                found.python, found.candidate = found.candidate, ""
        found.name = found.name or transition
