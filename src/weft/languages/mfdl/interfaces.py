"""What a text declares besides its flow: types, and what each activity or process asks and gives."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from weft.languages.mfdl.tree import Clause, Definition, Item, Parameter, ProcessText
from weft.languages.text.faults import TextReport
from weft.languages.text.source import Span
from weft.languages.text.words import Word

TYPES: Final = {
    "int": "int", "integer": "int", "long": "int", "float": "float", "double": "float", "real": "float",
    "string": "str", "bool": "bool", "boolean": "bool", "date": "date", "time": "time", "datetime": "datetime",
    "decimal": "decimal", "file": "File", "any": "any",
}  # fmt: skip
TRANSACTIONS: Final = {"TRANS_ACTIVITY": "transactional", "TRANSACTIONAL_ACTIVITY": "transactional"}


def type_of(report: TextReport, of: Word, size: Word | None) -> str:
    """The type in the model. An array may be NULL, which is what it is before it is first written."""
    found = TYPES.get(of.text.lower())
    if found is None:
        known = ", ".join(TYPES)
        report.unknown("bad-type", of.span, f"{of.text!r} is no type", of.text, TYPES, f"types are {known}")
        return "any"
    if size is None:
        return found
    if size.text and (not size.text.isdigit() or int(size.text) == 0):
        report.add("number", size.span, f"{size.text} is no size of an array", "write a whole number of 1 or more")
    return f"list[{found}] | null"


@dataclass(frozen=True, slots=True)
class Interface:
    """`kind` is that of the definition, `""` for a process. Parameters are in the order of the arguments."""

    name: Word
    kind: str
    parameters: tuple[tuple[Parameter, str], ...]
    clauses: tuple[Clause, ...]

    @property
    def inputs(self) -> dict[str, str]:
        return {one.name.text: of_type for one, of_type in self.parameters if one.direction != "OUT"}

    @property
    def outputs(self) -> dict[str, str]:
        return {one.name.text: of_type for one, of_type in self.parameters if one.direction != "IN"}

    @property
    def transaction(self) -> str:
        if self.kind.startswith("2PC"):
            return "two_phase"
        return TRANSACTIONS.get(self.kind, "none")

    @property
    def is_person(self) -> bool:
        return self.kind == "USER_ACTIVITY"


def interfaces(items: Iterable[Item], report: TextReport) -> Mapping[str, Interface]:
    """Of all definitions and processes, by name."""
    found: dict[str, Interface] = {}
    for item in items:
        kind, clauses = (item.kind.text, item.clauses) if isinstance(item, Definition) else ("", ())
        made = Interface(item.name, kind, _parameters(item.parameters, report), clauses)
        first = found.setdefault(item.name.text, made)
        if first is not made:
            again(report, item.name, first.name.span)
    return found


def again(report: TextReport, name: Word, first: Span) -> None:
    """A name that is declared already."""
    line, _ = report.source.position(first.start)
    report.add("duplicate-name", name.span, f"{name.text!r} is already declared in line {line}", "rename one of them")


def _parameters(parameters: Iterable[Parameter], report: TextReport) -> tuple[tuple[Parameter, str], ...]:
    seen: dict[str, Word] = {}
    for one in parameters:
        first = seen.setdefault(one.name.text, one.name)
        if first is not one.name:
            again(report, one.name, first.span)
    return tuple((one, type_of(report, one.type, one.size)) for one in parameters)


def processes(items: Iterable[Item]) -> list[ProcessText]:
    return [item for item in items if isinstance(item, ProcessText)]
