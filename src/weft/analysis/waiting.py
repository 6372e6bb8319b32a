"""Which children of a flow can still happen in a circle of guards, and on which occurrences anything still depends."""

from typing import Final, Protocol

from weft.analysis.guards import ATOM, GATE, GuardTrees, Term
from weft.analysis.standings import ENDS, IDLE, OPEN, PARKED, TRUE, WAITING
from weft.analysis.standstills import Still
from weft.kernel import events
from weft.kernel.guards import ANSWER, NODE_BITS, NODE_MASK, PHASE, STOP
from weft.kernel.plan import Plan

NO_MARKS: Final[frozenset[int]] = frozenset()


class ChildGuards(Protocol):
    @property
    def sets(self) -> tuple[Term, ...]: ...
    @property
    def leave(self) -> dict[str, Term]: ...


class Guarded(Protocol):
    """What is asked of a machine here."""

    @property
    def plan(self) -> Plan: ...
    @property
    def node(self) -> int: ...
    @property
    def circle(self) -> list[int]: ...
    @property
    def trees(self) -> GuardTrees: ...
    def guards_of(self, number: int) -> ChildGuards: ...
    def value(self, term: Term, still: Still) -> int: ...


# Circles.


def live_of(machine: Guarded, still: Still) -> set[int]:
    """The members of circles that run, or that a live one can still make happen: the least such set."""
    waiting = [one for one in machine.circle if still.children[one].kind in (WAITING, PARKED)]
    live = {one for one in machine.circle if one not in waiting and still.children[one].kind not in ENDS}
    while more := [one for one in waiting if one not in live and _can_happen(machine, still, one, live)]:
        live.update(more)
    return live


def _can_happen(machine: Guarded, still: Still, number: int, live: set[int]) -> bool:
    child, standing = machine.guards_of(number), still.children[number]
    guard = child.leave.get(standing.outcome)
    guards = child.sets if standing.kind == WAITING else () if guard is None else (guard,)
    return not guards or any(_can_hold(machine, still, one, live) for one in guards)


def _can_hold(machine: Guarded, still: Still, term: Term, live: set[int], marks: frozenset[int] = NO_MARKS) -> bool:
    """A mark of the flow can hold as its guard can, but not by itself; `marks` are those being asked."""
    value = machine.value(term, still)
    if value != OPEN:
        return value == TRUE
    mark = machine.plan.own_marks.get(term.formula, -1)
    if mark >= 0:
        return mark not in marks and _can_hold(machine, still, machine.trees.tree(mark), live, marks | {mark})
    if term.kind == GATE:
        return sum(_can_hold(machine, still, inside, live, marks) for inside in term.inside) >= term.need
    if term.kind != ATOM or term.child not in machine.circle or term.child in live:
        return True
    event = machine.plan.later.get(term.formula, -1)
    return event == events.ENDED or (event >= 0 and still.children[term.child].kind in IDLE)


# Occurrences.


def is_needed(machine: Guarded, still: Still, number: int) -> bool:
    """Whether anything open, but its mere end, depends on what is awaited."""
    plan = machine.plan
    formulas = plan.formulas
    for event, _, formula in plan.mentions[plan.children[machine.node][number]] or ():
        if event == events.ENDED:
            continue
        above = formula
        while above >= 0 and machine.value(machine.trees.tree(above), still) == OPEN:
            above = formulas.above[above]
        if above < 0 and _is_open(machine, still, formulas.root_true[-1 - above]):
            return True
    return False


def _is_open(machine: Guarded, still: Still, item: int) -> bool:
    """Whether what the root of a guard decides still matters."""
    phase, owner = item >> PHASE << PHASE, item >> NODE_BITS & NODE_MASK
    if phase == ANSWER:
        return still.answers[machine.trees.questions.index(owner)] == OPEN
    if owner == machine.node:
        return True
    number = machine.plan.children[machine.node].index(owner)
    kind = still.children[number].kind
    return kind not in ENDS and (phase == STOP or kind in (WAITING, PARKED) or bool(machine.guards_of(number).leave))
