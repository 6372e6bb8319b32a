"""Object classes and task classes: what objects are, and what tasks take and give."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from weft.languages.openflow.tree import ClassText, FieldText, Literally, ObjectText, TaskClassText
from weft.languages.text.faults import TextReport
from weft.languages.text.source import Span
from weft.model.definition import Outcome
from weft.model.types import Field, ObjectClass, TypeFault, check, class_faults, parse

Named = TypeVar("Named", ClassText, TaskClassText)
Part = TypeVar("Part", FieldText, ObjectText)


@dataclass(frozen=True, slots=True)
class Interface:
    """A task class: input set → parameter → type, and the outcomes."""

    name: str
    inputs: dict[str, dict[str, str]] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)


class Classes:
    """Everything that a script declares outside its tasks."""

    def __init__(self, report: TextReport, objects: Sequence[ClassText], tasks: Sequence[TaskClassText]) -> None:
        self.report = report
        self.objects: dict[str, ObjectClass] = {}
        places = {one.name.text: one.name.span for one in objects}
        for one in self.distinct(objects, "class"):
            self.objects[one.name.text] = ObjectClass(one.name.text, one.extends.text if one.extends else None)
        self._cut_long_chains(places)
        fields = [(one, self._fields(one)) for one in self.distinct(objects, "class", tell=False)]
        for one, found in fields:
            self.objects[one.name.text] = msgspec.structs.replace(self.objects[one.name.text], fields=found)
        for name, why in class_faults(self.objects):
            if not (why.startswith("field ") or self._extends_hidden(name)):
                report.add("bad-class", places[name], f"the class {name!r}: {why}")
        self.tasks = {one.name.text: self._interface(one) for one in self.distinct(tasks, "taskclass")}

    def distinct(self, declared: Iterable[Named], what: str, *, tell: bool = True) -> list[Named]:
        """Those that bear a name first."""
        found: dict[str, Named] = {}
        for one in declared:
            first = found.setdefault(one.name.text, one)
            if first is not one and tell:
                line, _ = self.report.source.position(first.name.span.start)
                message = f"there is a {what} {one.name.text!r} already, in line {line}"
                self.report.add("duplicate-name", one.name.span, message, "rename one of them")
        return list(found.values())

    def type(self, span: Span) -> str:
        """A type as the model writes it; what is wrong with it is told."""
        text = self.report.source.text[span.start : span.end]
        try:
            parse(text, self.objects)
        except TypeFault as fault:
            at = min(span.start + fault.column - 1, span.end)
            advice = f"did you mean {fault.suggestion!r}?" if fault.suggestion else ""
            if not self.report.is_hidden(text):
                self.report.add("bad-type", Span(at, span.end), fault.message, advice)
            return "any"
        return text

    def constant(self, said: Literally, of_type: str) -> bool:
        """Whether the value is one, and has the type."""
        if said.unknown:
            message = f"{said.unknown!r} is no value"
            self.report.unknown(
                "bad-value", said.span, message, said.unknown, ("true", "false", "null"),
                "write a text in quotes, a number, true, false or null",
            )  # fmt: skip
            return False
        why = check(said.value, parse(of_type, self.objects), self.objects)
        if why is not None:
            self.report.add("bad-value", said.span, f"the value is wrong: {why}", f"give one that is {of_type}")
            return False
        return True

    def _cut_long_chains(self, places: Mapping[str, Span]) -> None:
        """Classes extend one another only so deep; a circle has no end, and is told elsewhere."""
        depths: dict[str, int] = {}
        for first in self.objects:
            chain: list[str] = []
            name: str | None = first
            while name is not None and name in self.objects and name not in depths:
                depths[name] = 0
                chain.append(name)
                name = self.objects[name].extends
            for one in reversed(chain):
                depth = depths[one] = 1 + depths.get(self.objects[one].extends or "", 0)
                if depth > self.report.limits.nesting:
                    depths[one] = 1
                    self.objects[one] = msgspec.structs.replace(self.objects[one], extends=None)
                    message = f"classes extend one another more than {self.report.limits.nesting} deep"
                    self.report.add("too-large", places[one], message, "give some of them their fields themselves")

    def _extends_hidden(self, name: str) -> bool:
        extends = self.objects[name].extends
        return extends is not None and extends not in self.objects and self.report.is_hidden(extends)

    def _fields(self, declared: ClassText) -> dict[str, Field]:
        return {one.name.text: self._field(one) for one in self._once(declared.fields)}

    def _field(self, declared: FieldText) -> Field:
        of_type, default = self.type(declared.type), declared.default
        if default is None or not self.constant(default, of_type):
            return Field(of_type, optional=declared.is_optional)
        return Field(of_type, default.value, declared.is_optional)

    def _interface(self, declared: TaskClassText) -> Interface:
        found = Interface(declared.name.text)
        for way in declared.ways:
            types = {one.name.text: self.type(one.type) for one in self._once(way.objects)}
            known: Mapping[str, object] = found.inputs if way.kind == "input" else found.outcomes
            if way.name.text in known:
                what = "an input set" if way.kind == "input" else "an outcome"
                message = f"{declared.name.text!r} has {what} {way.name.text!r} already"
                self.report.add("duplicate-name", way.name.span, message, "rename one of them")
            elif way.kind == "input":
                found.inputs[way.name.text] = types
            else:
                found.outcomes[way.name.text] = Outcome(way.name.text, way.kind, types=types)
        return found

    def _once(self, declared: Sequence[Part]) -> list[Part]:
        found: dict[str, Part] = {}
        for one in declared:
            if found.setdefault(one.name.text, one) is not one:
                message = f"{one.name.text!r} is declared twice"
                self.report.add("duplicate-name", one.name.span, message, "rename one of them")
        return list(found.values())
