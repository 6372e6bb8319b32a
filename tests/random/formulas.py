"""What guards say, read from the records by their definition: true (1), false (2) or open (0). Slow and plain."""

from collections.abc import Iterator, Set

from tests.random.records import Record
from weft.model.definition import (
    AtLeast,
    Constant,
    Guard,
    Input,
    InputSet,
    On,
    Outcome,
    Output,
    Quiet,
    Source,
    When,
)

OPEN, TRUE, FALSE = 0, 1, 2


def said(condition: bool, is_final: bool) -> int:
    return TRUE if condition else FALSE if is_final else OPEN


def event_of(one: Record, event: str) -> int:
    """The event of an activity that is looked at from outside."""
    kind, _, name = event.partition(":")
    phase, ended = one.phase, one.has_ended
    if kind == "ready":
        return said(one.was_ready, ended)
    if kind == "started":
        if name:
            return said(one.was_started and one.set == name, one.was_started or ended)
        return said(one.was_started, ended)
    if kind == "committed":
        return said(phase == "committed" and name in ("", one.outcome), ended)
    if kind == "aborted":
        return said(phase == "aborted" and name in ("", one.outcome), ended)
    if kind == "error":
        return said(phase == "aborted" and (one.error + ".").startswith(name + "."), ended)
    if kind == "mark":
        return said(name in one.marks, ended)
    if kind == "skipped":
        return said(phase == "skipped", ended or one.was_started)
    assert kind == "ended", event
    return said(ended, False)


def event_inside(compound: Record, event: str) -> int:
    """An event of the compound itself, seen from inside while it lives."""
    kind, _, name = event.partition(":")
    if kind == "started":
        return said(name in ("", compound.set), True)
    if kind == "mark":
        return said(name in compound.marks, False)
    return said(kind == "ready", kind == "skipped")


def hear(compound: Record, activity: str, event: str) -> int:
    if activity == compound.activity.name:
        return event_inside(compound, event)
    return event_of(compound.child(activity), event)


def at_least(count: int, values: list[int]) -> int:
    if values.count(TRUE) >= count:
        return TRUE
    return FALSE if len(values) - values.count(FALSE) < count else OPEN


class Reading:
    """One guard of one activity: `compound` is where it speaks, `owner` bears the answers to its questions."""

    def __init__(self, compound: Record, owner: Record, place: str) -> None:
        self.compound = compound
        self.owner = owner
        self.place = place
        self.counts: dict[str, int] = {}
        self.not_live: Set[str] | None = None
        self.marks: frozenset[str] = frozenset()

    def value(self, guard: Guard) -> int:
        if isinstance(guard, On):
            found = hear(self.compound, guard.activity, guard.event)
            if found == OPEN and self.not_live is not None and guard.activity == self.compound.activity.name:
                return self.own_mark(guard.event)
            if found != OPEN or self.not_live is None or guard.activity not in self.not_live:
                return found
            return OPEN if guard.event in ("skipped", "ended") else FALSE
        if isinstance(guard, When):
            return said_of(self.owner.answers.get(self.key(guard)))
        if isinstance(guard, Quiet):
            return at_least(len(self.compound.children), [event_of(one, "ended") for one in self.compound.children])
        return at_least(guard.count, [self.value(one) for one in guard.guards])

    def own_mark(self, event: str) -> int:
        """A mark of the compound can hold as its guard can, but not by itself."""
        kind, _, name = event.partition(":")
        outcome = self.compound.activity.outcome(name)
        if kind != "mark" or outcome is None or outcome.guard is None:
            return OPEN
        if name in self.marks:
            return FALSE
        reading = Reading(self.compound, self.compound, "outcome " + name)
        reading.not_live, reading.marks = self.not_live, self.marks | {name}
        terms = [reading.value(outcome.guard), *reading.sources(outcome.bindings)]
        return FALSE if at_least(len(terms), terms) == FALSE else OPEN

    def key(self, guard: When) -> str:
        count = self.counts[guard.text] = self.counts.get(guard.text, 0) + 1
        return f"{self.place}: {guard.text}" + (f" #{count}" if count > 1 else "")

    def available(self, source: Source) -> int:
        if isinstance(source, Output):
            giver = self.compound if source.activity == self.compound.activity.name else None
            outcome = (giver or self.compound.child(source.activity)).activity.outcome(source.outcome)
            assert outcome is not None
            if outcome.kind == "repeat":
                return FALSE
            word = {"commit": "committed:", "abort": "aborted:", "mark": "mark:"}[outcome.kind]
            return self.value(On(source.activity, word + source.outcome))
        if isinstance(source, Input):
            return self.value(On(source.activity, "started:" + source.set))
        return TRUE

    def sources(self, bindings: dict[str, tuple[Source, ...]]) -> list[int]:
        return [at_least(1, [self.available(one) for one in sources]) for sources in bindings.values()]


