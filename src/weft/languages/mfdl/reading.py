"""MFDL as a language: a text becomes the processes that it defines."""

from weft.languages.mfdl.grammar import GRAMMAR
from weft.languages.mfdl.interfaces import interfaces, processes
from weft.languages.mfdl.lowering import Lowering
from weft.languages.text.faults import TextReport
from weft.languages.text.reading import Reading
from weft.languages.text.source import START, TEXT_LIMITS, TextLimits, source_of
from weft.model.definition import Process


def read(content: bytes, name: str, limits: TextLimits = TEXT_LIMITS) -> Reading:
    """The processes of a text in MFDL. Raises `Invalid` with all its faults."""
    source = source_of(content, name, limits)
    report = TextReport(source, limits)
    items = GRAMMAR.parse(report) or ()
    known = interfaces(items, report)
    found: list[Process] = []
    places = {}
    for text in processes(items):
        lowering = Lowering(text, known, report)
        process = lowering.process()
        if process is not None:
            found.append(process)
            places[process.name] = lowering.scope.places
    if not processes(items) and not report.has_errors:
        report.add("syntax", START, "the text defines no process", "add one: DEFINE_PROCESS name () { … }")
    report.raise_errors()
    return Reading(tuple(found), source, places, report.ordered())
