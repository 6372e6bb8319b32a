"""The edges of one transition: the values they bring under names of their own, and the tokens that they put."""

from collections import Counter

from weft.languages.gworkflowdl.expressions import PLAIN, Texts, identifier
from weft.languages.gworkflowdl.tree import Condition, Edge, OperationText, PlaceText, TransitionText, WorkflowText
from weft.languages.text.faults import TextReport, meant
from weft.languages.xml.names import name_of
from weft.model.definition import ArcIn, ArcKind, ArcOut

CONTROL = "control"
"""What an edge without an expression puts: a token that is true."""


class Edges:
    def __init__(
        self, workflow: WorkflowText, transition: TransitionText, places: dict[str, str], report: TextReport
    ) -> None:
        self.workflow = workflow
        self.transition = transition
        self.places = places
        self.report = report
        self.known = [edge for edge in transition.edges if self._is_known(edge)]
        self.bound = {edge.expression: identifier(edge.expression) for edge in self._named("input", "read")}
        self.texts = Texts(report, transition.id, self.bound)
        self.assigns: dict[str, str] = {}

    def _named(self, *kinds: str) -> list[Edge]:
        return [edge for edge in self.known if edge.kind in kinds and edge.expression]

    def _is_known(self, edge: Edge) -> bool:
        if edge.place not in self.places:
            message = f"an edge of {self.transition.id!r} names the place {edge.place!r}, which does not exist"
            self.report.unknown("unknown-place", edge.span, message, edge.place, self.places, "declare the place")
        elif edge.kind in ("input", "read") and edge.expression and not PLAIN.fullmatch(edge.expression):
            message = f"{edge.expression!r} on an edge to {self.transition.id!r} is no name for what the edge brings"
            self.report.add("condition", edge.span, message, "name it, and compute on an output edge or in a condition")
            return False
        return edge.place in self.places

    def guard(self, condition: Condition) -> str:
        return self.texts.condition(condition.text, condition.language, condition.span)

    def computes(self, operation: OperationText) -> None:
        """`c = f(a)`, one to a line; an expression alone is what the one output edge puts."""
        for line in filter(None, (line.strip() for line in operation.python.replace(";", "\n").splitlines())):
            target, sign, text = line.partition("=")
            if not sign or not target.strip().isidentifier() or text.startswith("="):
                target, text = next((edge.expression for edge in self._named("output", "write")), "result"), line
            self.assigns[identifier(target)] = self.texts.python(text.strip(), operation.span)

    # What an operation gets, and what is wanted of it.

    def brings(self) -> dict[str, str]:
        """Parameter → variable."""
        return {name_of(said): variable for said, variable in self.bound.items()}

    def wants(self) -> dict[str, str]:
        """What the edges call a result → its name; results only, nothing that is bound or computed."""
        return {
            edge.expression: name_of(edge.expression)
            for edge in self._named("output", "write")
            if edge.expression not in self.bound and PLAIN.fullmatch(edge.expression)
        }

    # The arcs.

    def arcs(self, has_operation: bool) -> tuple[tuple[ArcIn, ...], tuple[ArcOut, ...], dict[str, str]]:
        wants = self.wants() if has_operation else {}
        inputs: list[ArcIn] = []
        outputs: list[ArcOut] = []
        kinds: dict[str, ArcKind] = {"input": "take", "read": "read", "inhibit": "inhibit", "reset": "reset"}
        for edge in self.known:
            place = self.places[edge.place]
            if edge.kind in kinds:
                variable = self.bound.get(edge.expression, "") if edge.kind in ("input", "read") else ""
                inputs.append(ArcIn(place, variable, kinds[edge.kind]))
                continue
            if edge.kind == "write":  # what lies there is replaced
                inputs.append(ArcIn(place))
            outputs.append(ArcOut(place, self._puts(edge, wants)))
        return (*inputs, *self._room()), tuple(outputs), self.assigns

    def _puts(self, edge: Edge, wants: dict[str, str]) -> str:
        """The variable that has the token."""
        said = edge.expression
        if not said:
            return self._assigned(CONTROL, "True")
        if said in self.bound:
            return self.bound[said]
        if identifier(said) in self.assigns:
            return identifier(said)
        if said in wants:
            return wants[said]
        if PLAIN.fullmatch(said):
            known = [*self.bound, *self.assigns]
            message = f"nothing of {self.transition.id!r} gives {said!r}: the token that its edge puts is empty"
            self.report.add(
                "left-out", edge.span, message, meant(said, known) or f"it has {', '.join(known) or 'none'}"
            )
            return self._assigned(identifier(said), "None")
        return self._assigned(identifier(f"to_{edge.place}"), self.texts.data(said, edge.span))

    def _assigned(self, name: str, text: str) -> str:
        made, number = name, 1
        taken = {**dict.fromkeys(self.bound.values(), ""), **self.assigns}
        while taken.get(made, text) != text:
            number += 1
            made = f"{name}_{number}"
        self.assigns[made] = text
        return made

    def _room(self) -> list[ArcIn]:
        """A place with a capacity has room for what is put: an inhibitor for each."""
        puts = Counter(edge.place for edge in self.known if edge.kind == "output")
        filled = [(self.workflow.places[id], count) for id, count in puts.items()]
        return [self._inhibitor(place, count) for place, count in filled if place.capacity is not None]

    def _inhibitor(self, place: PlaceText, puts: int) -> ArcIn:
        assert place.capacity is not None
        if puts > place.capacity:
            message = f"{self.transition.id!r} puts {puts} tokens to {place.id!r}, which has room for {place.capacity}"
            self.report.add("never", self.transition.span, message, "it can never fire")
        return ArcIn(self.places[place.id], kind="inhibit", weight=max(1, place.capacity - puts + 1))
