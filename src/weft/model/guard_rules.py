"""The tables of paper 001 from which guards are made: 2.1 (events), 3.1 (dependencies), semantics 1 to 7 (blocks)."""

from typing import Final, NamedTuple

from weft.model.definition import Task


class Attributes(NamedTuple):
    """How an event behaves: triggerable and normal ones can be held back, immediate ones happen."""

    start: str
    abort: str
    commit: str


EVENT_ATTRIBUTES: Final = {
    "transactional": Attributes("triggerable", "immediate", "normal"),
    "2PC_transactional": Attributes("triggerable", "normal,immediate", "normal"),
    "non_transactional": Attributes("triggerable", "immediate", "immediate"),
    "non_transactional with checkpoint": Attributes("triggerable", "immediate", "immediate"),
}
"""Table 2.1."""


class Dependency(NamedTuple):
    """A DEP B: what has to have happened to B for what happens to A. B's own event is free, its guard TRUE."""

    cause: str
    effect: str


DEPENDENCIES: Final = {
    "BD": Dependency("st", "st"),
    "BCD": Dependency("cm", "st"),
    "BAD": Dependency("ab", "st"),
    "CD": Dependency("cm", "cm"),
    "CAD": Dependency("ab", "cm"),
    "AD": Dependency("ab", "ab"),
    "ACD": Dependency("cm", "ab"),
}
"""Table 3.1."""


class Semantics(NamedTuple):
    """A block: how its first and each further child start, on which children it commits (CD) and aborts (AD)."""

    first: str
    following: str
    commits_on: str
    aborts_on: str
    word: str


SEMANTICS: Final = {
    "serial": Semantics("BD", "BCD", "last", "any", "SERIAL"),
    "all": Semantics("BD", "BD", "every", "any", "AND"),
    "any": Semantics("BD", "BD", "any of the ended", "every", "OR"),
    "race": Semantics("BD", "BD", "any", "every", "XOR"),
    "contingency": Semantics("BD", "BAD", "any", "last", "CONTINGENCY"),
    "choice": Semantics("BD", "BD", "any", "any", "IF"),
    "loop": Semantics("BD", "BCD", "last", "any", "WHILE"),
    "pick": Semantics("BD", "BD", "any", "any", "PICK"),
    "atleast": Semantics("BD", "BD", "count", "too many", "AT LEAST"),
    "each": Semantics("BD", "BD", "every", "any", "EACH"),
}
"""Semantics 1 to 7, and for blocks that the paper does not have."""


def activity_type(task: Task) -> str:
    """The paper's word for the type of a task."""
    if task.transaction == "none":
        return "non_transactional with checkpoint" if task.checkpoint else "non_transactional"
    return "2PC_transactional" if task.transaction == "two_phase" else "transactional"


def event_attributes(task: Task) -> Attributes:
    return EVENT_ATTRIBUTES[activity_type(task)]


def is_controllable(attribute: str) -> bool:
    """Whether an event can be triggered, rejected or delayed."""
    return attribute in ("triggerable", "normal")
