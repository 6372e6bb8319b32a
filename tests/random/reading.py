"""A failing run as people can read it: the definition, then each command with its facts."""

from msgspec import UNSET
from msgspec.structs import fields

from tests.random.driving import Run


def plain(value: object) -> str:
    """A struct with only what is not as it always is."""
    if hasattr(value, "__struct_fields__"):
        said = []
        for field in fields(type(value)):
            one = getattr(value, field.name)
            default = field.default if field.default_factory is UNSET or not callable(field.default_factory) else None
            try:
                usual = field.default_factory() if callable(field.default_factory) else default
            except TypeError:
                usual = default
            if one != usual and field.name != "children":
                said.append(f"{field.name}={plain(one)}")
        return f"{type(value).__name__}({', '.join(said)})"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(plain, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {plain(one)}" for key, one in value.items()) + "}"
    return repr(value)


def tree(activity: object, indent: str = "") -> str:
    lines = [indent + plain(activity)]
    for child in getattr(activity, "children", ()):
        lines.append(tree(child, indent + "    "))
    return "\n".join(lines)


def shown(run: Run) -> str:
    lines = [tree(run.made.process.body)]
    for name, called in run.made.called.items():
        lines += [f"called {name}:", tree(called.body, "    ")]
    for time, command, told in run.decisions:
        lines.append(f"{time:g}: {plain(command)}")
        lines += [f"        {plain(fact)}" for fact in told]
    return "\n".join(lines) + "\n"