def said_of(answer: bool | None) -> int:
    return OPEN if answer is None else TRUE if answer else FALSE


def set_value(child: Record, one: InputSet, not_live: Set[str] | None = None) -> int:
    assert child.around is not None
    reading = Reading(child.around, child, "start " + one.name)
    reading.not_live = not_live
    terms = [TRUE if one.guard is None else reading.value(one.guard), *reading.sources(one.bindings)]
    return at_least(len(terms), terms)


def guard_value(compound: Record, owner: Record, place: str, guard: Guard, not_live: Set[str] | None = None) -> int:
    reading = Reading(compound, owner, place)
    reading.not_live = not_live
    return reading.value(guard)


def outcome_value(compound: Record, outcome: Outcome) -> int:
    if outcome.guard is None and outcome.kind == "abort":
        return FALSE
    reading = Reading(compound, compound, "outcome " + outcome.name)
    terms = [TRUE if outcome.guard is None else reading.value(outcome.guard), *reading.sources(outcome.bindings)]
    return at_least(len(terms), terms)


def values_of(reading: Reading, bindings: dict[str, tuple[Source, ...]]) -> Iterator[tuple[str, object]]:
    """Each name whose first available source has a value that can be known from the records."""
    for name, sources in bindings.items():
        first = next((one for one in sources if reading.available(one) == TRUE), None)
        if isinstance(first, Constant):
            yield name, first.value
        elif isinstance(first, Output):
            giver = reading.compound if first.activity == reading.compound.activity.name else None
            giver = giver or reading.compound.child(first.activity)
            given = giver.marks.get(first.outcome, giver.values)
            yield name, given.get(first.object)
        elif isinstance(first, Input):
            giver = reading.compound if first.activity == reading.compound.activity.name else None
            yield name, (giver or reading.compound.child(first.activity)).inputs.get(first.object)


# Questions.


def asks(guard: Guard) -> bool:
    return isinstance(guard, When) or (isinstance(guard, AtLeast) and any(map(asks, guard.guards)))


def questions(guard: Guard, before: tuple[Guard, ...] = ()) -> Iterator[tuple[When, tuple[Guard, ...]]]:
    """Each question with what must be true before it is asked."""
    if isinstance(guard, When):
        yield guard, before
    elif isinstance(guard, AtLeast):
        for number, one in enumerate(guard.guards):
            rest = [other for at, other in enumerate(guard.guards) if at != number and not asks(other)]
            is_conjunction = guard.count == len(guard.guards)
            yield from questions(one, (*before, *rest) if is_conjunction else before)


def unasked(compound: Record, owner: Record, place: str, guard: Guard) -> Iterator[str]:
    """The keys of questions that should have been asked and were not."""
    reading = Reading(compound, owner, place)
    for question, before in questions(guard):
        key = reading.key(question)
        plain = Reading(compound, owner, place)
        if key not in owner.answers and all(plain.value(one) == TRUE for one in before):
            yield key
