"""What writers of all text languages share: lines, names, texts in quotes, guards in clauses, and what is lost."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import combinations, product
from typing import Final

from weft.model.definition import Activity, AtLeast, Guard, On, Task

INDENT: Final = "    "
CLAUSES_MAX: Final = 64
FIGURES_MAX: Final = 15
WRITTEN: Final = r"[A-Za-z_]\w*(?:-\w+)*"
"""A name that most languages can write."""
WORDS: Final = frozenset(("and", "or", "not", "in", "is", "null", "None", "True", "False"))
SETTINGS: Final[dict[str, tuple[object, str]]] = {
    "cancel": (None, "what cancels it"),
    "until": (None, "until when it may start"),
    "holds": ((), "the names that it holds"),
    "vital": (True, "that it is not vital"),
    "critical": (False, "that it is critical"),
    "idempotent": (False, "that it is idempotent"),
    "compensation": (None, "its compensation"),
    "undo": (None, "its undo"),
    "on_error": ((), "its rules for errors"),
    "deadline": (None, "its deadline"),
    "priority": (0, "its priority"),
    "placement": ("", "its placement"),
    "description": ("", "its description"),
    "transaction": ("none", "that it is a transaction"),
    "resource": ("", "its resource"),
    "checkpoint": (False, "its checkpoint"),
    "queues": ((), "its queues"),
    "limits": (None, "its limits of time"),
    "errors": ({}, "what its raw errors mean"),
    "writes": ({}, "the variables that it writes"),
    "variables": ({}, "its variables"),
    "exclusive": (False, "that only one of its tasks may commit"),
    "one_start": (False, "that only one of its tasks may start"),
}
"""What may be said of an activity: what it is if nothing is said, and what is lost."""


class Losses:
    """What a text can't say, each once, in the order in which it was met."""

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def add(self, what: str, of: str = "") -> None:
        self._found[f"{of}: {what}" if of else what] = None

    def unsaid(self, activity: Activity, said: Collection[str]) -> None:
        """All that is said of an activity but what the language says."""
        for name, (default, what) in SETTINGS.items():
            if name not in said and getattr(activity, name, default) != default:
                self.add(what, activity.name)

    def priority(self, activity: Activity) -> int:
        """Its priority; none if a text can't have so many figures."""
        if len(str(activity.priority)) <= FIGURES_MAX:
            return activity.priority
        self.add("its priority, which has too many figures", activity.name)
        return 0

    def resource(self, task: Task) -> str:
        """The name of its resource; none if a text can't have such a name."""
        if not task.resource or (task.resource.isidentifier() and task.resource.isascii()):
            return task.resource
        self.add(f"its resource, whose name is {task.resource}", task.name)
        return ""

    def listed(self) -> list[str]:
        return list(self._found)


class Lines:
    """A text that is written line by line."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._depth = 0

    def add(self, text: str = "") -> None:
        self._lines.append(INDENT * self._depth + text if text else "")

    @contextmanager
    def block(self, head: str, tail: str = "}") -> Iterator[None]:
        self.add(f"{head} {{")
        begins = len(self._lines)
        self._depth += 1
        yield
        self._depth -= 1
        while len(self._lines) > begins and not self._lines[begins]:
            del self._lines[begins]
        if len(self._lines) == begins:
            self._lines[-1] += f" {tail}"
        else:
            self.add(tail)

    @contextmanager
    def indented(self) -> Iterator[None]:
        self._depth += 1
        yield
        self._depth -= 1

    def whole(self) -> str:
        return "\n".join(self._lines).strip("\n") + "\n"

    def in_one(self) -> str:
        return " ".join(line.strip() for line in self._lines if line)


class Names:
    """Names that a language can write, one for each name of the model."""

    def __init__(self, taken: Iterable[str] = (), allowed: str = WRITTEN) -> None:
        self._allowed = re.compile(allowed)
        self._made: dict[str, str] = {}
        self._taken = set(taken)

    def of(self, name: str) -> str:
        if name not in self._made:
            made = name if self._allowed.fullmatch(name) else re.sub(r"\W+", "_", name)
            made = made if self._allowed.fullmatch(made) else f"_{made}"
            number, plain = 1, made
            while made in self._taken:
                number += 1
                made = f"{plain}_{number}"
            self._taken.add(made)
            self._made[name] = made
        return self._made[name]


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def number_text(number: float) -> str:
    """`3` for 3.0."""
    return str(int(number)) if number == int(number) else str(number)


def clauses(guard: Guard | None) -> list[tuple[Guard, ...]] | None:
    """The guard as a conjunction of disjunctions of what is no gate; None if that would be too long."""
    if guard is None:
        return []
    if not isinstance(guard, AtLeast):
        return [(guard,)]
    if guard.count > len(guard.guards):
        return [()]
    found: list[tuple[Guard, ...]] = []
    parts = [clauses(one) for one in guard.guards]
    for chosen in combinations(parts, len(parts) - guard.count + 1) if guard.count > 0 else ():
        sets: list[list[tuple[Guard, ...]]] = []
        for one in chosen:
            if one is None:
                return None
            sets.append(one)
        for joined in product(*sets):
            found.append(tuple(dict.fromkeys(guard for clause in joined for guard in clause)))
            if len(found) > CLAUSES_MAX:
                return None
    return list(dict.fromkeys(found))


def is_said_by_start(guard: Guard, compound: str) -> bool:
    """What is true as soon as anything of the compound may start."""
    return isinstance(guard, On) and guard.activity == compound and guard.event == "started"


def names_in(expression: str) -> set[str]:
    """The names that an expression may use, some of them perhaps fields or texts."""
    return set(re.findall(r"(?<![\w.])[^\W\d]\w*", expression)) - {
        "and",
        "or",
        "not",
        "in",
        "is",
        "None",
        "True",
        "False",
    }


def raw_errors(task: Activity) -> dict[str, list[str]]:
    """Error → the raw errors that mean it."""
    found: dict[str, list[str]] = {}
    if isinstance(task, Task):
        for raw, error in task.errors.items():
            found.setdefault(error, []).append(raw)
    return found
