"""Answers that were given beforehand for tasks, and what they mean as the end of an attempt."""

from collections.abc import Mapping
from typing import Final

from weft.handlers.jobs import OUTPUT
from weft.handlers.values import Ends, Fails, Script, objects_for
from weft.kernel.commands import Complete, Fail
from weft.model.definition import Task
from weft.model.types import ValueFault

Answer = object
"""What somebody answers: a value, `Ends`, `Fails`, a `Script` of these, or a function that makes one of the inputs."""

NO_ANSWER: Final = object()

About = tuple[str, int, int]


class Given:
    """By path, or by the name of a task."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self._answers = answers

    @property
    def names(self) -> set[str]:
        return {path.rpartition("/")[2] for path in self._answers}

    def take(self, task: Task, path: str) -> Answer:
        """The answer, if there is one; of a script the next, which is gone then."""
        found = self.look(task, path)
        return found.next() if isinstance(found, Script) else found

    def look(self, task: Task, path: str) -> Answer:
        for name in (path, task.name):
            found = self._answers.get(name, NO_ANSWER)
            if found is not NO_ANSWER and not (isinstance(found, Script) and not len(found)):
                return found
        return NO_ANSWER


def ended(task: Task, about: About, inputs: Mapping[str, object], given: Answer) -> Complete | Fail:
    """How an attempt ends by an answer; one that does not fit has failed."""
    try:
        value = given(**inputs) if callable(given) else given
        if isinstance(value, Fails):
            return Fail(*about, value.error, value.message)
        ends = value if isinstance(value, Ends) else Ends("", value)
        return Complete(*about, ends.outcome, objects_for(task, ends.outcome, ends.value))
    except ValueFault as fault:
        return Fail(*about, OUTPUT, str(fault))
