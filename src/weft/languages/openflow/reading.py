"""OPENflow script: the textual form of the task model of paper 000, a language of our own design."""

from weft.languages.openflow.building import GRAMMAR
from weft.languages.openflow.lowering import Script
from weft.languages.text.faults import TextReport
from weft.languages.text.reading import Reading
from weft.languages.text.source import TEXT_LIMITS, TextLimits, source_of


def read(content: bytes, name: str, limits: TextLimits = TEXT_LIMITS) -> Reading:
    """The processes of a script. Raises `Invalid` with all its faults."""
    source = source_of(content, name, limits)
    report = TextReport(source, limits)
    script = Script(GRAMMAR.parse(report) or (), report)
    report.raise_errors()
    return Reading(tuple(script.processes), source, script.places, report.ordered(), script.unkept)
