"""Faults in SARIF 2.1.0, the form in which editors and code review take what a check found."""

from collections.abc import Sequence
from importlib.metadata import version

from weft.analysis import places
from weft.languages.text.faults import TextFault
from weft.model import faults as model
from weft.model.faults import Fault


def sarif(file: str, found: Sequence[Fault]) -> dict[str, object]:
    meanings = {**model.ERRORS, **model.WARNINGS, **places.ERRORS, **places.WARNINGS}
    used = sorted({fault.code for fault in found})
    rules = [{"id": code, "shortDescription": {"text": meanings.get(code, code)}} for code in used]
    driver = {"name": "weft check", "version": version("weftwork"), "rules": rules}
    run = {"tool": {"driver": driver}, "results": [_result(file, fault) for fault in found]}
    return {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}


def _result(file: str, fault: Fault) -> dict[str, object]:
    text = fault.message + (f"; {fault.advice}" if fault.advice else "")
    result: dict[str, object] = {
        "ruleId": fault.code,
        "level": fault.severity,
        "message": {"text": text},
        "locations": [_location(file, fault)],
    }
    if fault.trace:
        steps = [{"location": {"message": {"text": step}}} for step in fault.trace]
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    return result


def _location(file: str, fault: Fault) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": file.partition(":")[0]}}
    if isinstance(fault, TextFault):
        place = {"artifactLocation": {"uri": fault.file}}
        place["region"] = {"startLine": fault.line, "startColumn": fault.column, "endColumn": fault.end_column}
    return {"physicalLocation": place, "logicalLocations": [{"fullyQualifiedName": fault.path or fault.activity}]}
