"""The machine of every flow walks beside the kernel, and what the check says of control is what runs show."""

import pytest

from tests.analysis.walking import Calm, Walk, names_of, walked
from tests.random.draw import Seeded
from tests.random.driving import made_of
from weft.analysis.controls import Controls
from weft.analysis.spaces import Budget
from weft.kernel import facts


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_machines_stand_where_the_kernel_stands_with_aborts_and_cancellations(first: int) -> None:
    compared = ends = 0
    for seed in range(first, first + 50):
        run = walked(Walk(Seeded(seed + 1_000_000_007), made_of(seed)), 60)
        compared += run.beside.compared
        ends += run.beside.ends
    assert compared > 500
    assert ends > 50


@pytest.mark.parametrize("first", range(0, 120, 30))
def test_what_runs_hangs_and_ends_is_what_the_check_foresaw(first: int) -> None:
    stuck = 0
    for seed in range(first, first + 30):
        made = made_of(seed)
        controls = Controls(made.process, Budget(5_000, 60))
        flows = {one.flow.name: one.control for one in controls.worked.values()}
        runs = {
            child.name: number in one.control.runs
            for one in controls.worked.values()
            for number, child in enumerate(one.flow.children)
        }
        for fact in walked(Calm(Seeded(seed), made), 80).all_told:
            name = names_of(fact)
            if isinstance(fact, facts.Ready):
                assert runs.get(name, True), (seed, fact)
            elif isinstance(fact, facts.Stuck) and name in flows:
                assert flows[name].stuck is not None, (seed, fact)
                stuck += 1
            elif isinstance(fact, facts.Committed) and name in controls.ends:
                assert fact.outcome in controls.ends[name].commits, (seed, fact)
            elif isinstance(fact, facts.Aborted) and name in controls.ends and fact.error.startswith("task"):
                assert fact.outcome in controls.ends[name].aborts, (seed, fact)
    assert stuck
