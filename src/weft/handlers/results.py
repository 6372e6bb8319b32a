"""What a program printed or a server answered, as the objects of an outcome."""

from collections.abc import Mapping

import msgspec

from weft.model.definition import Outcome, Task

PLAIN = ("str", "any")


class ResultFault(ValueError):
    """The text is not what the task gives."""


def result_of(task: Task, text: str, known: Mapping[str, object] | None = None) -> tuple[str, dict[str, object]]:
    """The outcome and its objects; `known` are those that are not in the text.

    One object of type `str` is the whole text without its last line break, of another type the text read as JSON; more
    than one are the members of a JSON object. A task with several outcomes has the name of the one taken as `outcome`
    beside them.
    """
    known = known or {}
    outcomes = [one for one in task.outcomes if one.kind == "commit"] or [Outcome("done")]
    ends = [one for one in task.outcomes if one.kind in ("commit", "abort")]
    if len(outcomes) > 1:
        return _chosen(task, ends, text, known)
    outcome = outcomes[0]
    names = [name for name in outcome.types if name not in known]
    if not names:
        return outcome.name, dict(known)
    if len(names) == 1:
        is_text = outcome.types[names[0]] in PLAIN
        return outcome.name, {names[0]: text.rstrip("\r\n") if is_text else _read(task, text)} | dict(known)
    read = _read(task, text)
    if not isinstance(read, dict) or not set(names) <= set(read):
        raise ResultFault(f"{task.name} should have given a JSON object with {', '.join(names)}, not {text[:80]!r}")
    return outcome.name, {name: read[name] for name in names} | dict(known)


def _chosen(task: Task, ends: list[Outcome], text: str, known: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    read = _read(task, text)
    name = read.get("outcome") if isinstance(read, dict) else None
    outcome = next((one for one in ends if one.name == name), None)
    if outcome is None or not isinstance(read, dict):
        names = ", ".join(one.name for one in ends)
        raise ResultFault(f'{task.name} should have given {{"outcome": …}}, one of {names}, and gave {text[:80]!r}')
    return outcome.name, {one: read.get(one) for one in outcome.types} | dict(known)


def _read(task: Task, text: str) -> object:
    try:
        return msgspec.json.decode(text.encode())
    except (msgspec.DecodeError, RecursionError) as error:
        raise ResultFault(f"{task.name} should have given JSON, and gave {text[:80]!r}: {error}") from None
