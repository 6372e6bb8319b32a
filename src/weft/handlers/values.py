"""A result that somebody gives for a task, as the objects of an outcome."""

from collections.abc import Mapping
from dataclasses import dataclass

from weft.model.definition import Outcome, OutcomeKind, Task
from weft.model.types import ValueFault, to_plain


@dataclass(frozen=True, slots=True)
class Ends:
    """What a person answers when it is not the first outcome: `Answers(approve=Ends("refused", "too dear"))`."""

    outcome: str
    value: object = None


def objects_for(
    task: Task, name: str, value: object, kinds: tuple[OutcomeKind, ...] = ("commit", "abort")
) -> dict[str, object]:
    """One value is the only object; several come as a mapping or a NamedTuple. No name means the first outcome."""
    outcome = next((one for one in task.outcomes if one.kind in kinds and name in ("", one.name)), Outcome(name))
    names = list(outcome.types)
    if isinstance(value, Mapping) and set(names) != set(value) and len(names) > 1:
        raise ValueFault(
            f"{outcome.name!r} of {task.name} gives {', '.join(names)}, and not {', '.join(map(str, value))}"
        )
    plain = to_plain(value)
    if len(names) == 1:
        return {names[0]: plain}
    if isinstance(plain, dict):
        return plain
    if isinstance(plain, list) and len(plain) == len(names):
        return dict(zip(names, plain, strict=True))
    if plain is None:
        return {}
    gives = f"gives {', '.join(names)}: give them by name" if names else "gives nothing: leave the value out"
    raise ValueFault(f"{outcome.name!r} of {task.name} {gives}")
