"""Activities as one writes them in Python: immutable, joined by operators and refined by methods that return new ones.

They hold what was said; `weft.languages.python.build` makes definitions of them when a process is built, since only
then is it known which variables there are and who is beside whom.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Literal, Self

from weft.languages.python.data import Giver, Raw, Result, Source, constant, sources_of
from weft.languages.python.guards import Guard, formula_of
from weft.languages.python.mistakes import Mistake
from weft.model import definition
from weft.model.definition import Constant, Deadline, Input, OutcomeKind
from weft.model.types import ObjectClass

Sources = tuple[Raw, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to start: an input set."""

    name: str
    guard: definition.Guard | None
    sources: Mapping[str, Sources]


@dataclass(frozen=True, slots=True)
class End:
    """One way to end that was said of an activity."""

    name: str
    kind: OutcomeKind | None
    guard: definition.Guard | None
    objects: Mapping[str, Sources]


@dataclass(frozen=True, slots=True)
class Answer:
    """What an error does: a rule, and the activity that takes over if it is an alternate."""

    rule: definition.Rule
    alternate: "Activity | None" = None


@dataclass(frozen=True, slots=True)
class Said:
    """Everything that methods said of an activity."""

    name: str = ""
    using: Mapping[str, Sources] = field(default_factory=dict)
    into: tuple[tuple[str, str], ...] = ()
    """Variables with the object that each takes; an empty object is the one at this position."""
    ways: tuple[Way, ...] = ()
    ends: tuple[End, ...] = ()
    compensation: "Activity | None" = None
    undo: "Activity | None" = None
    answers: tuple[Answer, ...] = ()
    deadline: Deadline | None = None
    cancel: definition.Guard | None = None
    until: definition.Guard | None = None
    holds: tuple[str, ...] = ()
    vital: bool = True
    critical: bool = False
    idempotent: bool = False
    priority: int = 0
    placement: str = ""
    variables: Mapping[str, Constant] = field(default_factory=dict)
    limits: definition.TimeLimits | None = None
    queues: tuple[str, ...] = ()


NOTHING = Said()


