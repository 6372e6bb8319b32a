"""What a process is made of: activities, guards, sources, input sets and outcomes, as plain immutable data.

Nothing here runs, checks or prints. A definition is made by a language or by `weft.model.blocks`, is judged by
`weft.model.wellformed`, and is written and read by `weft.model.json_form`.
"""

from collections.abc import Iterator
from typing import Literal

from weft.model.form import Form
from weft.model.handlers import Application as Application
from weft.model.handlers import Assign as Assign
from weft.model.handlers import Command as Command
from weft.model.handlers import Function as Function
from weft.model.handlers import Group as Group
from weft.model.handlers import Handler as Handler
from weft.model.handlers import Http as Http
from weft.model.handlers import Named as Named
from weft.model.handlers import Person as Person
from weft.model.handlers import Read as Read
from weft.model.handlers import Signal as Signal
from weft.model.handlers import Sql as Sql
from weft.model.handlers import TimeLimits as TimeLimits
from weft.model.handlers import Timer as Timer
from weft.model.types import ObjectClass

Value = object
"""Plain data: None, bool, int, float, str, and lists and string-keyed dicts of these."""


# Guards: monotone formulas over events, and over data asked once.


class On(Form, frozen=True, tag="on", gc=False):
    """True when the activity's event has happened: `On("credit", "committed:ok")`."""

    activity: str
    event: str


class When(Form, frozen=True, tag="when", gc=False):
    """True when the expression was true when it was asked."""

    text: str


class AtLeast(Form, frozen=True, tag="at_least", gc=False):
    """True when `count` of the guards are: AND is `AtLeast(n, n guards)`, OR is `AtLeast(1, …)`."""

    count: int
    guards: tuple["Guard", ...]


class Quiet(Form, frozen=True, tag="quiet", gc=False):
    """True when every child of the compound has ended; in a net, when nothing is enabled and nothing runs."""


Guard = On | When | AtLeast | Quiet


def every(*guards: Guard) -> Guard:
    return guards[0] if len(guards) == 1 else AtLeast(len(guards), guards)


def some(*guards: Guard) -> Guard:
    return guards[0] if len(guards) == 1 else AtLeast(1, guards)


# Sources: where the value of a parameter or of an outcome's object comes from.


class Output(Form, frozen=True, tag="output", gc=False):
    """An object of an outcome of an activity."""

    activity: str
    outcome: str
    object: str


class Input(Form, frozen=True, tag="input", gc=False):
    """A parameter of an input set with which an activity started."""

    activity: str
    set: str
    object: str


class Variable(Form, frozen=True, tag="variable", gc=False):
    name: str


class Constant(Form, frozen=True, tag="constant", gc=False):
    value: Value


class Expression(Form, frozen=True, tag="expression", gc=False):
    text: str


Source = Output | Input | Variable | Constant | Expression
Sources = tuple[Source, ...]


class InputSet(Form, frozen=True, omit_defaults=True):
    """One way to start: its guard, its parameters' types, and for each its sources in order of preference.

    A process takes its parameters from outside; there a binding is only a default.
    """

    name: str = "start"
    guard: Guard | None = None
    bindings: dict[str, Sources] = {}
    types: dict[str, str] = {}


OutcomeKind = Literal["commit", "abort", "repeat", "mark"]


class Outcome(Form, frozen=True, omit_defaults=True):
    """One way to end (`commit`, `abort`), to go round again (`repeat`), or to tell something early (`mark`)."""

    name: str
    kind: OutcomeKind = "commit"
    guard: Guard | None = None
    bindings: dict[str, Sources] = {}
    types: dict[str, str] = {}


DONE = Outcome("done")
ABORTED = Outcome("aborted", "abort")


class Declared(Form, frozen=True, omit_defaults=True):
    """A variable: its type, the value it is born with, and for a file the name by which it is known outside."""

    type: str = "any"
    default: Value = None
    file: str = ""


# What happens when work fails or is late.

RuleAction = Literal["retry", "alternate", "ignore", "ask", "fail"]


class Rule(Form, frozen=True, omit_defaults=True):
    """What one class of errors, and all below it, does. An empty name is every error of a task or handler.

    `retry` counts for itself: at most `times`, the n-th after `delay_seconds * factor ** (n - 1)`, while `when` holds.
    """

    action: RuleAction
    error: str = ""
    times: int = 0
    delay_seconds: float = 0.0
    factor: float = 1.0
    delay_seconds_max: float = 86_400.0
    when: str = ""
    alternate: "Activity | None" = None


class Deadline(Form, frozen=True, omit_defaults=True):
    """Counts from `ready` for people, else from `started`. It tells people, or stops the activity."""

    seconds: float
    action: Literal["tell", "fail"] = "tell"
    warn_seconds: tuple[float, ...] = ()


# Activities.


