"""Writes a state as records. Frames, logs and entries form a net; each gets a number when it is first met."""

from typing import Generic, TypeVar

from weft.kernel.marking import Marking
from weft.kernel.plan import Plan
from weft.kernel.snapshot_form import (
    NONE,
    BaseRecord,
    BodyRecord,
    EntryRecord,
    ExecutionRecord,
    FiringRecord,
    FiringsRecord,
    FrameRecord,
    ItemsRecord,
    LogRecord,
    MarkingRecord,
    Place,
    PlanRecord,
    RareRecord,
    StateRecord,
    blocks,
    runs,
)
from weft.kernel.state import Base, Body, Entry, Execution, Frame, Items, Log, State

T = TypeVar("T")


class Numbers(Generic[T]):
    """The numbers of the things met so far, which keeps them alive meanwhile."""

    def __init__(self) -> None:
        self.all: list[T] = []
        self.known: dict[int, int] = {}

    def of(self, thing: T | None) -> int:
        if thing is None:
            return NONE
        number = self.known.get(id(thing))
        if number is None:
            number = self.known[id(thing)] = len(self.all)
            self.all.append(thing)
        return number


class Writer:
    """See the module. `definitions` are the hashes of the definitions met."""

    def __init__(self, plan: Plan, state: State) -> None:
        self.plan = plan
        self.state = state
        self.definitions: list[str] = []
        self.plans: Numbers[Plan] = Numbers()
        self.plan_records: list[PlanRecord] = []
        self.frames: Numbers[Frame] = Numbers()
        self.logs: Numbers[Log] = Numbers()
        self.entries: Numbers[Entry] = Numbers()

    def record(self) -> StateRecord:
        state = self.state
        assert not state.looks, "a decision is under way"
        of = self.frames.of
        root = of(state.root)
        found = StateRecord(
            self.plan_records,
            [],
            [],
            [],
            state.time,
            state.paused_at,
            state.paused,
            state.seed,
            root,
            None if state.base is None else base_record(state.base),
            state.reports,
            [of(frame) for frame in state.frames.values()],
            [of(frame) for frame in state.roots.values()],
            {name: (of(frame), node) for name, (frame, node) in state.holders.items()},
            self.places(state.wanting),
            self.places(state.hungry),
            [self.entries.of(entry) for entry in state.kept.values()],
            [self.entries.of(entry) for entry in state.prepared.values()],
            state.unsettled,
            state.rounds_used,
            state.attempts_used,
            state.numbers,
            {path: (of(frame), node, number) for path, (frame, node, number) in state.offers.items()},
            state.has_eaches,
        )
        self.follow(found)
        return found

    def follow(self, found: StateRecord) -> None:
        """Writes what was met, and what is met by that."""
        frames, logs, entries = self.frames.all, self.logs.all, self.entries.all
        is_more = True
        while is_more:
            while len(found.all_frames) < len(frames):
                found.all_frames.append(self.frame(frames[len(found.all_frames)]))
            while len(found.logs) < len(logs):
                found.logs.append(self.log(logs[len(found.logs)]))
            while len(found.entries) < len(entries):
                found.entries.append(self.entry(entries[len(found.entries)]))
            is_more = len(found.all_frames) < len(frames) or len(found.logs) < len(logs)

    def places(self, named: dict[str, list[tuple[Frame, int]]]) -> dict[str, list[Place]]:
        of = self.frames.of
        return {name: [(of(frame), node) for frame, node in places] for name, places in named.items()}

    def plan_number(self, plan: Plan) -> int:
        """A plan's owner has a lower number than the plan."""
        if id(plan) in self.plans.known:
            return self.plans.known[id(plan)]
        if plan.owner is not None:
            record = PlanRecord(NONE, self.plan_number(plan.owner), plan.owner_node, plan.owner_role)
        else:
            definition = NONE if plan is self.plan else self.definition_number(plan.library.definition)
            record = PlanRecord(definition, NONE, NONE, "")
        self.plan_records.append(record)
        return self.plans.of(plan)

    def definition_number(self, definition: str) -> int:
        if definition not in self.definitions:
            self.definitions.append(definition)
        return self.definitions.index(definition)

    # Each kind of thing.

    def frame(self, frame: Frame) -> FrameRecord:
        status = blocks(frame.status)
        executions = [
            self.execution(frame, node, execution)
            for start, part in status
            for node, execution in enumerate(frame.execution[start : start + len(part)], start)
            if execution is not None
        ]
        return FrameRecord(
            self.plan_number(frame.plan),
            frame.role,
            frame.prefix,
            frame.root_path,
            self.frames.of(frame.parent),
            frame.parent_node,
            frame.number,
            self.entries.of(frame.entry),
            frame.scope,
            status,
            runs(frame.rounds),
            blocks(frame.value),
            executions,
            sorted(frame.told_to_skip),
        )

    def execution(self, frame: Frame, node: int, one: Execution) -> ExecutionRecord:
        return ExecutionRecord(
            node,
            one.set,
            one.inputs,
            one.since,
            one.attempt,
            one.outcome,
            one.values,
            one.worker,
            self.rare(frame, node, one),
        )

    def rare(self, frame: Frame, node: int, one: Execution) -> RareRecord | None:
        if (
            one.body is None
            and one.log is None
            and not one.error
            and one.marks is None
            and not one.then
            and one.rule < 0
            and one.retries is None
            and not (one.message or one.overdue or one.is_stopped or one.is_drained)
        ):
            return None
        return RareRecord(
            one.error,
            one.message,
            one.overdue,
            one.marks,
            one.then,
            one.rule,
            one.retries,
            one.is_stopped,
            one.is_drained,
            self.logs.of(one.log),
            None if one.body is None else self.body(frame, node, one.body),
        )

    def body(self, frame: Frame, node: int, body: Body) -> BodyRecord:
        if body.definition:
            self.definition_number(body.definition)
        return BodyRecord(
            body.variables,
            body.busy,
            body.grant,
            body.asking,
            body.causes,
            body.first_error,
            body.first_message,
            body.is_stuck,
            body.is_drained,
            None if body.items is None else items_record(body.items),
            None if body.marking is None else marking_record(body.marking, frame.plan.net(node).place_number),
            {
                number: FiringRecord(one.transition, one.took, one.variables, one.inputs, one.is_offer)
                for number, one in body.firings.items()
            },
            body.ended,
            {number: self.frames.of(frame) for number, frame in body.frames.items()},
            body.definition,
        )

    def log(self, log: Log) -> LogRecord:
        of = self.entries.of
        entries = [of(entry) for entry in log.entries]
        return LogRecord(self.frames.of(log.frame), log.node, log.parallel, of(log.entry), entries)

    def entry(self, entry: Entry) -> EntryRecord:
        return EntryRecord(
            entry.path,
            entry.round,
            entry.attempt,
            NONE if entry.plan is None else self.plan_number(entry.plan),
            entry.node,
            self.frames.of(entry.frame),
            entry.place,
            entry.inputs,
            entry.values,
            entry.outcome,
            entry.is_prepared,
            entry.is_running,
            entry.is_away,
            entry.is_forgotten,
            self.logs.of(entry.inner),
            self.logs.of(entry.home),
        )


def base_record(base: Base) -> BaseRecord:
    return BaseRecord(base.path, base.prefix, base.round, base.attempt, runs(base.rounds), base.scope)


def items_record(items: Items) -> ItemsRecord:
    return ItemsRecord(
        items.first,
        items.values,
        items.outcomes,
        items.results,
        items.next,
        items.committed,
        items.aborted,
        items.running,
        sorted(items.sources),
        items.is_closed,
    )


def marking_record(marking: Marking, known: dict[str, int]) -> MarkingRecord:
    return MarkingRecord(
        marking.next,
        {place: tokens.values for place, tokens in marking.places.items() if tokens.values},
        [] if len(marking.places) == len(known) else [place for place in marking.places if place not in known],
        {
            transition: FiringsRecord(one.running, one.again, sorted(one.released), one.offered)
            for transition, one in marking.firings.items()
        },
        sorted(marking.lost),
    )
