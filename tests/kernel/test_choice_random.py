"""Random nets and random steps: what a `Choice` says is what the rules say, and depends on nothing it remembers."""

from zlib import crc32

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.kernel.token_game import PATH, SEED, Candidate, TokenGame, canonical
from weft.kernel.binding import Binding, Choice
from weft.kernel.marking import Marking
from weft.kernel.net_plan import NetPlan
from weft.model.definition import ArcIn, ArcOut, Function, Net, Person, Place, Task, Transition

PLACES = ("a", "b", "c", "d")
VALUES = st.sampled_from([1, 2, 1.0, True, None, "x", [1, 2]])


def draws_lots(share: int):  # type: ignore[no-untyped-def]
    def guard(scope: dict[str, object]) -> object:
        return crc32(canonical({name: scope.get(name) for name in ("x", "y", "limit")})) % 7 >= share

    return guard


GUARDS = {"often": draws_lots(2), "seldom": draws_lots(5), "never": draws_lots(7)}
OPERATIONS = {
    "person": Task(name="ask", handler=Person()),
    "function": Task(name="work", handler=Function("shop:work")),
    "": None,
}

arcs_in = st.builds(
    ArcIn,
    place=st.sampled_from(PLACES),
    variable=st.sampled_from(["", "x", "x", "y", "z"]),
    kind=st.sampled_from(["take"] * 6 + ["read", "inhibit"]),
    weight=st.sampled_from([1, 1, 1, 1, 2, 3]),
)


@st.composite
def nets(draw: st.DrawFn) -> Net:
    transitions = [
        Transition(
            name=f"t{number}",
            inputs=tuple(draw(st.lists(arcs_in, max_size=3))),
            outputs=tuple(ArcOut(place) for place in draw(st.lists(st.sampled_from(PLACES), max_size=2))),
            guard=draw(st.sampled_from(["", "", "often", "seldom", "never"])),
            operation=OPERATIONS[draw(st.sampled_from(["", "", "function", "person"]))],
            priority=draw(st.sampled_from([0, 0, 0, 1])),
            at_most=draw(st.sampled_from([None, None, 1, 2])),
            join=draw(st.sampled_from(["and", "and", "or"])),
        )
        for number in range(draw(st.integers(1, 4)))
    ]
    return Net(name="net", places=tuple(Place(place) for place in PLACES), transitions=tuple(transitions))


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


def step(play: Play, data: st.DataObject, blocked: set[int]) -> None:
    running = [key for key, (status, _) in play.game.firings.items() if status == "running"]
    waiting = [key for key, (status, _) in play.game.firings.items() if status == "waiting"]
    offered = [key for key, (status, _) in play.game.firings.items() if status == "offered"]
    acts = ["put", "put", "put", "fire", "fire", "fire", "fire", "offer", "clear"]
    acts += ["end", "fail", "fail"] * bool(running) + ["release"] * bool(waiting)
    acts += ["begin", "withdraw"] * bool(offered)
    act = data.draw(st.sampled_from(acts), "act")
    if act == "put":
        play.put(data.draw(st.sampled_from(PLACES)), data.draw(VALUES))
    elif act == "fire":
        binding = play.choice.next(blocked)
        if binding is not None:
            play.fire(binding)
    elif act == "offer":
        limit = data.draw(st.sampled_from([1, 2, 100]))
        found, expected = play.choice.offers(limit, blocked), play.game.offers(limit, blocked)
        assert len(found) == len(expected)
        assert all(map(same, found, expected))
        for binding in found[: data.draw(st.integers(0, len(found)))]:
            play.offer(binding)
    elif act == "clear":
        play.clear(data.draw(st.sampled_from(PLACES)))
    elif act == "end":
        play.end(*data.draw(st.sampled_from(running)))
    elif act == "fail":
        play.fail(*data.draw(st.sampled_from(running)))
    elif act == "release":
        play.release(*data.draw(st.sampled_from(waiting)))
    elif act == "withdraw":
        play.end(*data.draw(st.sampled_from(offered)))
    else:
        name, number = data.draw(st.sampled_from(offered))
        begun = play.choice.bind(play.plan.transition_number[name], play.game.firings[name, number][1])
        if begun is not None:
            play.begin(begun, number)
            play.settle()


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(nets(), st.data())
def test_a_choice_says_what_the_rules_say(net: Net, data: st.DataObject) -> None:
    play = Play(net)
    for _ in range(data.draw(st.integers(0, 25), "steps")):
        blocked = data.draw(st.sets(st.integers(0, len(net.transitions) - 1), max_size=1))
        step(play, data, blocked)
        if data.draw(st.booleans(), "look"):
            play.agree(play.choice, blocked)
    play.agree(play.choice, set())
    replayed = Marking(PLACES)
    for name, arguments in play.calls:
        getattr(replayed, name)(*arguments)
    assert replayed == play.marking
    play.agree(play.fresh(replayed), set())
