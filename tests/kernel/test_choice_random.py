"""Random nets and random steps: what a `Choice` says is what the rules say, and depends on nothing it remembers."""

from collections.abc import Callable
from random import Random
from zlib import crc32

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.kernel.token_game import PATH, SEED, Candidate, TokenGame, canonical
from weft.kernel.binding import Binding, Choice
from weft.kernel.marking import Marking
from weft.kernel.net_plan import NetPlan
from weft.model.definition import ArcIn, ArcKind, ArcOut, Function, Net, Person, Place, Task, Transition

PLACES = ("a", "b", "c")
GAMES = 1_500
VALUES = [1, 2, 3, 1.0, True, None, "x", [1, 2]]


def draws_lots(refused: int) -> Callable[[dict[str, object]], object]:
    """A guard that refuses so many of seven bindings, always the same."""

    def guard(scope: dict[str, object]) -> object:
        return crc32(canonical({name: scope.get(name) for name in ("x", "y", "limit")})) % 7 >= refused

    return guard


GUARDS = {"often": draws_lots(3), "seldom": draws_lots(6), "never": draws_lots(7)}
OPERATIONS = {
    "person": Task(name="ask", handler=Person()),
    "function": Task(name="work", handler=Function("shop:work")),
    "": None,
}


def random_net(random: Random) -> Net:
    return Net(
        name="net",
        places=tuple(Place(place) for place in PLACES),
        transitions=tuple(
            Transition(
                name=f"t{number}",
                inputs=tuple(random_arc(random) for _ in range(random.choice([0, 1, 1, 2, 2, 2, 3]))),
                outputs=tuple(ArcOut(random.choice(PLACES)) for _ in range(random.choice([0, 0, 1, 2]))),
                guard=random.choice(["", "", "often", "seldom", "seldom", "never"]),
                operation=OPERATIONS[random.choice(["", "", "function", "function", "person"])],
                priority=random.choice([0, 0, 0, 1]),
                at_most=random.choice([None, None, 1, 2]),
                join="or" if random.random() < 0.25 else "and",
            )
            for number in range(random.randint(1, 4))
        ),
    )


def random_arc(random: Random) -> ArcIn:
    kind: ArcKind = "take" if random.random() < 0.8 else random.choice(("read", "inhibit"))
    weight = random.choice([1, 1, 1, 1, 2, 3])
    return ArcIn(random.choice(PLACES), random.choice(["", "x", "x", "y", "z"]), kind, weight)


