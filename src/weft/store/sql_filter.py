"""A filter of instances as SQL for both dialects, made so that an index leads to what is asked."""

from typing import Final

from weft.store.batch import Value
from weft.store.interface import Ended, Filter
from weft.store.tables import INSTANCE

COLUMNS: Final = ", ".join(f"instance.{name}" for name in INSTANCE.columns)
SELECT: Final = f"select {COLUMNS} from "
BY_IDS: Final = SELECT + "instance where id in (select {id} from {rest}) order by id desc"


class Condition:
    """What comes after `from`, and its parameters."""

    def __init__(self, which: Filter, states: tuple[str, ...]) -> None:
        self.source = "instance"
        self.id = "instance.id"
        self.terms: list[str] = []
        self.parameters: list[Value] = []
        self._variables(which)
        self._columns(which, states)

    def add(self, term: str, *values: Value) -> None:
        self.terms.append(term)
        self.parameters += values

    def _variables(self, which: Filter) -> None:
        """The first variable leads to the instances, by its index; the others are looked up in each."""
        for number, (name, value) in enumerate(which.variables):
            if number == 0:
                self.source = "variable join instance on instance.id = variable.instance"
                self.id = "variable.instance"
                self.add("variable.name = ? and variable.value = ?", name, value)
            else:
                other = "select 1 from variable other where other.instance = instance.id"
                self.add(f"exists ({other} and other.name = ? and other.value = ?)", name, value)

    def _columns(self, which: Filter, states: tuple[str, ...]) -> None:
        if which.process:
            self.add("process = ?", which.process)
        if which.version:
            self.add("version = ?", which.version)
        if len(states) == 1:
            self.add("state = ?", states[0])
        elif states:
            self.add(f"state in ({', '.join('?' * len(states))})", *states)
        if which.is_active is not None:
            self.add("is_active" if which.is_active else "not is_active")
        if which.key:
            self.add("key <> '' and key = ?", which.key)
        for column in ("started", "ended"):
            for suffix, sign in (("from", ">="), ("before", "<")):
                bound = getattr(which, f"{column}_{suffix}")
                if bound is not None:
                    self.add(f"{column} {sign} ?", bound)

    def __str__(self) -> str:
        return self.source + (" where " + " and ".join(self.terms) if self.terms else "")


def page(which: Filter, before: int | None, at_most: int) -> tuple[str, list[Value]]:
    """The newest instances, only ids below `before`.

    Each state is asked by itself, in the order of its index, and the answers are put together: sorting all instances
    of several states would cost more the more there are. A range of time has no such order: there the ids are sorted,
    which are in the index, and only the instances of the page are looked up.
    """
    parts: list[str] = []
    parameters: list[Value] = []
    alternatives: list[tuple[str, ...]] = [(state,) for state in which.states]
    for states in alternatives or [()]:
        condition = Condition(which, states)
        if before is not None:
            condition.add(f"{condition.id} < ?", before)
        rest = f"{condition} order by {condition.id} desc limit ?"
        parts.append(BY_IDS.format(id=condition.id, rest=rest) if has_time(which) else SELECT + rest)
        parameters += [*condition.parameters, at_most]
    if len(parts) == 1:
        return parts[0], parameters
    together = " union all ".join(f"select * from ({part}) part{number}" for number, part in enumerate(parts))
    return f"{together} order by id desc limit ?", [*parameters, at_most]


def ended(which: Ended, after: tuple[float, int], at_most: int) -> tuple[str, list[Value]]:
    """The longest ended, by the index of `ended`; its first bound leads there, the second leaves out what was given."""
    condition = Condition(Filter(is_active=False, ended_from=after[0], ended_before=which.before), which.states)
    condition.add("(ended > ? or id > ?)", *after)
    return f"{SELECT}{condition} order by ended, id limit ?", [*condition.parameters, at_most]


def has_time(which: Filter) -> bool:
    bounds = (which.started_from, which.started_before, which.ended_from, which.ended_before)
    return any(bound is not None for bound in bounds)


def number(which: Filter) -> tuple[str, list[Value]]:
    """How many there are."""
    condition = Condition(which, which.states)
    return f"select count(*) from {condition}", condition.parameters
