"""Which transition fires next and with which tokens: each rule of SEMANTICS §5, *Net*, by an example."""

import pytest

from weft.kernel.binding import Binding, Choice
from weft.kernel.marking import Marking
from weft.kernel.net_plan import NetPlan, Took
from weft.model.definition import ArcIn, ArcOut, Function, Net, Person, Place, Task, Transition

WORK = Task(name="work", handler=Function("shop:work"))
ASK = Task(name="ask", handler=Person())
Marks = dict[str, list[object]]


class Fails(Exception):
    """A guard that can't be answered."""


def fails(scope: dict[str, object]) -> object:
    raise Fails(str(scope["x"]))


GUARDS = {
    "x > 1": lambda scope: int(str(scope["x"])) > 1,
    "x > limit": lambda scope: int(str(scope["x"])) > int(str(scope["limit"])),
    "x": lambda scope: scope["x"],
    "fails": fails,
    "x + y == 5": lambda scope: int(str(scope["x"])) + int(str(scope["y"])) == 5,
}


class Table:
    """A net on the table, with the values given per place put in the order they are written."""

    def __init__(self, *transitions: Transition, **tokens: list[object]) -> None:
        self.plan = NetPlan(
            Net(name="net", places=tuple(map(Place, "abcdef")), transitions=transitions), GUARDS.__getitem__
        )
        self.marking = Marking(self.plan.places)
        for place, values in tokens.items():
            for value in values:
                self.marking.put(place, value)
        self.choice = self.seeded(1)

    def seeded(self, seed: int) -> Choice:
        return Choice(self.plan, self.marking, {"limit": 2}, seed, "net")

    def next(self, *blocked: int) -> tuple[str, Took] | None:
        found = self.choice.next(set(blocked))
        return None if found is None else (self.name(found), found.took)

    def name(self, binding: Binding) -> str:
        return self.plan.transitions[binding.transition].name

    def fire(self) -> str:
        """Fires without an operation; what it was."""
        found = self.choice.next()
        assert found is not None
        self.marking.take_all(found.took)
        one = self.plan.transitions[found.transition]
        self.marking.put_all(one.put(found.variables) or ())
        return one.name

    def run(self) -> list[str]:
        fired = []
        while self.choice.next() is not None:
            fired.append(self.fire())
        return fired

    def begin(self, number: int) -> str:
        """Fires with an operation."""
        found = self.choice.next()
        assert found is not None
        self.marking.begin(self.name(found), number, found.took)
        return self.name(found)


def joining(name: str, *places: str, to: str = "", **more: object) -> Transition:
    """A transition from places to places."""
    one = Transition(name=name, inputs=tuple(map(ArcIn, places)), outputs=tuple(map(ArcOut, to)))
    return replaced(one, **more)


def replaced(one: Transition, **more: object) -> Transition:
    fields = {field: getattr(one, field) for field in one.__struct_fields__}
    return Transition(**{**fields, **more})


def taking(*arcs: ArcIn, **more: object) -> Transition:
    return replaced(Transition(name="t", inputs=arcs), **more)


# Binding.


