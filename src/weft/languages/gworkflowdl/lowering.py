"""Makes a process of a GWorkflowDL tree: a net, whose operations are sub-nets, calls that are bound late, or tasks."""

from pathlib import PurePath

from msgspec.structs import replace

from weft.languages.gworkflowdl.edges import Edges
from weft.languages.gworkflowdl.tree import OperationText, PlaceText, TransitionText, WorkflowText
from weft.languages.text.faults import TextReport
from weft.languages.text.source import Span
from weft.languages.xml.names import name_of, names_of
from weft.model.definition import (
    ABORTED,
    DONE,
    Activity,
    Call,
    InputSet,
    Named,
    Net,
    Outcome,
    Place,
    Process,
    Quiet,
    Sources,
    Task,
    Transition,
    Variable,
)


def lower(workflow: WorkflowText, report: TextReport) -> tuple[Process, dict[str, Span]]:
    """The process, and where each of its activities stands."""
    lowering = _Lowering(report)
    name = lowering.fresh(workflow.id, workflow.span)
    inputs, outputs = _ends(workflow)
    net = lowering.net(workflow, name, inputs, outputs)
    is_program = not inputs and bool(workflow.places)
    types = {place.name: "list[any]" if is_program else place.type for place in net.places if place.output}
    done = Outcome("done", guard=Quiet(), types=types)
    return Process(name=name, body=replace(net, outcomes=(done, ABORTED))), lowering.places


def _ends(workflow: WorkflowText) -> tuple[set[str], set[str]]:
    """Where tokens come in, places that nothing fills and that have none, and where they stay, which are sinks."""
    edges = [edge for one in workflow.transitions.values() for edge in one.edges]
    filled = {edge.place for edge in edges if edge.kind in ("output", "write")}
    used = {edge.place for edge in edges if edge.kind in ("input", "read")}
    taken = {edge.place for edge in edges if edge.kind not in ("output", "inhibit")}
    sources = {id for id, place in workflow.places.items() if id in used and id not in filled and not place.tokens}
    return sources, {id for id in workflow.places if id in filled and id not in taken}


class _Lowering:
    def __init__(self, report: TextReport) -> None:
        self.report = report
        self.places: dict[str, Span] = {}

    def fresh(self, id: str, span: Span) -> str:
        """A name for an activity, which no other of the process has."""
        plain = made = name_of(id or "workflow")
        number = 1
        while made in self.places:
            number += 1
            made = f"{plain}-{number}"
        self.places[made] = span
        return made

    def net(self, workflow: WorkflowText, name: str, inputs: set[str], outputs: set[str]) -> Net:
        names = names_of(workflow.places)
        places = tuple(_place(one, names[id], id in outputs) for id, one in workflow.places.items())
        transition_names = names_of(workflow.transitions)
        transitions = tuple(
            self._transition(workflow, one, transition_names[id], names) for id, one in workflow.transitions.items()
        )
        return Net(
            name=name,
            input_sets=(
                InputSet(types={names[id]: workflow.places[id].type for id in workflow.places if id in inputs}),
            ),
            places=places,
            transitions=transitions,
            description=workflow.said.description,
            properties=workflow.said.properties,
        )

    def _transition(self, workflow: WorkflowText, one: TransitionText, name: str, places: dict[str, str]) -> Transition:
        edges = Edges(workflow, one, places, self.report)
        operation = one.operation
        if operation is not None and operation.python:
            edges.computes(operation)
        guards = [text for text in map(edges.guard, one.conditions) if text != "True"]
        body = None
        if operation is not None and not operation.python:
            body = self._operation(one, operation, edges)
        inputs, outputs, assigns = edges.arcs(has_operation=body is not None)
        return Transition(
            name=name,
            inputs=inputs,
            outputs=outputs,
            guard=guards[0] if len(guards) == 1 else " and ".join(f"({text})" for text in guards),
            assigns=assigns,
            operation=body,
            description=one.said.description,
            properties=one.said.properties,
        )

    def _operation(self, one: TransitionText, operation: OperationText, edges: Edges) -> Activity:
        brings, wants = edges.brings(), edges.wants()
        inside = operation.workflow.id if operation.workflow is not None else ""
        name = self.fresh(operation.candidate or operation.name or inside or one.id, operation.span)
        if operation.workflow is not None:
            return self._sub_net(one, operation.workflow, name, brings, wants)
        sets = (InputSet(types=dict.fromkeys(brings, "any"), bindings=_bindings(brings)),)
        outcomes = (Outcome("done", types=dict.fromkeys(wants.values(), "any")), ABORTED)
        properties = operation.said.properties
        if not operation.candidate or _is_workflow(operation):
            process = name_of(PurePath(operation.candidate).stem if operation.candidate else operation.name)
            return Call(name=name, process=process, input_sets=sets, outcomes=outcomes, properties=properties)
        task = Named(name_of(operation.candidate))
        return Task(name=name, handler=task, input_sets=sets, outcomes=outcomes, properties=properties)

    def _sub_net(
        self, one: TransitionText, workflow: WorkflowText, name: str, brings: dict[str, str], wants: dict[str, str]
    ) -> Net:
        """The net of a sub-workflow: what edges bring fills its places, what they want is in places at the end."""
        by_name = {name_of(id): id for id in workflow.places}
        for said in (*brings, *wants.values()):
            if said not in by_name:
                what = f"the workflow inside {one.id!r} has no place {said!r}, as an edge of {one.id!r} asks"
                self.report.unknown("unknown-place", workflow.span, what, said, workflow.places, "name a place of it")
        inputs = {by_name[said] for said in brings if said in by_name}
        outputs = {by_name[said] for said in wants.values() if said in by_name}
        net = self.net(workflow, name, inputs, outputs)
        types = {place.name: place.type for place in net.places if place.output}
        sets = (InputSet(types=net.input_sets[0].types, bindings=_bindings(brings)),)
        return replace(net, input_sets=sets, outcomes=(Outcome(DONE.name, types=types), ABORTED))


def _place(one: PlaceText, name: str, output: bool) -> Place:
    said = one.said
    kept = said.properties if one.id == name else {**said.properties, "ID": one.id}
    if one.capacity is not None:
        kept = {**kept, "capacity": str(one.capacity)}
    return Place(name, one.type, tuple(one.tokens), output, said.description, kept)


def _bindings(brings: dict[str, str]) -> dict[str, Sources]:
    """Parameters take the variable of their own name by themselves; the others are bound to theirs."""
    return {name: (Variable(variable),) for name, variable in brings.items() if name != variable}


def _is_workflow(operation: OperationText) -> bool:
    return "workflow" in operation.type.lower() or operation.candidate.endswith((".gwdl", ".xml"))
