"""Work that is offered, as whoever turns an engine by hand sees it: a room that keeps nothing in the store."""

from collections.abc import Callable

from weft.engine.following import task_at
from weft.engine.live import Live
from weft.engine.rooms import Happened
from weft.kernel.effect_types import Dispatch, Stop, Withdraw
from weft.model.definition import Group, Person, Task
from weft.store.batch import Transaction


def is_for_people(task: Task) -> bool:
    return isinstance(task.handler, Person | Group)


class Offers:
    """In the order in which it was offered, by path. `chooses` says which tasks matter."""

    def __init__(self, live_of: Callable[[int], Live | None], chooses: Callable[[Task], bool] = is_for_people) -> None:
        self._live_of = live_of
        self._chooses = chooses
        self._offered: dict[str, tuple[Task, Dispatch]] = {}
        self.stopping: dict[str, None] = {}
        """What was told to stop, and whose end is awaited."""
        self.stopped: list[str] = []
        """What was told to stop, and whose end matters no more."""

    def waiting(self) -> list[tuple[Task, Dispatch]]:
        return list(self._offered.values())

    def get(self, path: str) -> tuple[Task, Dispatch] | None:
        return self._offered.get(path)

    def take(self, path: str) -> None:
        """Somebody has it."""
        self._offered.pop(path, None)

    # As a room.

    def rows(self, effects: Happened, transaction: Transaction) -> None:
        """It keeps none."""

    def dispatch(self, effects: Happened) -> None:
        for instance, effect in effects:
            path = effect.path
            if type(effect) is Dispatch:
                live = self._live_of(instance)
                task = task_at(live, path) if live is not None else None
                if task is not None and self._chooses(task):
                    self._offered[path] = task, effect
            elif type(effect) is Withdraw:
                self._offered.pop(path, None)
            elif type(effect) is Stop:
                self._offered.pop(path, None)
                if effect.awaited:
                    self.stopping[path] = None
                else:
                    self.stopped.append(path)
