"""The inside of a handler process: takes jobs in batches, runs them on threads or a side loop, answers in batches.

It ends at once when the node is gone, so that no work goes on of which nobody knows.
"""

import os
import sys
from queue import Empty, SimpleQueue
from threading import Thread
from typing import BinaryIO, cast

import msgspec

from weft.handlers.channel import ToChild, is_end, receive, send, wire_answer
from weft.handlers.coroutines import Coroutines
from weft.handlers.desk import Desk, functions
from weft.handlers.functions import FindCode
from weft.handlers.jobs import Answer, Job
from weft.handlers.threads import SWITCH_SECONDS, Threads
from weft.model.definition import Task


class Child:
    """Serves one node until it is gone."""

    def __init__(self, find: FindCode, source: BinaryIO, target: BinaryIO, *, threads: int) -> None:
        self._source = source
        self._target = target
        self._answers: SimpleQueue[Answer] = SimpleQueue()
        self._threads = Threads(find, self._answers.put, threads=threads)
        coroutines = Coroutines(find, self._answers.put)
        routes = [functions(self._threads, find), functions(coroutines, find, coroutines=True)]
        self._desk = Desk(routes, self._answers.put)
        self._tasks: dict[int, Task] = {}
        self._numbers: dict[int, int] = {}
        """By identity of the job, its number; the job is kept by `_jobs`, so its identity stays its own."""
        self._jobs: dict[int, Job] = {}

    def serve(self) -> None:
        """Takes messages until the other end is gone."""
        Thread(target=self._tell, name="weft-answers", daemon=True).start()
        while (message := receive(self._source)) is not None:
            tasks, jobs, stops = cast("ToChild", message)
            for number, text in tasks:
                self._tasks[number] = msgspec.msgpack.decode(text, type=Task)
            given = [self._job(number, task, *rest) for number, task, *rest in jobs]
            if given:
                self._desk.give(given)
            for number, error in stops:
                job = self._jobs.get(number)
                if job is not None:
                    self._desk.stop([job.about], error)

    def _job(self, number: int, task: int, *rest: object) -> Job:
        job = Job(self._tasks[task], *rest)  # type: ignore[arg-type]
        self._jobs[number] = job
        self._numbers[id(job)] = number
        return job

    def _tell(self) -> None:
        send(self._target, (self._threads.capacity, []))
        while True:
            answers = [self._answers.get()]
            try:
                while len(answers) < 10_000:
                    answers.append(self._answers.get_nowait())
            except Empty:
                pass
            wired = []
            for answer in answers:
                number = self._numbers[id(answer.job)]
                wired.append(one := wire_answer(number, answer))
                if is_end(one[1]):
                    del self._numbers[id(answer.job)], self._jobs[number]
            try:
                send(self._target, (self._threads.capacity, wired))
            except OSError:  # the node is gone
                os._exit(1)


def main(find: FindCode, threads: int) -> None:
    """Serves whoever began this process, by what were its standard input and output; these are no more."""
    source = os.fdopen(os.dup(0), "rb")
    target = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # what functions print goes where the node's errors go
    sys.setswitchinterval(SWITCH_SECONDS)
    Child(find, source, target, threads=threads).serve()
    os._exit(0)