@pytest.mark.parametrize(
    ("arcs", "guard", "tokens", "took", "variables"),
    [
        pytest.param((ArcIn("a", "x"),), "", {"a": [7, 8]}, (("a", (1,)),), {"x": 7}, id="the oldest"),
        pytest.param((ArcIn("a", "x"), ArcIn("b")), "", {"a": [7]}, None, {}, id="every place is asked"),
        pytest.param(
            (ArcIn("a", "x", weight=2),), "", {"a": [7, 8, 9]}, (("a", (1, 2)),), {"x": [7, 8]}, id="weight: a list"
        ),
        pytest.param((ArcIn("a", "x", weight=2),), "", {"a": [7]}, None, {}, id="weight: too few"),
        pytest.param((ArcIn("a", "x", weight=2),), "x", {"a": [7]}, None, {}, id="weight and guard: too few"),
        pytest.param(
            (ArcIn("a", "x"), ArcIn("a", "y", weight=2)),
            "",
            {"a": [7, 8, 9]},
            (("a", (3,)), ("a", (1, 2))),
            {"x": 9, "y": [7, 8]},
            id="weight k takes the k oldest before weight 1 chooses",
        ),
        pytest.param(
            (ArcIn("a", "x"), ArcIn("a", "y")),
            "",
            {"a": [7, 8]},
            (("a", (1,)), ("a", (2,))),
            {"x": 7, "y": 8},
            id="no token is bound twice",
        ),
        pytest.param((ArcIn("a", "x"), ArcIn("a", "y")), "", {"a": [7]}, None, {}, id="nor once too few"),
        pytest.param(
            (ArcIn("a", "x"), ArcIn("b", "x")),
            "",
            {"a": [1, 2], "b": [2, 1]},
            (("a", (2,)), ("b", (3,))),
            {"x": 2},
            id="the same variable: equal values",
        ),
        pytest.param((ArcIn("a", "x"), ArcIn("b", "x")), "", {"a": [1], "b": [1.0]}, None, {}, id="1 is not 1.0"),
        pytest.param((ArcIn("a", "x"), ArcIn("b", "x")), "", {"a": [1], "b": [True]}, None, {}, id="nor true"),
        pytest.param(
            (ArcIn("a", "x"), ArcIn("b", "x")),
            "",
            {"a": [{"k": 1, "l": 2}], "b": [{"l": 2, "k": 1}]},
            (("a", (1,)), ("b", (2,))),
            {"x": {"k": 1, "l": 2}},
            id="records are equal in any order",
        ),
        pytest.param(
            (ArcIn("a", "x", weight=2), ArcIn("b", "x")),
            "",
            {"a": [1, 2], "b": [1, [1, 2]]},
            (("a", (1, 2)), ("b", (4,))),
            {"x": [1, 2]},
            id="a list of weight k equals a list",
        ),
        pytest.param(
            (ArcIn("a", "x", weight=2), ArcIn("b", "x", weight=2)),
            "",
            {"a": [1, 2], "b": [1, 3]},
            None,
            {},
            id="two lists differ",
        ),
        pytest.param((ArcIn("a", "x"),), "x > 1", {"a": [1, 2]}, (("a", (2,)),), {"x": 2}, id="a guard"),
        pytest.param((ArcIn("a", "x"),), "x > limit", {"a": [1, 2]}, None, {}, id="a guard sees the net's inputs"),
        pytest.param(
            (ArcIn("a", "x"), ArcIn("b", "y")),
            "x + y == 5",
            {"a": [1, 2, 3], "b": [3, 2]},
            (("a", (2,)), ("b", (4,))),
            {"x": 2, "y": 3},
            id="a guard over two: the newest token is oldest",
        ),
        pytest.param(
            (ArcIn("a", "x"), ArcIn("b", "y", kind="read")),
            "",
            {"a": [1], "b": [9]},
            (("a", (1,)),),
            {"x": 1, "y": 9},
            id="what is read stays",
        ),
        pytest.param((ArcIn("a"), ArcIn("a", kind="read")), "", {"a": [1]}, None, {}, id="no reading what is taken"),
        pytest.param(
            (ArcIn("a"), ArcIn("b", kind="inhibit")), "", {"a": [1], "b": [1]}, None, {}, id="an inhibitor forbids"
        ),
        pytest.param(
            (ArcIn("a"), ArcIn("b", kind="inhibit", weight=2)),
            "",
            {"a": [1], "b": [1]},
            (("a", (1,)),),
            {},
            id="an inhibitor asks for fewer than its weight",
        ),
        pytest.param(
            (ArcIn("a"), ArcIn("a", kind="inhibit")), "", {"a": [1]}, (("a", (1,)),), {}, id="to stay after the taking"
        ),
        pytest.param(
            (ArcIn("a"), ArcIn("b", kind="reset")), "", {"a": [1]}, (("a", (1,)),), {}, id="a reset asks nothing"
        ),
        pytest.param((), "", {}, (), {}, id="a transition that asks nothing"),
    ],
)
def test_how_arcs_bind(
    arcs: tuple[ArcIn, ...], guard: str, tokens: Marks, took: Took | None, variables: dict[str, object]
) -> None:
    table = Table(taking(*arcs, guard=guard), **tokens)
    found = table.choice.next()
    assert (None if found is None else found.took) == took
    assert found is None or found.variables == variables
    assert table.choice.is_quiet() == (took is None)