class Play:
    """A net played twice: by `Marking` and `Choice`, and by the slow rules. Every call is written down for a replay."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.plan = NetPlan(net, GUARDS.__getitem__)
        self.inputs: dict[str, object] = {"limit": 3}
        self.game = TokenGame(net, GUARDS, self.inputs)
        self.marking = Marking(PLACES)
        self.choice = self.fresh(self.marking)
        self.away: dict[tuple[str, int], dict[int, tuple[str, object]]] = {}
        self.calls: list[tuple[str, tuple[object, ...]]] = []
        self.number = 0

    def fresh(self, marking: Marking) -> Choice:
        return Choice(self.plan, marking, self.inputs, SEED, PATH)

    def call(self, name: str, *arguments: object) -> object:
        self.calls.append((name, arguments))
        return getattr(self.marking, name)(*arguments)

    def put(self, place: str, value: object) -> None:
        number = self.call("put", place, value)
        assert isinstance(number, int)
        self.game.places[place][number] = value

    def clear(self, place: str) -> None:
        assert self.call("clear", place) == tuple(sorted(self.game.places[place]))
        self.game.places[place].clear()
        self.settle()

    def fire(self, binding: Binding | Candidate) -> None:
        """Moves the tokens of a transition without an operation, begins one with."""
        one = self.net.transitions[binding.transition]
        if one.operation is None:
            self.leave(binding)
            for place, numbers in binding.took:
                self.call("take", place, numbers)
            for arc in one.outputs:
                self.put(arc.place, 1)
        else:
            number = self.numbered(binding)
            self.begin(binding, number)
        self.settle()

    def numbered(self, binding: Binding | Candidate) -> int:
        if isinstance(binding, Binding) and binding.number >= 0:
            return binding.number
        self.number += 1
        return self.number

    def leave(self, binding: Binding | Candidate) -> dict[int, tuple[str, object]]:
        return {
            token: (place, self.game.places[place].pop(token)) for place, numbers in binding.took for token in numbers
        }

    def begin(self, binding: Binding | Candidate, number: int) -> None:
        name = self.net.transitions[binding.transition].name
        self.call("begin", name, number, binding.took)
        self.away[name, number] = self.leave(binding)
        self.game.firings[name, number] = ("running", binding.took)

    def offer(self, binding: Binding) -> None:
        name, number = self.net.transitions[binding.transition].name, self.numbered(binding)
        self.call("offer", name, number, binding.took)
        self.game.firings[name, number] = ("offered", binding.took)

    def end(self, name: str, number: int) -> None:
        self.call("end", name, number)
        self.game.firings.pop((name, number))
        self.away.pop((name, number), None)

    def fail(self, name: str, number: int) -> None:
        self.call("fail", name, number)
        for token, (place, value) in self.away.pop((name, number)).items():
            self.game.places[place][token] = value
        took = self.game.firings[name, number][1]
        others = [status for (one, _), (status, other) in self.game.firings.items() if (one, other) == (name, took)]
        self.game.firings[name, number] = ("waiting", took)
        self.settle((number, name) if {"waiting", "released"} & set(others) else None)

    def release(self, name: str, number: int) -> None:
        self.call("release", name, number)
        self.game.firings[name, number] = ("released", self.game.firings[name, number][1])

    def settle(self, alike: tuple[int, str] | None = None) -> None:
        """Ends every claim that lost a token, and the second of two failed firings that took nothing."""
        lying = {token for tokens in self.game.places.values() for token in tokens}
        lost = {
            (number, name)
            for (name, number), (status, took) in self.game.firings.items()
            if status != "running" and any(token not in lying for _, numbers in took for token in numbers)
        }
        if alike is not None:
            lost.add(alike)
        assert self.marking.lost == lost
        for number, name in sorted(lost):
            self.end(name, number)

    def agree(self, choice: Choice, blocked: set[int]) -> None:
        found = choice.next(blocked)
        assert same(found, self.game.next(blocked))
        if found is not None and found.took:
            name, again = self.net.transitions[found.transition].name, ("released", found.took)
            retried = [number for (one, number), firing in self.game.firings.items() if (one, firing) == (name, again)]
            assert found.number == (retried[0] if retried else -1)
        assert choice.is_quiet() == self.game.is_quiet()


def same(found: Binding | None, expected: Candidate | None) -> bool:
    if found is None or expected is None:
        return found is None and expected is None
    return (
        found.transition == expected.transition
        and found.took == expected.took
        and canonical(found.variables) == canonical(expected.variables)
    )


def step(play: Play, random: Random, blocked: set[int]) -> None:
    running = [key for key, (status, _) in play.game.firings.items() if status == "running"]
    waiting = [key for key, (status, _) in play.game.firings.items() if status == "waiting"]
    offered = [key for key, (status, _) in play.game.firings.items() if status == "offered"]
    acts = ["put"] * 6 + ["fire"] * 5 + ["offer"] + ["clear"] * (random.random() < 0.1)
    acts += ["end", "fail", "fail"] * bool(running) + ["release"] * bool(waiting)
    acts += ["begin", "withdraw"] * bool(offered)
    act = random.choice(acts)
    if act == "put":
        play.put(random.choice(PLACES), random.choice(VALUES))
    elif act == "fire":
        binding = play.choice.next(blocked)
        if binding is not None:
            play.fire(binding)
    elif act == "offer":
        limit = random.choice([1, 2, 100])
        found, expected = play.choice.offers(limit, blocked), play.game.offers(limit, blocked)
        assert len(found) == len(expected)
        assert all(map(same, found, expected))
        for binding in found[: random.randint(0, len(found))]:
            play.offer(binding)
    elif act == "clear":
        play.clear(random.choice(PLACES))
    elif act == "end":
        play.end(*random.choice(running))
    elif act == "fail":
        play.fail(*random.choice(running))
    elif act == "release":
        play.release(*random.choice(waiting))
    elif act == "withdraw":
        play.end(*random.choice(offered))
    else:
        name, number = random.choice(offered)
        begun = play.choice.bind(play.plan.transition_number[name], play.game.firings[name, number][1])
        if begun is not None:
            play.begin(begun, number)
            play.settle()


def play_and_compare(random: Random, steps: int) -> None:
    play = Play(random_net(random))
    for _ in range(steps):
        blocked = {random.randrange(4)} if random.random() < 0.2 else set()
        step(play, random, blocked)
        if random.random() < 0.7:
            play.agree(play.choice, blocked)
    play.agree(play.choice, set())
    replayed = Marking(PLACES)
    for name, arguments in play.calls:
        getattr(replayed, name)(*arguments)
    assert replayed == play.marking
    play.agree(play.fresh(replayed), set())


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.randoms(), st.integers(0, 25))
def test_a_choice_says_what_the_rules_say(random: Random, steps: int) -> None:
    play_and_compare(random, steps)


@pytest.mark.slow
def test_a_choice_says_what_the_rules_say_in_long_games() -> None:
    for seed in range(GAMES):
        play_and_compare(Random(seed), 50)
