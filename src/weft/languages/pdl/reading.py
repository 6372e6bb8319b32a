"""PDL, the language of WorkToDo (paper 004): processes, task models and applications in one text."""

from weft.languages.pdl.building import GRAMMAR
from weft.languages.pdl.lowering import Lowering
from weft.languages.text.faults import TextReport
from weft.languages.text.reading import Reading
from weft.languages.text.source import TEXT_LIMITS, TextLimits, source_of


def read(content: bytes, name: str, limits: TextLimits = TEXT_LIMITS) -> Reading:
    """The processes of a PDL text. Raises `Invalid`."""
    source = source_of(content, name, limits)
    report = TextReport(source, limits)
    lowered = Lowering(GRAMMAR.parse(report) or (), report)
    report.raise_errors()
    return Reading(tuple(lowered.processes), source, lowered.places, report.ordered())
