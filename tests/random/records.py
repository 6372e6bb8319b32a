"""What the facts of an instance say of each activity: a second, slow reading of the log, apart from the kernel's.

A record is one activity at its place, in its present round. `Books.learn` takes one fact after the other and refuses
what can't follow what was there before.
"""

from collections.abc import Iterator

from weft.kernel import facts
from weft.kernel.facts import AnyFact, Values
from weft.model.definition import (
    Activity,
    Call,
    Common,
    Each,
    Flow,
    Net,
    Process,
    Task,
    is_unnamed,
)


class Violation(AssertionError):
    """An invariant does not hold."""


ENDS = frozenset(("committed", "aborted", "skipped", "withdrawn"))
SAME = ""

TASK_LIFE: dict[str, dict[str, str]] = {
    "waiting": {"Ready": "ready", "Fired": "ready", "Offered": "offered", "Skipped": "skipped"},
    "ready": {"Started": "started", "Skipped": "skipped", "Aborted": "aborted", "Overdue": SAME},
    "started": {
        "Marked": SAME, "Overdue": SAME, "Drained": SAME, "Parked": "parked", "Committed": "committed",
        "Failed": "failed", "Aborted": "aborted", "Stopping": "stopping", "Doubted": "doubted",
    },
    "parked": {"Granted": "granted", "Aborted": "aborted", "Stopping": "stopping", "Drained": SAME},
    "granted": {"Committed": "committed", "Aborted": "aborted", "Stopping": "stopping", "Drained": SAME},
    "failed": {
        "Ready": "ready", "Fired": "ready", "Returned": "returned", "Aborted": "aborted", "Committed": "committed",
        "Doubted": "doubted", "Parked": "parked", "Stopping": "ending", "Drained": SAME,
    },
    "returned": {"Fired": "ready", "Released": SAME, "Withdrawn": "withdrawn", "Aborted": "aborted", "Drained": SAME},
    "offered": {"Fired": "ready", "Withdrawn": "withdrawn"},
    "withdrawn": {},
    "stopping": {
        "TakingBack": "taking back", "Aborted": "aborted", "Failed": "ending", "Doubted": "lost", "Drained": SAME,
    },
    "taking back": {"Aborted": "aborted", "Drained": SAME},
    "ending": {"Aborted": "aborted", "Drained": SAME},
    "doubted": {
        "Committed": "committed", "Parked": "parked", "Failed": "failed", "Aborted": "aborted", "Ready": "ready",
        "Fired": "ready", "Returned": "returned", "Stopping": "lost", "Doubted": SAME, "Drained": SAME,
    },
    "lost": {"TakingBack": "taking back", "Aborted": "aborted", "Drained": SAME},
    "committed": {"Arrived": SAME},
    "aborted": {"Arrived": SAME},
    "skipped": {"Arrived": SAME},
}  # fmt: skip
"""For each phase the facts that may follow, and to which phase they lead."""

COMPOUND_LIFE: dict[str, dict[str, str]] = {
    **TASK_LIFE,
    "started": {
        "Marked": SAME, "Overdue": SAME, "Drained": SAME, "Stuck": SAME, "Added": SAME, "Closed": SAME, "Bound": SAME,
        "Moved": SAME, "Arrived": SAME, "Fixed": "fixed", "Aborting": "aborting",
    },
    "fixed": {
        "Committed": "committed", "Repeated": "started", "Parked": "parked", "Aborting": "aborting", "Drained": SAME,
    },
    "parked": {"Granted": "granted", "Aborting": "aborting", "Drained": SAME},
    "granted": {"Committed": "committed"},
    "aborting": {
        "Aborted": "aborted", "Failed": "failed", "Doubted": "doubted", "Drained": SAME, "Stopping": SAME,
    },
}  # fmt: skip

ABOUT_KEPT = ("Compensating", "Compensated", "RolledBack", "Settled")
ABOUT_ALL = ("Suspended", "Resumed", "Changed")


