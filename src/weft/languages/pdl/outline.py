"""What a text in PDL declares, for editors: also of one that is not yet right."""

from collections.abc import Iterator
from typing import Final

from weft.languages.pdl.building import GRAMMAR
from weft.languages.pdl.tree import Block
from weft.languages.text.faults import TextReport
from weft.languages.text.outline import Kind, Outline, Symbol
from weft.languages.text.source import Source, Span

WORDS: Final = {
    "WORKFLOW": "A process: its data, and its tasks with what they depend on.",
    "TASK": "In a WORKFLOW a task, `TASK name : model { … }`; outside, a task model, `TASK name { … }`.",
    "APPLICATION": "A program, or in a task model the one that helps to do the work.",
    "FILE": "Data: a file.",
    "QUERY": "Data: what a database answers.",
    "STRING": "Data: a text.",
    "NUMBER": "Data: a number.",
    "DEPENDS": "When the task starts: `task -> STATE`, `AND(…)`, `OR(…)`.",
    "IN_CONTEXT": "The data that the task is given.",
    "OUT_CONTEXT": "The data that the task gives.",
    "ROLE": "Whose people do the work.",
    "DEADLINE": "How long the work may take.",
    "RETRIES": "How often is tried again.",
    "USERS": "Who does the work together.",
}
KINDS: Final[dict[str, Kind]] = {"WORKFLOW": "process", "TASK": "activity", "APPLICATION": "class"}


def outline(source: Source) -> Outline:
    whole = Span(0, len(source.text))
    blocks: tuple[Block, ...] = tuple(one for one in GRAMMAR.parse(TextReport(source)) or () if isinstance(one, Block))
    starts = sorted(one.name.span.start for one in blocks)
    symbols: list[Symbol] = []
    for block in blocks:
        end = next((start for start in starts if start > block.name.span.start), whole.end)
        kind: Kind = "definition" if block.kind == "TASK" else KINDS.get(block.kind, "data")
        symbols.append(Symbol(block.name.text, kind, block.name.span, f"{block.kind} {block.name.text}", whole))
        symbols += _inside(block, Span(block.name.span.start, end))
    return Outline(symbols, WORDS)


def _inside(block: Block, scope: Span) -> Iterator[Symbol]:
    for one in block.blocks:
        model = f" : {one.model.text}" if one.model is not None else ""
        kind = KINDS.get(one.kind, "data")
        yield Symbol(one.name.text, kind, one.name.span, f"{one.kind} {one.name.text}{model}", scope)
