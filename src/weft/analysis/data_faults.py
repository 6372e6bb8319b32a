"""What is wrong with the data flow of a process: lost writes, races, reads of nothing, writes that nobody reads."""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, islice
from typing import Final

from weft.analysis.controls import Controls
from weft.analysis.ends import name_of
from weft.analysis.places import Places
from weft.analysis.standings import ENDS, WAITING
from weft.analysis.variables import Key, Variables
from weft.model.definition import Activity, Compound, Each, Flow, parts
from weft.model.faults import Fault
from weft.model.types import NULL, TypeFault, fits, parse

AT_ONCE: Final = ("all", "any", "atleast")
NEVER_AT_ONCE: Final = ("serial", "choice", "contingency", "loop", "pick", "race")
"""In a race only one commits, and only what commits writes."""


Together = Callable[[int, int], bool]


class DataFaults:
    def __init__(self, controls: Controls, places: Places) -> None:
        self.controls = controls
        self.places = places
        self.process = controls.process
        self.variables = Variables(controls.process)

    def all(self) -> Iterator[Fault]:
        for activity in list(self.variables.activities.values()):
            if isinstance(activity, Flow):
                yield from self.at_once(activity)
            elif isinstance(activity, Each) and activity.at_most != 1:
                yield from self.by_items(activity)
        yield from self.early()
        yield from self.unread()

    # At the same time.

    def together(self, flow: Flow) -> Together:
        """Whether two children, by position, may run at the same time."""
        worked = self.controls.worked.get(flow.name)
        if flow.block in NEVER_AT_ONCE:
            return lambda one, other: False
        if flow.block in AT_ONCE or worked is None or worked.exploring is None or not worked.control.is_complete:
            return lambda one, other: True
        found: set[tuple[int, int]] = set()
        for still in worked.exploring.after:
            running = [n for n, one in enumerate(still.children) if one.kind != WAITING and one.kind not in ENDS]
            found.update(combinations(running, 2))
        return lambda one, other: (min(one, other), max(one, other)) in found

    def at_once(self, flow: Flow) -> Iterator[Fault]:
        """For each variable the first two that write it, and the first that reads what another writes."""
        writers, readers = self.users(flow, self.variables.all_writes), self.users(flow, self.variables.all_reads)
        if not writers:
            return
        together = self.together(flow)
        for key, writing in sorted(writers.items()):
            pairs = ((one, other) for one, other in combinations(writing, 2) if together(one, other))
            for one, other in islice(pairs, 1):
                yield self.twice(flow.children[one], flow.children[other], key)
            reading = [one for one in readers.get(key, ()) if one not in set(writing)]
            races = ((one, other) for other in reading for one in writing if together(one, other))
            for one, other in islice(races, 1):
                yield self.read_meanwhile(flow.children[one], flow.children[other], key)

    def users(self, flow: Flow, used: Mapping[str, frozenset[Key]]) -> dict[Key, list[int]]:
        """For each variable the children that use it, by position."""
        found: dict[Key, list[int]] = {}
        for number, child in enumerate(flow.children):
            for key in used[child.name]:
                found.setdefault(key, []).append(number)
        return found

    def twice(self, one: Activity, other: Activity, key: Key) -> Fault:
        first, second = self.who(one, key, writes=True), self.who(other, key, writes=True)
        return self.places.fault(
            "written-twice", second,
            f"{name_of(first)!r} and {name_of(second)!r} may run at the same time, and both write {key.name!r}: "
            "one write is lost", "let each write a variable of its own",
        )  # fmt: skip

    def read_meanwhile(self, writer: Activity, reader: Activity, key: Key) -> Fault:
        first, second = self.who(writer, key, writes=True), self.who(reader, key, writes=False)
        apart = next((one for one in self.around(second, reader) if isinstance(one, Compound) and one.placement), None)
        if apart is not None:
            return self.places.fault(
                "shared-apart", apart,
                f"{apart.name!r} is placed apart and reads {key.name!r}, which {name_of(first)!r} may write meanwhile",
                "give it the value as a parameter, or let one come after the other",
            )  # fmt: skip
        return self.places.fault(
            "read-while-written", second,
            f"{name_of(second)!r} reads {key.name!r}, which {name_of(first)!r} may write at the same time",
            "let one come after the other",
        )  # fmt: skip

    def around(self, inner: Activity, outer: Activity) -> list[Activity]:
        """From the outer activity in to the inner one."""
        way: list[Activity] = [outer]
        while way[-1] is not inner:
            way.append(next(one for one in parts(way[-1]) if inner.name in self.inside(one)))
        return way

    def inside(self, activity: Activity) -> set[str]:
        names, todo = {activity.name}, [activity]
        while todo:
            for part in parts(todo.pop()):
                names.add(part.name)
                todo.append(part)
        return names

    def who(self, activity: Activity, key: Key, writes: bool) -> Activity:
        """The innermost activity in it that writes or reads the variable."""
        own = self.variables.writes if writes else self.variables.reads
        every = self.variables.all_writes if writes else self.variables.all_reads
        while key not in own[activity.name]:
            activity = next(part for part in parts(activity) if key in every[part.name])
        return activity

    def by_items(self, each: Each) -> Iterator[Fault]:
        for key in sorted(self.variables.shared(each.body, self.variables.all_writes[each.body.name])):
            writer = self.who(each.body, key, writes=True)
            yield self.places.fault(
                "written-twice", writer,
                f"several items of {each.name!r} may run at the same time, and each writes {key.name!r}; one stays",
                "collect the results with the each's own, or let one item run at a time",
            )  # fmt: skip

    # Never.

    def unread(self) -> Iterator[Fault]:
        """Written, and read by nobody; what the root declares may be what a caller searches for."""
        read = self.variables.all_reads[self.process.body.name]
        told: set[Key] = set()
        for name, writes in self.variables.writes.items():
            for key in sorted(writes - read - told):
                if key.owner == self.process.body.name and key.name in self.process.searchable:
                    continue
                told.add(key)
                yield self.places.fault(
                    "never-read", self.variables.activities[name], f"{name!r} writes {key.name!r}; nothing reads it",
                    "use it, or take it out",
                )  # fmt: skip

    # Too early.

    def early(self) -> Iterator[Fault]:
        found: dict[tuple[str, Key], None] = {}
        self.pass_through(self.process.body, frozenset(self.variables.given), found)
        for name, key in found:
            if self.is_needed(key):
                yield self.places.fault(
                    "read-before-written", self.variables.activities[name],
                    f"{name!r} may read {key.name!r} before anything was written to it",
                    "give the variable a default, or let what writes it come first",
                )  # fmt: skip

    def is_needed(self, key: Key) -> bool:
        """A variable without a default whose type has no null; those that nobody ever writes are constants."""
        owner = self.variables.activities[key.owner]
        declared = owner.variables.get(key.name) if isinstance(owner, Compound) else None
        if declared is None or declared.default is not None or declared.type == "any":
            return False
        if not any(key in writes for writes in self.variables.writes.values()):
            return False
        found = parse(declared.type, self.process.classes)
        return not isinstance(found, TypeFault) and not fits(NULL, found, self.process.classes)

    def pass_through(
        self, activity: Activity, written: frozenset[Key], found: dict[tuple[str, Key], None]
    ) -> frozenset[Key]:
        """What is surely written when it has committed, if `written` was when it started; notes what it reads early."""
        reads = self.variables.judges[activity.name]
        for key in sorted(reads - written):
            if key.owner != activity.name:
                found.setdefault((activity.name, key))
        after = written
        if isinstance(activity, Flow):
            after = self.through_flow(activity, written, found)
        elif isinstance(activity, Each):
            self.pass_through(activity.body, written, found)
        for key in sorted(reads - after):
            if key.owner == activity.name:
                found.setdefault((activity.name, key))
        return after | self.variables.writes[activity.name]

    def through_flow(self, flow: Flow, written: frozenset[Key], found: dict[tuple[str, Key], None]) -> frozenset[Key]:
        if flow.block in ("serial", "loop"):
            return self.through_serial(flow, written, found)
        if flow.block in AT_ONCE or flow.block in ("race", "pick", "choice", "contingency"):
            ends = [self.pass_through(child, written, found) for child in flow.children]
            if flow.block == "all":
                sure = [end for child, end in zip(flow.children, ends, strict=True) if child.vital]
                return written.union(*sure)
            has_default = flow.block != "choice" or not flow.children[-1].input_sets[0].guard
            return frozenset.intersection(*ends) if has_default else written
        return self.through_graph(flow, written, found)

    def through_serial(self, flow: Flow, written: frozenset[Key], found: dict[tuple[str, Key], None]) -> frozenset[Key]:
        here = written
        for child in flow.children:
            after = self.pass_through(child, here, found)
            here = after if child.vital else here
        return here if flow.block == "serial" else written

    def through_graph(self, flow: Flow, written: frozenset[Key], found: dict[tuple[str, Key], None]) -> frozenset[Key]:
        """A child may count on those that have committed in every standstill in which it has just become ready."""
        worked = self.controls.worked.get(flow.name)
        sure = {} if worked is None or worked.exploring is None else worked.exploring.committed_before
        ends: dict[int, frozenset[Key]] = {}
        for number in sorted(range(len(flow.children)), key=lambda one: len(sure.get(one, ()))):
            before = [ends[one] for one in sure.get(number, ()) if one in ends]
            ends[number] = self.pass_through(flow.children[number], written.union(*before), found)
        return written
