"""What an instance has come to, by path: painted on what is drawn. It knows statuses by their names only."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

ANY: Final = "[]"
"""Stands in a path for the number of a firing or item."""
_NUMBERED: Final = re.compile(r"\[\d+\]")
_ORDER: Final = (
    "doubted", "failed", "aborting", "aborted", "stopping", "undoing", "taking back", "started", "parked", "granted",
    "fixed", "ready", "committed", "replaced", "skipped", "waiting",
)  # fmt: skip
"""Of several executions of one activity the first of these is shown."""
_COLOURS: Final = {
    **dict.fromkeys(("doubted", "failed", "aborting", "aborted"), "wrong"),
    **dict.fromkeys(("stopping", "undoing", "taking back"), "back"),
    **dict.fromkeys(("started", "parked", "granted", "fixed"), "runs"),
    "ready": "ready", "committed": "done", "skipped": "skipped", "replaced": "skipped",
}  # fmt: skip
KINDS: Final = frozenset(_COLOURS.values())


class Painting:
    """`statuses` are of paths as facts have them, such as `net/T[7]/a`; `trace` says paths or names in order."""

    def __init__(self, statuses: Mapping[str, str] | None = None, trace: Iterable[str] = ()) -> None:
        self.statuses: dict[str, Counter[str]] = {}
        for path, status in (statuses or {}).items():
            self.statuses.setdefault(_NUMBERED.sub(ANY, path), Counter())[status] += 1
        self.steps: dict[str, list[int]] = {}
        for at, path in enumerate(trace, 1):
            self.steps.setdefault(_NUMBERED.sub("", path), []).append(at)

    def kind(self, path: str) -> str:
        """The class of the style, empty for what has no status."""
        found = self.statuses.get(path)
        if not found:
            return ""
        shown = next((one for one in _ORDER if one in found), next(iter(found)))
        return _COLOURS.get(shown, "")

    def said(self, path: str) -> str:
        """In words: `committed`, or `2 committed, 1 started`."""
        found = self.statuses.get(path, Counter())
        if sum(found.values()) == 1:
            return next(iter(found))
        return ", ".join(f"{count} {status}" for status, count in found.items())

    def numbers(self, path: str) -> str:
        """At which steps of the trace it comes, by its path or its name."""
        found = sorted({*self.steps.get(path, []), *self.steps.get(path.rpartition("/")[2], [])})
        return " ".join(map(str, found[:4])) + (" …" if len(found) > 4 else "")
