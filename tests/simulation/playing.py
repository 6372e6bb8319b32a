"""Plays one history, by its seed or as Hypothesis draws it."""

from tests.random.draw import Draw, Seeded
from tests.simulation.world import World

STEPS = 120


def play(draw: Draw, steps: int = STEPS, of: type[World] = World) -> World:
    """First safety, while all goes wrong that may; then nothing does, and everything must end."""
    world = of(draw)
    for _ in range(steps):
        world.happen()
    world.ledger.look()
    world.calm()
    world.ledger.check_store()
    return world


def play_seed(seed: int, steps: int = STEPS, of: type[World] = World) -> World:
    return play(Seeded(seed), steps, of)
