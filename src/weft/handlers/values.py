"""A result that somebody gives for a task, as the objects of an outcome."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from weft.model.definition import Outcome, OutcomeKind, Task
from weft.model.types import ValueFault, to_plain


@dataclass(frozen=True, slots=True)
class Ends:
    """What a person answers when it is not the first outcome: `Answers(approve=Ends("refused", "too dear"))`."""

    outcome: str
    value: object = None


@dataclass(frozen=True, slots=True)
class Fails:
    """What somebody says whose work has failed: `Answers(pay=Fails("task.no_money", "the card is empty"))`."""

    error: str = "task"
    message: str = ""


class Script:
    """Answers for the executions of one task, one after the other, until there are none left."""

    def __init__(self, answers: Iterable[object]) -> None:
        self._left = deque(answers)

    def __len__(self) -> int:
        return len(self._left)

    def next(self) -> object:
        return self._left.popleft()


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
