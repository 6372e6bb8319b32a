"""A definition compiled once: arrays by node number, and for every event the formulas that speak of it.

A plan covers one execution: an activity with all that is inside, but not the bodies of eaches, the operations of
nets, called processes, or what takes back and takes over. Those have plans of their own, made when first needed
and shared by all executions. A compound placed in another group is a leaf here.
"""

from typing import Final

from weft.kernel import events
from weft.kernel.circles import circles
from weft.kernel.formula import Formulas, Reach, Term, conditions, gate
from weft.kernel.net_plan import NetPlan
from weft.model.definition import (
    Activity,
    Call,
    Constant,
    Each,
    Expression,
    Flow,
    Input,
    Net,
    Output,
    Person,
    Process,
    Source,
    Task,
    Value,
    Variable,
    is_unnamed,
)
from weft.model.expressions import Expression as Compiled
from weft.model.expressions import Limits, compile_expression
from weft.model.types import ObjectClass

TASK: Final = 0
FLOW: Final = 1
EACH: Final = 2
CALL: Final = 3
NET: Final = 4
PLACED: Final = 5

KINDS: Final[dict[type, int]] = {Task: TASK, Flow: FLOW, Each: EACH, Call: CALL, Net: NET}

# What a look goes through, in this order. An item is `phase << 52 | node << 20 | index`.
ANSWER: Final = 0 << 52
LEAVE: Final = 1 << 52
MARK: Final = 2 << 52
STOP: Final = 3 << 52
OUTCOME: Final = 4 << 52
START: Final = 5 << 52
SKIP: Final = 6 << 52
PHASE: Final = 52
NODE_BITS: Final = 20
NODE_MASK: Final = (1 << 32) - 1
INDEX_MASK: Final = (1 << 20) - 1


class Question:
    """A `When`: which activity's guard it stands in, its key among that guard's questions, and its expression."""

    def __init__(self, node: int, key: str, text: str, atom: int, look: int) -> None:
        self.node = node
        self.key = key
        self.text = text
        self.atom = atom
        self.look = look
        self.condition = -1