class Activity(Giver):
    """A step of a process: what all of them can be told, and the operators that join them.

    >>> book >> all_of(pay.into("receipt").compensated_by(refund), pack.non_vital())
    """

    said: Said = NOTHING
    operator: str = ""
    """`>>`, `&`, `|` or `^` if an operator made it and nothing was said of it since."""

    @property
    def name(self) -> str:
        """The name in the process; guards and sources that speak of the activity go by it."""
        if not self.said.name:
            raise Mistake(f'nothing can speak of {self!r}, since it has no name: give it one, .named("…")')
        return self.said.name

    def __repr__(self) -> str:
        return self.said.name or type(self).__name__.lower()

    def _with(self, **changed: object) -> Self:
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        new.said = replace(self.said, **changed)  # type: ignore[arg-type]
        new.operator = ""
        return new

    # Operators.

    def __rshift__(self, other: "Activity") -> "Block":
        """One after the other."""
        return _joined("serial", ">>", self, other)

    def __and__(self, other: "Activity") -> "Block":
        """All at once."""
        return _joined("all", "&", self, other)

    def __or__(self, other: "Activity") -> "Block":
        """All at once; one that commits is enough, but all are waited for."""
        return _joined("any", "|", self, other)

    def __xor__(self, other: "Activity") -> "Block":
        """All at once; exactly one commits."""
        return _joined("race", "^", self, other)

    def __bool__(self) -> bool:
        raise Mistake(
            "an activity is neither true nor false: join activities by >>, &, |, ^, and not by and, or, not; "
            'decide by choice({"approved": …}, default=…)'
        )

    def otherwise(self, other: "Activity") -> "Block":
        """The other is tried when this one has aborted."""
        return _joined("contingency", "otherwise", self, other)

    # Names and data.

    def named(self, name: str) -> Self:
        if not name or ":" in name:
            raise Mistake(f"{name!r} can't be a name: use letters, digits, _ and -")
        return self._with(name=name)

    def using(self, **sources: object) -> Self:
        """Where parameters get their values: a constant, an activity, `a.output(…)`, `var`, `expr` or `first_of(…)`."""
        return self._with(using={**self.said.using, **_all_sources(sources)})

    def into(self, *variables: str, **objects: str) -> Self:
        """Keeps the result in a variable; several objects in several, in order or by name: `.into(paid="sum")`."""
        said = (*((variable, "") for variable in variables), *objects.items())
        return self._with(into=said)

    def output(self, object: str = "", outcome: str = "") -> Source:
        """An object that this activity gives, as a source: `flights.output("flight", "found")`."""
        return Source((Result(self.name, object, outcome),))

    def input(self, parameter: str, set: str = "start") -> Source:
        """A parameter with which this activity started, as a source."""
        return Source((Input(self.name, set, parameter),))

    def variables(self, **values: object) -> Self:
        """Variables of this compound alone, born with these values whenever it starts."""
        return self._with(variables={name: constant(value) for name, value in values.items()})

    # Starting.

    def starts(self, set: str, guard: Guard | None = None, /, **sources: object) -> Self:
        """A way to start; the first that holds is taken: `.starts("late", wait.on("done"), seat=var("any"))`."""
        formula = None if guard is None else formula_of(guard, f".starts({set!r}, …)")
        return self._with(ways=(*self.said.ways, Way(set, formula, _all_sources(sources))))

    def holds(self, *names: str) -> Self:
        """Names that are taken together at the start and kept to the end: what holds one name never runs at once."""
        return self._with(holds=names)

    def until(self, guard: Guard) -> Self:
        """When the guard holds it is withdrawn if it has not started."""
        return self._with(until=formula_of(guard, ".until(…)"))

    def cancelled_when(self, guard: Guard) -> Self:
        """When the guard holds it is withdrawn, or stopped if it has started."""
        return self._with(cancel=formula_of(guard, ".cancelled_when(…)"))

    # Ending.

    def on(self, event: str) -> Guard:
        """True when the event has happened.

        An event is `ready`, `started`, `started:SET`, `committed`, `aborted`, `skipped`, `ended`, `error:NAME`, or the
        name of an outcome: `done` is `committed:done`, `aborted:full` and `mark:packed` are `full` and `packed`.
        """
        return Guard(definition.On(self.name, event))

    def outcome(
        self, name: str, guard: Guard | None = None, *, kind: OutcomeKind | None = None, **objects: object
    ) -> Self:
        """A way to end: the guard that decides it, where its objects come from. Those said first are asked first."""
        formula = None if guard is None else formula_of(guard, f".outcome({name!r}, …)")
        return self._with(ends=(*self.said.ends, End(name, kind, formula, _all_sources(objects))))

    # Failing.

    def compensated_by(self, activity: "Activity") -> Self:
        """Takes back what this one did, if it committed and something around it aborts."""
        return self._with(compensation=_activity(activity, ".compensated_by"))

    def undone_by(self, activity: "Activity") -> Self:
        """Takes back what a failed attempt left, before the next one."""
        return self._with(undo=_activity(activity, ".undone_by"))

    def non_vital(self) -> Self:
        """Its abort doesn't abort a serial, and- or loop block around it."""
        return self._with(vital=False)

    def critical(self) -> Self:
        """It stays prepared until the whole instance ends, and commits with it."""
        return self._with(critical=True)

    def idempotent(self) -> Self:
        """It may run again when nobody knows whether it has run."""
        return self._with(idempotent=True)

    def retry(
        self,
        times: int,
        *,
        error: str = "",
        delay: timedelta = timedelta(),
        factor: float = 1.0,
        delay_max: timedelta = timedelta(days=1),
        when: str = "",
    ) -> Self:
        """Tries again at most so many times after this error, or any: `.retry(3, error="task.gateway", factor=2.0)`."""
        return self._answered(
            definition.Rule(
                "retry", error, times, _seconds(delay, "delay"), factor, _seconds(delay_max, "delay_max"), when
            )
        )

    def on_error(self, error: str, then: "Activity | Literal['ignore', 'ask', 'fail']") -> Self:
        """What an error and all below it does: another activity takes over, it is ignored, or a person is asked."""
        if isinstance(then, Activity):
            return self._answered(definition.Rule("alternate", error), then)
        if then not in ("ignore", "ask", "fail"):
            raise Mistake(
                f'.on_error({error!r}, {then!r}): give an activity that takes over, "ignore", "ask" or "fail"'
            )
        return self._answered(definition.Rule(then, error))

    def within(self, time: timedelta, *, fail: bool = False, warn: Sequence[timedelta] = ()) -> Self:
        """A deadline: people are told when it passes, and warned before it does; with `fail` it is stopped."""
        warnings = tuple(_seconds(one, "warn") for one in warn)
        return self._with(deadline=Deadline(_seconds(time, "within"), "fail" if fail else "tell", warnings))

    def _answered(self, rule: definition.Rule, alternate: "Activity | None" = None) -> Self:
        return self._with(answers=(*self.said.answers, Answer(rule, alternate)))

    # Where and when.

    def priority(self, number: int) -> Self:
        return self._with(priority=number)

    def placed(self, group: str) -> Self:
        """The group of controllers that owns this compound."""
        return self._with(placement=group)


