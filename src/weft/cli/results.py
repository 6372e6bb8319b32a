"""The file of `--results`: what the tasks of a run give, in the order of their executions."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from weft.cli.exits import Wrong
from weft.handlers.values import Ends, Fails, Script
from weft.model.definition import Process, Task
from weft.model.rewriting import with_tasks
from weft.model.types import near

RESULT_KEYS: Final = frozenset(("outcome", "value"))
ERROR_KEYS: Final = frozenset(("error", "message"))


def results_in(place: str, processes: Iterable[Process]) -> dict[str, Script]:
    """By task, its results: `{"approve": [true, {"error": "task.ill"}, {"outcome": "refused", "value": "no"}]}`."""
    try:
        found = json.loads(Path(place).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise Wrong(f"the results {place} can't be read: {error}") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise Wrong(f"the results {place} are no JSON: {error}") from None
    if not isinstance(found, dict) or not all(isinstance(one, list) for one in found.values()):
        raise Wrong(f'the results {place} are no object of lists: write {{"task": [first, second]}}')
    known = _names(processes)
    for name in found:
        if name not in known:
            meant = near(name, sorted(known))
            hint = f"did you mean {meant!r}?" if meant else f"there are {', '.join(sorted(known)) or 'none'}"
            raise Wrong(f"the results {place} are for {name!r}, which is no task of the process; {hint}")
    return {name: Script(map(_result, results)) for name, results in found.items()}


def _result(given: object) -> object:
    """A value alone is the first outcome's; a failure and another outcome have their own forms."""
    if isinstance(given, Mapping):
        keys = given.keys()
        if "error" in keys and keys <= ERROR_KEYS:
            return Fails(str(given["error"]), str(given.get("message", "")))
        if "outcome" in keys and keys <= RESULT_KEYS:
            return Ends(str(given["outcome"]), given.get("value"))
        if keys == {"value"}:
            return given["value"]
    return given


def _names(processes: Iterable[Process]) -> set[str]:
    found: set[str] = set()

    def look(task: Task) -> Task:
        found.add(task.name)
        return task

    for process in processes:
        with_tasks(process, look)
    return found
