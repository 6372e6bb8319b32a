"""Explores the machine of a flow: what may run, how it may end, where it hangs, and whether it can always get out.

Breadth first over its standstills, so that the first trace to anything is a shortest one. Children that ended in ways
that no guard tells apart are one; a task's begin is no step of its own where nothing asks for it.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from weft.analysis.conditions import Answers, Possible, anything
from weft.analysis.ends import Control, Ends, Trace, name_of
from weft.analysis.machines import Machine
from weft.analysis.spaces import Budget
from weft.analysis.standings import COMMITTED, ENDS, FALSE, GRANTED, OPEN, READY, RUNNING, STOPPING, Standing, value_of
from weft.analysis.standstills import End, Still
from weft.kernel import events
from weft.kernel.stopping import CANCELLED

LOOK_AT_BUDGET: Final = 256
Step = tuple[str, Still | End]


class Exploring:
    """One machine, with the ends that its children may come to, and what was found so far."""

    def __init__(self, machine: Machine, kids: Sequence[Ends], possible: Possible = anything) -> None:
        self.possible = possible
        self.machine = machine
        self.kids = kids
        self.heard: list[list[tuple[int, str]]] = [[] for _ in machine.children]
        for child, event, name in sorted(machine.heard):
            self.heard[child].append((event, name))
        self.errors = [
            sorted({name for event, name in heard if event == events.ERROR} | {"task"}) for heard in self.heard
        ]
        self.known: list[dict[tuple[object, ...], Standing]] = [{} for _ in machine.children]
        self.before: dict[Still | End, tuple[Still | None, str]] = {}
        self.after: dict[Still, list[Still | End]] = {}
        self.control = Control(Ends(), {})
        self.committed_before: dict[int, frozenset[int]] = {}
        """For each child that runs, those that have always committed when it gets ready."""

    # Steps.

    def begins_alone(self, number: int) -> bool:
        """Whether it matters that a task is ready before it runs."""
        child = self.machine.children[number]
        if child.cancel or child.until or self.machine.flow.one_start:
            return True
        return any(event in (events.STARTED, events.STARTED_SET) for event, _ in self.heard[number])

    def steps(self, still: Still) -> Iterator[Step]:
        """What children may do next, each with the words for it."""
        machine = self.machine
        for number, standing in enumerate(still.children):
            child, kind = machine.children[number], standing.kind
            name = name_of(child.activity)
            if kind == READY and not child.is_occurrence and (not child.is_task or self.begins_alone(number)):
                yield from self.rests(f"{name} starts", machine.begun(still, number))
            elif kind == READY:
                yield from self.ends(machine.begun(still, number), number, name)
            elif kind == RUNNING:
                yield from self.ends(still, number, name)
            elif kind == GRANTED:
                yield from self.rests(f"{name} commits", machine.finished(still, number, standing.outcome))
                yield from self.rests(f"{name} aborts", machine.failed(still, number))
            elif kind == STOPPING:
                yield from self.rests(f"{name} has stopped", machine.failed(still, number, "aborted", CANCELLED))

    def ends(self, still: Still, number: int, name: str) -> Iterator[Step]:
        machine, ends = self.machine, self.kids[number]
        for outcome in sorted(ends.commits):
            words = f"{name} commits" if len(ends.commits) == 1 else f"{name} commits as {outcome}"
            yield from self.rests(words, machine.finished(still, number, outcome))
            if any(rule.action == "ignore" for rule in machine.children[number].activity.on_error):
                yield from self.rests(f"{name} fails, which is ignored", machine.ignored(still, number, outcome))
        for outcome in sorted(ends.aborts):
            for error in self.errors[number]:
                words = f"{name} aborts" + (f" as {outcome}" if outcome != "aborted" else "")
                words += f" with {error}" if len(self.errors[number]) > 1 else ""
                yield from self.rests(words, machine.failed(still, number, outcome, error))
        for mark in sorted(ends.marks - still.children[number].marks):
            if (events.MARK, mark) in self.heard[number]:
                yield from self.rests(f"{name} gives {mark}", machine.marked(still, number, mark))

    def rests(self, words: str, moved: Still) -> Iterator[Step]:
        """The standstills after a step; where data decided, the words say how."""
        for after in self.machine.settled(moved):
            if not self.possible(moved.answers, after.answers):
                continue
            words_now = words + self.answers(moved.answers, after.answers)
            yield words_now, after if isinstance(after, End) else self.canonical(after)

    def answers(self, before: Answers, after: Answers) -> str:
        said = [
            f"`{question.text}` is {'false' if new == FALSE else 'true'}"
            for question, old, new in zip(self.machine.questions, before, after, strict=True)
            if old == OPEN and new != OPEN
        ]
        return f" ({', '.join(said)})" if said else ""

    def canonical(self, still: Still) -> Still:
        """Children that ended alike for every guard are made alike."""
        children = list(still.children)
        for number, standing in enumerate(children):
            if standing.kind in ENDS and number != still.grant:
                values = (value_of(standing, event, name) for event, name in self.heard[number])
                seen = (standing.was_ready, standing.kind == COMMITTED, *values)
                children[number] = self.known[number].setdefault(seen, standing)
        return still._replace(children=tuple(children))

    # The search.

    def explore(self, budget: Budget) -> Control:
        todo: list[Still] = []
        for words, after in self.rests("", self.machine.fresh()):
            self.reach(None, words.strip(" ()"), after, todo)
        until = budget.clock() + budget.seconds
        for count, still in enumerate(todo):
            if count >= budget.states or (count % LOOK_AT_BUDGET == 0 and budget.clock() > until):
                self.control.is_complete = False
                break
            following = self.after[still] = []
            for words, after in self.steps(still):
                following.append(after)
                self.reach(still, words, after, todo)
            self.control.explored = count + 1
        if self.control.is_complete:
            self.find_endless(todo)
        return self.control

    def reach(self, before: Still | None, words: str, after: Still | End, todo: list[Still]) -> None:
        if after in self.before:
            return
        self.before[after] = (before, words)
        self.note_begun(after)
        if isinstance(after, End):
            self.note_end(after)
            if after.kind == "repeat":
                for more, begun in self.rests("the next round begins", self.machine.fresh(after.marks)):
                    self.reach(before, f"{words}, {more}" if words else more, begun, todo)
            return
        self.note_committed(before, after)
        todo.append(after)
        if after.marks - self.control.ends.marks:
            self.control.ends = self.control.ends.or_(Ends(marks=after.marks))

    def note_begun(self, reached: Still | End) -> None:
        for number in reached.begun:
            if number not in self.control.runs:
                self.control.runs[number] = self.trace(reached)

    def note_committed(self, before: Still | None, after: Still) -> None:
        done = frozenset(number for number, one in enumerate(after.children) if one.kind == COMMITTED)
        for number in after.begun:
            if before is None or not before.children[number].was_ready:
                self.committed_before[number] = self.committed_before.get(number, done) & done

    def note_end(self, end: End) -> None:
        control, ends = self.control, self.control.ends
        if end.kind == "stuck":
            if control.stuck is None:
                names = tuple(name_of(self.machine.children[number].activity) for number in end.waiting)
                control.stuck = (self.trace(end), names)
            return
        control.reached.setdefault(end.outcome, self.trace(end))
        marks = Ends(marks=end.marks)
        if end.kind == "commit":
            control.ends = ends.or_(marks).or_(Ends(commits=frozenset({end.outcome})))
        elif end.kind == "abort":
            control.ends = ends.or_(marks).or_(Ends(aborts=frozenset({end.outcome})))
        if end.kind == "commit" and end.running and end.outcome not in control.left:
            names = tuple(name_of(self.machine.children[number].activity) for number in end.running)
            control.left[end.outcome] = (self.trace(end), names)

    def trace(self, reached: Still | End) -> Trace:
        words: list[str] = []
        here: Still | End | None = reached
        while here is not None:
            here, step = self.before[here]
            if step:
                words.append(step)
        return tuple(reversed(words))

    def find_endless(self, todo: list[Still]) -> None:
        """A standstill from which no end can be reached: backwards from the ends, whatever is left."""
        into: dict[Still | End, list[Still]] = {}
        for still, following in self.after.items():
            for after in following:
                into.setdefault(after, []).append(still)
                if isinstance(after, End) and after.kind == "repeat":
                    for begun in self.machine.settled(self.machine.fresh(after.marks)):
                        one = begun if isinstance(begun, End) else self.canonical(begun)
                        into.setdefault(one, []).append(still)
        good: set[Still | End] = set()
        rest: list[Still | End] = [one for one in self.before if isinstance(one, End) and one.kind != "repeat"]
        while rest:
            for before in into.get(rest.pop(), ()):
                if before not in good:
                    good.add(before)
                    rest.append(before)
        lost = next((one for one in todo if one not in good), None)
        if lost is not None:
            self.control.endless = self.trace(lost)
