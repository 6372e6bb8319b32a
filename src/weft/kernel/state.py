"""The state of an instance: frames of flat arrays, a record for each execution that began, and logs to take back.

Only `weft.kernel.evolve` changes it. It is a fold of the facts: replaying them gives an equal state.
"""

from typing import Final

from weft.kernel.binding import Choice
from weft.kernel.facts import AnyFact, Values
from weft.kernel.marking import Marking
from weft.kernel.net_plan import Took
from weft.kernel.plan import Plan

# What a frame is for, seen from the activity it belongs to.
ROOT: Final = 0
ITEM: Final = 1
FIRING: Final = 2
CALLED: Final = 3
ALTERNATE: Final = 4
UNDO: Final = 5
COMPENSATION: Final = 6


NOTHING: Final[Values] = {}
"""Shared by all that gave no values. Nobody changes it."""


class Execution:
    """One activity in one round, from when it is ready: what it was given, how it ended, what it counted."""

    __slots__ = (
        "attempt",
        "body",
        "error",
        "inputs",
        "is_drained",
        "is_stopped",
        "log",
        "marks",
        "message",
        "outcome",
        "overdue",
        "retries",
        "rule",
        "set",
        "since",
        "then",
        "values",
        "worker",
    )

    def __init__(self, set: str, inputs: Values, since: float) -> None:
        self.set = set
        self.inputs = inputs
        self.since = since
        self.attempt = 1
        self.outcome = ""
        self.values = NOTHING
        self.error = ""
        self.message = ""
        self.overdue: tuple[int, ...] = ()
        self.marks: dict[str, Values] | None = None
        self.then = ""
        self.rule = -1
        self.retries: dict[int, int] | None = None
        self.is_stopped = False
        self.is_drained = False
        self.worker = ""
        self.log: Log | None = None
        self.body: Body | None = None


class Body:
    """What only a compound has, from its start: variables, how many children are busy, who has leave to commit.

    `choice` is a cache over the marking and no part of the state.
    """

    def __init__(self) -> None:
        self.variables: Values = {}
        self.busy = 0
        self.grant = -1
        self.asking: list[int] = []
        self.causes: dict[str, tuple[str, str]] | None = None
        self.first_error = ""
        self.first_message = ""
        self.is_stuck = False
        self.is_drained = False
        self.items: Items | None = None
        self.marking: Marking | None = None
        self.choice: Choice | None = None
        self.firings: dict[int, Firing] = {}
        self.ended: list[int] = []
        self.frames: dict[int, Frame] = {}
        self.definition = ""


class Items:
    """What an `Each` has: its items by index, the results so far, and its counts."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.values: list[object] = []
        self.outcomes: list[str | None] = []
        self.results: list[Values | None] = []
        self.next = 0
        self.committed = 0
        self.aborted = 0
        self.running = 0
        self.sources: set[str] = set()
        self.is_closed = False


class Firing:
    """A firing of a net's transition, or the offer of one: its transition, its tokens and its variables."""

    def __init__(self, transition: int, took: Took, variables: Values, inputs: Values, is_offer: bool) -> None:
        self.transition = transition
        self.took = took
        self.variables = variables
        self.inputs = inputs
        self.is_offer = is_offer


class Entry:
    """An execution that committed and may have to be taken back: by its own compensation, or inside.

    `plan` and `node` say which activity it was when it committed; `place` is where that now stands in its frame.
    """

    def __init__(self, path: str, round: int, attempt: int) -> None:
        self.path = path
        self.round = round
        self.attempt = attempt
        self.plan: Plan | None = None
        self.node = -1
        self.frame: Frame | None = None
        self.place = -1
        self.inputs: Values = {}
        self.values: Values = {}
        self.outcome = ""
        self.is_prepared = False
        self.is_running = False
        self.is_away = False
        self.is_forgotten = False
        """What is around it has a compensation of its own: this one is kept only for what is prepared inside."""
        self.inner: Log | None = None
        self.home: Log | None = None

    def is_own(self) -> bool:
        """Is it taken back by its own compensation, or by the group that ran it, not by those inside?"""
        if self.is_away or self.is_forgotten or self.plan is None:
            return self.is_away
        return self.plan.activity[self.node].compensation is not None


class Log:
    """Executions to take back, in order of commitment. From the last, at most `parallel` at a time."""

    def __init__(self, frame: "Frame", node: int, parallel: int) -> None:
        self.entries: list[Entry] = []
        self.frame = frame
        self.node = node
        self.entry: Entry | None = None
        self.parallel = parallel


