"""Each planted fault is found, with its shortest trace; each repaired twin is clean."""

import pytest

from tests.analysis.planted import Pair, control_pairs, data_pairs, net_pairs
from weft.analysis.checking import check

PAIRS = [*control_pairs(), *data_pairs(), *net_pairs()]


@pytest.mark.parametrize("pair", PAIRS, ids=[pair.code for pair in PAIRS])
def test_the_planted_fault_is_found_with_the_shortest_trace(pair: Pair) -> None:
    found = [fault for fault in check(pair.faulty).faults if fault.code == pair.code]
    assert [(fault.activity, fault.trace) for fault in found] == [(pair.activity, pair.trace)]


@pytest.mark.parametrize("pair", PAIRS, ids=[pair.code for pair in PAIRS])
def test_the_repaired_twin_is_clean(pair: Pair) -> None:
    assert check(pair.repaired).faults == ()
