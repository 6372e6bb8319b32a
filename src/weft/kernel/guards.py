"""The guards of all activities of a tree, compiled to formulas: for every event, the formulas that speak of it."""

from collections.abc import Callable
from typing import Final

from weft.kernel import events
from weft.kernel.circles import circles
from weft.kernel.formula import Formulas, Reach, Term, conditions, copied, gate
from weft.kernel.supply import Supply, supplies
from weft.kernel.tree import FLOW, TASK, Tree
from weft.model.definition import Activity, Each, Flow, Input, Output, Source, Task
from weft.model.expressions import Expression as Compiled

# What a look goes through, in this order. An item is `phase << 52 | node << 20 | index`.
ANSWER: Final = 0 << 52
LEAVE: Final = 1 << 52
MARK: Final = 2 << 52
STOP: Final = 3 << 52
OUTCOME: Final = 4 << 52
START: Final = 5 << 52
SKIP: Final = 6 << 52
PHASE: Final = 52
BY_DEATH: Final = (events.SKIPPED, events.ENDED, events.PASSED)
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


class Guards(Tree):
    """One formula for everything that waits, and what a look has to look at when it flips."""

    def __init__(self, root: Activity, expression: Callable[[str], Compiled], group: str | None, is_side: bool) -> None:
        super().__init__(root, group, is_side)
        self.expression = expression
        self.formulas = Formulas()
        self.formula_start: list[int] = []
        self.mentions: list[list[tuple[int, str, int]] | None] = [None] * len(self.kind)
        self.hears = [0] * len(self.kind)
        """The events of each activity, as bits, that its mentions speak of."""
        self.inner: dict[int, list[tuple[int, str, int]]] = {}
        self.sets: list[list[int]] = [[] for _ in self.kind]
        self.outcomes: dict[int, list[int]] = {}
        self.leave: dict[int, dict[str, int]] = {}
        self.asks_leave: set[int] = set()
        """What parks before it commits: it has a commit guard, or stands in an exclusive flow."""
        self.one_start: set[int] = set()
        """Flows in which one start withdraws the others."""
        self.cancel: dict[int, int] = {}
        self.until: dict[int, int] = {}
        self.questions: list[Question] = []
        self.question_of: dict[tuple[int, str], int] = {}
        self.bindings: dict[tuple[int, int], list[tuple[str, list[Supply]]]] = {}
        self.cycles: dict[int, list[int]] = {}
        self.later: dict[int, int] = {}
        """Atoms about members of other circles, with their event: they may hold also when the member can't happen."""
        self.kids: dict[int, list[int]] = {}
        self.own_marks: dict[int, int] = {}
        """For each atom in which a child waits for a mark of the flow around, the formula that gives the mark."""
        self.mark_atoms: dict[int, list[int]] = {}
        """The same the other way round: what is false when the mark can't be given any more."""
        self.adders: dict[int, list[tuple[int, str, str]]] = {}
        self.fed: dict[int, list[int]] = {}
        self.occurrences: dict[int, list[int]] = {}
        self.compile()

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
        if flow.one_start:
            self.one_start.add(node)
        if flow.exclusive:
            self.asks_leave.update(children)
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
                (name, supplies(self.activity, reach, sources, self.expression))
                for name, sources in outcome.bindings.items()
            ]
        self.outcomes[node] = found
        marks = {one.name: formula for one, formula in zip(flow.outcomes, found, strict=True) if one.kind == "mark"}
        for event, name, atom in self.inner.get(node, ()):
            if event == events.MARK and name in marks:
                self.own_marks[atom] = marks[name]
                self.mark_atoms.setdefault(marks[name], []).append(atom)
        cyclic = self.cyclic(node)
        if cyclic:
            self.cycles[node] = list(cyclic)
            for child in cyclic:
                for event, _, atom in self.mentions[child] or ():
                    if event in BY_DEATH and cyclic.get(self.waiting(atom), -1) != cyclic[child]:
                        self.later[atom] = event
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
                    (name, supplies(self.activity, reach, sources, self.expression))
                    for name, sources in one.bindings.items()
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
                    self.asks_leave.add(child)
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
                self.hears[term.node] |= 1 << term.event

    def waiting(self, atom: int) -> int:
        """Whose start or end waits for the atom; -1 where something else does."""
        while atom >= 0:
            atom = self.formulas.above[atom]
        item = self.formulas.root_true[-1 - atom]
        return item >> NODE_BITS & NODE_MASK if item >> PHASE << PHASE == START else -1

    def cyclic(self, flow: int) -> dict[int, int]:
        """The children of a flow that stand in guard circles, in order, and in which; none for nearly every flow."""
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
            return {}
        names: dict[str, int] = {}
        for child in self.children[flow]:
            for name in self.activity[child].holds:
                hold = names.setdefault(name, -1 - len(names))
                edges[child].append(hold)
                edges.setdefault(hold, []).append(child)
        members = circles(edges)
        return {child: members[child] for child in self.children[flow] if child in members}

    def subjects(self, formula: int) -> list[int]:
        """The nodes that a formula speaks of, by marks of the flow too. What is below a formula follows it."""
        above, subject = self.formulas.above, self.formulas.subject
        found: list[int] = []
        todo, known = [formula], {formula}
        while todo:
            top = number = todo.pop()
            while number == top or (number < len(above) and above[number] >= top):
                mark = self.own_marks.get(number, -1)
                if mark >= 0 and mark not in known:
                    known.add(mark)
                    todo.append(mark)
                elif subject[number] >= 0:
                    found.append(subject[number])
                number += 1
        return found

    def learn_kids(self, start: int, stop: int) -> None:
        for formula in range(start, stop):
            above = self.formulas.above[formula]
            if above >= 0:
                self.kids.setdefault(above, []).append(formula)