class Plan:
    """See the module. The caller may read every field; nothing is changed after it was made."""

    def __init__(self, root: Activity, library: "Library", group: str | None, is_side: bool = False) -> None:
        self.library = library
        self.group = group
        self.is_side = is_side
        self.activity: list[Activity] = []
        self.kind: list[int] = []
        self.parent: list[int] = []
        self.end: list[int] = []
        self.paths: list[str] = []
        self.children: list[list[int]] = []
        self.index: dict[str, int] = {}
        self.number(root)
        self.formulas = Formulas()
        self.formula_start: list[int] = []
        self.mentions: list[list[tuple[int, str, int]] | None] = [None] * len(self.kind)
        self.inner: dict[int, list[tuple[int, str, int]]] = {}
        self.sets: list[list[int]] = [[] for _ in self.kind]
        self.outcomes: dict[int, list[int]] = {}
        self.leave: dict[int, dict[str, int]] = {}
        self.cancel: dict[int, int] = {}
        self.until: dict[int, int] = {}
        self.questions: list[Question] = []
        self.question_of: dict[tuple[int, str], int] = {}
        self.bindings: dict[tuple[int, int], list[tuple[str, list[Supply]]]] = {}
        self.repeats: dict[int, list[tuple[str, str, str]]] = {}
        self.cycles: dict[int, list[int]] = {}
        self.kids: dict[int, list[int]] = {}
        self.adders: dict[int, list[tuple[int, str, str]]] = {}
        self.fed: dict[int, list[int]] = {}
        self.occurrences: dict[int, list[int]] = {}
        self.compile()
        count = len(self.formulas)
        self.zeros = [0] * max(count, len(self.kind))
        self.nones: list[None] = [None] * len(self.kind)
        self.nets: dict[int, NetPlan] = {}
        self.holding: dict[int, list[tuple[int, tuple[str, ...]]]] = {}
        self.sides: dict[tuple[int, str], Plan] = {}

    def __len__(self) -> int:
        return len(self.kind)

    # Numbering.

    def number(self, root: Activity) -> None:
        """Nodes get numbers in preorder, so that what is inside a node is the range up to its `end`."""
        todo: list[tuple[Activity, int, str]] = [(root, -1, "")]
        group = self.group
        while todo:
            activity, parent, prefix = todo.pop()
            node = len(self.kind)
            kind = KINDS[type(activity)]
            if group is not None and kind != TASK and activity.placement and activity.placement != group:
                kind = PLACED if node or self.is_side else kind
            path = prefix + activity.name
            self.activity.append(activity)
            self.kind.append(kind)
            self.parent.append(parent)
            self.end.append(node + 1)
            self.paths.append(path)
            self.children.append([])
            self.index[path] = node
            if parent >= 0:
                self.children[parent].append(node)
            if kind == FLOW:
                assert isinstance(activity, Flow)
                inside = prefix if node == 0 or is_unnamed(activity.name) else path + "/"
                for child in reversed(activity.children):
                    todo.append((child, node, inside))
        for node in range(len(self.kind) - 1, 0, -1):
            parent = self.parent[node]
            if self.end[parent] < self.end[node]:
                self.end[parent] = self.end[node]

    # Compiling guards.

    def compile(self) -> None:
        formulas = self.formulas
        for node, kind in enumerate(self.kind):
            self.formula_start.append(len(formulas))
            if kind == FLOW:
                self.compile_flow(node)
        self.formula_start.append(len(formulas))

    def compile_flow(self, node: int) -> None:
        flow = self.activity[node]
        assert isinstance(flow, Flow)
        children = self.children[node]
        names = {self.activity[child].name: child for child in children}
        names[flow.name] = node
        reach = Reach(node, names, children)
        for child in children:
            self.compile_child(reach, child)
        found: list[int] = []
        for number, outcome in enumerate(flow.outcomes):
            terms = [] if outcome.guard is None else [reach.term(outcome.guard)]
            if outcome.guard is None and outcome.kind == "abort":
                terms = [reach.never()]
            terms += self.supplied(reach, list(outcome.bindings.values()))
            item = (MARK if outcome.kind == "mark" else OUTCOME) | node << NODE_BITS | number
            found.append(
                self.formula(reach, node, "outcome " + outcome.name, terms, outcome.guard is not None, item, item)
            )
            self.bindings[node, -1 - number] = [
                (name, self.supplies(reach, sources)) for name, sources in outcome.bindings.items()
            ]
        self.outcomes[node] = found
        cyclic = self.cyclic(node)
        if cyclic:
            self.cycles[node] = cyclic
            self.learn_kids(self.formula_start[node], len(self.formulas))

    def compile_child(self, reach: Reach, child: int) -> None:
        activity = self.activity[child]
        for number, one in enumerate(activity.input_sets):
            terms = [] if one.guard is None else [reach.term(one.guard)]
            terms += self.supplied(reach, list(one.bindings.values()))
            start, skip = START | child << NODE_BITS, SKIP | child << NODE_BITS
            self.sets[child].append(
                self.formula(reach, child, "start " + one.name, terms, one.guard is not None, start, skip)
            )
            if one.bindings:
                self.bindings[child, number] = [
                    (name, self.supplies(reach, sources)) for name, sources in one.bindings.items()
                ]
        for event, guard, table in (("cancel", activity.cancel, self.cancel), ("until", activity.until, self.until)):
            if guard is not None:
                item = STOP | child << NODE_BITS | (event == "until")
                table[child] = self.formula(reach, child, event, [reach.term(guard)], True, item, -1)
        if self.kind[child] == TASK:
            for outcome in activity.outcomes:
                if outcome.guard is not None and outcome.kind == "commit":
                    item = START | child << NODE_BITS
                    formula = self.formula(
                        reach, child, "outcome " + outcome.name, [reach.term(outcome.guard)], True, item, item
                    )
                    self.leave.setdefault(child, {})[outcome.name] = formula
        if isinstance(activity, Each) and activity.adds:
            self.adders[child] = [(reach.names[one.activity], one.outcome, one.object) for one in activity.adds]
            for feeder, _, _ in self.adders[child]:
                self.fed.setdefault(feeder, []).append(child)
        if isinstance(activity, Task) and type(activity.handler).__name__ in ("Timer", "Signal"):
            self.occurrences.setdefault(reach.compound, []).append(child)

    def supplied(self, reach: Reach, parameters: list[tuple[Source, ...]]) -> list[Term]:
        """For each parameter that is not always available: one of its sources is."""
        terms: list[Term] = []
        for sources in parameters:
            atoms: list[Term] = []
            for source in sources:
                term = self.available(reach, source)
                if term is None:
                    break
                atoms.append(term)
            else:
                terms.append(gate(1, atoms) if atoms else reach.never())
        return terms

    def available(self, reach: Reach, source: Source) -> Term | None:
        """When the source has a value; None when it always has."""
        if isinstance(source, Input):
            return Term(node=reach.names[source.activity], event=events.STARTED_SET, name=source.set)
        if isinstance(source, Output):
            node = reach.names[source.activity]
            outcome = self.activity[node].outcome(source.outcome)
            kind = "commit" if outcome is None else outcome.kind
            if kind == "repeat":
                return Term(node=reach.compound, event=events.NEVER)
            event = {"commit": events.COMMITTED_AS, "abort": events.ABORTED_AS, "mark": events.MARK}[kind]
            return Term(node=node, event=event, name=source.outcome)
        return None

    def formula(
        self, reach: Reach, owner: int, place: str, terms: list[Term], is_guarded: bool, on_true: int, on_false: int
    ) -> int:
        """Lays out one thing's formula, and for each question in it the condition under which it is asked."""
        term = reach.settled(gate(len(terms), terms) if terms else reach.started())
        atoms: list[tuple[Term, int]] = []
        top = self.formulas.add(term, self.formulas.root(reach.compound, on_true, on_false), atoms)
        if is_guarded and any(atom.is_question() for atom, _ in atoms):
            guard = term.kids[0] if len(terms) > 1 else term
            self.ask(reach, owner, place, guard, [number for atom, number in atoms if atom.is_question()])
        self.mention(reach, atoms)
        return top

    def ask(self, reach: Reach, owner: int, place: str, guard: Term, numbers: list[int]) -> None:
        asked: dict[str, int] = {}
        for (question, before), number in zip(conditions(guard), numbers, strict=True):
            count = asked.get(question.text, 0)
            asked[question.text] = count + 1
            key = f"{place}: {question.text}" + (f" #{count + 1}" if count else "")
            here = len(self.questions)
            entry = Question(owner, key, question.text, number, reach.compound)
            self.questions.append(entry)
            self.question_of[owner, key] = here
            terms = [copied(one) for one in before] or [reach.started()]
            atoms: list[tuple[Term, int]] = []
            item = ANSWER | here << NODE_BITS
            root = self.formulas.root(reach.compound, item, -1)
            entry.condition = self.formulas.add(reach.settled(gate(len(terms), terms)), root, atoms)
            self.mention(reach, atoms)

    def mention(self, reach: Reach, atoms: list[tuple[Term, int]]) -> None:
        for term, number in atoms:
            if term.node < 0:
                continue
            entry = (term.event, term.name, number)
            if term.node == reach.compound:
                self.inner.setdefault(term.node, []).append(entry)
            else:
                mentions = self.mentions[term.node]
                if mentions is None:
                    mentions = self.mentions[term.node] = []
                mentions.append(entry)

    def cyclic(self, flow: int) -> list[int]:
        """The children of a flow that stand in a guard circle, in order; none for nearly every flow."""
        edges: dict[int, list[int]] = {}
        goes_back = False
        for child in self.children[flow]:
            found = edges.setdefault(child, [])
            for formula in [*self.sets[child], *self.leave.get(child, {}).values()]:
                for subject in self.subjects(formula):
                    if subject != flow:
                        found.append(subject)
                        goes_back = goes_back or subject >= child
        if not goes_back:
            return []
        names: dict[str, int] = {}
        for child in self.children[flow]:
            for name in self.activity[child].holds:
                hold = names.setdefault(name, -1 - len(names))
                edges[child].append(hold)
                edges.setdefault(hold, []).append(child)
        members = circles(edges)
        return [child for child in self.children[flow] if child in members]

    def subjects(self, formula: int) -> list[int]:
        """The nodes that a formula speaks of. A formula lies in preorder, so what is below it follows it."""
        above, subject = self.formulas.above, self.formulas.subject
        found = [subject[formula]] if subject[formula] >= 0 else []
        number = formula + 1
        while number < len(above) and above[number] >= formula:
            if subject[number] >= 0:
                found.append(subject[number])
            number += 1
        return found

    def learn_kids(self, start: int, stop: int) -> None:
        for formula in range(start, stop):
            above = self.formulas.above[formula]
            if above >= 0:
                self.kids.setdefault(above, []).append(formula)

    # Data.

    def supplies(self, reach: Reach, sources: tuple[Source, ...]) -> list["Supply"]:
        found: list[Supply] = []
        for source in sources:
            if isinstance(source, Output):
                node = reach.names[source.activity]
                outcome = self.activity[node].outcome(source.outcome)
                if outcome is not None and outcome.kind == "repeat":
                    continue
                found.append(Supply(FROM_OUTPUT, node, source.outcome, source.object))
            elif isinstance(source, Input):
                found.append(Supply(FROM_INPUT, reach.names[source.activity], source.set, source.object))
            else:
                found.append(self.loose(source))
        return found

    def loose(self, source: Source) -> "Supply":
        """A source that needs no activity."""
        if isinstance(source, Variable):
            return Supply(FROM_VARIABLE, -1, source.name, "")
        if isinstance(source, Constant):
            supply = Supply(FROM_CONSTANT, -1, "", "")
            supply.value = source.value
            return supply
        assert isinstance(source, Expression)
        supply = Supply(FROM_EXPRESSION, -1, source.text, "")
        supply.expression = self.library.expression(source.text)
        return supply

    # Plans of what runs inside and beside.

    def side(self, node: int, role: str) -> "Plan":
        """The plan of a `body`, an `operation NAME`, a `compensation`, an `undo`, or an `alternate K`."""
        found = self.sides.get((node, role))
        if found is None:
            activity = beside(self.activity[node], role)
            assert activity is not None, f"{self.activity[node].name} has no {role}"
            found = self.sides[node, role] = Plan(activity, self.library, self.group, is_side=True)
        return found

    def has_side(self, node: int, role: str) -> bool:
        return beside(self.activity[node], role) is not None

    def net_holds(self, node: int) -> list[tuple[int, tuple[str, ...]]]:
        """The transitions of a net whose operations hold names."""
        found = self.holding.get(node)
        if found is None:
            net = self.activity[node]
            assert isinstance(net, Net)
            found = self.holding[node] = [
                (number, one.operation.holds)
                for number, one in enumerate(net.transitions)
                if one.operation is not None and one.operation.holds
            ]
        return found

    def net(self, node: int) -> NetPlan:
        found = self.nets.get(node)
        if found is None:
            activity = self.activity[node]
            assert isinstance(activity, Net)
            found = self.nets[node] = NetPlan(activity, self.library.expression)
        return found


