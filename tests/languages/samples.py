"""Texts of a language that are read as a model beside them, and texts that are refused with the faults beside them.

`python -m tests.languages.samples pnml` writes what is expected anew; look at every change before keeping it.
"""

import json
import sys
from pathlib import Path

import msgspec

from weft.languages import registry
from weft.model.faults import Invalid
from weft.model.json_form import pretty

HERE = Path(__file__).parent


def texts(language: str, folder: str) -> list[Path]:
    found = [path for path in sorted((HERE / language / folder).iterdir()) if ".expected." not in path.name]
    assert found, f"{language}/{folder} is empty"
    return found


def expected(path: Path) -> Path:
    return path.with_name(f"{path.stem}.expected.{'json' if path.parent.name == 'accept' else 'txt'}")


def model_of(language: str, path: Path) -> str:
    """What is read, as the expected file has it: the processes, and the notes."""
    reading = registry.named(language).read(path.read_bytes(), path.name)
    processes = [json.loads(pretty(one)) for one in reading.processes]
    notes = [str(fault).partition("\n")[0] for one in reading.processes for fault in reading.faults(one)]
    notes = list(dict.fromkeys(notes))
    return json.dumps({"processes": processes, "notes": notes}, indent=2, ensure_ascii=False) + "\n"


def faults_of(language: str, path: Path) -> str:
    """The faults for which a text is refused, as they are shown."""
    try:
        reading = registry.named(language).read(path.read_bytes(), path.name)
    except Invalid as invalid:
        found = list(invalid.faults)
    else:
        found = [fault for one in reading.processes for fault in reading.faults(one)]
        assert any(fault.severity == "error" for fault in found), f"{path.name} is accepted"
    assert all(msgspec.to_builtins(fault) for fault in found)
    return "\n".join(map(str, found)) + "\n"


def main(language: str) -> None:
    for path in texts(language, "accept"):
        expected(path).write_text(model_of(language, path), "utf-8")
    for path in texts(language, "reject"):
        expected(path).write_text(faults_of(language, path), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
