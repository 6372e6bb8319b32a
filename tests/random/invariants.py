"""What must hold of every fact when it is told, and of every instance whenever it rests between two commands."""

from tests.random.formulas import (
    FALSE,
    OPEN,
    TRUE,
    Reading,
    guard_value,
    outcome_value,
    set_value,
    unasked,
    values_of,
)
from tests.random.records import ENDS, Books, Record, Violation, is_exclusive
from tests.random.taking_back import TakingBack
from weft.kernel import commands, facts
from weft.kernel.commands import Command
from weft.kernel.facts import AnyFact
from weft.model.definition import Call, Each, Flow, Net, Process, Signal, Task, Timer

AT_EASE = ("ready", "started", "parked", "fixed")


class Watch:
    """Reads along. `learn` after each accepted command."""

    def __init__(self, process: Process, called: dict[str, Process]) -> None:
        self.books = Books(process, called)
        self.taking_back = TakingBack(self.books)
        self.command: Command | None = None

    def learn(self, command: Command, told: list[AnyFact], is_short: bool) -> None:
        self.command = command
        repeated: set[str] = set()
        for fact in told:
            self.check_before(fact)
            self.taking_back.before(fact)
            record = self.books.learn(fact)
            self.taking_back.after(fact, record)
            if isinstance(fact, facts.Repeated):
                if fact.path in repeated:
                    raise Violation(f"{fact.path} began two rounds in one decision")
                repeated.add(fact.path)
        self.check_rest(is_short)

    # Each fact against what was true before it.

    def check_before(self, fact: AnyFact) -> None:
        record = self.books.by_path.get(fact.path)
        if record is None or record.around is None or not isinstance(record.around.activity, Flow):
            if isinstance(record and record.activity, Flow) and isinstance(
                fact, facts.Fixed | facts.Aborting | facts.Marked
            ):
                self.check_outcome(record, fact)
            return
        flow = record.around
        if isinstance(fact, facts.Ready) and record.phase == "waiting":
            self.check_ready(flow, record, fact)
        elif isinstance(fact, facts.Skipped):
            self.check_skipped(flow, record)
        elif isinstance(fact, facts.Granted):
            self.check_granted(flow, record)
        elif isinstance(fact, facts.Answered):
            self.check_answered(record, fact)
        if isinstance(record.activity, Flow) and isinstance(fact, facts.Fixed | facts.Aborting | facts.Marked):
            self.check_outcome(record, fact)

    def check_ready(self, flow: Record, child: Record, fact: facts.Ready) -> None:
        first = next((one for one in child.activity.input_sets if set_value(child, one) == TRUE), None)
        if first is None:
            raise Violation(f"no input set of {child.path} holds: {fact}")
        if first.name != fact.set:
            raise Violation(f"the first set of {child.path} that holds is {first.name}: {fact}")
        self.check_values(flow, child, first.bindings, fact.inputs, fact)

    def check_values(self, compound: Record, owner: Record, bindings: dict, values: dict, fact: AnyFact) -> None:  # type: ignore[type-arg]
        if set(values) != set(bindings):
            raise Violation(f"{fact.path} should have values for {sorted(bindings)}: {fact}")
        for name, value in values_of(Reading(compound, owner, ""), bindings):
            if values.get(name) != value:
                raise Violation(f"{name} of {fact.path} should be {value!r}, from the first source there is: {fact}")

    def check_outcome(self, flow: Record, fact: facts.Fixed | facts.Aborting | facts.Marked) -> None:
        if isinstance(fact, facts.Marked):
            outcome = flow.activity.outcome(fact.mark)
            assert outcome is not None
            if outcome_value(flow, outcome) != TRUE:
                raise Violation(f"{fact.mark} of {flow.path} does not hold: {fact}")
            self.check_values(flow, flow, outcome.bindings, fact.values, fact)
            return
        ends = [one for one in flow.activity.outcomes if one.kind != "mark"]
        if flow.is_drained:
            ends = sorted((one for one in ends if one.kind != "repeat"), key=lambda one: one.kind)
            is_forced = isinstance(fact, facts.Aborting) and (fact.is_stopped or fact.error.startswith("engine."))
            if not is_forced and (busy := [one for one in flow.children if one.is_live]):
                raise Violation(f"{flow.path} is drained and ends while {busy}: {fact}")
        first = next((one for one in ends if outcome_value(flow, one) == TRUE), None)
        if isinstance(fact, facts.Fixed):
            if first is None or first.name != fact.outcome:
                raise Violation(f"the first outcome of {flow.path} that holds is {first and first.name}: {fact}")
            self.check_values(flow, flow, first.bindings, fact.values, fact)
        elif not fact.is_stopped and not fact.error.startswith("engine."):
            is_due = first is not None and first.name == fact.outcome
            is_lost = all(outcome_value(flow, one) == FALSE for one in ends)
            is_idle = not any(one.is_live for one in flow.children)
            if not is_due and not (flow.first_error and (is_lost or is_idle)):
                raise Violation(f"{flow.path} has no reason to abort: {fact}")

    def check_skipped(self, flow: Record, child: Record) -> None:
        command = self.command
        if flow.phase != "started" or flow.is_drained or child.is_drained:
            return
        if isinstance(command, commands.Skip | commands.Cancel) and command.path == child.path:
            return
        if isinstance(command, commands.Due) and command.path == child.path:
            return
        activity = child.activity
        if any(
            guard is not None and guard_value(flow, child, place, guard) == TRUE
            for place, guard in (("cancel", activity.cancel), ("until", activity.until))
        ):
            return
        others = (one for one in flow.children if one is not child)
        if (
            isinstance(flow.activity, Flow)
            and flow.activity.one_start
            and any(one.was_started and one.is_task for one in others)
        ):
            return
        if child.phase == "ready":
            if isinstance(activity, Task) and isinstance(activity.handler, Timer | Signal):
                return
            raise Violation(f"{child.path} was ready and is skipped for no reason")
        if any(set_value(child, one, not_live_in(flow)) != FALSE for one in activity.input_sets):
            raise Violation(f"{child.path} can still happen and is skipped")

    def check_granted(self, flow: Record, child: Record) -> None:
        outcome = child.activity.outcome(child.outcome)
        guard = outcome.guard if outcome is not None and child.is_task else None
        if guard is not None and guard_value(flow, child, "outcome " + child.outcome, guard) != TRUE:
            raise Violation(f"{child.path} is granted although its guard does not hold")

    def check_answered(self, child: Record, fact: facts.Answered) -> None:
        """That it is not asked too early; that it was not asked twice is looked at elsewhere."""
        keys: list[str] = []
        for compound, owner, place, guard in guards_of(child):
            keys += unasked(compound, owner, place, guard)
        if not child.is_task and isinstance(child.activity, Flow):
            for outcome in child.activity.outcomes:
                if outcome.guard is not None:
                    keys += unasked(child, child, "outcome " + outcome.name, outcome.guard)
        if fact.key not in keys:
            raise Violation(f"nothing asks {fact.key!r} of {child.path} now, only {keys}")

    # The whole instance at rest.

    def check_rest(self, is_short: bool) -> None:
        root = self.books.root
        if root.has_ended:
            self.check_end()
            return
        for record in list(self.live_records()):
            if isinstance(record.activity, Flow) and record.phase == "started":
                self.check_flow(record)
            elif isinstance(record.activity, Each) and record.phase == "started":
                self.check_each(record, is_short)
            if record.around is not None and record.around.phase == "aborting" and record.phase in AT_EASE:
                raise Violation(f"{record} goes on although {record.around}")
        if root.phase != "waiting" and not self.books.is_suspended and not is_short:
            for record in list(self.live_records()):
                is_busy = record.phase in ("started", "fixed", "aborting", "failed", "ending", "taking back")
                if is_busy and not self.moves(record, set()):
                    raise Violation(f"{record} hangs: {[*record.children, *record.items.values()]}")

    def live_records(self) -> list[Record]:
        return [one for one in self.books.by_path.values() if one.is_live and self.is_reachable(one)]

    def is_reachable(self, record: Record) -> bool:
        return self.books.by_path.get(record.path) is record

    def check_end(self) -> None:
        self.taking_back.at_the_end()
        left = [one for one in self.live_records() if one is not self.books.root]
        if left:
            raise Violation(f"the instance has ended with {left}")
        if self.books.holders:
            raise Violation(f"the instance has ended and holds {self.books.holders}")

    def check_flow(self, flow: Record) -> None:
        dead = not_live_in(flow)
        for child in flow.children:
            self.check_child(flow, child, dead)
        exclusive = is_exclusive(flow.activity)
        asking = [one for one in flow.children if one.phase == "parked" and self.may_commit(flow, one) == TRUE]
        if asking and (not exclusive or flow.granted is None or flow.granted.phase in ENDS):
            raise Violation(f"{asking} wait for leave that nothing keeps from them in {flow}")
        for outcome in flow.activity.outcomes:
            value = outcome_value(flow, outcome)
            is_given = outcome.name in flow.marks if outcome.kind == "mark" else False
            waits = outcome.kind == "repeat" or any(one.is_live for one in flow.children)
            waits = waits and flow.is_drained and outcome.kind != "mark"
            if value == TRUE and not is_given and not waits:
                raise Violation(f"outcome {outcome.name} of {flow} holds and nothing follows")
            if outcome.guard is not None:
                for key in unasked(flow, flow, "outcome " + outcome.name, outcome.guard):
                    raise Violation(f"nobody asked {key!r} of {flow}")

    def may_commit(self, flow: Record, child: Record) -> int:
        outcome = child.activity.outcome(child.outcome)
        if outcome is None or outcome.guard is None or not child.is_task:
            return TRUE
        return guard_value(flow, child, "outcome " + outcome.name, outcome.guard)

    def check_child(self, flow: Record, child: Record, dead: set[str]) -> None:
        activity = child.activity
        for compound, owner, place, guard in guards_of(child):
            for key in unasked(compound, owner, place, guard):
                raise Violation(f"nobody asked {key!r} of {child}")
        stops = [
            (place, guard_value(flow, child, place, guard))
            for place, guard in (("cancel", activity.cancel), ("until", activity.until))
            if guard is not None
        ]
        if child.phase == "waiting":
            values = [set_value(child, one) for one in activity.input_sets]
            if TRUE in values:
                raise Violation(f"{child} can start and does not")
            if OPEN not in values:
                raise Violation(f"{child} can't start any more and is not skipped")
            if child.activity.name in dead and not flow.is_stuck:
                raise Violation(f"{child} waits for what can't happen")
        for place, value in stops:
            never_began = child.phase == "waiting" or (child.phase == "ready" and child.attempt == 1)
            if value == TRUE and (never_began or (place == "cancel" and child.phase in AT_EASE)):
                raise Violation(f"{place} of {child} holds and nothing follows")
        if child.phase == "parked" and self.may_commit(flow, child) == FALSE:
            raise Violation(f"{child} may never commit and is not aborted")

    def check_each(self, record: Record, is_short: bool) -> None:
        each = record.activity
        assert isinstance(each, Each)
        items = list(record.items.values())
        running = [one for one in items if one.is_live]
        if each.at_most is not None and len(running) > each.at_most:
            raise Violation(f"{len(running)} items of {record} run")
        committed = sum(one.phase == "committed" for one in items)
        if record.is_drained and running:
            return
        if each.enough is not None and committed >= each.enough:
            raise Violation(f"{record} has enough and goes on")
        if each.body.vital and any(one.phase == "aborted" for one in items):
            raise Violation(f"a vital item of {record} has aborted and it goes on")
        if self.books.is_suspended or record.is_drained or is_short:
            return
        left = record.added - len(items)
        if left and (each.at_most is None or len(running) < each.at_most):
            raise Violation(f"{record} could start another item")
        if not left and not running and not each.open and not self.may_grow(record, each):
            raise Violation(f"all items of {record} have ended and it has not")

    def may_grow(self, record: Record, each: Each) -> bool:
        flow = record.around
        assert flow is not None
        return any(
            flow.child(one.activity).phase not in ENDS and one.outcome not in flow.child(one.activity).marks
            for one in each.adds
        )

    # Whether something can come of it.

    def moves(self, record: Record, seen: set[Record]) -> bool:
        """Work is out, a clock runs, or a person is asked, in the record or for it."""
        if record in seen:
            return False
        seen.add(record)
        phase = record.phase
        if phase == "ready":
            holders = [self.books.holders.get(name, record) for name in record.activity.holds]
            holders = [one for one in holders if not record.is_inside(one)]
            if not holders:
                return record.is_task
            return any(self.moves(one, seen) for one in holders)
        if record.is_task and phase == "started":
            return True
        if phase in ("granted", "stopping", "doubted", "lost", "returned"):
            return True
        if phase == "failed" and record.then == "retry":
            return record.activity.undo is None or self.side_moves(record, "undo", seen) or not self.is_undoing(record)
        if phase == "taking back" and self.compensation_moves(record, seen):
            return True
        if phase in ("failed", "ending", "taking back"):
            return any(self.side_moves(record, role, seen) for role in ("undo", "alternate", "compensation"))
        if phase not in ("started", "fixed", "aborting"):
            return False
        if record.is_stuck or any(self.moves(one, seen) for one in [*record.children, *record.items.values()]):
            return True
        if isinstance(record.activity, Net):
            return True  # what a net can do is looked at in another place
        if phase == "started" and isinstance(record.activity, Call) and not record.definition:
            return True
        if phase == "started" and isinstance(record.activity, Each):
            each = record.activity
            return each.open or self.may_grow(record, each)
        return phase == "aborting" and self.compensation_moves(record, seen)

    def is_undoing(self, record: Record) -> bool:
        side = self.books.by_path.get(record.path + "/undo")
        return side is not None and side.is_live

    def side_moves(self, record: Record, role: str, seen: set[Record]) -> bool:
        side = self.books.by_path.get(f"{record.path}/{role}")
        return side is not None and side.is_live and self.moves(side, seen)

    def compensation_moves(self, record: Record, seen: set[Record]) -> bool:
        for (path, _), entry in self.taking_back.own.items():
            if entry.is_running and self.taking_back.top(entry).of is record:
                side = self.books.by_path.get(path + "/compensation")
                if side is not None and side.is_live and self.moves(side, seen):
                    return True
        return False


