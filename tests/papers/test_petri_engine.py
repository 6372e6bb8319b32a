"""Paper 003 (the Petri-net engine): nets of Figures 1, 3, 4 and 6, and what the state chart of Figure 5 says."""

from msgspec.structs import replace

from tests.kernel.driver import Driver, everywhere, process, task
from weft.kernel import commands, facts
from weft.kernel.plan import plan_of
from weft.model.definition import (
    ABORTED,
    ArcIn,
    ArcOut,
    InputSet,
    Net,
    Outcome,
    Place,
    Rule,
    Task,
    Transition,
    Variable,
)


def operation(name: str, parameter: str, **said: object) -> Task:
    """Takes the token's value and gives one object, `y`."""
    return task(
        name,
        input_sets=(InputSet(bindings={parameter: (Variable(parameter),)}),),
        outcomes=(Outcome("done", types={"y": "any"}), ABORTED),
        **said,
    )


def values_of(driver: Driver, path: str) -> object:
    fact = driver.last(path, facts.Committed)
    assert isinstance(fact, facts.Committed)
    return fact.values


# Figure 1: typed places, a guard, an operation that computes c, and b that is copied from p1 to p4.

FIGURE_1 = Net(
    name="p",
    places=(
        Place("p1", "int", tokens=(4, 7)),
        Place("p2", "str", tokens=("x",)),
        Place("p3", "any", output=True),
        Place("p4", "int", output=True),
        Place("rest", "any"),
    ),
    transitions=(
        Transition(
            name="T",
            inputs=(ArcIn("p1", "b"), ArcIn("p2", "a")),
            outputs=(ArcOut("p3", "c"), ArcOut("p4", "b")),
            guard="b > 5",
            operation=task(
                "f",
                input_sets=(InputSet(bindings={"a": (Variable("a"),), "b": (Variable("b"),)}),),
                outcomes=(Outcome("done", types={"c": "any"}),),
            ),
        ),
    ),
)


def test_figure_1_a_guard_chooses_the_token_and_a_variable_copies_it() -> None:
    driver = everywhere(
        FIGURE_1,
        """
        start                  -> Ready p, Started p, Fired p/T[1]
        do p/T[1] {"c": "x7"}  -> Started p/T[1], Committed p/T[1], Arrived p/T[1], Fixed p, Committed p
        """,
    )
    assert values_of(driver, "p") == {"p3": "x7", "p4": 7}


# Figure 3: M0 = {{3, 0}, {3}, {}, {}}; T1 and T2 are enabled by the tokens 3 of p1 and p2, and in conflict.

FIGURE_3 = Net(
    name="p",
    places=(Place("p1", tokens=(3, 0)), Place("p2", tokens=(3,)), Place("p3"), Place("p4")),
    transitions=tuple(
        Transition(name=name, inputs=(ArcIn("p1", "x"), ArcIn("p2", "x")), outputs=(ArcOut(place, "x"),))
        for name, place in (("T1", "p3"), ("T2", "p4"))
    ),
    outcomes=(Outcome("done", bindings={}),),
)


def fired(seed: int) -> list[str]:
    driver = Driver(plan_of(process(FIGURE_3)))
    driver.send(commands.Start(seed=seed))
    return [fact.transition for fact in driver.told if isinstance(fact, facts.Moved)]


def test_figure_3_of_two_transitions_in_conflict_one_fires_by_chance_and_the_same_for_the_same_seed() -> None:
    chosen = [fired(seed) for seed in range(200)]
    assert all(len(one) == 1 for one in chosen)
    assert 60 < chosen.count(["T1"]) < 140
    assert chosen == [fired(seed) for seed in range(200)]


# Figure 4: phase 1 takes the tokens (Fired), phase 2 runs the operation, phase 3 puts tokens (Arrived).

PARALLEL = Net(
    name="p",
    places=(Place("p1", tokens=(1, 2)), Place("p2", output=True)),
    transitions=(
        Transition(name="T", inputs=(ArcIn("p1", "x"),), outputs=(ArcOut("p2", "y"),), operation=operation("f", "x")),
    ),
    outcomes=(Outcome("done"),),
)


def test_figure_4_operations_of_firings_run_side_by_side_and_only_the_moves_are_one_at_a_time() -> None:
    everywhere(
        PARALLEL,
        """
        start                      -> Ready p, Started p, Fired p/T[1], Fired p/T[2]
        begin p/T[2]               -> Started p/T[2]
        begin p/T[1]               -> Started p/T[1]
        complete p/T[2] {"y": 20}  -> Committed p/T[2], Arrived p/T[2]
        complete p/T[1] {"y": 10}  -> Committed p/T[1], Arrived p/T[1], Fixed p, Committed p
        """,
    )