def test_a_guard_that_fails_raises_each_time_it_is_asked() -> None:
    table = Table(taking(ArcIn("a", "x"), guard="fails"), a=[1])
    for _ in range(2):
        with pytest.raises(Fails, match="1"):
            table.choice.next()


def test_of_guards_that_fail_the_first_in_order_is_told_whatever_was_touched_last() -> None:
    one = Transition(name="one", inputs=(ArcIn("a", "x"),), guard="fails")
    two = Transition(name="two", inputs=(ArcIn("b", "x"),), guard="fails")
    table = Table(one, two)
    assert table.next() is None
    table.marking.put("b", "two's")
    table.marking.put("a", "one's")
    with pytest.raises(Fails, match="one's"):
        table.choice.next()


def test_a_guard_is_asked_once_about_a_binding() -> None:
    asked: list[object] = []

    def refuses(scope: dict[str, object]) -> object:
        asked.append(scope["x"])
        return False

    GUARDS["refuses"] = refuses
    table = Table(taking(ArcIn("a", "x"), guard="refuses"), joining("u", "b", to="a"), a=[1, 2], b=[3, 4])
    assert table.run() == ["u", "u"]
    assert asked == [1, 2, None, None]


def test_a_window_that_moves_is_tried_with_every_token_again() -> None:
    """Binding the two oldest of `a` with an older one of `b` comes before what was refused last."""
    pair = Transition(name="pair", inputs=(ArcIn("b", "y"), ArcIn("a", "x", weight=2)), guard="x is [2, 3]")
    GUARDS["x is [2, 3]"] = lambda scope: scope["x"] == [2, 3]
    table = Table(pair, a=[1, 2, 3], b=[8, 9])
    assert table.next() is None
    table.marking.take("a", (1,))
    assert table.next() == ("pair", (("b", (4,)), ("a", (2, 3))))


# Choice.


def test_the_higher_priority_fires_first() -> None:
    table = Table(joining("low", "a"), joining("high", "b", priority=1), a=[1], b=[1])
    assert table.run() == ["high", "low"]


def test_then_the_binding_whose_newest_token_is_oldest() -> None:
    table = Table(joining("late", "a", "b"), joining("early", "c"), a=[1], c=[1], b=[1])
    assert table.run() == ["early", "late"]


def test_what_is_read_counts_as_newest_too() -> None:
    reads = Transition(name="reads", inputs=(ArcIn("a"), ArcIn("b", kind="read")))
    table = Table(reads, joining("takes", "c"), a=[1], c=[1], b=[1])
    assert table.run() == ["takes", "reads"]


def test_then_a_hash_of_seed_path_token_and_transition() -> None:
    """The same seed decides the same, and over the tokens each of two has about half."""
    for seed in range(5):
        runs = []
        for _ in range(2):
            table = Table(joining("one", "a"), joining("two", "a"), a=[1] * 200)
            table.choice = table.seeded(seed)
            runs.append(table.run())
        assert runs[0] == runs[1]
        assert 60 < runs[0].count("one") < 140


def test_then_the_order_of_the_arcs() -> None:
    """With one newest token the older tokens decide, those of the first arc first."""
    table = Table(taking(ArcIn("a", "x"), ArcIn("b", "y"), guard="x + y == 5"), a=[1, 2], b=[4, 3])
    table.marking.take("b", (3, 4))
    table.marking.put("b", 3)
    assert table.next() == ("t", (("a", (2,)), ("b", (5,))))


def test_blocked_transitions_are_passed_over_and_keep_the_net_awake() -> None:
    table = Table(joining("first", "a"), joining("second", "b"), a=[1], b=[1])
    assert table.next(0) == ("second", (("b", (2,)),))
    assert table.next(0, 1) is None
    assert not table.choice.is_quiet()
    assert table.next() == ("first", (("a", (1,)),))


def test_the_heap_does_not_keep_what_is_long_past() -> None:
    table = Table(joining("high", "a", to="a", priority=1), joining("low", "a", "b"), a=[1], b=[1])
    for _ in range(1_000):
        assert table.fire() == "high"
    assert len(table.choice.heap) < 100


# Firings.


def test_at_most_bounds_parallel_firings() -> None:
    table = Table(joining("work", "a", operation=WORK, at_most=2), a=[1, 2, 3])
    assert [table.begin(1), table.begin(2)] == ["work", "work"]
    assert table.next() is None
    table.marking.end("work", 1)
    assert table.next() == ("work", (("a", (3,)),))


