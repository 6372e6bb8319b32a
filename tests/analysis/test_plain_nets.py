"""Verdicts about plain nets: published answers, and a slow and sure analysis of random nets."""

from random import Random

import pytest

from tests.analysis.families import and_split, chain, kanban, kanban_states, philosophers
from tests.analysis.random_nets import any_net, workflow
from tests.analysis.slow_and_sure import Unbounded, is_live, is_sound, steps
from weft.analysis.exploring_counts import explore_counts
from weft.analysis.exploring_safe import explore_safe
from weft.analysis.plain import PlainNet, PlainTransition
from weft.analysis.reducing import reduced
from weft.analysis.soundness import joined
from weft.analysis.spaces import Budget, NotSafe
from weft.analysis.structure import (
    is_free_choice,
    largest_siphon,
    largest_trap,
    place_invariants,
    siphons,
    traps,
    workflow_ends,
)
from weft.analysis.stubborn import explore_for_deadlocks
from weft.analysis.verdicts import analyse, structure_of

PLENTY = Budget(30_000, 1e9)


@pytest.mark.parametrize("count", [3, 5, 8])
def test_philosophers_have_the_published_number_of_states_and_a_deadlock(count: int) -> None:
    found = analyse(philosophers(count))
    assert (found.states, found.deadlock, found.safe, found.live) == (3**count, True, True, False)
    assert found.trace is not None
    assert len(found.trace) == count


@pytest.mark.parametrize("size", [1, 2])
def test_kanban_has_the_published_number_of_states_and_none_is_dead(size: int) -> None:
    found = analyse(kanban(size))
    assert (found.states, found.bound) == (kanban_states(size), size)
    assert (found.deadlock, found.live, found.safe) == (False, True, size == 1)


def test_and_split_with_twelve_branches_is_sound_and_reduced_to_one_step() -> None:
    net = and_split(12)
    small = reduced(net)
    assert len(small.transitions) <= 2
    found = analyse(net)
    assert (found.sound, found.generalised_sound, found.states, found.deadlock) == (True, True, 2**12 + 2, False)


def test_soundness_is_known_where_the_states_are_too_many_to_count() -> None:
    found = analyse(and_split(40), budget=Budget(2_000, 60))
    assert (found.sound, found.live, found.deadlock) == (True, True, False)
    assert found.states is None
    assert "unknown" in found.reason


def test_a_net_without_bound_is_told_with_a_trace_that_shows_it() -> None:
    net = PlainNet.of({"a": 1, "b": 0}, {"more": (("a",), ("a", "b")), "end": (("a", "b"), ())})
    found = analyse(net)
    assert (found.bounded, found.bound, found.safe, found.states) == (False, None, False, None)
    assert found.trace is not None
    assert set(found.trace) == {"more"}


@pytest.mark.parametrize(
    ("arcs", "why", "trace"),
    [
        ({"a": (("i",), ("x",)), "b": (("i",), ("y",)), "c": (("x", "y"), ("o",))}, "nothing can happen", ["a"]),
        ({"a": (("i",), ("x", "y")), "b": (("x",), ("o",)), "c": (("y",), ("o",))}, "left over", ["a", "b"]),
        (
            {"a": (("i",), ("x",)), "b": (("x",), ("y",)), "c": (("y",), ("x",)), "d": (("x", "y"), ("o",))},
            "for ever",
            ["a"],
        ),
    ],
)  # fmt: skip
def test_each_fault_of_a_workflow_net_is_named_with_the_shortest_trace(
    arcs: dict[str, tuple[tuple[str, ...], tuple[str, ...]]], why: str, trace: list[str]
) -> None:
    found = analyse(PlainNet.of({"i": 0, "x": 0, "y": 0, "o": 0}, arcs))
    assert found.sound is False
    assert why in found.reason
    assert found.trace == trace


def test_a_net_sound_for_one_case_but_not_for_two_is_told() -> None:
    arcs = {
        "split": (("i",), ("a", "b")),
        "left": (("a",), ("c",)),
        "right": (("b",), ("d",)),
        "swap": (("a", "d"), ("e",)),
        "stuck": (("b", "c"), ("e",)),
        "join": (("c", "d"), ("o",)),
        "late": (("e",), ("o",)),
    }
    found = analyse(PlainNet.of(dict.fromkeys("iabcdeo", 0), arcs))
    assert found.sound is True
    assert found.generalised_sound is not True


