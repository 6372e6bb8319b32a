"""Which language a text is in: by the file's suffix, else by what stands in it. Imports a language when used."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from typing import Final

from weft.languages.text.faults import meant
from weft.languages.text.formatting import Layout, formatted
from weft.languages.text.outline import Outline
from weft.languages.text.parsing import Grammar
from weft.languages.text.reading import Reader, Reading
from weft.languages.text.source import TEXT_LIMITS, Source, TextLimits
from weft.model.definition import Process
from weft.model.faults import Fault, Invalid

ROOT_ELEMENT: Final = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)(?=[\s/>])")
PEEKED: Final = 65_536
MACHINE_LIMITS: Final = TextLimits(characters=64_000_000)


@dataclass(frozen=True, slots=True)
class Language:
    """A language of texts. `module` has its function `read`."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    module: str
    roots: tuple[str, ...] = ()
    """Root elements by which an `.xml` file is known."""
    keys: tuple[str, ...] = ()
    """Keys, all at the top of a `.json` file, by which it is known."""
    layout: str = ""
    """The module with its `LAYOUT`, if it is one that people write and `weft format` lays out."""
    outline: str = ""
    """The module with its function `outline`, for editors."""
    grammar: str = ""
    """The module with its `GRAMMAR`, if a common parser reads it."""
    writing: str = ""
    """The module with its function `write`, if definitions can be written in it."""
    limits: TextLimits = TEXT_LIMITS
    """What is read of its texts; those that machines write are large."""

    def read(self, content: bytes, name: str, limits: TextLimits | None = None) -> Reading:
        """The processes of a text. Raises `Invalid`."""
        reader: Reader = import_module(self.module).read
        return reader(content, name, limits or self.limits)

    def write(self, process: Process) -> tuple[str, list[str]]:
        """The text of a process, and what the language can't say; no text if it can say nothing of it."""
        found: tuple[str, list[str]] = import_module(self.writing).write(process)
        return found

    def parsed_by(self) -> Grammar:
        """The grammar by which it is read."""
        found: Grammar = import_module(self.grammar).GRAMMAR
        return found

    def outlined(self, source: Source) -> Outline:
        """What a text declares; nothing, where the language has no outline."""
        if not self.outline:
            return Outline(())
        found: Outline = import_module(self.outline).outline(source)
        return found

    def format(self, content: bytes, name: str, limits: TextLimits | None = None) -> str:
        """The text, laid out. Raises `Invalid` if it can't be read, or has no layout."""
        if not self.layout:
            known = ", ".join(one.name for one in LANGUAGES.values() if one.layout)
            raise _unknown(name, f"{self.title} has no layout", f"what can be formatted is {known}")
        layout: Layout = import_module(self.layout).LAYOUT
        return formatted(content, name, layout, limits or self.limits)


LANGUAGES: Final[Mapping[str, Language]] = {
    one.name: one
    for one in (
        Language(
            "json",
            "the JSON form of a definition",
            (".json",),
            "weft.languages.json.reading",
            writing="weft.languages.json.writing",
            keys=("weft",),
        ),
        Language(
            "mfdl",
            "MFDL, the language of METUFlow",
            (".mfdl",),
            "weft.languages.mfdl.reading",
            writing="weft.languages.mfdl.writing",
            layout="weft.languages.mfdl.layout",
            outline="weft.languages.mfdl.outline",
            grammar="weft.languages.mfdl.grammar",
        ),
        Language("jdl", "jobs of gLite's JDL", (".jdl",), "weft.languages.jdl.reading"),
        Language(
            "wfcommons",
            "instances in WfCommons' WfFormat",
            (),
            "weft.languages.wfcommons.reading",
            keys=("schemaVersion", "workflow"),
            limits=MACHINE_LIMITS,
        ),
        Language(
            "gworkflowdl",
            "Petri nets in GWorkflowDL",
            (".gwdl", ".gworkflowdl"),
            "weft.languages.gworkflowdl.reading",
            writing="weft.languages.gworkflowdl.writing",
            roots=("workflow",),
            limits=MACHINE_LIMITS,
        ),
        Language(
            "pnml",
            "place/transition nets in PNML",
            (".pnml",),
            "weft.languages.pnml.reading",
            writing="weft.languages.pnml.writing",
            roots=("pnml",),
            limits=MACHINE_LIMITS,
        ),
        Language(
            "pdl",
            "PDL, the process definition language of WorkToDo",
            (".pdl",),
            "weft.languages.pdl.reading",
            writing="weft.languages.pdl.writing",
            layout="weft.languages.pdl.layout",
            outline="weft.languages.pdl.outline",
            grammar="weft.languages.pdl.building",
        ),
        Language(
            "openflow",
            "OPENflow script, in the words of the task model of OPENflow",
            (".wfs",),
            "weft.languages.openflow.reading",
            writing="weft.languages.openflow.writing",
            layout="weft.languages.openflow.layout",
            outline="weft.languages.openflow.outline",
            grammar="weft.languages.openflow.building",
        ),
    )
}


