"""The guards of one flow as trees, with the child or question that each leaf speaks of."""

from dataclasses import dataclass
from typing import Final

from weft.kernel import events
from weft.kernel.plan import Plan

ATOM: Final = 0
OWN: Final = 1
QUESTION: Final = 2
GATE: Final = 3


@dataclass(frozen=True, slots=True)
class Term:
    """An event of a child, one of the flow itself, a question, or *at least `need` of* the terms inside."""

    kind: int
    child: int = 0
    event: int = 0
    name: str = ""
    need: int = 0
    inside: tuple["Term", ...] = ()
    formula: int = -1
    """Its number in the plan."""


class GuardTrees:
    """Trees for the formulas of a flow in a plan; children and questions are numbered from 0 within the flow."""

    def __init__(self, plan: Plan, flow: int) -> None:
        self.plan = plan
        self.first = plan.formula_start[flow]
        self.behind = plan.formula_start[flow + 1]
        position = {child: index for index, child in enumerate(plan.children[flow])}
        self.questions: Final = [
            number for number, one in enumerate(plan.questions) if self.first <= one.atom < self.behind
        ]
        self.leaves: dict[int, Term] = {}
        for child, index in position.items():
            for event, name, formula in plan.mentions[child] or ():
                self.leaves[formula] = Term(ATOM, index, event, name, formula=formula)
        for event, name, formula in plan.inner.get(flow, ()):
            self.leaves[formula] = Term(OWN, 0, event, name, formula=formula)
        for index, number in enumerate(self.questions):
            atom = plan.questions[number].atom
            self.leaves[atom] = Term(QUESTION, index, formula=atom)
        self.inside: dict[int, list[int]] = {}
        for formula in range(self.first, self.behind):
            above = plan.formulas.above[formula]
            if above >= 0:
                self.inside.setdefault(above, []).append(formula)

    def tree(self, formula: int) -> Term:
        leaf = self.leaves.get(formula)
        if leaf is not None:
            return leaf
        inside = tuple(self.tree(one) for one in self.inside[formula])
        return Term(GATE, need=self.plan.formulas.need_true[formula], inside=inside, formula=formula)


def mentioned(term: Term) -> set[tuple[int, int, str]]:
    """The (child, event, name) that a guard speaks of."""
    if term.kind == ATOM:
        return {(term.child, term.event, term.name)}
    return {one for inside in term.inside for one in mentioned(inside)}


def own_value(term: Term, set_name: str, marks: frozenset[str]) -> int:
    """What is decided about an event of the flow itself, which has started by that set."""
    if term.event in (events.READY, events.STARTED):
        return 1
    if term.event == events.STARTED_SET:
        return 1 if term.name == set_name else 2
    if term.event == events.MARK:
        return 1 if term.name in marks else 0
    return 2 if term.event in (events.NEVER, events.SKIPPED) else 0