FROM_OUTPUT: Final = 0
FROM_INPUT: Final = 1
FROM_VARIABLE: Final = 2
FROM_CONSTANT: Final = 3
FROM_EXPRESSION: Final = 4


class Supply:
    """A source with its names resolved."""

    def __init__(self, kind: int, node: int, name: str, object: str) -> None:
        self.kind = kind
        self.node = node
        self.name = name
        self.object = object
        self.value: Value = None
        self.expression: Compiled | None = None


def copied(term: Term) -> Term:
    twin = Term(node=term.node, event=term.event, name=term.name, text=term.text, need=term.need)
    twin.kids = [copied(kid) for kid in term.kids]
    return twin


def beside(activity: Activity, role: str) -> Activity | None:
    kind, _, name = role.partition(" ")
    found: Activity | None = None
    if kind == "body" and isinstance(activity, Each):
        found = activity.body
    elif kind == "operation" and isinstance(activity, Net):
        found = next((one.operation for one in activity.transitions if one.name == name), None)
    elif kind == "compensation":
        found = activity.compensation
    elif kind == "undo":
        found = activity.undo
    elif kind == "alternate":
        found = activity.on_error[int(name)].alternate if int(name) < len(activity.on_error) else None
    return found


def is_persons(activity: Activity) -> bool:
    return isinstance(activity, Task) and isinstance(activity.handler, Person)


