"""Makes the definition of a process from what was said in Python: one walk, in the order of writing.

What can be seen to be wrong here is collected; the rest is for the model to judge.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Final

from msgspec.structs import replace

from weft.languages.python.activities import NOTHING, Activity, Answer, Block, Leaf, Parameter, Way
from weft.languages.python.blocks import Call, Each
from weft.languages.python.catalogue import HOW_ITEMS_ENDED, Catalogue, ways_of
from weft.languages.python.nets import Net, Transition
from weft.languages.python.parameters import OPEN, Parameters, Where
from weft.languages.python.scopes import Scope, Slot
from weft.languages.python.value_types import Types
from weft.model import blocks, definition
from weft.model.definition import ABORTED, Declared, InputSet, Outcome, Output, Rule
from weft.model.types import near

BLOCKS: Final[dict[str, Callable[..., definition.Flow]]] = {
    "serial": blocks.serial,
    "all": blocks.all_of,
    "any": blocks.any_of,
    "race": blocks.race,
    "contingency": blocks.contingency,
    "pick": blocks.pick,
}
IN_ORDER: Final = ("serial", "loop", "contingency")
"""Blocks in which a step comes after those that are written before it."""
PLAIN_SETS: Final = (InputSet(),)
PASSED_NAMES: Final = ("deadline", "holds", "vital", "critical", "idempotent", "priority", "placement")
PASSED_ON: Final = attrgetter(*PASSED_NAMES)
PLAIN: Final = PASSED_ON(NOTHING)


class Builder:
    def __init__(self, catalogue: Catalogue, types: Types) -> None:
        self.catalogue = catalogue
        self.types = types
        self.parameters = Parameters(catalogue, types)

    def build(self, activity: Activity, where: Where) -> definition.Activity:
        made: definition.Activity
        match activity:
            case Leaf():
                made = self._task(activity, where)
            case Block():
                made = self._block(activity, where)
            case Each():
                made = self._each(activity, where)
            case Net():
                made = self._net(activity, where)
            case Call():
                made = self._call(activity, where)
            case _:
                raise AssertionError(f"{activity!r} is no kind of activity")
        kept = self.catalogue.kept.get(id(activity))
        if kept:
            self.parameters.written.update(slot for slot, _ in kept)
        return made

    # Tasks.

    def _task(self, leaf: Leaf, where: Where) -> definition.Task:
        prototype = self.catalogue.prototype(leaf)
        asked: Mapping[str, Parameter] = prototype.parameters
        for text in prototype.expressions.values():
            asked = {**asked, **dict.fromkeys(sorted(self.types.names(text)), OPEN)}
        sets = self._sets(leaf, asked, where, is_open=prototype.is_open)
        fields = {**prototype.fields, **self._said(leaf, sets, where)}
        if leaf.said.limits is not None:
            fields["limits"] = leaf.said.limits
        if leaf.said.queues:
            fields["queues"] = leaf.said.queues
        outcomes = prototype.outcomes
        if leaf.said.ends:
            outcomes = self._guarded_ends(leaf, outcomes, where)
        if prototype.expressions:
            types = {name: self.types.of_object(leaf, "", name, where.scope) for name in prototype.expressions}
            outcomes = tuple(replace(one, types=types) if one.kind == "commit" else one for one in outcomes)
        return definition.Task(name=leaf.name, input_sets=sets, outcomes=outcomes, **fields)  # type: ignore[arg-type]

    def _guarded_ends(self, leaf: Leaf, outcomes: tuple[Outcome, ...], where: Where) -> tuple[Outcome, ...]:
        """A task's outcomes are those of its work; a guard on one says when it may happen."""
        guards = {end.name: self.parameters.guard(leaf, end.guard, where) for end in leaf.said.ends}
        known = [one.name for one in outcomes]
        for end in leaf.said.ends:
            if end.name not in known or end.objects or end.kind:
                meant = near(end.name, known) or ", ".join(known)
                self.catalogue.fault(
                    leaf, "task-outcome", f".outcome({end.name!r}, …) of a task can only guard an outcome that it has",
                    f"it has {meant}; declare others where the task is made",
                )  # fmt: skip
        return tuple(replace(one, guard=guards[one.name]) if one.name in guards else one for one in outcomes)

    def _sets(
        self, activity: Activity, asked: Mapping[str, Parameter], where: Where, *, is_open: bool
    ) -> tuple[InputSet, ...]:
        """The input sets; of one that is open, whatever is given to it is a parameter."""
        ways = ways_of(activity)
        if is_open and not asked and len(ways) == 1 and not ways[0].sources and ways[0].guard is None:
            return PLAIN_SETS if ways[0].name == "start" else (InputSet(ways[0].name),)
        return tuple(
            self.parameters.input_set(
                activity,
                way,
                {**asked, **{name: asked.get(name, OPEN) for name in way.sources}} if is_open else asked,
                where,
            )
            for way in ways
        )

    # Blocks.

    def _block(self, block: Block, where: Where) -> definition.Flow:
        inner = self.catalogue.inner(block, where.scope)
        inside = where.inside(block, inner)
        sets = self._sets(block, {}, where, is_open=True)
        for condition in block.conditions:
            self.parameters.condition(block, condition, inside)
        children = self._children(block, inside)
        name, kind = block.said.name, block.kind
        if kind == "choice":
            branches = list(zip(block.conditions, children, strict=False))
            default = children[-1] if len(children) > len(branches) else None
            made = blocks.choice(branches, default, name=name)
        elif kind == "loop":
            made = blocks.loop(block.conditions[0], *children, name=name)
        elif kind == "atleast":
            made = blocks.at_least(block.count, *children, name=name)
        elif kind == "flow":
            made = blocks.all_of(*children, name=name or blocks.generated_name("flow", children[0]))
            made = replace(made, block="")
        else:
            made = BLOCKS[kind](*children, name=name)
        changed = self._compound(block, made.outcomes, sets, inner, where)
        return replace(made, **changed) if changed else made

    def _children(self, block: Block, inside: Where) -> list[definition.Activity]:
        children = block.children()
        written = self.parameters.written
        if block.kind == "flow":  # its guards say who comes first
            written.update(slot for child in children for slot in self.catalogue.written_below(child))
        if block.kind in (*IN_ORDER, "flow"):
            return [self.build(child, inside) for child in children]
        made: list[definition.Activity] = []
        every = [self.catalogue.written_below(child) for child in children]
        for child, below in zip(children, every, strict=True):
            waits = any(way.guard is not None for way in child.said.ways)
            seen = [slot for others in every for slot in others] if waits else below
            fresh = [slot for slot in seen if slot not in written]
            if waits:
                written.update(fresh)
            made.append(self.build(child, inside))
            written.difference_update(fresh)
        for below in every:
            written.update(below)
        return made

    # Other compounds.

    def _each(self, each: Each, where: Where) -> definition.Each:
        inner = self.catalogue.inner(each, where.scope)
        items = self.parameters.sources(each, each.items, where)
        of_items = self.types.of(each.items, where.scope)
        sets = tuple(
            replace(one, bindings={"items": items, **one.bindings}, types={"items": of_items, **one.types})
            for one in self._sets(each, {}, where, is_open=True)
        )
        body = self.build(each.body, where.inside(each, inner))
        names = (*self.catalogue.objects(each.body), HOW_ITEMS_ENDED)
        done = Outcome("done", types={name: self.types.of_object(each, "done", name, inner) for name in names})
        adds = [one for one in self.parameters.sources(each, each.adds, where) if isinstance(one, Output)]
        changed = self._compound(each, (done, ABORTED), sets, inner, where)
        fields: dict[str, object] = {
            "name": each.said.name or blocks.generated_name("each", body),
            "outcomes": (done, ABORTED),
            "input_sets": sets,
            **changed,
        }
        return definition.Each(
            item=each.item,
            body=body,
            at_most=each.at_most,
            enough=each.enough,
            adds=tuple(adds),
            open=each.is_open,
            **fields,  # type: ignore[arg-type]
        )

    def _call(self, call: Call, where: Where) -> definition.Call:
        outcomes = tuple(self.catalogue.called(call))
        if call.interface is None:
            sets = self._sets(call, {}, where, is_open=True)
        else:
            sets = self._called_sets(call, call.interface.input_sets, where)
        fields = {"outcomes": outcomes, **self._compound(call, outcomes, sets, where.scope, where)}
        return definition.Call(name=call.name, process=call.process, version=call.version, **fields)  # type: ignore[arg-type]

    def _called_sets(self, call: Call, called: Sequence[InputSet], where: Where) -> tuple[InputSet, ...]:
        said = {way.name: way for way in ways_of(call)} if call.said.ways else {}
        for name in said.keys() - {one.name for one in called}:
            names = ", ".join(one.name for one in called)
            self.catalogue.fault(call, "unknown-set", f"{call!r} has no input set {name!r}", f"it has {names}")
        sets: list[InputSet] = []
        for one in called:
            if said and one.name not in said:
                continue
            way = said.get(one.name) or Way(one.name, None, call.said.using)
            asked = {name: Parameter(of_type, name in one.bindings) for name, of_type in one.types.items()}
            sets.append(self.parameters.input_set(call, way, asked, where))
        return tuple(sets)

    def _net(self, net: Net, where: Where) -> definition.Net:
        inner = self.catalogue.inner(net, where.scope)
        types = {
            one.name: self.catalogue.annotated(net, one.annotation, f"the place {one.name!r}") for one in net.places
        }
        asked = {one.name: Parameter(types[one.name]) for one in net.places if one.is_input}
        sets = self._sets(net, asked, where, is_open=True) if where.parent is not None or where.role else PLAIN_SETS
        transitions = tuple(self._transition(net, one, inner, where) for one in net.transitions)
        places = tuple(definition.Place(one.name, types[one.name], one.tokens, bool(one.output)) for one in net.places)
        given = dict(self.catalogue.gives(net)["done"].types)
        outcomes = (Outcome("done", types=given), ABORTED)
        fields = {"outcomes": outcomes, **self._compound(net, outcomes, sets, inner, where)}
        return definition.Net(name=net.name, places=places, transitions=transitions, **fields)  # type: ignore[arg-type]

    def _transition(self, net: Net, transition: Transition, inner: Scope, where: Where) -> definition.Transition:
        scope = self.catalogue.arcs(net, transition, inner)
        operation, outputs = None, transition.outputs
        if transition.operation is not None:
            operation = self.build(transition.operation, where.inside(net, scope))
            objects = self.catalogue.objects(transition.operation)
            kept = {
                variable: name or objects[position]
                for position, (variable, name) in enumerate(transition.operation.said.into)
                if name or position < len(objects)
            }
            outputs = tuple(replace(arc, variable=kept.get(arc.variable, arc.variable)) for arc in outputs)
        return definition.Transition(
            name=transition.name,
            inputs=transition.inputs,
            outputs=outputs,
            guard=transition.guard,
            assigns=dict(transition.assigns),
            operation=operation,
            priority=transition.priority,
            at_most=transition.at_most,
            cancels=transition.cancels,
            join=transition.join,
        )

    # What was said of any of them.

    def _compound(
        self,
        activity: Activity,
        outcomes: tuple[Outcome, ...],
        sets: tuple[InputSet, ...],
        inner: Scope,
        where: Where,
    ) -> dict[str, object]:
        """The fields that differ from those of a compound of which nothing was said."""
        changed = self._said(activity, sets, where)
        if sets is not PLAIN_SETS:
            changed["input_sets"] = sets
        if activity.said.ends:
            changed["outcomes"] = self._ends(activity, outcomes, where.inside(activity, inner))
        if inner is not where.scope:
            own = {slot.name: slot for slot in inner.variables.values() if not slot.items}
            if own:
                changed["variables"] = {name: self.declared(slot) for name, slot in own.items()}
        return changed

    def declared(self, slot: Slot) -> Declared:
        return Declared(self.types.of_slot(slot), slot.default.value if slot.default is not None else None)

    def _ends(self, activity: Activity, defaults: tuple[Outcome, ...], inside: Where) -> tuple[Outcome, ...]:
        """The outcomes that were said, then the usual ones; a graph that says how it commits has no other `done`."""
        known = {one.name: one for one in defaults}
        is_graph = isinstance(activity, Block) and activity.kind == "flow"
        made: dict[str, Outcome] = {}
        for end in activity.said.ends:
            before = known.pop(end.name, Outcome(end.name))
            guard = self.parameters.guard(activity, end.guard, inside)
            outcome = replace(before, guard=guard or before.guard, kind=end.kind or before.kind)
            if end.objects:
                types = {name: self.types.of(raws, inside.scope) for name, raws in end.objects.items()}
                bindings = {name: self.parameters.sources(activity, raws, inside) for name, raws in end.objects.items()}
                outcome = replace(outcome, types=types, bindings=bindings)
            made[end.name] = outcome
        if is_graph and any(one.kind == "commit" for one in made.values()):
            known.pop("done", None)
        return (*made.values(), *known.values())

    def _said(self, activity: Activity, sets: tuple[InputSet, ...], where: Where) -> dict[str, object]:
        said = activity.said
        fields: dict[str, object] = {}
        kept = self.catalogue.kept.get(id(activity))
        if kept:
            fields["writes"] = {slot.name: name for slot, name in kept}
        if (given := PASSED_ON(said)) != PLAIN:
            fields |= {
                name: value for name, value, plain in zip(PASSED_NAMES, given, PLAIN, strict=True) if value != plain
            }
        if said.cancel is not None or said.until is not None:
            fields["cancel"] = self.parameters.guard(activity, said.cancel, where)
            fields["until"] = self.parameters.guard(activity, said.until, where)
        if said.compensation is not None:
            fields["compensation"] = self.build(said.compensation, where.beside("compensation", activity, sets))
        if said.undo is not None:
            fields["undo"] = self.build(said.undo, where.beside("undo", activity, sets))
        if said.answers:
            fields["on_error"] = tuple(self._rule(activity, answer, sets, where) for answer in said.answers)
        return fields

    def _rule(self, activity: Activity, answer: Answer, sets: tuple[InputSet, ...], where: Where) -> Rule:
        if answer.rule.when:
            self.parameters.condition(activity, answer.rule.when, where)
        if answer.alternate is None:
            return answer.rule
        return replace(answer.rule, alternate=self.build(answer.alternate, where.beside("alternate", activity, sets)))
