"""Figures of large definitions: how long a process of 100 000 steps takes to build, to load, and to compile."""

from collections.abc import Iterator
from functools import partial

from bench import processes
from bench.figures import Figure, figure, seconds
from weft.kernel.plan import plan_of
from weft.languages.python.blocks import serial
from weft.languages.python.process import process
from weft.languages.python.tasks import task
from weft.model.definition import Process
from weft.model.json_form import from_json, to_json

STEPS = 100_000


@task
def step() -> None:
    """Does nothing."""


def built(steps: int = STEPS) -> Process:
    return process("large")(serial(*[step.named(f"step{number}") for number in range(steps)]))


def figures() -> Iterator[Figure]:
    yield figure("build a process of 100 000 steps in Python", seconds(built), "s")
    text = to_json(built())
    yield figure("load it from JSON", seconds(partial(from_json, text)), "s")


def compile_times() -> Iterator[Figure]:
    for name, shape in (("chain", processes.chain), ("fan-out", processes.fan_out)):
        definition = shape(STEPS)
        yield figure(f"compile the plan of a {name} of 100 000", seconds(partial(plan_of, definition)), "s")
