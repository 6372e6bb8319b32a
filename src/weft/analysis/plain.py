"""Place/transition nets of plain numbers: what the analysis explores. Knows nothing of processes and of data.

>>> net = PlainNet.of({"a": 1, "b": 0}, {"t": (("a",), ("b",))})
>>> net.transitions[0].takes
{0: 1}
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from weft.model.definition import ArcIn, ArcOut, Net, Place, Transition


class PlainTransition(NamedTuple):
    """Place → number of tokens; an inhibiting place must hold fewer than its number, a reset one is emptied."""

    name: str
    takes: dict[int, int]
    puts: dict[int, int]
    reads: dict[int, int] = {}
    inhibits: dict[int, int] = {}
    resets: frozenset[int] = frozenset()

    def needs(self) -> dict[int, int]:
        """What must lie in each place; an arc that reads asks for its token beside those taken."""
        return dict(Counter(self.takes) + Counter(self.reads))


@dataclass(frozen=True, slots=True)
class PlainNet:
    """`outputs` are places whose tokens are results. `notes` say what of a definition is only approximated here."""

    places: tuple[str, ...]
    transitions: tuple[PlainTransition, ...]
    marking: tuple[int, ...]
    outputs: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()
    may_have_more: bool = False
    """Whether the definition can do what this net can't."""

    @staticmethod
    def of(places: Mapping[str, int], transitions: Mapping[str, tuple[Iterable[str], Iterable[str]]]) -> "PlainNet":
        """From names: place → tokens, transition → (places it takes from, places it puts to), repeated for weights."""
        number = {name: index for index, name in enumerate(places)}
        made = [
            PlainTransition(name, _counted(number[one] for one in takes), _counted(number[one] for one in puts))
            for name, (takes, puts) in transitions.items()
        ]
        return PlainNet(tuple(places), tuple(made), tuple(places.values()))

    def marked(self, marking: Mapping[int, int]) -> "PlainNet":
        """The same net with these tokens in it and no others."""
        return replace(self, marking=tuple(marking.get(place, 0) for place in range(len(self.places))))

    def as_net(self, name: str) -> Net:
        """The same as a net of a definition, without data."""
        places = [
            Place(place, tokens=(None,) * count, output=number in self.outputs)
            for number, (place, count) in enumerate(zip(self.places, self.marking, strict=True))
        ]
        return Net(name=name, places=tuple(places), transitions=tuple(map(self._transition, self.transitions)))

    def _transition(self, one: PlainTransition) -> Transition:
        return Transition(
            name=one.name,
            inputs=(
                *(ArcIn(self.places[place], weight=count) for place, count in one.takes.items()),
                *(ArcIn(self.places[place], kind="read", weight=count) for place, count in one.reads.items()),
                *(ArcIn(self.places[place], kind="inhibit", weight=count) for place, count in one.inhibits.items()),
                *(ArcIn(self.places[place], kind="reset") for place in sorted(one.resets)),
            ),
            outputs=tuple(ArcOut(self.places[place], weight=count) for place, count in one.puts.items()),
        )

    @property
    def is_ordinary(self) -> bool:
        """Every arc carries one token and none reads, inhibits or resets."""
        return all(
            not one.reads and not one.inhibits and not one.resets and {*one.takes.values(), *one.puts.values()} <= {1}
            for one in self.transitions
        )

    @property
    def is_monotone(self) -> bool:
        """More tokens never forbid what fewer allow, and no step forgets a difference."""
        return not any(one.inhibits or one.resets for one in self.transitions)


def _counted(places: Iterable[int]) -> dict[int, int]:
    return dict(Counter(places))


def plain_net(net: Net, given: Iterable[str] | None = None) -> PlainNet:
    """A net of a definition without its data: guards and values are free choices.

    `given` are the places that its parameters fill; by default those of its first input set. An operation that has
    several ends, as seen by the arcs, becomes a transition for each: `check:yes`.
    """
    number = {place.name: index for index, place in enumerate(net.places)}
    filled = set(net.input_sets[0].bindings) | set(net.input_sets[0].types) if given is None else set(given)
    marking = tuple(len(place.tokens) + (place.name in filled) for place in net.places)
    transitions = [plain for one in net.transitions for plain in _ends(one, number)]
    outputs = frozenset(number[place.name] for place in net.places if place.output)
    more = any(one.join == "or" or any(arc.each for arc in one.outputs) for one in net.transitions)
    return PlainNet(tuple(number), tuple(transitions), marking, outputs, tuple(_notes(net)), more)


def _ends(one: Transition, number: dict[str, int]) -> Iterable[PlainTransition]:
    """One plain transition for each set of arcs that an end of the operation fills."""
    bound = {
        "takes": Counter[int](),
        "reads": Counter[int](),
        "inhibits": Counter[int](),
        "resets": Counter[int](),
    }
    kinds = {"take": "takes", "read": "reads", "inhibit": "inhibits", "reset": "resets"}
    for arc in one.inputs:
        tally = bound[kinds[arc.kind]]
        place = number[arc.place]
        tally[place] = (
            min(tally[place] or arc.weight, arc.weight) if arc.kind == "inhibit" else tally[place] + arc.weight
        )
    for end, arcs in ends_of(one).items():
        puts = Counter[int]()
        for out in arcs:
            puts[number[out.place]] += out.weight
        yield PlainTransition(
            f"{one.name}:{end}" if end else one.name,
            dict(bound["takes"]),
            dict(puts),
            dict(bound["reads"]),
            dict(bound["inhibits"]),
            frozenset(bound["resets"]),
        )


def ends_of(one: Transition) -> dict[str, list[ArcOut]]:
    """The ways in which a firing can end, and the arcs that each fills; a single way has the empty name."""
    plain = [arc for arc in one.outputs if not arc.outcome and not arc.error]
    if one.operation is None:
        return {"": plain}
    found: dict[str, list[ArcOut]] = {}
    for outcome in one.operation.outcomes:
        if outcome.kind == "commit":
            found[outcome.name] = [
                *plain,
                *(arc for arc in one.outputs if arc.outcome == outcome.name and not arc.error),
            ]
    if len({tuple(arcs) for arcs in found.values()}) == 1:
        found = {"": next(iter(found.values()))}
    aborts = [outcome.name for outcome in one.operation.outcomes if outcome.kind == "abort"]
    for arc in one.outputs:
        if arc.error or arc.outcome in aborts:
            found.setdefault(arc.error or arc.outcome, []).append(arc)
    return found


def _notes(net: Net) -> Iterable[str]:
    if any(one.guard for one in net.transitions):
        yield "guards over data are taken as free choices"
    if any(_joins_values(one) for one in net.transitions):
        yield "arcs that must bind equal values are taken as if all values were equal"
    if any(arc.each for one in net.transitions for arc in one.outputs):
        yield "an arc marked `each` is taken as if its list had one element"
    if any(one.join == "or" for one in net.transitions):
        yield "or-joins are taken as and-joins"
    if any(one.cancels for one in net.transitions):
        yield "transitions fire at once, so there is nothing to cancel"
    if any(one.priority for one in net.transitions):
        yield "priorities are left out"


def _joins_values(one: Transition) -> bool:
    names = [arc.variable for arc in one.inputs if arc.variable and arc.kind in ("take", "read")]
    return len(names) != len(set(names))
