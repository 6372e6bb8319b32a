"""Random processes under random commands, held against the invariants of `tests.random`.

`python -m tests.random --from SEED --seeds N` runs as many as you like; a seed that fails there is kept here.
"""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.random.draw import Drawn
from tests.random.driving import Run, drive, run_seed
from tests.random.processes import process

FAILED_ONCE = (
    10121, 10200, 10455, 10527, 10606, 10760, 10791, 11019, 11126, 11208, 11342, 20154, 20818, 21333, 22423, 22742,
    30627, 32537, 32734, 40737, 43719, 44546, 45868, 45913,
    600784164, 600784454, 600785499, 600788570, 600799949, 961, 1299, 1341, 5437, 5591,
    6313, 6670, 10219,
)  # fmt: skip
"""Seeds that found a fault."""


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_fifty_seeds_keep_every_invariant(first: int) -> None:
    for seed in range(first, first + 50):
        run_seed(seed)


@pytest.mark.parametrize("seed", FAILED_ONCE)
def test_seed_that_failed_once_keeps_every_invariant(seed: int) -> None:
    run_seed(seed)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_small_processes_keep_every_invariant(data: st.DataObject) -> None:
    draw = Drawn(data)
    drive(Run(draw, process(draw, draw.number(1, 8))), steps=25)