class Record:
    def __init__(self, activity: Activity, path: str, inside: str, around: "Record | None") -> None:
        self.activity = activity
        self.path = path
        self.inside = inside
        self.around = around
        self.owner: Record | None = None
        self.children: list[Record] = []
        self.items: dict[str, Record] = {}
        self.round = -1
        self.attempt = 0
        self.rounds_of_own = 0
        self.clear()

    def clear(self) -> None:
        """As before the first start."""
        self.phase = "waiting"
        self.set = ""
        self.inputs: Values = {}
        self.was_ready = False
        self.was_started = False
        self.outcome = ""
        self.values: Values = {}
        self.error = ""
        self.marks: dict[str, Values] = {}
        self.answers: dict[str, bool] = {}
        self.then = ""
        self.is_stopped = False
        self.is_drained = False
        self.is_stuck = False
        self.is_closed = False
        self.first_error = ""
        self.committed_children = 0
        self.granted: Record | None = None
        self.added = 0
        self.sources: set[str] = set()
        self.definition = ""
        self.items = {}

    @property
    def is_task(self) -> bool:
        return isinstance(self.activity, Task)

    @property
    def has_ended(self) -> bool:
        return self.phase in ENDS

    @property
    def is_live(self) -> bool:
        return self.phase not in ENDS and self.phase not in ("waiting", "offered")

    def child(self, name: str) -> "Record":
        return next(one for one in self.children if one.activity.name == name)

    def all_inside(self) -> Iterator["Record"]:
        for one in [*self.children, *self.items.values()]:
            yield one
            yield from one.all_inside()

    def compounds_around(self) -> Iterator["Record"]:
        here = self.around
        while here is not None:
            yield here
            here = here.around

    def is_inside(self, holder: "Record") -> bool:
        """What an activity holds, it holds for all that is in it and for what takes it back or takes its place."""
        here: Record | None = self
        while here is not None and here is not holder:
            here = here.around or here.owner
        return here is not None

    def __repr__(self) -> str:
        return f"<{self.path}@{self.round}#{self.attempt} {self.phase}>"


