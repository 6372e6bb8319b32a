"""Which children of a flow can still happen, where guards wait for one another in a circle.

Outside circles a child that can't happen has a guard that is false. In a circle each may wait for the next while
nothing is ever decided; there the least set counts: what runs is live, and what a live one can still make true.
"""

from typing import Final

from weft.kernel import events, status
from weft.kernel.guards import ANSWER, LEAVE, MARK, NODE_BITS, NODE_MASK, OUTCOME, PHASE, STOP
from weft.kernel.state import Frame

NONE: Final[frozenset[int]] = frozenset()


def live_of(frame: Frame, flow: int, holders: dict[str, tuple[Frame, int]]) -> set[int]:
    """The members of the flow's circles that are live."""
    members = frame.plan.cycles[flow]
    live: set[int] = set()
    waiting: list[int] = []
    for member in members:
        now = frame.status[member]
        if now in (status.WAITING, status.READY, status.PARKED):
            waiting.append(member)
        elif now not in status.ENDS:
            live.add(member)
    is_growing = True
    while is_growing:
        is_growing = False
        for member in list(waiting):
            if can_happen(frame, member, members, live, holders):
                live.add(member)
                waiting.remove(member)
                is_growing = True
    return live


def can_happen(
    frame: Frame, member: int, members: list[int], live: set[int], holders: dict[str, tuple[Frame, int]]
) -> bool:
    now = frame.status[member]
    if now == status.WAITING:
        return any(can_hold(frame, formula, members, live) for formula in frame.plan.sets[member])
    if now == status.READY:
        for name in frame.plan.activity[member].holds:
            holder = holders.get(name)
            if holder is None or holder[0] is not frame or holder[1] == member:
                continue
            if holder[1] in members and holder[1] not in live:
                return False
        return True
    execution = frame.execution[member]
    assert execution is not None
    formula = frame.plan.leave.get(member, {}).get(execution.outcome, -1)
    return formula < 0 or can_hold(frame, formula, members, live)


def can_hold(frame: Frame, formula: int, members: list[int], live: set[int], marks: frozenset[int] = NONE) -> bool:
    """A mark of the flow itself can hold as its guard can, but not by itself; `marks` are those being asked."""
    value = frame.value[formula]
    if value:
        return value == 1
    plan = frame.plan
    mark = plan.own_marks.get(formula, -1)
    if mark >= 0:
        return mark not in marks and can_hold(frame, mark, members, live, marks | {mark})
    kids = plan.kids.get(formula)
    if kids is None:
        subject = plan.formulas.subject[formula]
        return subject not in members or subject in live or by_death(frame, subject, plan.later.get(formula, -1))
    need = plan.formulas.need_true[formula]
    return sum(can_hold(frame, kid, members, live, marks) for kid in kids) >= need


def by_death(frame: Frame, node: int, event: int) -> bool:
    """What can't happen is skipped if it has not begun, else it aborts: does that make the event true?"""
    return event == events.ENDED or (event >= 0 and frame.status[node] in status.IDLE)


def is_needed(frame: Frame, child: int) -> bool:
    """Does anything undecided, but its mere end, depend on what is awaited?"""
    formulas = frame.plan.formulas
    for event, _, formula in frame.plan.mentions[child] or ():
        if event == events.ENDED:
            continue
        above = formula
        while above >= 0 and not frame.value[above]:
            above = formulas.above[above]
        if above < 0 and is_open(frame, formulas.root_true[-1 - above]):
            return True
    return False


def is_open(frame: Frame, item: int) -> bool:
    """Does what the root of a formula decides still matter?"""
    phase, owner = item >> PHASE << PHASE, item >> NODE_BITS & NODE_MASK
    if phase == ANSWER:
        return frame.value[frame.plan.questions[owner].atom] == 0
    if phase in (OUTCOME, MARK, LEAVE):
        return True
    now = frame.status[owner]
    return now not in status.ENDS and (
        phase == STOP or now in (status.WAITING, status.PARKED) or owner in frame.plan.leave
    )
