"""The inputs of a run as the command line gives them: `key=value`, JSON where it can be read so, checked by type."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from weft.cli.exits import Wrong
from weft.model.definition import Process
from weft.model.types import ObjectClass, check, near, parse


def inputs_of(process: Process, pairs: Sequence[str], text: str) -> dict[str, object]:
    """The inputs of a start. Raises `Wrong`, which names every one that is unknown, missing or does not fit."""
    types: dict[str, str] = {}
    for one in process.body.input_sets:
        types.update(one.types)
    given: dict[str, object] = _mapping(text) if text else {}
    for name, value in _pairs(pairs, "--input"):
        given[name] = _value(value, types.get(name, "any"), process.classes)
    problems = [problem for name, value in given.items() if (problem := _problem(process, types, name, value))]
    if problems:
        raise Wrong("; ".join(problems))
    sets = process.body.input_sets
    lacking = [[name for name in one.types if name not in given and name not in one.bindings] for one in sets]
    if all(lacking):
        missing = min(lacking, key=len)
        how = " ".join(f"--input {name}=…" for name in missing)
        asked = ", ".join(f"{name}: {types[name]}" for name in missing)
        raise Wrong(f"process {process.name} also asks for {asked}; add {how}")
    return given


def answers_of(pairs: Sequence[str]) -> dict[str, object]:
    """What people answer, by task."""
    return {name: _value(value, "any", {}) for name, value in _pairs(pairs, "--answer")}


def _pairs(pairs: Sequence[str], option: str) -> list[tuple[str, str]]:
    found = []
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name:
            raise Wrong(f"{option} {pair}: write name=value, for example {option} {name or 'count'}=3")
        found.append((name, _from_file(value[1:]) if value.startswith("@") else value))
    return found


def _from_file(name: str) -> str:
    try:
        return Path(name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Wrong(f"the value @{name} can't be read: {error}") from None


def _mapping(text: str) -> dict[str, object]:
    text = _from_file(text[1:]) if text.startswith("@") else text
    try:
        given = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise Wrong(f"--input-json is no JSON: {error}") from None
    if not isinstance(given, dict):
        raise Wrong("--input-json wants an object of inputs by name, such as '{\"order\": 17}'")
    return given


def _value(text: str, type_text: str, classes: Mapping[str, ObjectClass]) -> object:
    """What the text says as JSON if that fits, else the text itself: `17` is a number for an int, a text for a str."""
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return text
    wanted = parse(type_text)
    fits_only_as_text = check(value, wanted, classes) and not check(text, wanted, classes)
    return text if fits_only_as_text else value


def _problem(process: Process, types: Mapping[str, str], name: str, value: object) -> str:
    if name not in types:
        meant = near(name, list(types))
        hint = f"did you mean {meant!r}?" if meant else f"it has {', '.join(types) or 'none'}"
        return f"process {process.name} has no input {name!r}: {hint}"
    problem = check(value, parse(types[name]), process.classes)
    return f"input {name!r} is no {types[name]}: {problem}" if problem else ""