class Books:
    """All records, by path."""

    def __init__(self, process: Process, called: dict[str, Process]) -> None:
        self.called = called
        self.by_path: dict[str, Record] = {}
        self.started: set[tuple[str, int, int]] = set()
        self.holders: dict[str, Record] = {}
        self.is_suspended = False
        self.root = self.tree(process.body, process.body.name, "", None, 0)

    def tree(self, activity: Activity, path: str, prefix: str, around: Record | None, round: int) -> Record:
        """The record of what runs a frame of its own, with all that is inside."""
        record = Record(activity, path, prefix, around)
        record.round = round
        self.by_path[path] = record
        self.grow(record, prefix, round)
        return record

    def grow(self, record: Record, prefix: str, round: int) -> None:
        if not isinstance(record.activity, Flow):
            return
        for child in record.activity.children:
            path = prefix + child.name
            inside = prefix if is_unnamed(child.name) else path + "/"
            found = Record(child, path, inside, record)
            found.round = round
            self.by_path[path] = found
            record.children.append(found)
            self.grow(found, inside, round)

    def find(self, fact: AnyFact) -> Record:
        found = self.by_path.get(fact.path)
        owner_path, _, last = fact.path.rpartition("/")
        fresh = isinstance(fact, facts.Ready | facts.Fired | facts.Offered)
        if last in ("undo", "compensation", "alternate"):
            if found is None or (fresh and found.has_ended):
                found = self.side(self.by_path[owner_path], last, fact.path)
        elif found is None and last.endswith("]"):
            found = self.numbered(fact.path)
        elif (
            (owner := self.by_path.get(owner_path)) is not None
            and isinstance(owner.activity, Call)
            and (found is None or (fresh and found.has_ended and last == owner.activity.process))
        ):
            body = self.called[owner.activity.process].body
            found = self.tree(body, fact.path, owner_path + "/", owner, -1)
            owner.items[fact.path] = found
        if found is None:
            raise Violation(f"{fact.path} is nowhere: {fact}")
        return found

    def side(self, owner: Record, role: str, path: str) -> Record:
        activity = owner.activity.undo if role == "undo" else owner.activity.compensation
        if role == "alternate":
            activity = next(rule.alternate for rule in owner.activity.on_error if rule.alternate is not None)
        assert activity is not None
        found = self.tree(activity, path, path + "/", None, -1)
        found.owner = owner
        return found

    def numbered(self, path: str) -> Record:
        owner = self.by_path.get(path[: path.rindex("[")])
        if owner is not None and isinstance(owner.activity, Each):
            activity = owner.activity.body
        else:
            owner_path, _, name = path[: path.rindex("[")].rpartition("/")
            owner = self.by_path[owner_path]
            assert isinstance(owner.activity, Net)
            activity = next(one.operation for one in owner.activity.transitions if one.name == name)  # type: ignore[assignment]
        found = self.tree(activity, path, path + "/", owner, -1)
        owner.items[path] = found
        return found

    # Facts.

    def learn(self, fact: AnyFact) -> Record | None:
        """Takes one fact; says whom it is about."""
        kind = type(fact).__name__
        if kind in ABOUT_ALL:
            self.is_suspended = kind == "Suspended" or (self.is_suspended and kind != "Resumed")
            return None
        if kind in ABOUT_KEPT:
            return None
        if kind == "Moved":
            return self.by_path.get(fact.path.rpartition("/")[0]) or self.by_path.get(fact.path)
        record = self.find(fact)
        if kind == "Answered":
            self.answered(record, fact)  # type: ignore[arg-type]
        else:
            self.live(record, fact, kind)
        return record

    def answered(self, record: Record, fact: facts.Answered) -> None:
        asker = record if fact.key.startswith("outcome ") and not record.is_task else record.around
        if asker is None or asker.phase != "started":
            raise Violation(f"{fact.path} was asked {fact.key!r} outside the life of its flow")
        if fact.key in record.answers:
            raise Violation(f"{fact.path} was asked {fact.key!r} twice in a round")
        record.answers[fact.key] = fact.answer

    def live(self, record: Record, fact: AnyFact, kind: str) -> None:
        life = TASK_LIFE if record.is_task else COMPOUND_LIFE
        after = life[record.phase].get(kind)
        if after is None:
            raise Violation(f"{kind} of {fact.path} can't follow when it is {record.phase}: {fact}")
        self.check_number(record, fact, kind)
        self.check_place(record, kind)
        change = getattr(self, "on_" + kind.lower(), None)
        if change is not None:
            change(record, fact)
        if kind in ("Committed", "Aborted", "Skipped"):
            self.end(record, kind, fact)
        record.phase = after or record.phase

    def check_number(self, record: Record, fact: AnyFact, kind: str) -> None:
        """The fact speaks of the present round and attempt, or begins the next attempt."""
        if kind in ("Ready", "Fired", "Offered") and record.phase in ("waiting", "offered"):
            if record.round >= 0 and fact.round != record.round:
                raise Violation(f"{fact.path} is in round {record.round}: {fact}")
            if record.owner is None and fact.attempt != 1:
                raise Violation(f"the first attempt of {fact.path} is {fact.attempt}")
            record.round, record.attempt = fact.round, fact.attempt
        elif kind in ("Ready", "Fired"):
            if fact.attempt != record.attempt + 1:
                raise Violation(f"attempt {record.attempt} of {fact.path} is followed by {fact.attempt}")
            if fact.round != record.round:
                raise Violation(f"{fact.path} is in round {record.round}: {fact}")
            record.attempt = fact.attempt
        elif record.round < 0:
            record.round = fact.round
        elif fact.round != record.round or (record.attempt and fact.attempt != record.attempt):
            raise Violation(f"{record} has {fact}")

    def check_place(self, record: Record, kind: str) -> None:
        """What is inside acts only while what is around it lives; nothing begins in what is about to end."""
        begins = kind in ("Ready", "Fired", "Started", "Marked", "Offered")
        if record.owner is not None:
            if record.path.endswith("/compensation"):
                return
            if record.owner.phase not in ("failed", "ending", "taking back"):
                raise Violation(f"{kind} of {record.path} while {record.owner} ")
        elif record.around is not None:
            phase = record.around.phase
            if phase != "started" and (begins or phase not in ("fixed", "aborting", "failed", "ending")):
                raise Violation(f"{kind} of {record.path} while {record.around}")

    def on_ready(self, record: Record, fact: facts.Ready) -> None:
        if record.phase in ("waiting", "offered"):
            record.set, record.inputs = fact.set, fact.inputs
        elif record.is_drained or (record.around is not None and record.around.is_drained):
            raise Violation(f"{fact.path} is tried again although it is drained")
        elif not record.is_task:
            self.reset_inside(record)
            kept = (record.marks, record.set, record.inputs)
            answers = {key: said for key, said in record.answers.items() if not key.startswith("outcome ")}
            record.clear()
            record.marks, record.set, record.inputs = kept
            record.answers, record.was_started = answers, True
        record.was_ready = True
        record.then = ""

    on_fired = on_ready

    def on_started(self, record: Record, fact: facts.Started) -> None:
        key = (fact.path, fact.round, fact.attempt)
        if key in self.started:
            raise Violation(f"{key} started twice")
        self.started.add(key)
        if self.is_suspended:
            raise Violation(f"{fact.path} started while the instance is suspended")
        record.was_started = True
        for name in record.activity.holds:
            if not record.is_inside(self.holders.setdefault(name, record)):
                raise Violation(f"{fact.path} takes {name}, which {self.holders[name]} holds")

    def on_marked(self, record: Record, fact: facts.Marked) -> None:
        if fact.mark in record.marks:
            raise Violation(f"{fact.path} gave {fact.mark} twice in round {fact.round}")
        outcome = record.activity.outcome(fact.mark)
        if outcome is None or outcome.kind != "mark":
            raise Violation(f"{fact.path} has no mark {fact.mark}")
        record.marks[fact.mark] = fact.values

    def on_parked(self, record: Record, fact: facts.Parked) -> None:
        record.outcome, record.values = fact.outcome, fact.values

    def on_granted(self, record: Record, fact: facts.Granted) -> None:
        around = record.around
        if around is not None and is_exclusive(around.activity):
            if around.granted is not None and around.granted.phase != "aborted":
                raise Violation(f"{fact.path} is granted beside {around.granted}")
            around.granted = record

    def on_committed(self, record: Record, fact: facts.Committed) -> None:
        outcome = record.activity.outcome(fact.outcome)
        if outcome is None or outcome.kind != "commit":
            raise Violation(f"{fact.path} has committed as {fact.outcome}")
        if record.phase == "failed" and record.then not in ("ignore", "alternate"):
            raise Violation(f"{fact.path} has committed after a failure that led to {record.then}")
        around = record.around
        if around is not None and is_exclusive(around.activity):
            around.committed_children += 1
            if around.committed_children > 1:
                raise Violation(f"two children of {around.path} have committed, {fact.path} last")
        record.outcome, record.values = fact.outcome, fact.values

    def on_aborted(self, record: Record, fact: facts.Aborted) -> None:
        record.outcome, record.values, record.error = fact.outcome, fact.values, fact.error
        around = record.around
        if around is not None and not around.first_error and record.activity.vital:
            around.first_error = fact.error or "task"

    def on_failed(self, record: Record, fact: facts.Failed) -> None:
        record.then = fact.then
        if fact.then in ("retry", "ignore", "alternate", "ask"):
            rule = record.activity.on_error[fact.rule]
            if rule.action != fact.then or not (fact.error + ".").startswith(rule.error and rule.error + "."):
                raise Violation(f"rule {fact.rule} of {fact.path} does not say so: {fact}")

    def on_takingback(self, record: Record, fact: facts.TakingBack) -> None:
        outcome = record.activity.outcome(fact.outcome)
        if outcome is None or outcome.kind != "commit":
            raise Violation(f"{fact.path} takes back {fact.outcome}, which is no work done")
        has_own = record.activity.undo is not None or record.activity.compensation is not None
        if not has_own and record.then != "alternate":
            raise Violation(f"{fact.path} has nothing to take back with")

    def on_stopping(self, record: Record, fact: facts.Stopping) -> None:
        record.is_stopped = True

    def on_fixed(self, record: Record, fact: facts.Fixed) -> None:
        record.outcome, record.values = fact.outcome, fact.values

    def on_aborting(self, record: Record, fact: facts.Aborting) -> None:
        record.outcome, record.values, record.is_stopped = fact.outcome, fact.values, fact.is_stopped
        record.is_stuck = False

    def on_repeated(self, record: Record, fact: facts.Repeated) -> None:
        self.check_empty(record, "Repeated")
        if record.is_drained:
            raise Violation(f"{fact.path} repeats although it is drained")
        self.reset_inside(record)
        record.rounds_of_own += 1
        record.inputs = fact.inputs
        record.outcome, record.values = "", {}
        record.committed_children, record.granted, record.first_error = 0, None, ""
        record.answers = {key: said for key, said in record.answers.items() if not key.startswith("outcome ")}

    def on_drained(self, record: Record, fact: facts.Drained) -> None:
        for one in drained_by(record):
            one.is_drained = True

    def on_stuck(self, record: Record, fact: facts.Stuck) -> None:
        record.is_stuck = True

    def on_added(self, record: Record, fact: facts.Added) -> None:
        if record.is_closed:
            raise Violation(f"{fact.path} takes items although it is closed")
        if fact.source and fact.source in record.sources:
            raise Violation(f"{fact.path} takes the items of {fact.source} twice")
        record.sources.add(fact.source)
        record.added += len(fact.items)

    def on_closed(self, record: Record, fact: facts.Closed) -> None:
        record.is_closed = True

    def on_bound(self, record: Record, fact: facts.Bound) -> None:
        record.definition = fact.definition

    def on_withdrawn(self, record: Record, fact: facts.Withdrawn) -> None:
        self.free(record)

    def free(self, record: Record) -> None:
        for name in record.activity.holds:
            if self.holders.get(name) is record:
                del self.holders[name]

    def end(self, record: Record, kind: str, fact: AnyFact) -> None:
        if kind != "Skipped" and not record.is_task:
            self.check_empty(record, kind)
        self.free(record)
        if record.around is not None:
            record.around.is_stuck = False
        for role in ("undo", "alternate", "compensation"):
            side = self.by_path.get(f"{record.path}/{role}")
            if side is not None and side.owner is record and side.is_live and kind != "Skipped":
                raise Violation(f"{fact.path} has ended while {side}")

    def check_empty(self, record: Record, kind: str) -> None:
        for one in record.all_inside():
            is_child = one in record.children
            if one.is_live or (is_child and not one.has_ended):
                raise Violation(f"{kind} of {record.path} while {one}")

    def reset_inside(self, record: Record) -> None:
        """A new round of what is inside."""
        for one in record.children:
            self.reset_inside(one)
            one.clear()
            one.round += one.round >= 0  # not heard of yet: the next fact says it
            one.attempt = 0
        record.items = {}


def drained_by(record: Record) -> Iterator[Record]:
    """What is live in it, but not what is aborting: that is one-way."""
    if record.is_live and record.phase != "aborting":
        yield record
        for one in [*record.children, *record.items.values()]:
            yield from drained_by(one)


def is_exclusive(activity: Common) -> bool:
    return isinstance(activity, Flow) and activity.exclusive
