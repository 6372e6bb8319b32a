"""Makes the tree of a PNML text: of the standard of 2009, of its forerunners, and of what tools write in its name."""

import re
from collections import Counter
from typing import Final

from weft.languages.pnml.tree import Arc, ArcType, NetText, Node, NodeKind
from weft.languages.pnml.writing import TOOL
from weft.languages.text.faults import TextReport
from weft.languages.text.source import Span
from weft.languages.xml.document import Element

TOKENS_MAX: Final = 1_000_000
"""Tokens at the start of a text's nets: the model lists every one."""
WEIGHT_MAX: Final = 1_000_000

HIGH_LEVEL: Final = ("symmetric", "highlevel", "hlcore", "hlpng", "hlnet", "coloured", "colored")
HIGH_LEVEL_PARTS: Final = ("hlinitialMarking", "hlinscription", "structure")
LAYOUT: Final = ("graphics", "arcpath")
ARC_TYPES: Final[dict[str, ArcType]] = {
    "": "take", "normal": "take", "timed": "take", "standard": "take", "inhibitor": "inhibit",
    "tapninhibitor": "inhibit", "inhibit": "inhibit", "read": "read", "test": "read", "reset": "reset",
}  # fmt: skip
KINDS: Final[dict[str, NodeKind]] = {
    "place": "place", "transition": "transition",
    "referencePlace": "referencePlace", "referenceTransition": "referenceTransition",
}  # fmt: skip
NO_TIME: Final = re.compile(r"\s*(\[0,\s*inf\)|<\s*inf)?\s*")
_NUMBER: Final = re.compile(r"[+-]?\d{1,18}(\.0+)?", re.ASCII)

_KNOWN_ATTRIBUTES: Final = {
    "place": {"id", "name", "initialMarking", "invariant"},
    "transition": {"id", "name"},
    "referencePlace": {"id", "ref"},
    "referenceTransition": {"id", "ref"},
    "arc": {"id", "source", "target", "type", "weight", "inscription"},
}
_COSMETIC: Final = {"positionX", "positionY", "displayName", "nameOffsetX", "nameOffsetY", "angle", "dimension"}


