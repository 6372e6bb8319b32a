"""Makes a state of records: first every frame, log and entry, then what connects them."""

from weft.kernel.marking import Marking
from weft.kernel.plan import Plan
from weft.kernel.snapshot_form import (
    NONE,
    BodyRecord,
    EntryRecord,
    ExecutionRecord,
    FrameRecord,
    ItemsRecord,
    LogRecord,
    MarkingRecord,
    Place,
    PlanRecord,
    RareRecord,
    StateRecord,
    array_of,
)
from weft.kernel.state import NOTHING, Base, Body, Entry, Execution, Firing, Frame, Items, Log, State


class Reader:
    """See the module. The plan's library has learned the definitions."""

    def __init__(self, plan: Plan, definitions: list[str], record: StateRecord) -> None:
        self.plan = plan
        self.definitions = definitions
        self.record = record
        self.plans: list[Plan] = []
        for one in record.plans:
            self.plans.append(self.plan_of(one))
        self.frames = [Frame(self.plans[one.plan], one.role, one.prefix, one.root_path) for one in record.all_frames]
        self.entries = [Entry(one.path, one.round, one.attempt) for one in record.entries]
        self.logs = [Log(self.frames[one.frame], one.node, one.parallel) for one in record.logs]

    def state(self) -> State:
        record, frames = self.record, self.frames
        for frame, found in zip(frames, record.all_frames, strict=True):
            self.fill_frame(frame, found)
        for log, of_log in zip(self.logs, record.logs, strict=True):
            self.fill_log(log, of_log)
        for entry, of_entry in zip(self.entries, record.entries, strict=True):
            self.fill_entry(entry, of_entry)
        state = State()
        state.time, state.paused_at, state.paused, state.seed = (
            record.time,
            record.paused_at,
            record.paused,
            record.seed,
        )
        state.root = self.frame(record.root)
        state.base = self.base()
        state.reports = record.reports
        state.frames = {frames[number].prefix: frames[number] for number in record.frames}
        state.roots = {frames[number].root_path: frames[number] for number in record.roots}
        state.holders = {name: (frames[frame], node) for name, (frame, node) in record.holders.items()}
        state.wanting = self.places(record.wanting)
        state.hungry = self.places(record.hungry)
        state.kept = self.by_key(record.kept)
        state.prepared = self.by_key(record.prepared)
        state.unsettled = record.unsettled
        state.rounds_used, state.attempts_used = record.rounds_used, record.attempts_used
        state.numbers = record.numbers
        state.offers = {path: (frames[frame], node, number) for path, (frame, node, number) in record.offers.items()}
        state.has_eaches = record.has_eaches
        return state

    # By number.

    def frame(self, number: int) -> Frame | None:
        return None if number == NONE else self.frames[number]

    def log(self, number: int) -> Log | None:
        return None if number == NONE else self.logs[number]

    def entry(self, number: int) -> Entry | None:
        return None if number == NONE else self.entries[number]

    def plan_of(self, record: PlanRecord) -> Plan:
        if record.owner != NONE:
            return self.plans[record.owner].side(record.node, record.role)
        return self.plan if record.definition == NONE else self.plan.library.plans[self.definitions[record.definition]]

    def places(self, named: dict[str, list[Place]]) -> dict[str, list[tuple[Frame, int]]]:
        return {name: [(self.frames[frame], node) for frame, node in places] for name, places in named.items()}

    def by_key(self, numbers: list[int]) -> dict[tuple[str, int], Entry]:
        return {(entry.path, entry.round): entry for entry in (self.entries[number] for number in numbers)}

    # Each kind of thing.

    def base(self) -> Base | None:
        found, root = self.record.base, self.frame(self.record.root)
        if found is None:
            return None
        length = len((root.plan if root is not None else self.plan).kind)
        rounds = array_of(found.rounds, length)
        return Base(found.path, found.prefix, found.round, found.attempt, rounds, found.scope)

    def fill_frame(self, frame: Frame, record: FrameRecord) -> None:
        frame.parent, frame.parent_node = self.frame(record.parent), record.parent_node
        frame.number = record.number
        frame.entry = self.entry(record.entry)
        frame.scope = record.scope
        for start, part in record.status:
            frame.status[start : start + len(part)] = part
        if record.rounds:
            frame.rounds = array_of(record.rounds, 0)
        decide_all(frame, record)
        for one in record.executions:
            frame.execution[one.node] = self.execution(frame, one)
        frame.told_to_skip.update(record.told_to_skip)

    def execution(self, frame: Frame, record: ExecutionRecord) -> Execution:
        execution = Execution(record.set, record.inputs, record.since)
        execution.attempt = record.attempt
        execution.outcome = record.outcome
        execution.values = record.values or NOTHING
        execution.worker = record.worker
        if record.rare is not None:
            self.fill_rare(frame, record.node, execution, record.rare)
        return execution

    def fill_rare(self, frame: Frame, node: int, execution: Execution, record: RareRecord) -> None:
        execution.error, execution.message = record.error, record.message
        execution.overdue = record.overdue
        execution.marks = record.marks
        execution.then, execution.rule = record.then, record.rule
        execution.retries = record.retries
        execution.is_stopped, execution.is_drained = record.is_stopped, record.is_drained
        execution.log = self.log(record.log)
        if record.body is not None:
            execution.body = self.body(frame, node, record.body)

    def body(self, frame: Frame, node: int, record: BodyRecord) -> Body:
        body = Body()
        body.variables = record.variables
        body.busy, body.grant = record.busy, record.grant
        body.asking, body.causes = record.asking, record.causes
        body.first_error, body.first_message = record.first_error, record.first_message
        body.is_stuck, body.is_drained = record.is_stuck, record.is_drained
        if record.items is not None:
            body.items = items_of(record.items)
        if record.marking is not None:
            body.marking = marking_of(frame, node, record.marking)
        body.firings = {
            number: Firing(one.transition, one.took, one.variables, one.inputs, one.is_offer)
            for number, one in record.firings.items()
        }
        body.ended = record.ended
        body.frames = {number: self.frames[inside] for number, inside in record.frames.items()}
        body.definition = record.definition
        return body

    def fill_log(self, log: Log, record: LogRecord) -> None:
        log.entry = self.entry(record.entry)
        log.entries = [self.entries[number] for number in record.entries]

    def fill_entry(self, entry: Entry, record: EntryRecord) -> None:
        entry.plan = None if record.plan == NONE else self.plans[record.plan]
        entry.node, entry.place = record.node, record.place
        entry.frame = self.frame(record.frame)
        entry.inputs, entry.values, entry.outcome = record.inputs, record.values, record.outcome
        entry.is_prepared, entry.is_running, entry.is_away = record.is_prepared, record.is_running, record.is_away
        entry.is_forgotten = record.is_forgotten
        entry.inner, entry.home = self.log(record.inner), self.log(record.home)