class Leaf(Activity):
    """A task of any kind: its definition but for name, data and what is said of it, and what it asks and gives."""

    def prototype(self) -> "Prototype":
        raise NotImplementedError

    def limited(
        self, *, run: timedelta = timedelta(), heartbeat: timedelta = timedelta(), start: timedelta = timedelta()
    ) -> Self:
        """How long an attempt may run, be silent between two heartbeats, and wait for its start; then it has failed."""
        times = _seconds(start, "start"), _seconds(run, "run"), _seconds(heartbeat, "heartbeat")
        return self._with(limits=definition.TimeLimits(*times))

    def on_queue(self, *queues: str) -> Self:
        """Where workers look for it; of several the first that is served: `.on_queue("gpu", "big")`."""
        return self._with(queues=queues)


@dataclass(frozen=True, slots=True)
class Parameter:
    type: str = "any"
    has_default: bool = False


@dataclass(frozen=True, slots=True)
class Prototype:
    """`fields` of the definition that don't change; `is_open` when `.using` decides which parameters there are."""

    fields: Mapping[str, object]
    outcomes: tuple[definition.Outcome, ...]
    parameters: Mapping[str, Parameter]
    classes: Mapping[str, ObjectClass]
    is_open: bool = False
    expressions: Mapping[str, str] = field(default_factory=dict)
    """The texts that compute its objects; their names are parameters too."""


class Block(Activity):
    """Activities put together by a block function or an operator; `conditions` are those of a choice or loop."""

    def __init__(
        self,
        kind: str,
        inside: tuple[Activity, ...],
        *,
        operator: str = "",
        conditions: tuple[str, ...] = (),
        count: int = 0,
    ) -> None:
        self.kind = kind
        self.inside = inside
        self.operator = operator
        self.chain = operator
        self.conditions = conditions
        self.count = count

    def __repr__(self) -> str:
        if self.said.name:
            return self.said.name
        children = self.children()
        shown = [*map(repr, children[:3]), *["…"][: len(children) - 3]]
        return f" {self.chain} ".join(shown) if self.chain in _MIXED else f"{self.kind}({', '.join(shown)})"

    def children(self) -> list[Activity]:
        """What is inside; chains of one operator are one block, however long they are."""
        if not self.chain:
            return list(self.inside)
        found: list[Activity] = []
        rest = list(reversed(self.inside))
        while rest:
            one = rest.pop()
            if isinstance(one, Block) and one.operator == self.chain:
                rest += reversed(one.inside)
            else:
                found.append(one)
        return found


_FUNCTIONS = {">>": "serial", "&": "all_of", "|": "any_of", "^": "race"}
_MIXED = tuple(_FUNCTIONS)


def _joined(kind: str, sign: str, left: Activity, right: Activity) -> Block:
    _activity(right, sign)
    if sign in ("&", "|", "^"):
        _refuse_mixing(sign, left, right)
    return Block(kind, (left, right), operator=sign)


def _refuse_mixing(sign: str, left: Activity, right: Activity) -> None:
    """`>>` binds tightest, then `&`, `^`, `|`, whatever was meant; so one who joins unlike things says how."""
    function = _FUNCTIONS[sign]
    if left.operator in _MIXED and left.operator != sign and isinstance(left, Block):
        *before, last = left.children()
        first = f" {left.operator} ".join(map(repr, before))
        readings = f"{function}({left!r}, {right!r})", f"{first} {left.operator} {function}({last!r}, {right!r})"
    elif right.operator in _MIXED and right.operator != sign and isinstance(right, Block):
        first_inside, *after = right.children()
        rest = f" {right.operator} ".join(map(repr, after))
        readings = f"{function}({left!r}, {right!r})", f"{function}({left!r}, {first_inside!r}) {right.operator} {rest}"
    else:
        return
    raise Mistake(
        f"{left!r} {sign} {right!r} can be read in two ways, since Python binds operators as it likes: "
        f"write {readings[0]} or {readings[1]}"
    )


def _activity(given: object, where: str) -> Activity:
    if isinstance(given, Activity):
        return given
    if callable(given):
        raise Mistake(f"{where} wants an activity, and {_called(given)} is only a function: decorate it with @task")
    raise Mistake(f"{where} wants an activity, not {given!r}")


def activities(given: Sequence[object], function: str) -> tuple[Activity, ...]:
    """What a block function was given, all of them activities and at least one."""
    if not given:
        raise Mistake(f"{function} of nothing: give it at least one activity")
    return tuple(_activity(one, f"{function}(…)") for one in given)


def _called(function: object) -> str:
    return str(getattr(function, "__name__", function))


def _all_sources(given: Mapping[str, object]) -> dict[str, Sources]:
    return {name: tuple(sources_of(one)) for name, one in given.items()}


def _seconds(time: object, what: str) -> float:
    if not isinstance(time, timedelta):
        raise Mistake(f"{what} wants a timedelta, not {time!r}: write timedelta(hours=24)")
    return time.total_seconds()
