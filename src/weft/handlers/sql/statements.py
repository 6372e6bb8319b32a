"""One SQL statement with `:name` parameters: which colons mean one. Values are never pasted in."""

import re
from typing import Final

from msgspec import Struct

_TOKEN: Final = re.compile(
    r"""
      '(?:[^']|'')*'                                # text
    | "(?:[^"]|"")*"                                # a quoted name
    | \$(?P<tag>\w*)\$.*?\$(?P=tag)\$               # PostgreSQL's dollar quotes
    | --[^\n]* | /\*.*?\*/                          # comments
    | ::                                            # PostgreSQL's cast
    | :(?P<name>[^\W\d]\w*)
    | (?P<end>;)
    """,
    re.VERBOSE | re.DOTALL,
)
_READS: Final = re.compile(r"\s*(?:select|values|with|table)\b", re.IGNORECASE)
_CHANGES: Final = re.compile(r"\b(?:insert|update|delete|merge|into|nextval|setval)\b", re.IGNORECASE)
_CONTROLS: Final = re.compile(
    r"\s*(?:begin|start|commit|end|rollback|abort|savepoint|release|prepare\s+transaction|attach|detach|pragma|vacuum)\b",
    re.IGNORECASE,
)


class StatementFault(ValueError):
    """The text is not one statement that a task may run."""


class Statement(Struct, frozen=True):
    """Texts and, between each two of them, the name of a parameter."""

    texts: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def only_reads(self) -> bool:
        """Whether it surely changes nothing."""
        whole = " ".join(self.texts)
        return bool(_READS.match(whole)) and not _CHANGES.search(whole)


def statement_of(text: str) -> Statement:
    """Reads a statement; raises when there are several, or when it would end the task's transaction.

    >>> statement_of("select ':a' from t where b = :b").names
    ('b',)
    """
    texts, names, start = [], [], 0
    for match in _TOKEN.finditer(text):
        if match.group("end") and _without_comments(text[match.end() :]).strip():
            raise StatementFault(f"one statement, please; here another follows: {text[match.end() :].strip()[:80]!r}")
        if match.group("end"):
            break
        if match.group("name"):
            texts.append(text[start : match.start()])
            names.append(match.group("name"))
            start = match.end()
    else:
        texts.append(text[start:])
    if len(texts) == len(names):
        texts.append(text[start:].rpartition(";")[0])
    if is_control(text):
        raise StatementFault(f"{text.strip()[:40]!r} is not for a task: the engine begins and ends transactions")
    return Statement(tuple(texts), tuple(names))


def is_control(text: str) -> bool:
    """Whether a statement begins or ends a transaction, or reaches out of its database."""
    return bool(_CONTROLS.match(_without_comments(text)))


def _without_comments(text: str) -> str:
    return re.sub(r"--[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