def suffixes() -> dict[str, Language]:
    return {suffix: one for one in LANGUAGES.values() for suffix in one.suffixes}


def named(name: str) -> Language:
    found = LANGUAGES.get(name.lower())
    if found is None:
        known = ", ".join(LANGUAGES)
        raise _unknown("--language", f"there is no language {name!r}", meant(name, LANGUAGES) or f"there are {known}")
    return found


def writer_for(place: str, name: str = "") -> Language:
    """The language in which a file of that name is written. Raises `Invalid` if there is none, or it has no writer."""
    found = named(name) if name else suffixes().get(PurePath(place).suffix.lower())
    if found is None or not found.writing:
        known = ", ".join(f"{one.name} ({', '.join(one.suffixes)})" for one in LANGUAGES.values() if one.writing)
        what = f"nothing is written in {found.title}" if found is not None else "its suffix tells no language"
        raise _unknown(place, what, f"what can be written is {known}; or say --to")
    return found


def is_text(place: str) -> bool:
    """Whether a file of that name is read as a text, and not imported."""
    return PurePath(place).suffix.lower() in {*suffixes(), ".xml"}


def language_of(place: str, content: bytes) -> Language:
    """The language of a file. Raises `Invalid` if nothing tells it."""
    suffix = PurePath(place).suffix.lower()
    if suffix == ".xml":
        return _by_root(place, content)
    found = suffixes().get(suffix)
    if found is None:
        known = ", ".join([*suffixes(), ".xml"])
        raise _unknown(place, "its suffix tells no language", f"name it with one of {known}, or say --language")
    return _by_keys(content) or found if suffix == ".json" else found


def _by_root(place: str, content: bytes) -> Language:
    head = re.sub(rb"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>\[]*(\[.*?\]\s*)?>", b"", content[:PEEKED], flags=re.DOTALL)
    found = ROOT_ELEMENT.search(head)
    root = found[1].decode("utf-8", "replace") if found else ""
    for one in LANGUAGES.values():
        if root in one.roots:
            return one
    known = ", ".join(f"<{root}>" for one in LANGUAGES.values() for root in one.roots) or "none"
    what = f"its root element <{root}> tells no language" if root else "it has no root element"
    raise _unknown(place, what, f"known roots: {known}; or say --language")


def _by_keys(content: bytes) -> Language | None:
    """The language whose keys a JSON text has; what can't be read is left to the JSON form, which says why."""
    asked = [one for one in LANGUAGES.values() if one.keys]
    if len(asked) < 2:
        return None
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return None
    keys = set(found) if isinstance(found, dict) else set()
    return next((one for one in asked if keys >= set(one.keys)), None)


def _unknown(place: str, message: str, advice: str) -> Invalid:
    return Invalid(place, [Fault("error", "syntax", "", place, message, advice)])