def decide_all(frame: Frame, record: FrameRecord) -> None:
    """The decided formulas; each has counted, once, at the gate above it."""
    above, value = frame.plan.formulas.above, frame.value
    for start, part in record.value:
        value[start : start + len(part)] = part
        for formula, decided in enumerate(part, start):
            over = above[formula]
            if over < 0 or not decided:
                continue
            if decided == 1:
                frame.lack_true[over] -= 1
            else:
                frame.lack_false[over] -= 1


def items_of(record: ItemsRecord) -> Items:
    items = Items(record.first)
    items.values, items.outcomes, items.results = record.values, record.outcomes, record.results
    items.next = record.next
    items.committed, items.aborted, items.running = record.committed, record.aborted, record.running
    items.sources.update(record.sources)
    items.is_closed = record.is_closed
    return items


def marking_of(frame: Frame, node: int, record: MarkingRecord) -> Marking:
    """Tokens under their numbers; which tokens are claimed follows from who claims them."""
    marking = Marking(frame.plan.net(node).places)
    marking.extend(record.gone)
    for place, values in record.tokens.items():
        for number in sorted(values):
            marking.places[place].insert(number, values[number])
    for transition, one in record.firings.items():
        firings = marking.of(transition)
        firings.running.update(one.running)
        for number, took in one.again.items():
            firings.again[number] = took
            if (number, transition) not in record.lost:
                firings.number_of.setdefault(took, number)
            marking.claim(transition, number, took)
        firings.released.update(one.released)
        for number, took in one.offered.items():
            firings.offered[number] = took
            marking.claim(transition, number, took)
    marking.lost.update(record.lost)
    marking.next = record.next
    return marking
