"""Guards compiled to one array of formulas: each node a value and two counters, with a link to the gate above.

Every fact decides some atoms; a decision climbs until a gate does not flip, so a formula costs each of its nodes
once a round, and an OR of ten thousand terms O(1) per event. Knows of guards and events, not of what they start.
"""

from typing import Final

from weft.kernel import events
from weft.model.definition import AtLeast, Guard, On, Quiet, When

TRUE: Final = 1
FALSE: Final = 2


class Term:
    """A guard with its names resolved: an atom about a node's event, a question, or a gate."""

    def __init__(self, *, node: int = -1, event: int = 0, name: str = "", text: str = "", need: int = 0) -> None:
        self.node = node
        self.event = event
        self.name = name
        self.text = text
        self.need = need
        self.kids: list[Term] = []

    def is_question(self) -> bool:
        return bool(self.text)

    def asks(self) -> bool:
        """Is there a question in it?"""
        if self.text:
            return True
        return any(kid.asks() for kid in self.kids)


def passed_one(guard: AtLeast) -> str:
    """The activity of which the guard says that it was committed or skipped; empty if it says something else."""
    if guard.count != 1 or len(guard.guards) != 2:
        return ""
    one, other = guard.guards
    if not isinstance(one, On) or not isinstance(other, On) or one.activity != other.activity:
        return ""
    return one.activity if {one.event, other.event} == {"committed", "skipped"} else ""


def gate(need: int, kids: list[Term]) -> Term:
    if len(kids) == 1 and need == 1:
        return kids[0]
    term = Term(need=need)
    term.kids = kids
    return term


class Reach:
    """The nodes that guards of one place may speak of, by name."""

    def __init__(self, compound: int, names: dict[str, int], children: list[int]) -> None:
        self.compound = compound
        self.names = names
        self.children = children

    def term(self, guard: Guard) -> Term:
        if isinstance(guard, On):
            event, name = events.parse(guard.event)
            return Term(node=self.names[guard.activity], event=event, name=name)
        if isinstance(guard, When):
            return Term(text=guard.text)
        if isinstance(guard, AtLeast):
            passed = passed_one(guard)
            if passed:
                return Term(node=self.names[passed], event=events.PASSED)
            return gate(guard.count, [self.term(one) for one in guard.guards])
        assert isinstance(guard, Quiet)
        return gate(len(self.children), [Term(node=child, event=events.ENDED) for child in self.children])

    def started(self) -> Term:
        return Term(node=self.compound, event=events.STARTED)

    def never(self) -> Term:
        return Term(node=self.compound, event=events.NEVER)

    def settled(self, term: Term) -> Term:
        """Constants become atoms about the compound's own start, so that every formula is decided by an event."""
        if term.kids or term.need or term.node >= 0 or term.text:
            if not term.kids and term.node < 0 and not term.text:
                return self.started() if term.need <= 0 else self.never()
            if term.kids and term.need <= 0:
                return self.started()
            if term.kids and term.need > len(term.kids):
                return self.never()
            term.kids = [self.settled(kid) for kid in term.kids]
            return term
        return self.started()


def copied(term: Term) -> Term:
    twin = Term(node=term.node, event=term.event, name=term.name, text=term.text, need=term.need)
    twin.kids = [copied(kid) for kid in term.kids]
    return twin


def conditions(term: Term) -> list[tuple[Term, list[Term]]]:
    """Each question in the guard with the terms that must be true before it is asked.

    These are the other terms of every conjunction around it, but for those that hold a question themselves.
    """
    found: list[tuple[Term, list[Term]]] = []
    open_terms: list[tuple[Term, list[Term]]] = [(term, [])]
    while open_terms:
        one, before = open_terms.pop()
        if one.text:
            found.append((one, before))
            continue
        is_conjunction = one.need == len(one.kids)
        for kid in reversed(one.kids):
            if kid.asks():
                others = (
                    [other for other in one.kids if other is not kid and not other.asks()] if is_conjunction else []
                )
                open_terms.append((kid, before + others))
    return found


class Formulas:
    """The arrays. `above[f]` is the gate above, or -1 - the root's number."""

    def __init__(self) -> None:
        self.above: list[int] = []
        self.need_true: list[int] = []
        self.need_false: list[int] = []
        self.subject: list[int] = []
        self.root_look: list[int] = []
        self.root_true: list[int] = []
        self.root_false: list[int] = []

    def __len__(self) -> int:
        return len(self.above)

    def root(self, look: int, on_true: int, on_false: int) -> int:
        """A new root's number: which compound looks when it flips, and what it then has to look at (-1: nothing)."""
        self.root_look.append(look)
        self.root_true.append(on_true)
        self.root_false.append(on_false)
        return -len(self.root_look)

    def add(self, term: Term, above: int, atoms: list[tuple[Term, int]]) -> int:
        """Lays out a term below `above`; atoms and questions are collected with their numbers."""
        top = len(self.above)
        todo = [(term, above)]
        while todo:
            one, over = todo.pop()
            number = len(self.above)
            self.above.append(over)
            if one.kids:
                self.need_true.append(one.need)
                self.need_false.append(len(one.kids) - one.need + 1)
                self.subject.append(-1)
                for kid in reversed(one.kids):
                    todo.append((kid, number))
            else:
                self.need_true.append(0)
                self.need_false.append(0)
                self.subject.append(one.node)
                atoms.append((one, number))
        return top
