"""What a text in MFDL declares, for editors: also of one that is not yet right."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from weft.languages.mfdl.grammar import GRAMMAR
from weft.languages.mfdl.tree import Declaration, Definition, Item, Parameter, ProcessText, Variables
from weft.languages.text.faults import TextReport
from weft.languages.text.outline import Outline, Symbol
from weft.languages.text.source import Source, Span
from weft.languages.text.words import Word

WORDS: Final = {
    "TRANS_ACTIVITY": "Defines a transactional task: its work is rolled back when it aborts.",
    "TRANSACTIONAL_ACTIVITY": "Defines a transactional task: its work is rolled back when it aborts.",
    "USER_ACTIVITY": "Defines work for a person of a role: `USER_ACTIVITY name(…) PARTICIPANT role;`",
    "NON_TRANS_ACTIVITY": "Defines a task whose effects stay when it fails, unless it is undone.",
    "NON_TRANSACTIONAL_ACTIVITY": "Defines a task whose effects stay when it fails, unless it is undone.",
    "2PC_TRANS_ACTIVITY": "Defines a task that prepares before it commits.",
    "2PC_TRANSACTIONAL_ACTIVITY": "Defines a task that prepares before it commits.",
    "DEFINE_PROCESS": "Defines a process; IN parameters start it, OUT parameters are its result.",
    "ACTIVITY": "Declares activities of the process: `ACTIVITY definition name, …;`",
    "VAR": "Declares variables: `VAR type name, …;`",
    "IN": "The parameter is given.",
    "OUT": "The parameter is a result.",
    "INOUT": "The parameter is given, and is a result.",
    "SERIAL": "One after the other.",
    "AND_PARALLEL": "All at once; all must commit.",
    "OR_PARALLEL": "All at once; one must commit when all have ended.",
    "XOR_PARALLEL": "All at once; exactly one commits.",
    "CONTINGENCY": "The next one when the one before has aborted.",
    "IF": "`IF (condition) statement ELSE statement`; ELSE may be missing.",
    "ELSE": "What is done when the condition of the IF is false.",
    "WHILE": "`WHILE (condition) statement`: again while the condition is true.",
    "COMPENSATED_BY": "Takes the activity back when it has committed and what is around it aborts.",
    "UNDONE_BY": "Runs after each failed attempt, `WHEN (condition)`.",
    "RETRY": "`RETRY 3 TIMES AFTER 10 SECONDS WHEN (condition)`: tries again when it fails.",
    "CRITICAL": "Stays prepared until the process ends; only for two-phase tasks.",
    "NON_VITAL": "Its failure is ignored.",
    "CRITICAL_NON_VITAL": "Critical, and its failure is ignored.",
    "IDEMPOTENT": "May be run again when its worker died.",
    "CHECKPOINT": "The task may save where it is, and goes on from there.",
    "PARTICIPANT": "The role whose people do the work.",
    "RESOURCE": "The database in which the task works.",
    "ERRORS": "The error section: `ERRORS { name FROM raw, …: what happens; }`",
    "FROM": "The raw errors that mean this one: classes, codes, words of a message.",
    "ALTERNATIVE": "Another activity takes its place.",
    "IGNORE": "It counts as committed.",
    "ASK": "A person decides.",
    "FAIL": "It aborts.",
}


def outline(source: Source) -> Outline:
    report = TextReport(source)
    items = GRAMMAR.parse(report) or ()
    whole = Span(0, len(source.text))
    starts = [*(item.name.span.start for item in items), whole.end]
    symbols: list[Symbol] = []
    details = {item.name.text: _signature(item) for item in items}
    for item, (start, end) in zip(items, pairwise(starts), strict=True):
        kind = "process" if isinstance(item, ProcessText) else "definition"
        symbols.append(Symbol(item.name.text, kind, item.name.span, details[item.name.text], whole))  # type: ignore[arg-type]
        if isinstance(item, ProcessText):
            symbols += _of_process(item, Span(start, end), details)
    return Outline(symbols, WORDS)


def _of_process(process: ProcessText, scope: Span, details: dict[str, str]) -> Iterator[Symbol]:
    for one in process.parameters:
        yield Symbol(one.name.text, "variable", one.name.span, _parameter(one), scope)
    for entry in process.entries:
        if isinstance(entry, Declaration):
            detail = details.get(entry.what.text, f"ACTIVITY {entry.what.text}")
            for name in entry.names:
                yield Symbol(name.text, "activity", name.span, f"{name.text}: {detail}", scope)
        elif isinstance(entry, Variables):
            for variable in entry.variables:
                size = _size(variable.size)
                detail = f"VAR {entry.type.text} {variable.name.text}{size}"
                yield Symbol(variable.name.text, "variable", variable.name.span, detail, scope)


def _signature(item: Item) -> str:
    kind = item.kind.text if isinstance(item, Definition) else "DEFINE_PROCESS"
    return f"{kind} {item.name.text}({', '.join(map(_parameter, item.parameters))})"


def _parameter(one: Parameter) -> str:
    return f"{one.direction} {one.type.text} {one.name.text}{_size(one.size)}"


def _size(size: Word | None) -> str:
    return "" if size is None else f"[{size.text}]"
