"""Runs an instance as an engine would that does no work: begins and completes what is dispatched, sees to effects."""

import tracemalloc
from collections import deque
from collections.abc import Callable
from time import process_time

from weft.kernel.commands import Begin, Complete, Continue, Start
from weft.kernel.decide import apply
from weft.kernel.effect_types import AnyEffect, Dispatch
from weft.kernel.effect_types import Continue as ToContinue
from weft.kernel.evolve import replay
from weft.kernel.facts import AnyFact, Values
from weft.kernel.outstanding import effects
from weft.kernel.plan import Plan
from weft.kernel.state import State

Log = list[tuple[float, list[AnyFact]]]
Answer = Callable[[Dispatch], Values]
NOTHING: Values = {}


def nothing(work: Dispatch) -> Values:
    return NOTHING


def run(plan: Plan, inputs: Values = NOTHING, answer: Answer = nothing, log: Log | None = None) -> int:
    """The number of facts of one instance, from its start to its end."""
    state = State()
    told = 0
    waiting: deque[AnyEffect] = deque([ToContinue("")])
    command: Start | Begin | Complete | Continue = Start(inputs)
    while waiting:
        work = waiting.popleft()
        if type(work) is Dispatch:
            facts = apply(plan, state, Begin(work.path, work.round, work.attempt))
            told += len(facts)
            effects(plan, state, facts)
            if log is not None:
                log.append((0.0, facts))
            command = Complete(work.path, work.round, work.attempt, "done", answer(work))
        elif told:
            command = Continue()
        facts = apply(plan, state, command)
        told += len(facts)
        if log is not None:
            log.append((0.0, facts))
        for effect in effects(plan, state, facts):
            if type(effect) is Dispatch or type(effect) is ToContinue:
                waiting.append(effect)
    assert state.root is not None
    assert state.root.execution[0] is not None
    assert state.root.execution[0].outcome == "done", state.root.execution[0].error
    return told


def facts_per_second(plan: Plan, times: int = 1, inputs: Values = NOTHING, answer: Answer = nothing) -> float:
    start = process_time()
    told = sum(run(plan, inputs, answer) for _ in range(times))
    return told / (process_time() - start)


def replayed_per_second(plan: Plan, log: Log, times: int = 1) -> float:
    start = process_time()
    for _ in range(times):
        replay(plan, log)
    return times * sum(len(facts) for _, facts in log) / (process_time() - start)


def state_bytes(plan: Plan) -> int:
    """How much memory the state of an instance takes that has just started, its facts and effects gone."""
    apply(plan, State(), Start())  # so that what the plan makes when first needed is there
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    state = State()
    apply(plan, state, Start())
    taken = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return taken