def test_a_failed_firing_waits_for_its_backoff_while_others_go_on() -> None:
    table = Table(joining("work", "a", operation=WORK), a=[1, 2])
    table.begin(1)
    table.marking.fail("work", 1)
    assert table.next() == ("work", (("a", (2,)),))
    table.begin(2)
    assert table.next() is None
    assert not table.choice.is_quiet()
    table.marking.end("work", 2)
    table.marking.put("a", 3)
    table.marking.release("work", 1)
    found = table.choice.next()
    assert found is not None
    assert (found.took, found.number) == ((("a", (1,)),), 1)
    table.begin(1)
    found = table.choice.next()
    assert found is not None
    assert (found.took, found.number) == ((("a", (3,)),), -1)


def test_another_transition_may_take_what_waits() -> None:
    table = Table(joining("work", "a", operation=WORK, priority=1), joining("other", "a"), a=[1])
    assert table.begin(7) == "work"
    table.marking.fail("work", 7)
    assert table.fire() == "other"
    assert table.marking.lost == {(7, "work")}


# Offers.


def test_offers_are_disjoint_oldest_first_and_at_most_so_many() -> None:
    table = Table(joining("ask", "a", operation=ASK), a=[1, 2, 3, 4])
    assert table.next() is None
    assert [binding.took for binding in table.choice.offers(3)] == [(("a", (n,)),) for n in (1, 2, 3)]
    for number, binding in enumerate(table.choice.offers(2), 1):
        table.marking.offer("ask", number, binding.took)
    assert table.choice.offers(2) == []
    assert [binding.took for binding in table.choice.offers(3)] == [(("a", (3,)),)]
    assert not table.choice.is_quiet()


def test_what_is_not_offered_is_told_again() -> None:
    table = Table(joining("ask", "a", operation=ASK), a=[1])
    assert len(table.choice.offers()) == len(table.choice.offers()) == 1
    assert not table.choice.is_quiet()
    assert table.choice.offers(blocked={0}) == []


def test_a_token_of_an_ended_offer_is_offered_again() -> None:
    table = Table(joining("ask", "a", "b", operation=ASK), a=[1], b=[1])
    (binding,) = table.choice.offers()
    table.marking.offer("ask", 1, binding.took)
    assert table.choice.offers() == []
    table.marking.take("b", (2,))
    table.marking.end("ask", 1)
    table.marking.put("b", 2)
    assert [binding.took for binding in table.choice.offers()] == [(("a", (1,)), ("b", (3,)))]


def test_beginning_an_offer_tests_what_is_read_forbidden_and_bounded() -> None:
    arcs = (ArcIn("a", "x"), ArcIn("b", "y", kind="read"), ArcIn("c", kind="inhibit"))
    table = Table(Transition(name="ask", inputs=arcs, operation=ASK, at_most=1), a=[1, 2], b=[8, 9])
    first, second = table.choice.offers()
    table.marking.take("b", (3,))
    begun = table.choice.bind(0, first.took)
    assert begun is not None
    assert begun.variables == {"x": 1, "y": 9}
    table.marking.put("c", 1)
    assert table.choice.bind(0, first.took) is None
    table.marking.clear("c")
    table.marking.begin("ask", 1, first.took)
    assert table.choice.bind(0, second.took) is None
    table.marking.end("ask", 1)
    assert table.choice.offers(blocked={0}) == []
    assert table.choice.bind(0, first.took) is None
    assert table.choice.bind(0, (("a", (2, 3)),)) is None
    table.marking.clear("b")
    assert table.choice.bind(0, second.took) is None


# Or-joins.


def or_join(name: str, *places: str, to: str = "", **more: object) -> Transition:
    return replaced(joining(name, *places, to=to), join="or", **more)


def test_an_or_join_waits_for_what_can_still_come() -> None:
    table = Table(
        or_join("join", "b", "c", inputs=(ArcIn("b", "x"), ArcIn("c", "y"))), joining("slow", "d", to="c"), b=[1], d=[2]
    )
    assert table.fire() == "slow"
    found = table.choice.next()
    assert found is not None
    assert found.took == (("b", (1,)), ("c", (3,)))


