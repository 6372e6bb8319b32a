"""Asks whoever sits at the terminal to do the work of people: which, how it ended, and what it gives, by type."""

import contextlib
import json
from collections.abc import Mapping, Sequence
from typing import Final

from rich.console import Console
from rich.prompt import Confirm, IntPrompt, InvalidResponse, Prompt, PromptBase

from weft.handlers.values import Ends, Fails
from weft.kernel.effect_types import Dispatch
from weft.model.definition import Outcome, Person, Task
from weft.model.types import BOOL, NULL, STR, ObjectClass, Type, Union, check, parse

Waiting = Sequence[tuple[Task, Dispatch]]

FAILED: Final = "failed"


class Asking:
    """Answers the works of a run one by one, as `weft.assembly.running.People`."""

    def __init__(self, console: Console, classes: Mapping[str, ObjectClass]) -> None:
        self.console = console
        self.classes = classes

    def __call__(self, waiting: Waiting) -> tuple[Dispatch, object] | None:
        try:
            task, dispatch = waiting[0] if len(waiting) == 1 else self._which(waiting)
            self._show(task, dispatch)
            return dispatch, self._answer(task)
        except EOFError:
            raise KeyboardInterrupt from None

    def _which(self, waiting: Waiting) -> tuple[Task, Dispatch]:
        self.console.print("These wait for people:")
        for number, (task, dispatch) in enumerate(waiting, 1):
            self.console.print(f"  [bold]{number}[/] {_title(task, dispatch)}", highlight=False)
        choices = [str(number) for number in range(1, len(waiting) + 1)]
        return waiting[IntPrompt.ask("Which is done", console=self.console, choices=choices, default=1) - 1]

    def _show(self, task: Task, dispatch: Dispatch) -> None:
        self.console.print(f"[bold]{_title(task, dispatch)}[/]", highlight=False)
        for name, value in dispatch.inputs.items():
            self.console.print(f"  {name}: {json.dumps(value, ensure_ascii=False)}", markup=False, highlight=False)

    def _answer(self, task: Task) -> object:
        outcomes = [one for one in task.outcomes if one.kind in ("commit", "abort")]
        names = [one.name for one in outcomes if one.name != "aborted"]
        name = names[0]
        choices = [*names, FAILED]
        name = Prompt.ask("  How did it end", console=self.console, choices=choices, default=name)
        if name == FAILED:
            return Fails("task", Prompt.ask("  Why", console=self.console, default=""))
        outcome = next(one for one in outcomes if one.name == name)
        return Ends(name, self._objects(outcome))

    def _objects(self, outcome: Outcome) -> object:
        values = {name: self._object(name, of_type) for name, of_type in outcome.types.items()}
        return next(iter(values.values())) if len(values) == 1 else values or None

    def _object(self, name: str, of_type: str) -> object:
        wanted = parse(of_type, self.classes)
        if wanted == BOOL:
            return Confirm.ask(f"  {name}", console=self.console)
        return _Value(f"  {name} [dim]({of_type})[/]", console=self.console, wanted=wanted, classes=self.classes)()


class _Value(PromptBase[object]):
    """A value of a type: text as it stands where a text is wanted, else JSON; nothing is null where that fits."""

    response_type = object

    def __init__(self, prompt: str, *, console: Console, wanted: Type, classes: Mapping[str, ObjectClass]) -> None:
        super().__init__(prompt, console=console)
        self.wanted = wanted
        self.classes = classes

    def process_response(self, value: str) -> object:
        value = value.strip()
        reason = ""
        for read in self._readings(value):
            fault = check(read, self.wanted, self.classes)
            if fault is None:
                return read
            reason = reason or fault
        raise InvalidResponse(f"[red]{reason or 'this is no JSON: write such as 3, true, [1, 2] or null'}[/]")

    def _readings(self, value: str) -> list[object]:
        found: list[object] = []
        if not value and self._may_be_null():
            found.append(None)
        if self.wanted != STR:
            with contextlib.suppress(ValueError, RecursionError):
                found.append(json.loads(value))
        return [*found, value]

    def _may_be_null(self) -> bool:
        return self.wanted == NULL or (isinstance(self.wanted, Union) and NULL in self.wanted.members)


def _title(task: Task, dispatch: Dispatch) -> str:
    handler = task.handler
    title = (isinstance(handler, Person) and handler.title) or ""
    role = (isinstance(handler, Person) and handler.role) or ""
    about = f" – {title}" if title and title != task.name else ""
    return f"{dispatch.path}{about}" + (f" ({role})" if role else "")