def guards_of(child: Record):  # type: ignore[no-untyped-def]
    """The guards that the flow around asks for a child: (where it speaks, whose answers, its place, the guard)."""
    flow, activity = child.around, child.activity
    if flow is None or not isinstance(flow.activity, Flow):
        return
    for one in activity.input_sets:
        if one.guard is not None:
            yield flow, child, "start " + one.name, one.guard
    for place, guard in (("cancel", activity.cancel), ("until", activity.until)):
        if guard is not None:
            yield flow, child, place, guard
    if isinstance(activity, Task):
        for outcome in activity.outcomes:
            if outcome.guard is not None and outcome.kind == "commit":
                yield flow, child, "outcome " + outcome.name, outcome.guard


def not_live_in(flow: Record) -> set[str]:
    """The children that can't happen any more: the least set of live ones, by its definition."""
    dead = {one.activity.name: one for one in flow.children if one.phase in ("waiting", "parked", "ready")}
    is_growing = True
    while is_growing:
        is_growing = False
        for name, child in list(dead.items()):
            if is_live(flow, child, dead.keys() - {""}):
                del dead[name]
                is_growing = True
    return set(dead)


def is_live(flow: Record, child: Record, dead: set[str]) -> bool:
    if child.phase == "waiting":
        return any(set_value(child, one, dead) != FALSE for one in child.activity.input_sets)
    if child.phase == "parked":
        outcome = child.activity.outcome(child.outcome)
        if outcome is None or outcome.guard is None or not child.is_task:
            return True
        return guard_value(flow, child, "outcome " + outcome.name, outcome.guard, dead) != FALSE
    kept = [
        one
        for one in flow.children
        if one is not child and one.phase in ("parked", "ready") and set(one.activity.holds) & set(child.activity.holds)
    ]
    return not any(one.phase == "parked" and one.activity.name in dead for one in kept)