def test_figure_5_the_marking_is_as_before_when_a_transition_failed_and_it_fires_again() -> None:
    one = PARALLEL.transitions[0]
    again = replace(one, operation=operation("f", "x", on_error=(Rule("retry", times=1),)))
    net = replace(PARALLEL, places=(Place("p1", tokens=(1,)), Place("p2", output=True)), transitions=(again,))
    driver = everywhere(
        net,
        """
        start                    -> Ready p, Started p, Fired p/T[1]
        break p/T[1]             -> Started p/T[1], Failed p/T[1], Returned p/T[1], Released p/T[1], Fired p/T[1]#2
        do p/T[1] {"y": 10}      -> Started p/T[1]#2, Committed p/T[1]#2, Arrived p/T[1]#2, Fixed p, Committed p
        """,
    )
    first, second = (fact for fact in driver.told if isinstance(fact, facts.Fired))
    assert (first.took, first.inputs) == (second.took, second.inputs)


# Figure 6: a sub-net is the operation of T1. Its tokens are copied in, and every output place must be filled.


def sub_net(**said: object) -> Net:
    return Net(
        name="sw",
        input_sets=(InputSet(bindings={"sp1": (Variable("x"),)}, types={"sp1": "any"}),),
        places=(Place("sp1"), Place("ip2"), Place("sp3", output=True)),
        transitions=(
            Transition(name="t1", inputs=(ArcIn("sp1", "x"),), outputs=(ArcOut("ip2", "x"),)),
            Transition(
                name="t2",
                inputs=(ArcIn("ip2", "x"),),
                outputs=(ArcOut("sp3", "y"),),
                operation=operation("f", "x"),
                **said,  # type: ignore[arg-type]
            ),
        ),
    )


def figure_6(inside: Net) -> Net:
    return Net(
        name="p",
        places=(Place("p1", tokens=(5,)), Place("p3", output=True)),
        transitions=(
            Transition(name="T1", inputs=(ArcIn("p1", "x"),), outputs=(ArcOut("p3", "sp3"),), operation=inside),
        ),
    )


def test_figure_6_a_sub_net_takes_the_tokens_in_and_gives_those_of_its_output_place() -> None:
    driver = everywhere(
        figure_6(sub_net()),
        """
        start                        -> Ready p, Started p, Fired p/T1[1], Started p/T1[1], Moved p/T1[1]:t1,
                                     -> Fired p/T1[1]/t2[1]
        do p/T1[1]/t2[1] {"y": 6}    -> Started p/T1[1]/t2[1], Committed p/T1[1]/t2[1], Arrived p/T1[1]/t2[1],
                                     -> Fixed p/T1[1], Committed p/T1[1], Arrived p/T1[1], Fixed p, Committed p
        """,
    )
    assert values_of(driver, "p") == {"p3": 6}


def test_figure_6_a_sub_net_that_leaves_an_output_place_empty_has_failed() -> None:
    driver = everywhere(
        figure_6(sub_net(guard="x > 5")),
        """
        start -> Ready p, Started p, Fired p/T1[1], Started p/T1[1], Moved p/T1[1]:t1, Aborting p/T1[1],
              -> Aborted p/T1[1], Aborting p, Aborted p
        """,
    )
    ended = driver.last("p", facts.Aborted)
    assert isinstance(ended, facts.Aborted)
    assert ended.error == "engine.unfilled"


def test_section_3_4_a_directed_acyclic_graph_is_a_net_too() -> None:
    """Each node is a transition, each edge a place: B and C run at once, D waits for both."""
    edges = [("A", "B"), ("A", "C"), ("B", "D"), ("C", "D")]
    places = [Place("start", tokens=(0,)), *(Place(a + b) for a, b in edges), Place("end", output=True)]
    transitions = [
        Transition(
            name=node,
            inputs=tuple(ArcIn(a + b) for a, b in edges if b == node) or (ArcIn("start"),),
            outputs=tuple(ArcOut(a + b, "y") for a, b in edges if a == node) or (ArcOut("end", "y"),),
            operation=task("job" + node, outcomes=(Outcome("done", types={"y": "any"}),)),
        )
        for node in "ABCD"
    ]
    everywhere(
        Net(name="p", places=tuple(places), transitions=tuple(transitions)),
        """
        start               -> Ready p, Started p, Fired p/A[1]
        do p/A[1] {"y": 1}  -> Started p/A[1], Committed p/A[1], Arrived p/A[1], {Fired p/B[2], Fired p/C[3]}
        do p/C[3] {"y": 1}  -> Started p/C[3], Committed p/C[3], Arrived p/C[3]
        do p/B[2] {"y": 1}  -> Started p/B[2], Committed p/B[2], Arrived p/B[2], Fired p/D[4]
        do p/D[4] {"y": 1}  -> Started p/D[4], Committed p/D[4], Arrived p/D[4], Fixed p, Committed p
        """,
    )
