"""JDL as a language: jobs, collections, parametric jobs and DAGs of gLite's Job Description Language."""

from pathlib import PurePath

from weft.languages.jdl.lowering import lower
from weft.languages.jdl.parsing import parse
from weft.languages.text.faults import TextReport
from weft.languages.text.reading import Reading
from weft.languages.text.source import TEXT_LIMITS, TextLimits, source_of


def read(content: bytes, name: str, limits: TextLimits = TEXT_LIMITS) -> Reading:
    """The one process of a text, which bears the name of its file."""
    source = source_of(content, name, limits)
    report = TextReport(source, limits)
    root = parse(report)
    report.raise_errors()
    process, places = lower(root, report, PurePath(name).stem or "jdl")
    report.raise_errors()
    return Reading((process,), source, {process.name: places}, report.ordered())