class Frame:
    """One execution of a plan: the process itself, an item, a firing, a called process, or what takes back or over."""

    def __init__(self, plan: Plan, role: int, prefix: str, root_path: str) -> None:
        self.plan = plan
        self.role = role
        self.prefix = prefix
        self.root_path = root_path
        self.parent: Frame | None = None
        self.parent_node = -1
        self.number = -1
        self.entry: Entry | None = None
        self.scope: Values = {}
        count, formulas = len(plan.kind), len(plan.formulas)
        self.status: list[int] = plan.zeros[:count]
        self.rounds: list[int] = plan.zeros[:count]
        self.execution: list[Execution | None] = list(plan.nones)
        self.value: list[int] = plan.zeros[:formulas]
        self.lack_true: list[int] = plan.formulas.need_true[:]
        self.lack_false: list[int] = plan.formulas.need_false[:]
        self.told_to_skip: set[int] = set()
        self.agenda: dict[int, list[int]] = {}

    def path(self, node: int) -> str:
        return self.prefix + self.plan.paths[node] if node else self.root_path


class Base:
    """Where the root lies in the whole instance, when another group owns what is around it, and what it reads there."""

    def __init__(self, path: str, prefix: str, round: int, attempt: int, rounds: list[int], scope: Values) -> None:
        self.path = path
        self.prefix = prefix
        self.round = round
        self.attempt = attempt
        self.rounds = rounds
        self.scope = scope


class State:
    """An instance. `time` is the instance's own clock, set by the caller before each decision or replayed one."""

    def __init__(self) -> None:
        self.time = 0.0
        self.paused_at = -1.0
        self.paused = 0.0
        self.seed = 0
        self.root: Frame | None = None
        self.base: Base | None = None
        self.reports: dict[tuple[str, int], tuple[bool, bool]] = {}
        self.frames: dict[str, Frame] = {}
        self.roots: dict[str, Frame] = {}
        self.holders: dict[str, tuple[Frame, int]] = {}
        self.wanting: dict[str, list[tuple[Frame, int]]] = {}
        self.hungry: dict[str, list[tuple[Frame, int]]] = {}
        """Nets that run and have operations that hold this name."""
        self.kept: dict[tuple[str, int], Entry] = {}
        self.prepared: dict[tuple[str, int], Entry] = {}
        self.unsettled: dict[tuple[str, int, int], bool] = {}
        self.rounds_used: dict[str, int] = {}
        self.attempts_used: dict[tuple[str, int], int] = {}
        self.numbers: dict[str, int] = {}
        self.offers: dict[str, tuple[Frame, int, int]] = {}
        self.is_short = False
        self.has_eaches = False
        """Has an each ever started here?"""
        self.freed: list[str] = []
        self.told: list[AnyFact] = []
        self.nodes: list[int] = []
        """What the last decision told, and for each fact its node in the root's frame, or -1: a cache for effects."""
        self.looks: list[tuple[Frame, int]] = []

    def forget_looks(self) -> None:
        """After a replay nothing is left to look at: what was decided then is in the facts."""
        self.freed.clear()
        for frame, compound in self.looks:
            frame.agenda.pop(compound, None)
        self.looks.clear()

    @property
    def clock(self) -> float:
        """The instance's own time, which stands still while it is suspended."""
        now = self.time if self.paused_at < 0 else self.paused_at
        return now - self.paused if self.paused else now


def find(state: State, path: str) -> tuple[Frame, int] | None:
    """Where a path leads, or None. Most lead into the root's frame; others say in which frame they lie."""
    frame = state.root
    if frame is None:
        return None
    if frame.prefix:
        return find_below(state, frame, path)
    node = frame.plan.index.get(path, -1)
    if node >= 0:
        return frame, node
    return find_inside(state, path)


def find_below(state: State, root: Frame, path: str) -> tuple[Frame, int] | None:
    """The same where the root itself lies inside another group's compound."""
    if path == root.root_path:
        return root, 0
    place = find_inside(state, path)
    if place is None and path.startswith(root.prefix):
        node = root.plan.index.get(path[len(root.prefix) :], -1)
        return (root, node) if node > 0 else None
    return place


def find_inside(state: State, path: str) -> tuple[Frame, int] | None:
    inside = state.roots.get(path)
    if inside is not None:
        return inside, 0
    cut = path.rfind("/")
    while cut >= 0:
        inside = state.frames.get(path[: cut + 1])
        if inside is not None:
            node = inside.plan.index.get(path[cut + 1 :], -1)
            return (inside, node) if node > 0 else None
        cut = path.rfind("/", 0, cut)
    return None
