"""Writes docs/reference/facts.md from the kernel's own docstrings; a test keeps the page as this makes it."""

import inspect
import typing
from pathlib import Path
from types import ModuleType

import msgspec

from weft.kernel import commands, effect_types, facts

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "facts.md"

HEAD = """# Facts, commands and effects

What the kernel speaks of. This page is made by `python tools/kernel_pages.py` from the kernel itself.

A **command** is what someone asks; it is accepted whole or refused whole. A **fact** is what has become true; the log
is a list of them. An **effect** is what facts ask of the engine; it follows from the state, so a lost one can be found
again. Every fact and effect has `path`, `round` and `attempt`; a command about an activity has them too, and when round
or attempt are given they must be the present ones.
"""


def rows(module: ModuleType, union: str) -> list[str]:
    kinds = typing.get_args(getattr(module, union))
    common = {"path", "round", "attempt"}
    found = [f"| {union.removeprefix('Any').lower()} | fields | says |", "| --- | --- | --- |"]
    for kind in sorted(kinds, key=lambda kind: kind.__name__):
        fields = [f"`{field.name}`" for field in msgspec.structs.fields(kind) if field.name not in common]
        text = " ".join((inspect.getdoc(kind) or "").split())
        found.append(f"| `{kind.__name__}` | {', '.join(fields)} | {text} |")
    return found


def page() -> str:
    parts = [HEAD]
    for title, module, union in (
        ("Facts", facts, "AnyFact"),
        ("Commands", commands, "Command"),
        ("Effects", effect_types, "AnyEffect"),
    ):
        parts += [f"## {title}\n", "\n".join(rows(module, union)) + "\n"]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
