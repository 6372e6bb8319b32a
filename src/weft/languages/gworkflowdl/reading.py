"""GWorkflowDL as a language: high-level Petri nets in the XML of Fraunhofer FIRST, version 2.0."""

from weft.languages.gworkflowdl.lowering import lower
from weft.languages.gworkflowdl.parsing import Parsing
from weft.languages.text.faults import TextReport
from weft.languages.text.reading import Reading
from weft.languages.text.source import TEXT_LIMITS, TextLimits
from weft.languages.xml.document import document, xml_source


def read(content: bytes, name: str, limits: TextLimits = TEXT_LIMITS) -> Reading:
    """The one process of a text."""
    source = xml_source(content, name, limits)
    report = TextReport(source, limits)
    root = document(source, report)
    if root.name != "workflow":
        report.add("syntax", root.span, f"the root element is <{root.name}>, not <workflow>")
        report.raise_errors()
    process, places = lower(Parsing(report, limits.nesting).workflow(root), report)
    report.raise_errors()
    return Reading((process,), source, {process.name: places}, report.ordered())