class Common(Form, frozen=True, omit_defaults=True, kw_only=True):
    """What tasks and compounds share. `name` is unique in its process; a block nobody named has one with a colon."""

    name: str
    input_sets: tuple[InputSet, ...] = (InputSet(),)
    outcomes: tuple[Outcome, ...] = (DONE, ABORTED)
    cancel: Guard | None = None
    until: Guard | None = None
    holds: tuple[str, ...] = ()
    vital: bool = True
    critical: bool = False
    idempotent: bool = False
    writes: dict[str, str] = {}
    """Variable → object of the commit outcome; applied with the `Committed` fact."""
    compensation: "Activity | None" = None
    undo: "Activity | None" = None
    on_error: tuple[Rule, ...] = ()
    deadline: Deadline | None = None
    priority: int = 0
    placement: str = ""
    """The group that owns a compound; empty is the group around it."""
    description: str = ""
    """What it is for, in its author's words; shown to people and never looked at."""
    properties: dict[str, str] = {}
    """What other tools say of it; kept, and never looked at."""

    def outcome(self, name: str) -> Outcome | None:
        return next((outcome for outcome in self.outcomes if outcome.name == name), None)

    def input_set(self, name: str) -> InputSet | None:
        return next((one for one in self.input_sets if one.name == name), None)


class Task(Common, frozen=True, tag="task", omit_defaults=True, kw_only=True):
    handler: Handler
    transaction: Literal["none", "transactional", "two_phase"] = "none"
    resource: str = ""
    checkpoint: bool = False
    queues: tuple[str, ...] = ()
    """Where workers look for it; the first that is served is taken."""
    limits: TimeLimits | None = None
    errors: dict[str, str] = {}
    """Raw errors, by the keys of `weft.model.raw_errors`, → declared error classes."""


class Compound(Common, frozen=True, omit_defaults=True, kw_only=True):
    variables: dict[str, Declared] = {}


class Flow(Compound, frozen=True, tag="flow", omit_defaults=True, kw_only=True):
    """Children ordered by guards. `block` and `condition` say which block built it, for printing only."""

    children: tuple["Activity", ...]
    exclusive: bool = False
    one_start: bool = False
    block: str = ""
    condition: str = ""


class Each(Compound, frozen=True, tag="each", omit_defaults=True, kw_only=True):
    """Runs `body` once per element of its parameter `items`; the body sees the element as variable `item`."""

    item: str
    body: "Activity"
    at_most: int | None = None
    enough: int | None = None
    adds: tuple[Output, ...] = ()
    open: bool = False


class Call(Compound, frozen=True, tag="call", omit_defaults=True, kw_only=True):
    """Bound by name when it starts; its parameters and outcomes are those of the process called."""

    process: str
    version: str = ""


class Place(Form, frozen=True, omit_defaults=True):
    """Holds tokens of one type. A parameter of its name fills it; one that is an `output` fills an object."""

    name: str
    type: str = "any"
    tokens: tuple[Value, ...] = ()
    output: bool = False
    description: str = ""
    properties: dict[str, str] = {}


ArcKind = Literal["take", "read", "inhibit", "reset"]


class ArcIn(Form, frozen=True, omit_defaults=True):
    """From a place: takes `weight` tokens, reads one, asks for fewer than `weight`, or empties the place."""

    place: str
    variable: str = ""
    kind: ArcKind = "take"
    weight: int = 1


class ArcOut(Form, frozen=True, omit_defaults=True):
    """To a place: puts the value of a variable or object; with an `outcome` or `error`, only on that end.

    `each` puts every element of a list.
    """

    place: str
    variable: str = ""
    outcome: str = ""
    error: str = ""
    each: bool = False
    weight: int = 1


class Transition(Form, frozen=True, omit_defaults=True, kw_only=True):
    """Fires when its arcs bind. `operation` does the work; `assigns` computes variables in the same step."""

    name: str
    inputs: tuple[ArcIn, ...] = ()
    outputs: tuple[ArcOut, ...] = ()
    guard: str = ""
    assigns: dict[str, str] = {}
    operation: "Activity | None" = None
    priority: int = 0
    at_most: int | None = None
    cancels: tuple[str, ...] = ()
    join: Literal["and", "or"] = "and"
    description: str = ""
    properties: dict[str, str] = {}


class Net(Compound, frozen=True, tag="net", omit_defaults=True, kw_only=True):
    places: tuple[Place, ...]
    transitions: tuple[Transition, ...]


Activity = Task | Flow | Each | Call | Net
AnyCompound = Flow | Each | Call | Net


class Process(Form, frozen=True, omit_defaults=True, kw_only=True):
    """A named, versioned definition. Its interface is that of its root activity, which bears its name.

    The root's input sets say what a start must bring; its parameters are born as variables of the root.
    """

    name: str
    body: Activity
    version: str = ""
    classes: dict[str, ObjectClass] = {}
    errors: tuple[str, ...] = ()
    applications: dict[str, Application] = {}
    """Programs that its commands name and that are not the node's."""
    searchable: tuple[str, ...] = ()


def parts(activity: Activity) -> Iterator[Activity]:
    """The activities directly inside: children, bodies, operations, and what takes back or takes over."""
    match activity:
        case Flow():
            yield from activity.children
        case Each():
            yield activity.body
        case Net():
            yield from (one.operation for one in activity.transitions if one.operation is not None)
        case _:
            pass
    yield from sides(activity)


def sides(activity: Activity) -> Iterator[Activity]:
    """The activities that take back or take over: compensation, undo and alternates."""
    if activity.compensation is not None:
        yield activity.compensation
    if activity.undo is not None:
        yield activity.undo
    yield from (rule.alternate for rule in activity.on_error if rule.alternate is not None)


def is_unnamed(name: str) -> bool:
    """A block that nobody named has a made-up name with a colon and appears in no path but its own."""
    return ":" in name
