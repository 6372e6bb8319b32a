"""What a task may hear of: its sources and notifications, as sources and guards of the model."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from weft.languages.openflow.classes import Classes, Interface
from weft.languages.openflow.tree import Alternative, Event, Literally, Notification, ObjectOf
from weft.languages.text.faults import TextReport
from weft.languages.text.words import Word
from weft.model.definition import Constant, Guard, Input, On, Output, Source, Sources, every, some

ENDED: Final = ("committed", "aborted")
EVENTS: Final = ("ready", "started", "committed", "aborted", "skipped", "ended")
Way = tuple[Callable[[str, str, str], Source], str, Mapping[str, str]]
"""What makes a source of an object, the name of the input set or outcome, and its objects."""
PREFIXES: Final = {"commit": "committed:", "abort": "aborted:", "mark": "mark:"}


@dataclass(frozen=True, slots=True)
class Scope:
    """The tasks that can be heard: those beside, the compound around, and of itself the rounds before."""

    beside: Mapping[str, Interface]
    around: str = ""
    itself: str = ""
    hidden: frozenset[str] = frozenset()
    """Tasks of which nothing is known, since their task class is missing."""
    heard: set[str] = field(default_factory=set)
    """Which tasks were named."""


class Hearing:
    def __init__(self, report: TextReport, classes: Classes) -> None:
        self.report = report
        self.classes = classes

    def guard(self, scope: Scope, notifications: Iterable[Notification]) -> Guard | None:
        """All notifications, each from any of its tasks."""
        found = [some(*self._events(scope, one.events)) for one in notifications]
        return every(*found) if found else None

    def sources(self, scope: Scope, wanted: str, alternatives: Iterable[Alternative]) -> Sources:
        """The alternatives, in the order of their priority."""
        found: list[Source] = []
        for one in alternatives:
            if isinstance(one, Literally):
                if self.classes.constant(one, wanted):
                    found.append(Constant(one.value))
            else:
                found += self._objects(scope, one)
        return tuple(found)

    # Objects.

    def _objects(self, scope: Scope, said: ObjectOf) -> Iterator[Source]:
        task, name = said.event.task, said.name
        interface = self._task(scope, task)
        if interface is None:
            return
        ways = self._ways(scope, interface, said.event)
        if ways is None:
            return
        found = [make(task.text, way, name.text) for make, way, types in ways if name.text in types]
        yield from found
        if not found:
            known = {one for _, _, types in ways for one in types}
            how = f" if {said.event.name.text}" if said.event.name else ""
            message = f"{task.text}{how} has no object {name.text!r}"
            listed = ", ".join(sorted(known)) or "none"
            self.report.unknown("unknown-object", name.span, message, name.text, known, f"its objects: {listed}")

    def _ways(self, scope: Scope, interface: Interface, event: Event) -> list[Way] | None:
        """The input sets or outcomes that are meant."""
        task = event.task.text
        inputs: list[Way] = [(Input, name, types) for name, types in interface.inputs.items()]
        outcomes: list[Way] = [
            (Output, name, one.types)
            for name, one in interface.outcomes.items()
            if (one.kind == "repeat") == (task == scope.itself) and (event.name is not None or one.kind != "mark")
        ]
        if event.name is None:
            return inputs if task == scope.around else outcomes
        if event.how == "error":
            self.report.add("unknown-object", event.name.span, "an error brings no objects", "name an outcome")
            return None
        if event.how == "outcome" and task == scope.around:
            message = f"{task!r} is around it and has not ended"
            self.report.add("out-of-reach", event.name.span, message, "take what it was given: if input …")
            return None
        meant = inputs if event.how == "input" else outcomes
        found = [one for one in meant if one[1] == event.name.text]
        if not found:
            what = "input set" if event.how == "input" else "outcome"
            self._unknown_way(event, event.name, [name for _, name, _ in meant], what)
        return found or None

    # Events.

    def _events(self, scope: Scope, events: Iterable[Event]) -> Iterator[Guard]:
        for event in events:
            interface = self._task(scope, event.task)
            if interface is not None and self._can_tell(scope, event):
                yield from self._event(scope, interface, event)

    def _can_tell(self, scope: Scope, event: Event) -> bool:
        """Whether its start can wait for that: neither for itself nor for the end of what is around it."""
        task, name = event.task, event.name
        if task.text == scope.itself:
            self.report.add("out-of-reach", task.span, f"{task.text!r} can't wait for itself", "name another task")
        elif task.text == scope.around and name is not None and event.how != "input" and name.text != "started":
            message = f"{task.text!r} is around it and has not ended"
            self.report.add("out-of-reach", name.span, message, "wait for how it started: if input …")
        else:
            return True
        return False

    def _event(self, scope: Scope, interface: Interface, event: Event) -> Iterator[Guard]:
        task, name = event.task.text, event.name
        if name is None:
            yield from [On(task, "started")] if task == scope.around else [On(task, one) for one in ENDED]
        elif event.how == "error":
            first = name.text.partition(".")[0]
            yield On(task, f"error:{name.text if first in ('task', 'handler', 'engine') else f'task.{name.text}'}")
        elif event.how == "input":
            if name.text in interface.inputs:
                yield On(task, f"started:{name.text}")
            else:
                self._unknown_way(event, name, interface.inputs, "input set")
        elif name.text in interface.outcomes:
            yield On(task, _event_of(interface, name.text))
        elif name.text.lower() in EVENTS:
            yield On(task, name.text.lower())
        else:
            self._unknown_way(event, name, (*interface.outcomes, *EVENTS), "outcome")

    # Names.

    def _task(self, scope: Scope, word: Word) -> Interface | None:
        found = scope.beside.get(word.text)
        scope.heard.add(word.text)
        if found is None and word.text not in scope.hidden:
            known = ", ".join(scope.beside) or "none"
            message = f"there is no task {word.text!r} that can be heard here"
            self.report.unknown("unknown-activity", word.span, message, word.text, scope.beside, f"there are {known}")
        return found

    def _unknown_way(self, event: Event, name: Word, known: Iterable[str], what: str) -> None:
        known = list(known)
        listed = ", ".join(known) or "none"
        code = "unknown-set" if what == "input set" else "unknown-outcome"
        message = f"{event.task.text!r} has no {what} {name.text!r}"
        self.report.unknown(code, name.span, message, name.text, known, f"it has {listed}")


def _event_of(interface: Interface, name: str) -> str:
    """A task that ends with an error has no outcome's name, so the only abort outcome is any abort."""
    kind = interface.outcomes[name].kind
    aborts = [one for one in interface.outcomes.values() if one.kind == "abort"]
    return "aborted" if kind == "abort" and len(aborts) == 1 else f"{PREFIXES.get(kind, '')}{name}"
