"""Where tests collect the answers of a pool, and wait for them."""

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import get_ident
from typing import Any

from weft.handlers.functions import Code
from weft.handlers.jobs import Answer, Beat, Begun, Job, Marked, Saved
from weft.languages.python.tasks import Task, Work, lookup
from weft.model.definition import Function, Named
from weft.model.definition import Task as Definition

SECONDS = 20.0


class Inbox:
    """Takes answers from any thread."""

    def __init__(self) -> None:
        self.news: list[Answer] = []
        """Marks, checkpoints and beats."""
        self.threads: set[int] = set()
        self._answers: SimpleQueue[Answer] = SimpleQueue()

    def __call__(self, answer: Answer) -> None:
        self.threads.add(get_ident())
        self._answers.put(answer)

    def next(self) -> Answer:
        try:
            return self._answers.get(timeout=SECONDS)
        except Empty:
            raise AssertionError(f"no answer in {SECONDS} seconds; so far {self.news}") from None

    def end(self) -> Answer:
        """The next answer that ends a job."""
        while isinstance(answer := self.next(), Marked | Saved | Beat | Begun):
            self.news.append(answer)
        return answer

    def ends(self, count: int) -> list[Answer]:
        return [self.end() for _ in range(count)]

    def is_empty(self) -> bool:
        return self._answers.empty()


def find(handler: Function | Named) -> Code | None:
    return lookup(handler.reference) if isinstance(handler, Function) else None


def definition_of(task: Task[..., Any] | Work, **fields: Any) -> Definition:
    """What a process has of a task."""
    prototype = task.prototype()
    return Definition(name=task.name, outcomes=prototype.outcomes, **{**prototype.fields, **fields})


def job(task: Task[..., Any] | Definition, number: int = 1, /, **inputs: object) -> Job:
    made = task if isinstance(task, Definition) else definition_of(task)
    return Job(made, number, made.name, 0, 1, f"{number}/{made.name}", inputs)


def until(is_true: Callable[[], bool], wait: Callable[[float], object]) -> None:
    """Waits, by something that really waits, until it is so."""
    for _ in range(int(SECONDS * 100)):
        if is_true():
            return
        wait(0.01)
    raise AssertionError("it did not become so in time")
