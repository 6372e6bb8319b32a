"""High-level Petri nets as one writes them in Python.

>>> net = Net("pipeline")
>>> raw, done = net.place("raw", int, tokens=[1, 2]), net.place("done", int, output="all")
>>> net.transition("double", take={"x": raw}, put={"result": done}, do=double)
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from weft.languages.python.activities import Activity
from weft.languages.python.data import constant
from weft.languages.python.mistakes import Mistake
from weft.model.definition import ArcIn, ArcKind, ArcOut, Value


@dataclass(frozen=True, slots=True)
class Place:
    """Holds tokens; made by `Net.place`. It stands for a plain arc too; `arc` makes one of which more is said."""

    name: str
    annotation: object
    tokens: tuple[Value, ...]
    is_input: bool
    output: Literal[False, "one", "all"]

    def arc(self, weight: int = 1, *, each: bool = False, outcome: str = "", error: str = "") -> "Arc":
        """An arc that moves `weight` tokens; one that puts may put each element of a list, or wait for one end."""
        return Arc(self, weight, each, outcome, error)


@dataclass(frozen=True, slots=True)
class Arc:
    place: Place
    weight: int = 1
    each: bool = False
    outcome: str = ""
    error: str = ""


Ends = Place | Arc | Sequence[Place | Arc]
Arcs = Ends | Mapping[str, Ends]
"""Places by the variable that the arc bears, or places alone where no value matters."""


@dataclass(frozen=True, slots=True)
class Transition:
    name: str
    inputs: tuple[ArcIn, ...]
    outputs: tuple[ArcOut, ...]
    guard: str
    assigns: Mapping[str, str]
    operation: Activity | None
    priority: int
    at_most: int | None
    cancels: tuple[str, ...]
    join: Literal["and", "or"]


class Net(Activity):
    """Places and transitions are added to the net itself; all else that is said of it makes a new one, as ever."""

    def __init__(self, name: str) -> None:
        self.said = self.named(name).said
        self.places: tuple[Place, ...] = ()
        self.transitions: tuple[Transition, ...] = ()

    def place(
        self,
        name: str,
        type: object = Any,
        *,
        tokens: Sequence[object] = (),
        input: bool = False,
        output: Literal[False, "one", "all"] | bool = False,
    ) -> Place:
        """A place for tokens of a type.

        An `input` is filled by the parameter of its name. An `output` is the object of its name: the value of its one
        token, or with `"all"` the list of all.
        """
        values = tuple(constant(token).value for token in tokens)
        made = Place(name, type, values, input, "one" if output is True else output)
        self.places = (*self.places, made)
        return made

    def transition(
        self,
        name: str,
        *,
        take: Arcs = (),
        read: Arcs = (),
        inhibit: Ends = (),
        reset: Ends = (),
        put: Arcs = (),
        do: Activity | None = None,
        guard: str = "",
        assigns: Mapping[str, str] | None = None,
        priority: int = 0,
        at_most: int | None = None,
        cancels: Sequence[str] = (),
        join: Literal["and", "or"] = "and",
    ) -> Self:
        """A transition: what it takes and reads, by variable; what it does; what it puts, by variable or object.

        `inhibit` asks that there be fewer tokens than the arc's weight, `reset` empties a place. `assigns` computes
        variables. The parameters of what it does are those variables, its result is `result`, or what `.into` says.
        """
        if do is not None and not isinstance(do, Activity):
            raise Mistake(
                f"the transition {name!r} does {do!r}, which is no activity: decorate the function with @task"
            )
        inputs = [*_ins(name, "take", take), *_ins(name, "read", read)]
        inputs += [*_ins(name, "inhibit", inhibit), *_ins(name, "reset", reset)]
        outputs = tuple(
            ArcOut(arc.place.name, variable, arc.outcome, arc.error, arc.each, arc.weight)
            for variable, arc in _arcs(put)
        )
        made = Transition(
            name, tuple(inputs), outputs, guard, assigns or {}, do, priority, at_most, tuple(cancels), join
        )
        self.transitions = (*self.transitions, made)
        return self


def _ins(transition: str, kind: ArcKind, arcs: Arcs) -> Iterator[ArcIn]:
    for variable, arc in _arcs(arcs):
        if arc.each or arc.outcome or arc.error:
            raise Mistake(
                f"an arc to {transition!r} from {arc.place.name!r} has only a weight; the rest is for arcs that put"
            )
        yield ArcIn(arc.place.name, variable, kind, arc.weight)


def _arcs(given: Arcs) -> Iterator[tuple[str, Arc]]:
    for variable, ends in given.items() if isinstance(given, Mapping) else [("", given)]:
        for end in [ends] if isinstance(ends, Place | Arc) else ends:
            if not isinstance(end, Place | Arc):
                raise Mistake(f"an arc leads to a place, not to {end!r}: use what net.place(…) gave")
            yield variable, end if isinstance(end, Arc) else Arc(end)
