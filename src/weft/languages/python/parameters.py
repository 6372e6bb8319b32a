"""Where each parameter of an activity gets its value, and which full event a guard means, while a process is built."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from weft.languages.python.activities import Activity, Parameter, Sources, Way
from weft.languages.python.catalogue import Catalogue
from weft.languages.python.data import Result
from weft.languages.python.scopes import Scope, Slot
from weft.languages.python.value_types import Types
from weft.model import definition
from weft.model.definition import (
    AtLeast,
    Expression,
    Guard,
    Input,
    InputSet,
    On,
    OutcomeKind,
    Output,
    Variable,
    When,
)
from weft.model.types import near

PLAIN_EVENTS: Final = frozenset(("ready", "started", "committed", "aborted", "skipped", "ended"))
PREFIXES: Final = ("started:", "committed:", "aborted:", "error:", "mark:")
FULL_NAMES: Final[dict[OutcomeKind, str]] = {"commit": "committed:", "abort": "aborted:", "mark": "mark:"}
OPEN: Final = Parameter("")
Role = Literal["", "compensation", "undo", "alternate"]


@dataclass(frozen=True, slots=True)
class Where:
    """Where an activity stands: the scope, the compound directly around, and what it takes back or takes over."""

    scope: Scope
    parent: Activity | None = None
    role: Role = ""
    owner: Activity | None = None
    owner_sets: tuple[InputSet, ...] = ()
    is_late: bool = False
    """It is in what takes something back, which runs when nobody knows what else has been written."""

    def inside(self, activity: Activity, inner: Scope) -> "Where":
        return Where(inner, activity, is_late=self.is_late)

    def beside(self, role: Role, owner: Activity, owner_sets: tuple[InputSet, ...]) -> "Where":
        is_late = self.is_late or role != "alternate"
        return Where(self.scope, self.parent, role, owner, owner_sets, is_late)


class Parameters:
    """Resolves sources and guards; keeps which variables have been written so far in the order of writing."""

    def __init__(self, catalogue: Catalogue, types: Types) -> None:
        self.catalogue = catalogue
        self.types = types
        self.written: set[Slot] = set()
        self._told: set[tuple[int, Slot]] = set()

    def input_set(self, activity: Activity, way: Way, parameters: Mapping[str, Parameter], where: Where) -> InputSet:
        bindings: dict[str, definition.Sources] = {}
        types: dict[str, str] = {}
        for name, parameter in parameters.items():
            raws = way.sources.get(name)
            if raws is None:
                raws = self._by_name(activity, name, parameter, where)
                if not raws:
                    continue
            bindings[name] = self.sources(activity, raws, where)
            types[name] = parameter.type or self.types.of(raws, where.scope)
        for name in way.sources.keys() - parameters.keys():
            self.catalogue.fault(
                activity, "no-source", f"{activity!r} has no parameter {name!r}",
                self._advice(name, list(parameters), f"it has {', '.join(parameters) or 'none'}"),
            )  # fmt: skip
        return InputSet(way.name, self.guard(activity, way.guard, where), bindings, types)

    def _by_name(self, activity: Activity, name: str, parameter: Parameter, where: Where) -> Sources:
        """What takes back sees what that took and gave; else a parameter of the compound around, else the variable."""
        found = self._taken_back(name, where) if where.role in ("compensation", "undo") else ()
        if not found and where.parent is not None and self.catalogue.opens(where.parent, where.scope):
            found = where.scope.inputs.get(name, ())
        if found:
            return found
        if where.scope.find(name) is not None:
            return (Variable(name),)
        if not parameter.has_default:
            known = where.scope.names()
            otherwise = f"say it, .using({name}=…), let an earlier step make it, .into({name!r}), or make it an input"
            self.catalogue.fault(
                activity, "no-source", f"nothing gives the parameter {name!r} of {activity!r}",
                self._advice(name, known, otherwise),
            )  # fmt: skip
        return ()

    def _taken_back(self, name: str, where: Where) -> Sources:
        owner = where.owner
        if owner is None or not owner.said.name:
            return ()
        if where.role == "compensation":
            for slot, object_name in self.catalogue.kept.get(id(owner), ()):
                if slot.name == name:
                    return (Result(owner.name, object_name),)
        return tuple(Input(owner.name, one.name, name) for one in where.owner_sets if name in one.types)

    # Sources.

    def sources(self, activity: Activity, raws: Iterable[object], where: Where) -> definition.Sources:
        found: list[definition.Source] = []
        for raw in raws:
            match raw:
                case Result():
                    found += self._results(activity, raw)
                case Variable(name):
                    self.reads(activity, name, where)
                    found.append(raw)
                case Expression(text):
                    self.condition(activity, text, where)
                    found.append(raw)
                case _:
                    found.append(raw)  # type: ignore[arg-type]
        return tuple(found)

    def _results(self, activity: Activity, result: Result) -> list[definition.Source]:
        """An object of an activity, of every outcome that has it unless one is said."""
        giver = self.catalogue.by_name.get(result.activity)
        if giver is None:
            self.catalogue.fault(
                activity, "unknown-activity", f"{activity!r} takes from {result.activity!r}, which is not there",
                self._advice(result.activity, list(self.catalogue.by_name), "put it in, or take from another"),
            )  # fmt: skip
            return []
        objects = self.catalogue.objects(giver, result.outcome)
        wanted = result.object or (objects[0] if len(objects) == 1 else "")
        gives = self.catalogue.gives(giver)
        outcomes = [
            name for name, one in gives.items() if (name == result.outcome if result.outcome else one.kind == "commit")
        ]
        holders = [name for name in outcomes if wanted in gives[name].objects()]
        if holders:
            return [Output(result.activity, name, wanted) for name in holders]
        if not wanted:
            which = f"gives {', '.join(objects)}: say which" if objects else "gives nothing"
            message, advice = f"{activity!r} takes the result of {giver!r}, which {which}", f"write {giver!r}.output(…)"
        else:
            of = f"outcome {result.outcome!r} of {giver!r}" if result.outcome else repr(giver)
            message = f"{activity!r} takes {wanted!r} of {of}, which does not give it"
            advice = self._advice(wanted, objects, f"it gives {', '.join(objects) or 'nothing'}")
        self.catalogue.fault(activity, "unknown-object", message, advice)
        return []

    def reads(self, activity: Activity, name: str, where: Where) -> None:
        """A variable is read: somebody must have written it, or it was born with a value."""
        slot = where.scope.find(name)
        if slot is None:
            advice = self._advice(name, where.scope.names(), f".into({name!r}) of an earlier step makes it")
            self.catalogue.fault(
                activity, "unknown-variable", f"{activity!r} reads {name!r}, which is no variable", advice
            )
        elif not (slot.is_given or slot in self.written or where.is_late) and (id(activity), slot) not in self._told:
            self._told.add((id(activity), slot))
            self.catalogue.fault(
                activity, "unknown-variable", f"{activity!r} reads {name!r}, which is read before it is written",
                f"give it a value to begin with, process(…, variables={{{name!r}: None}}), or write it before",
            )  # fmt: skip

    def condition(self, activity: Activity, text: str, where: Where) -> None:
        """An expression reads its names; unknown ones are told when all is built, with their place in the text."""
        for name in sorted(self.types.names(text)):
            if where.scope.find(name) is not None:
                self.reads(activity, name, where)

    def _advice(self, name: str, known: list[str], otherwise: str) -> str:
        found = near(name, known)
        return f"did you mean {found!r}?" if found and found != name else otherwise

    # Guards.

    def guard(self, activity: Activity, formula: Guard | None, where: Where) -> Guard | None:
        return None if formula is None else self._guard(activity, formula, where)

    def _guard(self, activity: Activity, formula: Guard, where: Where) -> Guard:
        match formula:
            case On(name, event):
                return On(name, self._event(activity, name, event))
            case When(text):
                self.condition(activity, text, where)
            case AtLeast(count, guards):
                return AtLeast(count, tuple(self._guard(activity, one, where) for one in guards))
            case _:
                pass
        return formula

    def _event(self, activity: Activity, name: str, event: str) -> str:
        """The full name of an event: `done` of one that commits with it is `committed:done`."""
        subject = self.catalogue.by_name.get(name)
        if event in PLAIN_EVENTS or event.startswith(PREFIXES) or subject is None:
            return event
        gives = self.catalogue.gives(subject)
        if event in gives and gives[event].kind in FULL_NAMES:
            return FULL_NAMES[gives[event].kind] + event
        known = [*(key for key, one in gives.items() if one.kind in FULL_NAMES), *sorted(PLAIN_EVENTS)]
        self.catalogue.fault(
            activity, "unknown-event", f"{activity!r} waits for {event!r} of {name!r}, no event or outcome of it",
            self._advice(event, known, f"it has {', '.join(known)}"),
        )  # fmt: skip
        return event
