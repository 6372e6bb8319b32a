"""What a statement gave, as the objects of an outcome."""

from collections.abc import Mapping

import msgspec

from weft.handlers.results import ResultFault
from weft.handlers.sql.connection import Rows
from weft.model.definition import Outcome, Task
from weft.model.types import ListOf, Named, Simple, Type, parse

BindValue = None | bool | int | float | str

_ONE_VALUE = ("str", "int", "float", "bool", "date", "datetime", "time", "decimal", "uuid", "null")


def bound(values: Mapping[str, object], names: tuple[str, ...]) -> dict[str, BindValue]:
    """The parameters that a statement wants, as a database takes them; lists and objects as JSON."""
    missing = [name for name in names if name not in values]
    if missing:
        known = ", ".join(values) or "none"
        raise ResultFault(f"the statement wants the parameter {missing[0]!r}; there are: {known}")
    return {
        name: value if isinstance(value := values[name], BindValue) else msgspec.json.encode(value).decode()
        for name in dict.fromkeys(names)
    }


def objects_of(task: Task, rows: Rows) -> tuple[str, dict[str, object]]:
    """The outcome and its objects.

    One object is the whole result: a list of rows, the first row, or its only value, as its type says; the number of
    rows changed when there are none. Several objects are the columns of the first row. A task with several outcomes
    has the name of the one taken in the column `outcome`.
    """
    commits = [one for one in task.outcomes if one.kind == "commit"] or [Outcome("done")]
    outcome = commits[0]
    if len(commits) > 1:
        first = _first(task, rows)
        ends = [one for one in task.outcomes if one.kind in ("commit", "abort")]
        found = next((one for one in ends if one.name == first.get("outcome")), None)
        if found is None:
            names = ", ".join(one.name for one in ends)
            raise ResultFault(f"{task.name} should give one of {names} in a column called outcome")
        outcome = found
        return outcome.name, {name: first.get(name) for name in outcome.types}
    if len(outcome.types) == 1:
        ((name, text),) = outcome.types.items()
        return outcome.name, {name: _whole(rows, parse(text))}
    first = _first(task, rows) if outcome.types else {}
    lacking = [name for name in outcome.types if name not in first]
    if lacking:
        raise ResultFault(f"{task.name} should give {', '.join(lacking)}; its columns are {', '.join(rows.columns)}")
    return outcome.name, {name: first[name] for name in outcome.types}


def _whole(rows: Rows, kind: Type) -> object:
    if not rows.columns:
        return rows.count
    if isinstance(kind, ListOf) or (isinstance(kind, Simple) and kind.name == "any"):
        is_one = isinstance(kind, ListOf) and isinstance(kind.item, Simple) and kind.item.name in _ONE_VALUE
        return [plain(row[0]) if is_one else _record(rows, row) for row in rows.rows]
    if not rows.rows:
        return None
    if isinstance(kind, Named) or len(rows.columns) > 1:
        return _record(rows, rows.rows[0])
    return plain(rows.rows[0][0])


def _first(task: Task, rows: Rows) -> dict[str, object]:
    if not rows.rows:
        raise ResultFault(f"{task.name} gave no row")
    return _record(rows, rows.rows[0])


def _record(rows: Rows, row: object) -> dict[str, object]:
    assert isinstance(row, tuple | list)
    return {name: plain(value) for name, value in zip(rows.columns, row, strict=True)}


def plain(value: object) -> object:
    """A value of a database as plain data; what has no plain form as its text."""
    try:
        return msgspec.to_builtins(value, str_keys=True)
    except TypeError:
        return str(value)
