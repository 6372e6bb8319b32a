"""Refines calls: a process that is called and that nobody brought may be one registered task of that name."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from weft.languages.binding import AnyImplementation
from weft.languages.text.reading import activities
from weft.model.definition import Call, InputSet, Named, Process, Task


def refinements(processes: Iterable[Process], implementations: Iterable[AnyImplementation]) -> Iterator[Process]:
    """For each call of what is no process here but a task: a process that is this task, with the call's interface."""
    processes = list(processes)
    known = {one.name for one in processes}
    tasks = {one.name for one in implementations}
    for process in processes:
        for call in activities(process):
            if isinstance(call, Call) and call.process in tasks - known:
                known.add(call.process)
                yield _process(call)


def _process(call: Call) -> Process:
    sets = tuple(InputSet(one.name, types=one.types) for one in call.input_sets)
    outcomes = tuple(replace(one, guard=None, bindings={}) for one in call.outcomes)
    body = Task(name=call.process, handler=Named(call.process), input_sets=sets, outcomes=outcomes)
    return Process(name=call.process, body=body)