def test_an_or_join_does_not_wait_for_what_can_not_come() -> None:
    join = or_join("join", "b", "c", inputs=(ArcIn("b", "x"), ArcIn("c", "y")))
    table = Table(join, joining("slow", "d", to="c"), b=[1], e=[2])
    found = table.choice.next()
    assert found is not None
    assert (found.took, found.variables) == ((("b", (1,)),), {"x": 1, "y": None})


def test_a_running_firing_counts_as_tokens_at_its_outputs() -> None:
    table = Table(or_join("join", "b", "c"), joining("work", "d", to="c", operation=WORK), b=[1], d=[2])
    assert table.begin(1) == "work"
    assert table.next() is None
    table.marking.end("work", 1)
    assert table.next() == ("join", (("b", (1,)),))


def test_tokens_do_not_come_by_reading_nor_through_the_join_itself() -> None:
    reads = Transition(name="reads", inputs=(ArcIn("e", kind="read"), ArcIn("f")), outputs=(ArcOut("c"),))
    table = Table(or_join("join", "b", "c", to="b"), reads, b=[1], e=[1])
    assert table.next() == ("join", (("b", (1,)),))


def test_a_joins_own_inputs_are_not_elsewhere() -> None:
    table = Table(or_join("join", "b", "c"), joining("over", "b", "d", to="c"), b=[1, 2])
    assert table.next() == ("join", (("b", (1,)),))


def test_reading_and_inhibiting_arcs_of_an_or_join_are_conditions() -> None:
    arcs = (ArcIn("b"), ArcIn("c"), ArcIn("d", kind="read"), ArcIn("e", kind="inhibit"))
    table = Table(or_join("join", inputs=arcs), b=[1])
    assert table.next() is None
    table.marking.put("d", 1)
    assert table.next() == ("join", (("b", (1,)),))
    table.marking.put("e", 1)
    assert table.next() is None


KNOT = (or_join("one", "a", "b", to="d"), or_join("two", "c", "d", to="b"))


def test_of_or_joins_that_wait_only_for_one_another_the_first_fires() -> None:
    table = Table(*KNOT, a=[1], c=[1])
    assert not table.choice.is_quiet()
    assert table.next(0) is None
    assert [table.fire(), table.fire()] == ["one", "two"]


def test_or_joins_that_wait_for_a_stuck_token_do_not_fire() -> None:
    stuck = joining("stuck", "e", "f", to="b")
    table = Table(*KNOT, stuck, a=[1], c=[1], e=[1])
    assert table.next() is None
    assert table.choice.is_quiet()


def test_a_knot_is_not_cut_while_anything_runs_or_is_offered() -> None:
    table = Table(*KNOT, joining("work", "e", operation=WORK), joining("ask", "f", operation=ASK), a=[1], c=[1], e=[1])
    table.begin(1)
    assert table.next() is None
    table.marking.end("work", 1)
    table.marking.put("f", 1)
    assert table.next() is None
    table.marking.clear("f")
    assert table.next() == ("one", (("a", (1,)),))


def test_a_knot_of_a_persons_task_is_offered() -> None:
    one, two = KNOT
    table = Table(replaced(one, operation=ASK), two, a=[1], c=[1])
    assert table.next() is None
    assert [table.name(binding) for binding in table.choice.offers()] == ["one"]


# Speed.


def test_a_shared_variable_finds_its_token_among_thousands_that_came_and_went() -> None:
    """The index forgets what has left, and tokens that come back are found."""
    match = Transition(name="match", inputs=(ArcIn("a", "x"), ArcIn("b", "x")), operation=WORK)
    table = Table(match, a=list(range(50)))
    for number in range(1_000, 1_500):
        table.marking.put("b", number)
        table.marking.put("a", number)
        found = table.choice.next()
        assert found is not None
        assert found.variables == {"x": number}
        table.marking.begin("match", number, found.took)
        if number % 2:
            table.marking.fail("match", number)
            assert table.next() is None
            table.marking.release("match", number)
            retried = table.choice.next()
            assert retried is not None
            assert (retried.took, retried.number) == (found.took, number)
            table.marking.begin("match", number, found.took)
        table.marking.end("match", number)
    assert all(index.size < 300 for index in table.choice.indexes.values())
