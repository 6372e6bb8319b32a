"""Where two states of an instance differ."""

from collections.abc import Iterable

from weft.kernel.marking import Marking

NOT_STATE = frozenset(
    ("agenda", "choice", "freed", "is_short", "looks", "nodes", "plan", "stirred", "time", "told", "touched")
)
"""What is still to be looked at, what is remembered to be quick, and the caller's clock."""


def difference(one: object, other: object) -> str:
    """The first place where the two differ, or nothing. Walks frames, arrays, executions, logs; knows circles."""
    seen: set[tuple[int, int]] = set()
    todo: list[tuple[str, object, object]] = [("state", one, other)]
    while todo:
        where, a, b = todo.pop()
        if a is b or (id(a), id(b)) in seen:
            continue
        seen.add((id(a), id(b)))
        if type(a) is not type(b):
            return f"{where}: {a!r} and {b!r}"
        if isinstance(a, Marking | bool | int | float | str | set):
            if a != b:
                return f"{where}: {a!r} and {b!r}"
        elif isinstance(a, list | tuple):
            assert isinstance(b, list | tuple)
            if len(a) != len(b):
                return f"{where}: {a!r} and {b!r}"
            if a and type(a[0]) is int:
                if a != b:
                    return f"{where}: {a!r} and {b!r}"
                continue
            todo += [
                (f"{where}[{index}]", *pair)
                for index, pair in enumerate(zip(a, b, strict=True))
                if pair[0] is not pair[1]
            ]
        elif isinstance(a, dict):
            assert isinstance(b, dict)
            if list(a) != list(b):
                return f"{where}: {list(a)} and {list(b)}"
            todo += [(f"{where}[{key!r}]", a[key], b[key]) for key in a if a[key] is not b[key]]
        else:
            todo += [
                (f"{where}.{name}", getattr(a, name), getattr(b, name))
                for name in names_of(a, b)
                if name not in NOT_STATE
            ]
    return ""


def names_of(a: object, b: object) -> Iterable[str]:
    """The attributes of two objects of one class: compiled classes and those with slots list theirs."""
    kind = type(a)
    return getattr(kind, "__mypyc_attrs__", None) or getattr(kind, "__slots__", None) or sorted({*vars(a), *vars(b)})
