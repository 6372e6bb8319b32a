"""What a fact decides about guards, and which compounds must look because of it.

Called by the modules that evolve the state. What is noted on an agenda is no part of the state: within a decision it is
looked at before the end, and after a replay it is forgotten, because what was seen then is in the facts that follow.
"""

from heapq import heappush

from weft.kernel import events
from weft.kernel.events import BELOW, FALSE, OPEN, SAME, TRUE, is_below
from weft.kernel.state import Body, Execution, Frame, State


def attend(state: State, frame: Frame, node: int) -> None:
    """Has a compound (or a task whose side work ended) looked at, whatever it finds."""
    if node not in frame.agenda:
        frame.agenda[node] = []
        state.looks.append((frame, node))


def note(state: State, frame: Frame, node: int, item: int) -> None:
    agenda = frame.agenda.get(node)
    if agenda is None:
        frame.agenda[node] = [item]
        state.looks.append((frame, node))
    else:
        heappush(agenda, item)


def decide(state: State, frame: Frame, formula: int, value: int) -> None:
    """An atom is true (1) or false (2) from now on; climbs as long as gates flip."""
    values = frame.value
    formulas = frame.plan.formulas
    above = formulas.above
    lack = frame.lack_true if value == 1 else frame.lack_false
    while not values[formula]:
        values[formula] = value
        over = above[formula]
        if over < 0:
            items = formulas.root_true if value == 1 else formulas.root_false
            item = items[-1 - over]
            if item >= 0:
                note(state, frame, formulas.root_look[-1 - over], item)
            if value == 2 and formula in frame.plan.mark_atoms:
                for atom in frame.plan.mark_atoms[formula]:
                    decide(state, frame, atom, 2)
            return
        left = lack[over] - 1
        lack[over] = left
        if left:
            return
        formula = over


def tell(state: State, frame: Frame, mentions: list[tuple[int, str, int]], table: list[int], name: str) -> None:
    """Decides every atom that the table says this fact decides."""
    for event, wanted, formula in mentions:
        says = table[event]
        if says == OPEN:
            continue
        if says == SAME:
            says = TRUE if wanted == name else FALSE
        elif says == BELOW:
            says = TRUE if is_below(name, wanted) else FALSE
        decide(state, frame, formula, says)


def tell_around(state: State, frame: Frame, node: int, table: list[int], name: str) -> None:
    mentions = frame.plan.mentions[node]
    if mentions is not None:
        tell(state, frame, mentions, table, name)


def tell_aborted(state: State, frame: Frame, node: int, outcome: str, error: str) -> None:
    """An abort has two names, its outcome and its error."""
    mentions = frame.plan.mentions[node]
    if mentions is None:
        return
    for event, wanted, formula in mentions:
        if event == events.ABORTED_AS:
            decide(state, frame, formula, 1 if wanted == outcome else 2)
        else:
            tell(state, frame, [(event, wanted, formula)], events.ON_ABORTED, error)


def execution_of(frame: Frame, node: int) -> Execution:
    execution = frame.execution[node]
    assert execution is not None, frame.path(node)
    return execution


def body_of(frame: Frame, node: int) -> Body:
    body = execution_of(frame, node).body
    assert body is not None, frame.path(node)
    return body


def around(frame: Frame, node: int) -> tuple[Frame, int]:
    """The compound around, in whatever frame it lies; node -1 for the root of the instance."""
    if node:
        return frame, frame.plan.parent[node]
    if frame.parent is None:
        return frame, -1
    return frame.parent, frame.parent_node