class Parsing:
    """One text on its way to its nets. What is kept nowhere is counted, and told once for each kind."""

    def __init__(self, report: TextReport) -> None:
        self.report = report
        self.left_out: Counter[str] = Counter()
        self.tokens = 0
        self._first: dict[str, Span] = {}

    def nets(self, root: Element) -> list[NetText]:
        if root.name != "pnml":
            self.report.add("syntax", root.span, f"the root element is <{root.name}>, not <pnml>")
            return []
        found: list[NetText] = []
        for one in root.children:
            if one.name == "net":
                net = self._net(one)
                if any(net.id == other.id for other in found):
                    self.report.add("duplicate-name", one.span, f"there are two nets {net.id!r}", "rename one of them")
                else:
                    found.append(net)
        for one in root.children:
            if one.name != "net":
                self._leave_out(f"<{one.name}> beside the nets", one.span)
        if not found:
            self.report.add("syntax", root.span, "there is no <net>", "put the net into <net id=…> … </net>")
        return found

    def notes(self) -> None:
        """Tells what was left out, when all that is wrong has been told."""
        for what, count in self.left_out.items():
            times = f", {count} times" if count > 1 else ""
            self.report.add("left-out", self._first[what], f"{what} is not taken over{times}")

    def _leave_out(self, what: str, span: Span) -> None:
        self.left_out[what] += 1
        self._first.setdefault(what, span)

    def _net(self, element: Element) -> NetText:
        net = NetText(element.get("id") or "net", self._label(element), element.span)
        if self._is_high_level(element):
            return net
        pages = [element]
        while pages:
            page = pages.pop(0)
            for one in page.children:
                if one.name == "page":
                    pages.append(one)
                elif one.name in KINDS:
                    self._node(net, KINDS[one.name], one)
                elif one.name == "arc":
                    self._arc(net, one)
                elif one.name == "finalmarkings":
                    self._final(net, one)
                elif one.name != "name":
                    self._other(one)
                elif page is not element:
                    self._leave_out("the name of a page", one.span)
        return net

    def _is_high_level(self, element: Element) -> bool:
        """Tells that the net has coloured tokens, once for the net."""
        type, id = element.get("type"), element.get("id")
        named = next((word for word in HIGH_LEVEL if word in type.lower()), "")
        part = next((one for one in element.below(without=("toolspecific",)) if one.name in HIGH_LEVEL_PARTS), None)
        if not named and part is None:
            return False
        why = f"is of type {type!r}" if named else f"has <{part.name}>" if part else ""
        self.report.add(
            "syntax", part.span if part and not named else element.span,
            f"net {id!r} {why}: its tokens have colours, and PNML is read here as place/transition nets",
            "unfold it into a place/transition net first, or describe it as a net in Python or GWorkflowDL",
        )  # fmt: skip
        return True

    def _other(self, one: Element) -> None:
        if one.name == "toolspecific":
            self._leave_out(f"what is specific to the tool {one.get('tool') or '?'!r}", one.span)
        elif one.name in LAYOUT:
            self._leave_out("the layout", one.span)
        else:
            self._leave_out(f"<{one.name}>", one.span)

    def _attributes(self, element: Element) -> None:
        for name in element.attributes:
            if name in _COSMETIC:
                self._leave_out("the layout", element.span)
            elif name not in _KNOWN_ATTRIBUTES[element.name]:
                self._leave_out(f"the attribute {name!r} of <{element.name}>", element.span)

    def _node(self, net: NetText, kind: NodeKind, element: Element) -> None:
        id, span = element.get("id"), element.span
        self._attributes(element)
        if not id:
            self.report.add("syntax", span, f"this <{kind}> has no id", "give it one: arcs go by it")
            return
        if id in net.nodes:
            line = self.report.source.position(net.nodes[id].span.start)[0]
            self.report.add(
                "duplicate-name", span, f"the id {id!r} is already that of line {line}", "rename one of them"
            )
            return
        tokens = self._tokens(element) if kind == "place" else 0
        priority = self._number(self._priority(element), 0) if kind == "transition" else 0
        ref = element.get("ref") if kind.startswith("reference") else ""
        if kind.startswith("reference") and not ref:
            self.report.add("syntax", span, f"the <{kind}> {id!r} refers to nothing", 'say ref="…"')
            return
        self._parts(element, kind)
        capacity = self._number(element.child("capacity"), 0) if kind == "place" else 0
        net.nodes[id] = Node(kind, id, self._label(element), span, tokens, max(0, capacity), priority, ref)

    def _priority(self, element: Element) -> Element | None:
        own = next((one for one in element.all("toolspecific") if one.get("tool") == TOOL), element)
        return own.child("priority")

    def _parts(self, element: Element, kind: NodeKind) -> None:
        taken = {"name", "initialMarking", "capacity"} if kind == "place" else {"name", "priority"}
        for one in element.children:
            if one.name == "toolspecific" and one.get("tool") == TOOL:
                continue
            if one.name in LAYOUT or one.name == "toolspecific":
                self._other(one)
            elif one.name == "timed" and self._text(one) in ("false", ""):
                continue
            elif one.name not in taken:
                self._leave_out(f"<{one.name}> of a {kind}", one.span)
            elif one.name == "name":
                self._inside(one)
        invariant = element.get("invariant")
        if not NO_TIME.fullmatch(invariant):
            self.report.add("syntax", element.span, f"the place has the invariant {invariant!r}: time can't be kept")

    def _inside(self, label: Element) -> None:
        for one in label.children:
            if one.name not in ("text", "value"):
                self._other(one)

    def _arc(self, net: NetText, element: Element) -> None:
        self._attributes(element)
        for name in ("source", "target"):
            if not element.get(name):
                self.report.add("syntax", element.span, f"this <arc> has no {name}", f'say {name}="…"')
                return
        type, weight = self._type(element), self._weight(element)
        if type is not None and weight is not None:
            net.arcs.append(Arc(element.get("source"), element.get("target"), weight, type, element.span))

    def _type(self, element: Element) -> ArcType | None:
        label = element.child("type", "arctype")
        said = element.get("type") or (label.get("value") or self._text(label) if label else "")
        found = ARC_TYPES.get(said.strip().lower())
        if found is None:
            known = "normal, inhibitor, read, reset"
            self.report.add("syntax", element.span, f"an arc of the type {said!r} can't be kept", f"there are {known}")
        return found

    def _weight(self, element: Element) -> int | None:
        for one in element.children:
            if one.name in LAYOUT or one.name == "toolspecific":
                self._other(one)
            elif one.name == "name":
                self._leave_out("the name of an arc", one.span)
            elif one.name not in ("inscription", "type", "arctype"):
                self._leave_out(f"<{one.name}> of an arc", one.span)
        said = element.get("inscription")
        if said and not _NUMBER.fullmatch(said):
            if not NO_TIME.fullmatch(said):
                self.report.add("syntax", element.span, f"the arc has the inscription {said!r}: time can't be kept")
            said = ""
        label = element.child("inscription")
        if label is not None:
            self._inside(label)
            weight = self._number(label, 1)
        else:
            weight = int(float(element.get("weight") or said or "1")) if _plain(element, said) else 0
        if not 1 <= weight <= WEIGHT_MAX:
            span = label.span if label else element.span
            self.report.add("number", span, f"the weight of an arc is {weight}", f"give 1 to {WEIGHT_MAX}")
            return None
        return weight

    def _tokens(self, element: Element) -> int:
        label = element.child("initialMarking")
        if label is None:
            said = element.get("initialMarking")
            if said and not _NUMBER.fullmatch(said):
                self.report.add("number", element.span, f"the initial marking {said!r} is no number")
                return 0
            count = int(float(said or "0"))
        else:
            self._inside(label)
            count = self._number(label, 0)
        if count < 0:
            self.report.add("number", (label or element).span, f"a marking of {count} tokens can't be")
        self.tokens += max(count, 0)
        if count > 0 and self.tokens > TOKENS_MAX:
            message = f"with the {count} tokens of {element.get('id')!r} there are more than {TOKENS_MAX}"
            self.report.add("too-large", element.span, message, "scale the markings down")
            return 0
        return max(count, 0)

    def _final(self, net: NetText, element: Element) -> None:
        markings = element.all("marking")
        if len(markings) != 1:
            self._leave_out(f"a choice of {len(markings)} final markings", element.span)
            return
        for one in markings[0].all("place"):
            count = self._number(one, 0)
            if count > 1:
                self._leave_out("a final marking of several tokens in a place", one.span)
            elif count:
                net.final[one.get("idref")] = one.span

    def _label(self, element: Element) -> str:
        name = element.child("name")
        return (self._text(name) if name is not None else "") or element.get("name")

    def _text(self, element: Element) -> str:
        """The text of a label, which stands in <text>, in older dialects in <value>, or bare."""
        inner = element.child("text", "value")
        return (inner.text if inner is not None and inner.text else element.text).strip()

    def _number(self, element: Element | None, otherwise: int) -> int:
        if element is None:
            return otherwise
        said = self._text(element)
        if "," in said:
            said = self._plain_colour(element, said)
        if not said:
            return otherwise
        if not _NUMBER.fullmatch(said):
            shown = said[:40]
            self.report.add("number", element.span, f"<{element.name}> says {shown!r}, which is no whole number")
            return otherwise
        return int(said.partition(".")[0])

    def _plain_colour(self, element: Element, said: str) -> str:
        """`Default,3`, as PIPE writes it: the number of tokens of each colour, of which only one may be there."""
        words = [word.strip() for word in said.split(",")]
        pairs = [(colour, count) for colour, count in zip(words[::2], words[1::2], strict=False) if count != "0"]
        if len(pairs) > 1 or len(words) % 2:
            message = f"<{element.name}> says {said[:40]!r}: tokens of several colours, and a plain net has one"
            self.report.add("number", element.span, message)
            return ""
        return pairs[0][1] if pairs else "0"


def _plain(element: Element, said: str) -> bool:
    return bool(_NUMBER.fullmatch(element.get("weight") or said or "1"))
