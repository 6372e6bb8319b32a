"""PNML as a language: place/transition nets of the Petri Net Markup Language, ISO/IEC 15909-2."""

from weft.languages.pnml.lowering import lower
from weft.languages.pnml.parsing import Parsing
from weft.languages.text.faults import TextReport
from weft.languages.text.reading import Reading
from weft.languages.text.source import TEXT_LIMITS, TextLimits
from weft.languages.xml.document import document, xml_source


def read(content: bytes, name: str, limits: TextLimits = TEXT_LIMITS) -> Reading:
    """The nets of a text, each a process."""
    source = xml_source(content, name, limits)
    report = TextReport(source, limits)
    parsing = Parsing(report)
    nets = parsing.nets(document(source, report))
    processes = lower(nets, report)
    report.raise_errors()
    parsing.notes()
    places = {one.name: {one.name: net.span} for one, net in zip(processes, nets, strict=True)}
    return Reading(tuple(processes), source, places, report.ordered())
