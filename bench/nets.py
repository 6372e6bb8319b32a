"""Figures of nets without operations: firings per CPU-second, beside SNAKES on the same nets.

The token game chooses, takes, computes what the arcs give, and puts, as SNAKES does when it fires the first transition
that has a mode. The whole kernel does so by the command `Continue`, and tells a fact of every firing.
"""

from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from time import process_time

from bench.figures import Figure, best, figure, surroundings
from weft.kernel.binding import Choice
from weft.kernel.commands import Continue, Start
from weft.kernel.decide import apply
from weft.kernel.marking import Marking
from weft.kernel.net_plan import NetPlan
from weft.kernel.outstanding import effects
from weft.kernel.plan import plan_of
from weft.kernel.state import State
from weft.model.definition import ArcIn, ArcOut, Net, Place, Process, Transition

SECONDS = 1.0
PHILOSOPHERS = (10, 100, 1_000)


def figures(beside_snakes: bool = True) -> Iterator[Figure]:
    nets: list[tuple[str, Net]] = [("pipeline of 10", pipeline(10))]
    nets += [(f"{count:,} philosophers".replace(",", " "), philosophers(count)) for count in PHILOSOPHERS]
    for name, net in nets:
        ours = best(partial(token_game, net))
        yield figure(name, ours, "firings/s")
        yield figure(f"{name}, the whole kernel", best(partial(whole_kernel, net)), "firings/s")
        if beside_snakes and find_spec("snakes") is not None:
            theirs = best(partial(snakes, net))
            peer = f"SNAKES {version('snakes')}"
            yield Figure(name, theirs, "firings/s", peer)
            yield Figure(f"{name}: Weft ÷ SNAKES", ours / theirs, "×", surroundings() + ", " + peer)
    yield figure("correlation among 10 000", best(partial(token_game, correlation(10_000))), "firings/s")


def pipeline(stages: int) -> Net:
    return Net(
        name="pipeline",
        places=tuple(Place(f"p{n}", tokens=(1,) if n == 0 else ()) for n in range(stages)),
        transitions=tuple(
            Transition(
                name=f"t{n}",
                inputs=(ArcIn(f"p{n}", "x"),),
                outputs=(ArcOut(f"p{(n + 1) % stages}", "x"),),
            )
            for n in range(stages)
        ),
    )


def philosophers(count: int) -> Net:
    """Each takes the left and the right fork together, and gives them back when he has eaten."""
    dine = [
        Transition(
            name=f"take{n}",
            inputs=(ArcIn(f"fork{n}", "left"), ArcIn(f"fork{(n + 1) % count}", "right")),
            outputs=(ArcOut(f"eating{n}", "left"),),
        )
        for n in range(count)
    ]
    think = [
        Transition(
            name=f"give{n}",
            inputs=(ArcIn(f"eating{n}", "left"),),
            outputs=(ArcOut(f"fork{n}", "left"), ArcOut(f"fork{(n + 1) % count}", "left")),
        )
        for n in range(count)
    ]
    forks = tuple(Place(f"fork{n}", tokens=(1,)) for n in range(count))
    eating = tuple(Place(f"eating{n}") for n in range(count))
    return Net(name="philosophers", places=forks + eating, transitions=(*dine, *think))


def correlation(waiting: int) -> Net:
    """Orders meet their payments by a shared variable while many others wait."""
    return Net(
        name="correlation",
        places=(
            Place("orders", tokens=tuple(range(waiting))),
            Place("payments", tokens=(waiting - 1,)),
        ),
        transitions=(
            Transition(
                name="match",
                inputs=(ArcIn("orders", "id"), ArcIn("payments", "id")),
                outputs=(ArcOut("orders", "id"), ArcOut("payments", "id")),
            ),
        ),
    )


def token_game(net: Net, for_seconds: float = SECONDS) -> float:
    plan = NetPlan(net, no_guards)
    marking = Marking(plan.places)
    for place in net.places:
        marking.put_all(((place.name, place.tokens),))
    choice = Choice(plan, marking, {}, 1, net.name)
    firings, start = 0, process_time()
    while process_time() - start < for_seconds:
        for _ in range(1_000):
            binding = choice.next()
            assert binding is not None
            one = plan.transitions[binding.transition]
            put = one.put(one.assigned(binding.variables, {}))
            assert put is not None
            marking.take_all(binding.took)
            marking.put_all(put)
        firings += 1_000
    return firings / (process_time() - start)


def whole_kernel(net: Net, for_seconds: float = SECONDS) -> float:
    plan = plan_of(Process(name=net.name, body=net))
    state = State()
    apply(plan, state, Start())
    firings, start = 0, process_time()
    while process_time() - start < for_seconds:
        told = apply(plan, state, Continue())
        effects(plan, state, told)
        firings += len(told)
    return firings / (process_time() - start)


def no_guards(text: str) -> Callable[[dict[str, object]], object]:
    raise AssertionError(text)


def snakes(net: Net) -> float:
    from snakes.nets import PetriNet, Variable  # type: ignore[import-untyped]
    from snakes.nets import Place as SnakesPlace
    from snakes.nets import Transition as SnakesTransition

    peer = PetriNet(net.name)
    for place in net.places:
        peer.add_place(SnakesPlace(place.name, list(place.tokens)))
    for one in net.transitions:
        peer.add_transition(SnakesTransition(one.name))
        for arc in one.inputs:
            peer.add_input(arc.place, one.name, Variable(arc.variable))
        for out in one.outputs:
            peer.add_output(out.place, one.name, Variable(out.variable))
    transitions = peer.transition()
    firings, start = 0, process_time()
    while process_time() - start < SECONDS:
        for one in transitions:
            modes = one.modes()
            if modes:
                one.fire(modes[0])
                firings += 1
    return firings / (process_time() - start)
