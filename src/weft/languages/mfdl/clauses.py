"""What a text says of an activity, gathered from its definition, its declaration and the place where it stands."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from weft.languages.mfdl.tree import Attribute, Clause, Named, Side
from weft.languages.text.errors import Errors, Retry
from weft.languages.text.faults import TextReport
from weft.languages.text.words import Word

Level = Literal["definition", "declaration", "use", "block"]

KINDS: Final[Mapping[str, str]] = {
    "PARTICIPANT": "a USER_ACTIVITY",
    "CHECKPOINT": "a NON_TRANS_ACTIVITY",
    "RESOURCE": "a TRANS_ACTIVITY or a 2PC_TRANS_ACTIVITY",
}
"""Words that belong to a definition, of one kind."""


@dataclass(slots=True)
class Said:
    """All that is said; what is said nearer to the use wins."""

    role: Word | None = None
    resource: Word | None = None
    has_checkpoint: bool = False
    is_vital: bool = True
    is_critical: bool = False
    is_idempotent: bool = False
    compensation: Side | None = None
    undo: Side | None = None
    retries: list[Retry] = field(default_factory=list)
    errors: list[Errors] = field(default_factory=list)
    """The nearest first."""


def gather(report: TextReport, levels: Iterable[tuple[Level, str, Iterable[Clause]]]) -> Said:
    """Takes the clauses of each level, the definition first; the text of a level is the kind of activity."""
    said = Said()
    for level, kind, clauses in levels:
        retries: list[Retry] = []
        errors: list[Errors] = []
        seen: set[str] = set()
        for clause in clauses:
            _once(report, clause, seen)
            match clause:
                case Attribute(word):
                    _attribute(report, said, word, level, kind)
                case Named(word, name):
                    _named(report, said, word, name, level, kind)
                case Retry():
                    retries.append(clause)
                case Errors():
                    errors.append(clause)
                case Side():
                    _side(report, said, clause, level, kind)
        said.retries[:0] = retries
        said.errors[:0] = errors
    return said


def _once(report: TextReport, clause: Clause, seen: set[str]) -> None:
    if isinstance(clause, Retry | Errors):
        return
    if clause.word.text in seen:
        report.add("duplicate-name", clause.word.span, f"{clause.word.text} is said twice", "leave one of them out")
    seen.add(clause.word.text)


def _attribute(report: TextReport, said: Said, word: Word, level: Level, kind: str) -> None:
    match word.text:
        case "CHECKPOINT":
            if _belongs(report, word, level, kind.startswith("NON_TRANS")):
                said.has_checkpoint = True
        case "IDEMPOTENT":
            said.is_idempotent = True
        case "NON_VITAL":
            said.is_vital = False
        case _:
            said.is_critical = True
            said.is_vital = said.is_vital and word.text == "CRITICAL"
            if not kind.startswith("2PC"):
                report.add(
                    "critical", word.span, "only a 2PC_TRANS_ACTIVITY can be critical: it stays prepared to the end",
                    "define it as a 2PC_TRANS_ACTIVITY, or leave the word out",
                )  # fmt: skip


def _named(report: TextReport, said: Said, word: Word, name: Word, level: Level, kind: str) -> None:
    if word.text == "PARTICIPANT" and _belongs(report, word, level, kind == "USER_ACTIVITY"):
        said.role = name
    elif word.text == "RESOURCE" and _belongs(report, word, level, kind.startswith(("TRANS", "2PC"))):
        said.resource = name


def _belongs(report: TextReport, word: Word, level: Level, fits: bool) -> bool:
    if fits and level == "definition":
        return True
    where = f"{word.text} belongs to the definition of {KINDS[word.text]}"
    report.add("left-out", word.span, where, "it has no effect here: move it there, or take it out")
    return False


def _side(report: TextReport, said: Said, side: Side, level: Level, kind: str) -> None:
    word = side.word
    if level == "definition":
        report.add(
            "syntax", word.span, f"{word.text} names an activity of a process, and a definition stands outside of all",
            "say it where the activity is declared, ACTIVITY …, or used",
        )  # fmt: skip
    elif word.text == "COMPENSATED_BY":
        said.compensation = side
    elif not kind or kind.startswith(("TRANS", "2PC")):
        what = (
            "a block or process" if level == "block" or not kind else f"a {kind}, which leaves nothing when it aborts"
        )
        report.add("undo", word.span, f"UNDONE_BY can't be said of {what}", "only a non-transactional task is undone")
    else:
        said.undo = side