class Library:
    """The expressions of a process, compiled once, and the plans of the processes its calls were bound to."""

    def __init__(
        self, process: Process, limits: Limits | None = None, group: str | None = None, definition: str = ""
    ) -> None:
        self.process = process
        self.group = group
        self.definition = definition
        self.limits = limits or Limits()
        self.expressions: dict[str, Compiled] = {}
        self.plans: dict[str, Plan] = {}

    @property
    def classes(self) -> dict[str, ObjectClass]:
        return self.process.classes

    def expression(self, text: str) -> Compiled:
        found = self.expressions.get(text)
        if found is None:
            found = self.expressions[text] = compile_expression(text, None, self.process.classes, self.limits)
        return found

    def learn(self, definition: str, process: Process) -> Plan:
        """The plan of another definition, under its hash, so that `Bound` and `Changed` facts can name it."""
        found = self.plans.get(definition)
        if found is None:
            library = Library(process, self.limits, self.group, definition)
            library.plans = self.plans
            found = self.plans[definition] = Plan(process.body, library, self.group)
        return found


def plan_of(process: Process, group: str | None = None, limits: Limits | None = None) -> Plan:
    """Compiles a well-formed process: whole, or only what a group owns of it, the first being the empty one."""
    return Plan(process.body, Library(process, limits, group), group)
