"""The data of a process: what kind each is, and where a task that reads it gets it from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from weft.languages.pdl.clauses import Clauses
from weft.languages.pdl.tree import Block
from weft.languages.text.faults import TextReport
from weft.model.definition import Constant, Declared, Handler, Read, Sql, Value

TYPES = {"FILE": "File | null", "QUERY": "list[dict[str, any]]", "STRING": "str", "NUMBER": "float"}


@dataclass(frozen=True, slots=True)
class Datum:
    name: str
    kind: Literal["FILE", "QUERY", "STRING", "NUMBER"]
    value: Value = None
    file: str = ""
    outside: Handler | None = None
    """The work that fetches it, if it comes from outside."""

    @property
    def type(self) -> str:
        return TYPES[self.kind]

    @property
    def declared(self) -> Declared:
        return Declared(self.type, file=self.file)

    @property
    def constant(self) -> tuple[Constant, ...]:
        return (Constant(self.value),)


def datum_of(block: Block, report: TextReport) -> Datum:
    said = Clauses(block, block.kind, report)
    name = block.name.text
    match block.kind:
        case "FILE":
            file = said.wanted("NAME", 'say where it is: NAME "/folder/file";')
            return Datum(name, "FILE", file=file, outside=Read(file))
        case "QUERY":
            database = said.wanted("DATABASE", 'name it: DATABASE "orders";')
            statement = said.wanted("EXPRESSION", 'write the query: EXPRESSION "select …";')
            return Datum(name, "QUERY", outside=Sql(database, statement))
        case "STRING":
            return Datum(name, "STRING", said.wanted("VALUE", 'give it a value: VALUE "…";'))
        case _:
            said.wanted("VALUE", "give it a value: VALUE 1;")
            return Datum(name, "NUMBER", said.number("VALUE"))


@dataclass(frozen=True, slots=True)
class Step:
    """What a task writes, and the tasks that come before it: those that must have succeeded, and others."""

    writes: Sequence[str]
    after_success: Sequence[str]
    after: Sequence[str]


def written_before(steps: Mapping[str, Step], data: Iterable[str]) -> dict[str, int]:
    """For each task, as a set of bits in the order of `data`, what may be written before it is ready."""
    bits = {name: 1 << number for number, name in enumerate(data)}
    found: dict[str, int] = {}
    own = {task: sum({bits[one] for one in step.writes if one in bits}) for task, step in steps.items()}
    for task in _in_order(steps):
        step, before = steps[task], 0
        for one in step.after:
            before |= found.get(one, 0)
        for one in step.after_success:
            before |= found.get(one, 0) | own[one]
        found[task] = before
    return found


def _in_order(steps: Mapping[str, Step]) -> Iterable[str]:
    """Each task after those it depends on; a circle is cut somewhere."""
    seen: set[str] = set()
    for first in steps:
        stack: list[tuple[str, bool]] = [(first, False)]
        while stack:
            task, is_done = stack.pop()
            if is_done:
                yield task
            elif task not in seen:
                seen.add(task)
                stack.append((task, True))
                stack += [(one, False) for one in (*steps[task].after, *steps[task].after_success) if one not in seen]
