"""WfCommons' WfFormat as a language: instances of scientific workflows in JSON, of version 1.5 and before."""

import json
from pathlib import PurePath

from weft.languages.text.faults import TextReport
from weft.languages.text.reading import Reading
from weft.languages.text.source import START, TEXT_LIMITS, Span, TextLimits, source_of
from weft.languages.wfcommons.lowering import lower
from weft.languages.wfcommons.tree import Instance


def read(content: bytes, name: str, limits: TextLimits = TEXT_LIMITS) -> Reading:
    """The one process of a text."""
    source = source_of(content, name, limits)
    report = TextReport(source, limits)
    whole = _whole(report)
    instance = Instance(whole, report)
    said, described = whole.get("name"), whole.get("description")
    named = said if isinstance(said, str) and said.strip() else PurePath(name).stem or "workflow"
    process, places = lower(instance, report, named, described if isinstance(described, str) else "")
    report.raise_errors()
    return Reading((process,), source, {process.name: places}, report.ordered())


def _whole(report: TextReport) -> dict[str, object]:
    try:
        found = json.loads(report.source.text)
    except json.JSONDecodeError as error:
        report.add("syntax", Span(error.pos, error.pos + 1), f"this is no JSON: {error.msg}")
    except (RecursionError, ValueError) as error:
        report.add("too-large", START, f"this JSON is nested too deep, or has too large a number: {error}"[:200])
    else:
        if isinstance(found, dict):
            return found
        report.add("syntax", START, "a WfFormat instance is an object", 'write { "workflow": { … } }')
    report.raise_errors()
    return {}