@pytest.mark.parametrize("seed", range(300))
def test_any_net_is_explored_as_the_slow_and_sure_way_does(seed: int) -> None:
    net = any_net(Random(seed), is_plain=seed % 3 == 0)
    try:
        graph = steps(net, 3_000)
    except Unbounded:
        found = analyse(net, budget=Budget(3_000, 60))
        assert found.states is None
        return
    found = analyse(net, budget=PLENTY)
    assert (found.states, found.bounded, found.bound) == (len(graph), True, max(max(one) for one in graph))
    assert found.deadlock is any(not after for after in graph.values())
    if not found.workflow_net:
        assert found.live is is_live(net, graph)
    happened = {name for after in graph.values() for name, _ in after}
    assert found.never == [one.name for one in net.transitions if one.name not in happened]
    counted = explore_counts(net, PLENTY)
    assert {counted.decode(one) for one in counted.states} == set(graph)
    try:
        safe = explore_safe(net, PLENTY)
    except NotSafe:
        assert not found.safe or any(count > 1 for one in net.transitions for count in one.puts.values())
    else:
        assert {safe.decode(one) for one in safe.states} == set(graph)


def test_no_bound_is_claimed_only_where_there_is_none() -> None:
    claimed = 0
    for seed in range(300):
        net = any_net(Random(seed))
        found = analyse(net, budget=Budget(3_000, 60))
        if found.bounded is False:
            claimed += 1
            with pytest.raises(Unbounded):
                steps(net, 3_000)
    assert claimed > 10


def test_soundness_of_spoilt_blocks_is_that_of_the_slow_and_sure_way() -> None:
    verdicts = []
    for seed in range(400):
        net = workflow(Random(seed), faults=seed % 4)
        ends = workflow_ends(net)
        if ends is None:
            continue
        found = analyse(net, budget=PLENTY)
        try:
            graph = steps(net, 3_000)
        except Unbounded:
            assert found.sound is False
            continue
        expected = is_sound(net, graph, ends.sink)
        assert found.sound is expected, seed
        assert bool(found.reason) is not expected
        verdicts.append(expected)
    assert verdicts.count(True) > 100
    assert verdicts.count(False) > 50


def test_the_reduced_net_of_blocks_is_one_transition() -> None:
    for seed in range(100):
        net = workflow(Random(seed), faults=0)
        ends = workflow_ends(net)
        if ends is None:
            continue
        assert len(reduced(joined(net, ends)).transitions) == 1, seed
        assert analyse(net, budget=Budget(10, 60)).sound is True, seed


def test_invariants_siphons_and_traps_hold_in_every_marking() -> None:
    listed = 0
    for seed in range(120):
        net = any_net(Random(seed), is_plain=True)
        try:
            graph = steps(net, 1_000)
        except Unbounded:
            continue
        for weights in place_invariants(net) or []:
            listed += 1
            totals = {sum(weight * marking[place] for place, weight in weights.items()) for marking in graph}
            assert len(totals) == 1
        for siphon in siphons(net):
            assert largest_siphon(net, set(siphon)) == siphon
            for marking, after in graph.items():
                if not any(marking[place] for place in siphon):
                    assert not any(there[place] for _, there in after for place in siphon)
        for trap in traps(net):
            assert largest_trap(net, set(trap)) == trap
            for marking, after in graph.items():
                if any(marking[place] for place in trap):
                    assert all(any(there[place] for place in trap) for _, there in after)
    assert listed > 50


def test_invariants_bound_the_places_of_kanban() -> None:
    found = structure_of(kanban(3))
    assert set(found.bounds.values()) == {3}
    assert found.place_invariants is not None
    assert {"work1": 1, "back1": 1, "out1": 1, "card1": 1} in found.place_invariants


def test_free_choice_and_workflow_nets_are_told_from_the_arcs() -> None:
    assert is_free_choice(chain(3))
    assert not is_free_choice(philosophers(3))
    assert workflow_ends(philosophers(3)) is None
    assert workflow_ends(PlainNet.of({"i": 1, "o": 0, "x": 0}, {"t": (("i",), ("o",))})) is None


def test_the_budget_ends_the_search_and_the_answer_is_unknown() -> None:
    found = analyse(philosophers(9), budget=Budget(4_000, 60))
    assert found.states is None
    assert found.explored >= 4_000
    assert found.live is None
    ticks = iter(range(1_000))
    slow = analyse(philosophers(9), budget=Budget(10**9, 1.5, lambda: float(next(ticks))))
    assert slow.states is None


def test_stubborn_sets_reach_every_deadlock_and_no_other() -> None:
    seen = 0
    for seed in range(300):
        net = any_net(Random(seed), is_plain=True) if seed % 2 else workflow(Random(seed), faults=seed % 5)
        try:
            whole = explore_safe(net, PLENTY)
        except NotSafe:
            continue
        part = explore_for_deadlocks(net, PLENTY)
        assert part is not None
        assert set(part.dead) == set(whole.dead), seed
        assert len(part.states) <= len(whole.states)
        seen += bool(whole.dead)
    assert seen > 50


def test_a_deadlock_is_excluded_where_the_markings_are_too_many() -> None:
    net = and_split(40)
    around = PlainNet(net.places, (*net.transitions, PlainTransition("again", {1: 1}, {0: 1})), net.marking)
    found = analyse(around, budget=Budget(2_000, 60))
    assert (found.states, found.deadlock, found.workflow_net) == (None, False, False)
