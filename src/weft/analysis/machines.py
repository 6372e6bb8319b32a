"""The control of one flow as a machine: what its children do leads from one standstill to the next.

A machine says again, as a relation between standstills, what `weft.kernel.flow` does step by step; a test walks both
side by side. It knows nothing of what is inside the children: for the flow a compound child is a task (SEMANTICS §6).
Where the kernel's choice depends on what a machine does not know (data, retries, names held), it has all choices.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

from weft.analysis.guards import ATOM, GATE, OWN, GuardTrees, Term, mentioned, own_value
from weft.analysis.standings import (
    ABORTED,
    COMMITTED,
    ENDS,
    FALSE,
    GRANTED,
    IDLE,
    OPEN,
    PARKED,
    READY,
    RUNNING,
    SKIPPED,
    STOPPING,
    TRUE,
    WAITING,
    Standing,
    value_of,
)
from weft.analysis.standstills import End, Still
from weft.analysis.waiting import is_needed, live_of
from weft.kernel.plan import Plan
from weft.kernel.stopping import CANCELLED
from weft.kernel.tree import TASK
from weft.model.definition import Activity, Assign, Flow, Signal, Task, Timer

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Child:
    """A child as its flow sees it."""

    activity: Activity
    is_task: bool
    sets: tuple[Term, ...]
    leave: dict[str, Term]
    cancel: Term | None
    until: Term | None
    asks_leave: bool
    is_occurrence: bool


class Machine:
    """Of the flow with this number in a plan; `set_name` is the input set that it started by."""

    def __init__(self, plan: Plan, flow: int, set_name: str = "") -> None:
        activity = plan.activity[flow]
        assert isinstance(activity, Flow)
        self.flow: Final = activity
        self.plan: Final = plan
        self.node: Final = flow
        self.set_name: Final = set_name or activity.input_sets[0].name
        self.circle: Final = [plan.children[flow].index(child) for child in plan.cycles.get(flow, ())]
        trees = GuardTrees(plan, flow)
        self.children: Final = [self._child(trees, child) for child in plan.children[flow]]
        self.outcomes: Final = [trees.tree(formula) for formula in plan.outcomes[flow]]
        self.questions: Final = [plan.questions[number] for number in trees.questions]
        self.conditions: Final = [trees.tree(one.condition) for one in self.questions]
        terms = [*self.outcomes, *self.conditions]
        for child in self.children:
            terms += [*child.sets, *child.leave.values(), *(one for one in (child.cancel, child.until) if one)]
        self.heard: Final = {one for term in terms for one in mentioned(term)}
        self.trees: Final = trees
        self._asked: set[int] = set()

    def _child(self, trees: GuardTrees, child: int) -> Child:
        plan, activity = self.plan, self.plan.activity[child]
        cancel, until = plan.cancel.get(child), plan.until.get(child)
        return Child(
            activity,
            plan.kind[child] == TASK,
            tuple(trees.tree(one) for one in plan.sets[child]),
            {name: trees.tree(one) for name, one in plan.leave.get(child, {}).items()},
            None if cancel is None else trees.tree(cancel),
            None if until is None else trees.tree(until),
            child in plan.asks_leave,
            isinstance(activity, Task) and isinstance(activity.handler, Timer | Signal),
        )

    # Values.

    def guards_of(self, number: int) -> Child:
        return self.children[number]

    def value(self, term: Term, still: Still) -> int:
        if term.kind == ATOM:
            return value_of(still.children[term.child], term.event, term.name)
        if term.kind == GATE:
            lack_true, lack_false = term.need, len(term.inside) - term.need + 1
            for inside in term.inside:
                found = self.value(inside, still)
                lack_true -= found == TRUE
                lack_false -= found == FALSE
                if not lack_true or not lack_false:
                    break
            return TRUE if lack_true <= 0 else FALSE if lack_false <= 0 else OPEN
        if term.kind == OWN:
            return self._own(term, still)
        return still.answers[term.child]

    def _own(self, term: Term, still: Still) -> int:
        """An event of the flow itself; a mark that can't be given any more is false."""
        found = own_value(term, self.set_name, still.marks)
        mark = self.plan.own_marks.get(term.formula, -1)
        if found != OPEN or mark < 0 or mark in self._asked:
            return found
        self._asked.add(mark)
        is_lost = self.value(self.trees.tree(mark), still) == FALSE
        self._asked.discard(mark)
        return FALSE if is_lost else OPEN

    # From one standstill to the next.

    def start(self, marks: frozenset[str] = frozenset()) -> list[Still | End]:
        """A round begins; marks given before stay given."""
        return self.settled(self.fresh(marks))

    def fresh(self, marks: frozenset[str] = frozenset()) -> Still:
        """Before anything was looked at."""
        return Still((Standing(),) * len(self.children), (OPEN,) * len(self.questions), marks)

    def settled(self, still: Still) -> list[Still | End]:
        """Where it comes to rest, for every answer that data may give. `None` of the choices is ever left out."""
        found: list[Still | End] = []
        todo: list[Still | End] = [still]
        while todo:
            one = todo.pop()
            after = None if isinstance(one, End) else self._next(one)
            if after is not None:
                todo += after
                continue
            hanging = None if isinstance(one, End) else self._hanging(one)
            if hanging is None or (hanging.kind == "stuck" and hanging.running):
                found.append(one)
            if hanging is not None:
                found.append(hanging)
        return list(dict.fromkeys(found))

    def _next(self, still: Still) -> list[Still | End] | None:
        """The first thing that a look would do, in the order of SEMANTICS §1."""
        for look in (
            self._answer,
            self._mark,
            self._stop,
            self._end,
            self._start,
            self._skip,
            self._leave,
            self._break,
            self._withdraw,
        ):
            after = look(still)
            if after is not None:
                return after
        return None

    def _answer(self, still: Still) -> list[Still | End] | None:
        for number, condition in enumerate(self.conditions):
            if still.answers[number] == OPEN and self.value(condition, still) == TRUE:
                return [still._replace(answers=_with(still.answers, number, said)) for said in (TRUE, FALSE)]
        return None

    def _mark(self, still: Still) -> list[Still | End] | None:
        for outcome, term in zip(self.flow.outcomes, self.outcomes, strict=True):
            if outcome.kind == "mark" and outcome.name not in still.marks and self.value(term, still) == TRUE:
                return [still._replace(marks=still.marks | {outcome.name})]
        return None

    def _stop(self, still: Still) -> list[Still | End] | None:
        for number, child in enumerate(self.children):
            kind = still.children[number].kind
            if kind in ENDS or kind == STOPPING:
                continue
            if child.cancel is not None and self.value(child.cancel, still) == TRUE:
                return list(self.stopped(still, number))
            if child.until is not None and kind in IDLE and self.value(child.until, still) == TRUE:
                return list(self.stopped(still, number))
        return None

    def _end(self, still: Still) -> list[Still | End] | None:
        for outcome, term in zip(self.flow.outcomes, self.outcomes, strict=True):
            if outcome.kind != "mark" and self.value(term, still) == TRUE:
                return [self._ended(outcome.kind, outcome.name, still)]
        return None

    def _ended(self, kind: str, outcome: str, still: Still) -> End:
        busy = tuple(number for number, one in enumerate(still.children) if one.kind not in (*ENDS, WAITING))
        waiting = tuple(number for number, one in enumerate(still.children) if one.kind == WAITING)
        return End(kind, outcome, busy, still.marks, waiting if kind == "stuck" else (), still.answers, still.begun)

    def _start(self, still: Still) -> list[Still | End] | None:
        for number, child in enumerate(self.children):
            standing = still.children[number]
            if standing.kind == WAITING:
                for one, term in zip(child.activity.input_sets, child.sets, strict=True):
                    if self.value(term, still) == TRUE:
                        return list(self._begun(still, number, one.name))
            elif standing.kind == PARKED:
                after = self._sought(still, number)
                if after is not None:
                    return after
        return None

    def _begun(self, still: Still, number: int, name: str) -> Iterator[Still | End]:
        """A task is ready; a compound starts at once, unless a name that it holds may be taken."""
        child = self.children[number]
        if not child.is_task:
            yield self.put(still, number, Standing(RUNNING, name, was_ready=True))
        if child.is_task or child.activity.holds:
            yield self.put(still, number, Standing(READY, name, was_ready=True))

    def _sought(self, still: Still, number: int) -> list[Still | End] | None:
        """A parked end whose guard is now decided."""
        child, standing = self.children[number], still.children[number]
        guard = child.leave.get(standing.outcome)
        value = TRUE if guard is None else self.value(guard, still)
        if value == FALSE:
            return list(self._unparked(still, number, "engine.guard"))
        if value == TRUE and not self.flow.exclusive:
            return [self._granted(still, number)]
        return None

    def _granted(self, still: Still, number: int) -> Still:
        child, standing = self.children[number], still.children[number]
        asking = tuple(one for one in still.asking if one != number)
        still = still._replace(asking=asking, grant=number)
        if isinstance(child.activity, Task) and child.activity.transaction != "none":
            return self.put(still, number, standing._replace(kind=GRANTED))
        return self.put(still, number, standing._replace(kind=COMMITTED))

    def _skip(self, still: Still) -> list[Still | End] | None:
        for number, child in enumerate(self.children):
            if still.children[number].kind == WAITING and all(self.value(one, still) == FALSE for one in child.sets):
                return [self.put(still, number, Standing(SKIPPED))]
        return None

    def _leave(self, still: Still) -> list[Still | End] | None:
        """In an exclusive flow the first that asked and may commit gets leave; when it has, the rest is stopped."""
        if not self.flow.exclusive or not still.asking:
            return None
        if still.grant >= 0:
            if still.children[still.grant].kind != COMMITTED:
                return None
            return list(self._unparked(still, still.asking[0], CANCELLED))
        for number in still.asking:
            guard = self.children[number].leave.get(still.children[number].outcome)
            if guard is None or self.value(guard, still) == TRUE:
                return [self._granted(still, number)]
        return None

    def _break(self, still: Still) -> list[Still | End] | None:
        """What waits only for itself: parked ends abort first, one at a time; then what waits is skipped, together."""
        live = live_of(self, still) if self.circle else set()
        dead = [one for one in self.circle if one not in live and still.children[one].kind not in ENDS]
        for number in dead:
            if still.children[number].kind == PARKED:
                return list(self._unparked(still, number, "engine.guard"))
        for number in dead:
            still = self.put(still, number, Standing(SKIPPED))
        return [still] if dead else None

    def _withdraw(self, still: Still) -> list[Still | End] | None:
        """A timer or signal on which nothing open depends is not waited for."""
        for number, child in enumerate(self.children):
            if child.is_occurrence and still.children[number].kind == READY and not is_needed(self, still, number):
                return [self.put(still, number, Standing(SKIPPED, was_ready=True))]
        return None

    def _hanging(self, still: Still) -> End | None:
        """Nothing runs and no outcome holds, or none can any more: it aborts with its first failure, or is stuck."""
        is_busy = any(one.kind not in (*ENDS, WAITING) for one in still.children)
        lost = all(
            self.value(term, still) == FALSE
            for term, outcome in zip(self.outcomes, self.flow.outcomes, strict=True)
            if outcome.kind != "mark"
        )
        if is_busy and not lost:
            return None
        return self._ended("abort" if still.has_failed else "stuck", "aborted", still)

    # What children do.

    def put(self, still: Still, number: int, standing: Standing) -> Still:
        """The child stands somewhere else, and nothing has looked at it yet."""
        after = still._replace(children=_with(still.children, number, standing))
        if standing.kind in ENDS:
            after = after._replace(asking=tuple(one for one in after.asking if one != number))
        if standing.kind == ABORTED:
            vital = self.children[number].activity.vital
            after = after._replace(
                has_failed=after.has_failed or vital, grant=-1 if after.grant == number else after.grant
            )
        return after

    def stopped(self, still: Still, number: int) -> Iterator[Still]:
        """All that a stop may lead to: at once an end, or a wait for the answer of what runs."""
        child, standing = self.children[number], still.children[number]
        if standing.kind == WAITING:
            yield self.put(still, number, Standing(SKIPPED))
        elif standing.kind == READY:
            yield self.put(still, number, standing._replace(kind=SKIPPED, set=""))
        elif standing.kind == PARKED:
            yield from self._unparked(still, number, CANCELLED)
        else:
            is_running = standing.kind == RUNNING
            if is_running and (child.activity.on_error or (child.is_task and _ends_at_once(child.activity))):
                yield self.put(still, number, standing._replace(kind=ABORTED, outcome="aborted", error=CANCELLED))
            yield self.put(still, number, standing._replace(kind=STOPPING))

    def _unparked(self, still: Still, number: int, error: str) -> Iterator[Still]:
        activity, standing = self.children[number].activity, still.children[number]
        is_rolled_back = isinstance(activity, Task) and activity.transaction != "none"
        if is_rolled_back or (isinstance(activity, Task) and activity.undo is None and activity.compensation is None):
            yield self.put(still, number, standing._replace(kind=ABORTED, outcome="aborted", error=error))
        else:
            asking = tuple(one for one in still.asking if one != number)
            yield self.put(still._replace(asking=asking), number, standing._replace(kind=STOPPING))

    def begun(self, still: Still, number: int) -> Still:
        """A ready child starts; where only one may, the others are withdrawn."""
        standing = still.children[number]
        after = self.put(still, number, standing._replace(kind=RUNNING))
        if self.flow.one_start and self.children[number].is_task:
            for other, one in enumerate(after.children):
                if one.kind in IDLE:
                    after = self.put(after, other, one._replace(kind=SKIPPED, set=""))
        return after

    def finished(self, still: Still, number: int, outcome: str) -> Still:
        """Its work is done: it commits, or parks until it may."""
        child, standing = self.children[number], still.children[number]
        if standing.kind != GRANTED and child.asks_leave and (self.flow.exclusive or outcome in child.leave):
            still = still._replace(asking=(*still.asking, number))
            return self.put(still, number, standing._replace(kind=PARKED, outcome=outcome))
        return self.put(still, number, standing._replace(kind=COMMITTED, outcome=outcome))

    def ignored(self, still: Still, number: int, outcome: str) -> Still:
        """Its failure is ignored: it commits without asking anybody."""
        return self.put(still, number, still.children[number]._replace(kind=COMMITTED, outcome=outcome))

    def failed(self, still: Still, number: int, outcome: str = "aborted", error: str = "") -> Still:
        standing = still.children[number]
        return self.put(still, number, standing._replace(kind=ABORTED, outcome=outcome, error=error))

    def marked(self, still: Still, number: int, mark: str) -> Still:
        standing = still.children[number]
        return self.put(still, number, standing._replace(marks=standing.marks | {mark}))


def _ends_at_once(activity: Activity) -> bool:
    if activity.undo is not None or activity.compensation is not None:
        return False
    return activity.idempotent or (isinstance(activity, Task) and isinstance(activity.handler, Timer | Signal | Assign))


def _with(items: tuple[Item, ...], index: int, item: Item) -> tuple[Item, ...]:
    return (*items[:index], item, *items[index + 1 :])
