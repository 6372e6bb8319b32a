"""Makes processes of the nets of a PNML text: their tokens are null, and nothing happens but that transitions fire."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from weft.languages.pnml.tree import Arc, NetText, Node
from weft.languages.text.faults import TextReport
from weft.languages.text.source import Span
from weft.languages.xml.names import names_of
from weft.model.definition import ArcIn, ArcOut, Net, Place, Process, Transition


def lower(nets: Sequence[NetText], report: TextReport) -> list[Process]:
    """A process for each net, by the ids of the text; labels become descriptions."""
    names = names_of(net.id for net in nets)
    return [_Lowering(net, report).process(names[net.id]) for net in nets]


class _Lowering:
    def __init__(self, net: NetText, report: TextReport) -> None:
        self.net = net
        self.report = report
        self.names = names_of(one.id for one in net.real() if one.is_place)
        self.names |= names_of(one.id for one in net.real() if not one.is_place)
        self.capacities = {self.names[one.id]: one.capacity for one in net.real() if one.capacity}
        self.inputs: dict[str, list[ArcIn]] = {}
        self.outputs: dict[str, list[ArcOut]] = {}

    def process(self, name: str) -> Process:
        for one in self.net.nodes.values():
            if one.ref:
                self._reference(one)
        for arc in self.net.arcs:
            self._arc(arc)
        for id, span in self.net.final.items():
            if (found := self.net.meant(id)) is None or not found.is_place:
                self._unknown(id, f"the final marking names the place {id!r}", span, self._ids(is_place=True))
        body = Net(
            name=name,
            places=tuple(self._place(one) for one in self.net.real() if one.is_place),
            transitions=tuple(self._transition(one) for one in self.net.real() if not one.is_place),
            description=_description(self.net.label, name),
        )
        return Process(name=name, body=body)

    def _place(self, node: Node) -> Place:
        name = self.names[node.id]
        described = _description(node.label, name)
        return Place(name, "null", (None,) * node.tokens, node.id in self.net.final, described)

    def _transition(self, node: Node) -> Transition:
        name = self.names[node.id]
        outputs = tuple(self.outputs.get(node.id, ()))
        inputs = (*self.inputs.get(node.id, ()), *self._room(node, outputs))
        described = _description(node.label, name)
        return Transition(name=name, inputs=inputs, outputs=outputs, priority=node.priority, description=described)

    def _room(self, node: Node, outputs: Sequence[ArcOut]) -> Iterator[ArcIn]:
        """An inhibitor for each place with a capacity that is filled: it asks for room for what is put."""
        puts = Counter({arc.place: 0 for arc in outputs})
        for arc in outputs:
            puts[arc.place] += arc.weight
        for place, count in puts.items():
            capacity = self.capacities.get(place, 0)
            if 0 < capacity < count:
                message = f"{node.id!r} puts {count} tokens to a place with room for {capacity}"
                self.report.add("never", node.span, message, "it can never fire")
            if capacity:
                yield ArcIn(place, kind="inhibit", weight=max(1, capacity - count + 1))

    def _reference(self, node: Node) -> None:
        found = self.net.meant(node.id)
        if found is None and node.ref in self.net.nodes:
            self.report.add("unknown-name", node.span, f"the reference {node.id!r} leads to no node of its own")
        elif found is None:
            message = f"the reference {node.id!r} leads to {node.ref!r}"
            self._unknown(node.ref, message, node.span, self._ids(is_place=node.is_place))
        elif found.is_place != node.is_place:
            kind = "place" if found.is_place else "transition"
            self.report.add("unknown-name", node.span, f"the <{node.kind}> {node.id!r} leads to a {kind}, {found.id!r}")

    def _arc(self, arc: Arc) -> None:
        source, target = self.net.meant(arc.source), self.net.meant(arc.target)
        for id, end, found in ((arc.source, "source", source), (arc.target, "target", target)):
            if found is None and id not in self.net.nodes:
                self._unknown(id, f"the {end} of this arc is {id!r}", arc.span, self.net.nodes)
        if source is None or target is None:
            return
        if source.is_place == target.is_place:
            kind = "place" if source.is_place else "transition"
            message = f"this arc leads from the {kind} {source.id!r} to the {kind} {target.id!r}"
            self.report.add("arc", arc.span, message, "an arc joins a place and a transition")
        elif source.is_place:
            self._in(arc, self.names[source.id], target.id)
        elif arc.type == "take":
            self._out(source.id, self.names[target.id], arc.weight)
        else:
            self.report.add("arc", arc.span, "an arc that reads, inhibits or resets leads from a place")

    def _in(self, arc: Arc, place: str, transition: str) -> None:
        into = self.inputs.setdefault(transition, [])
        if arc.type == "read" and arc.weight > 1:  # a read arc looks at one token: take them, and put them back
            into.append(ArcIn(place, weight=arc.weight))
            self._out(transition, place, arc.weight)
        else:
            into.append(ArcIn(place, kind=arc.type, weight=1 if arc.type == "reset" else arc.weight))

    def _out(self, transition: str, place: str, weight: int) -> None:
        self.outputs.setdefault(transition, []).append(ArcOut(place, weight=weight))

    def _ids(self, *, is_place: bool) -> list[str]:
        return [one.id for one in self.net.real() if one.is_place == is_place]

    def _unknown(self, id: str, message: str, span: Span, known: Iterable[str]) -> None:
        self.report.unknown("unknown-name", span, f"{message}, which does not exist", id, known, "")


def _description(label: str, name: str) -> str:
    return "" if label == name else label
