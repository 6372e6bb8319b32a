"""Writes a definition as its JSON form, which says everything."""

from weft.model.definition import Process
from weft.model.json_form import pretty


def write(process: Process) -> tuple[str, list[str]]:
    """The text, and nothing that is lost."""
    return pretty(process), []
