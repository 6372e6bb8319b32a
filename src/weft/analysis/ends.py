"""How an activity may end, seen from the flow around it, and what is known of a flow whose control was worked out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, overload

from weft.model.definition import Activity, Assign, Flow, Signal, Task, Timer

Trace = Sequence[str]


class Prefix(Sequence[str]):
    """The first so many of some steps: the ways to a thousand children of a block share one list."""

    def __init__(self, steps: list[str], length: int, head: tuple[str, ...] = ()) -> None:
        self.steps = steps
        self.length = length
        self.head = head

    def __len__(self) -> int:
        return len(self.head) + self.length

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        return tuple(self)[index]

    def __iter__(self) -> Iterator[str]:
        yield from self.head
        yield from self.steps[: self.length]


@dataclass(frozen=True, slots=True)
class Ends:
    """The outcomes by which it may commit or abort, and the marks it may give. Without any it never ends."""

    commits: frozenset[str] = frozenset()
    aborts: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()

    @property
    def may_commit(self) -> bool:
        return bool(self.commits)

    @property
    def may_abort(self) -> bool:
        return bool(self.aborts)

    def or_(self, other: "Ends") -> "Ends":
        return Ends(self.commits | other.commits, self.aborts | other.aborts, self.marks | other.marks)


NEVER: Final = Ends()


@dataclass(slots=True)
class Control:
    """What may happen in a flow. `runs` has, by position, a trace after which the child may start."""

    ends: Ends
    runs: dict[int, Trace]
    reached: dict[str, Trace] = field(default_factory=dict)
    stuck: tuple[Trace, tuple[str, ...]] | None = None
    endless: Trace | None = None
    left: dict[str, tuple[Trace, tuple[str, ...]]] = field(default_factory=dict)
    explored: int = 0
    is_complete: bool = True


def declared_ends(activity: Activity) -> Ends:
    """Of a task, or of a compound that is looked at as one: all that it declares. A timer never fails."""
    kinds: dict[str, set[str]] = {"commit": set(), "abort": set(), "mark": set(), "repeat": set()}
    for one in activity.outcomes:
        kinds[one.kind].add(one.name)
    is_occurrence = isinstance(activity, Task) and isinstance(activity.handler, Timer | Signal)
    if isinstance(activity, Task) and isinstance(activity.handler, Timer | Assign):
        first = next((one.name for one in activity.outcomes if one.kind == "commit"), "")
        kinds["commit"], kinds["mark"] = {first} if first else set(), set()
    aborts = frozenset() if is_occurrence else frozenset(kinds["abort"] | {"aborted"})
    return Ends(frozenset(kinds["commit"]), aborts, frozenset(kinds["mark"]))


def with_rules(activity: Activity, inside: Ends, alternates: Mapping[int, Ends]) -> Ends:
    """The ends that remain when its rules for errors have had their say."""
    found = inside
    for number, rule in enumerate(activity.on_error):
        if rule.action == "ignore" and inside.may_abort:
            first = next(one.name for one in activity.outcomes if one.kind == "commit")
            found = found.or_(Ends(frozenset({first})))
        elif rule.action == "alternate" and inside.may_abort:
            found = found.or_(alternates.get(number, NEVER))
    return found


def name_of(activity: Activity) -> str:
    """What a trace calls it: blocks that nobody named by what they are and begin with."""
    if isinstance(activity, Flow) and ":" in activity.name:
        kind, _, leaf = activity.name.partition(":")
        return f"the {kind.rstrip('0123456789')} of {leaf}"
    return activity.name
