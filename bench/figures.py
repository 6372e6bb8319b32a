"""Measuring and telling: a figure, the best of several trials, the table, and the file of results."""

import gc
import json
import platform
from collections.abc import Callable, Iterable
from pathlib import Path
from time import process_time

from msgspec import Struct, to_builtins

from weft.kernel import decide

TRIALS = 3


class Figure(Struct, frozen=True, rename={"beside": "with"}):
    """One measured number; `beside` says what it was measured with, and is called `with` in the file."""

    name: str
    value: float
    unit: str
    beside: str


def is_compiled() -> bool:
    return not decide.__file__.endswith(".py")


def surroundings() -> str:
    """The interpreter, and whether the kernel is compiled."""
    return f"{platform.python_implementation()} {platform.python_version()}" + (", mypyc" if is_compiled() else "")


def figure(name: str, value: float, unit: str) -> Figure:
    return Figure(name, value, unit, surroundings())


def best(trial: Callable[[], float], trials: int = TRIALS) -> float:
    """The highest of several rates: noise only ever slows a trial down."""
    rates: list[float] = []
    for _ in range(trials):
        gc.collect()
        rates.append(trial())
    return max(rates)


def seconds(work: Callable[[], object], trials: int = TRIALS) -> float:
    """The least CPU time that the work takes."""
    times: list[float] = []
    for _ in range(trials):
        gc.collect()
        start = process_time()
        work()
        times.append(process_time() - start)
    return min(times)


def line(one: Figure) -> str:
    digits = 0 if one.value >= 100 else 2
    return f"{one.name:<58} {one.value:>12,.{digits}f} {one.unit:<9} {one.beside}"


def write(figures: Iterable[Figure], target: Path) -> None:
    target.write_text(json.dumps(to_builtins(list(figures)), indent=1) + "\n", "utf-8")
