"""Figures of the kernel: facts per CPU-second in every shape and size, of replay too, and bytes of state."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

from bench import processes, running
from bench.figures import Figure, best, figure
from weft.kernel.effect_types import Dispatch
from weft.kernel.facts import Values
from weft.kernel.plan import plan_of
from weft.model.definition import Process

SIZES = (10, 1_000, 100_000)
FACTS = 60_000
"""A trial repeats small instances until it has told about so many facts."""


def figures() -> Iterator[Figure]:
    for name, shape in (("chain", processes.chain), ("fan-out", processes.fan_out)):
        yield from of_sizes(name, shape)
    nested = plan_of(processes.nested(4))
    yield figure("nested blocks, 10 000 tasks", best(partial(running.facts_per_second, nested, 2)), "facts/s")
    yield looping(10_000)
    pipeline = plan_of(processes.pipeline(1_000, 10))
    yield figure("net pipeline, 10 000 firings", best(partial(running.facts_per_second, pipeline)), "facts/s")
    yield items(10_000)
    yield from replays()
    yield from sizes_of_state()


def of_sizes(name: str, shape: Callable[[int], Process]) -> Iterator[Figure]:
    rates: list[float] = []
    for size in SIZES:
        plan = plan_of(shape(size))
        times = max(1, FACTS // (3 * size))
        rates.append(best(partial(running.facts_per_second, plan, times)))
        yield figure(f"{name} of {size:,}".replace(",", " "), rates[-1], "facts/s")
    yield figure(f"{name}: cost per fact at 100 000 ÷ at 10", rates[0] / rates[-1], "×")


def looping(rounds: int) -> Figure:
    plan = plan_of(processes.rounds(rounds))

    def once() -> float:
        numbers = count(1)

        def answer(work: Dispatch) -> Values:
            return {"number": next(numbers)}

        return running.facts_per_second(plan, 1, answer=answer)

    return figure("loop of 10 000 rounds", best(once), "facts/s")


def items(number: int) -> Figure:
    plan = plan_of(processes.items(number))
    inputs: Values = {"items": list(range(number))}

    def once() -> float:
        return running.facts_per_second(plan, 1, inputs) * number / told

    told = running.run(plan, inputs)
    return figure("each over 10 000 items", best(once), "items/s")


def replays() -> Iterator[Figure]:
    for size in (1_000, 100_000):
        plan = plan_of(processes.chain(size))
        log: running.Log = []
        running.run(plan, log=log)
        times = max(1, FACTS // (3 * size))
        rate = best(partial(running.replayed_per_second, plan, log, times))
        yield figure(f"replay of a chain of {size:,}".replace(",", " "), rate, "facts/s")


def sizes_of_state() -> Iterator[Figure]:
    size = 100_000
    for name, shape in (("waiting in a chain", processes.chain), ("ready in a fan-out", processes.fan_out)):
        taken = running.state_bytes(plan_of(shape(size)))
        yield figure(f"state for each of 100 000 {name}", taken / size, "bytes")
