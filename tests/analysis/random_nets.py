"""Random plain nets: any, and workflow nets that were built of blocks and then spoilt or not."""

from random import Random

from weft.analysis.plain import PlainNet, PlainTransition


def any_net(random: Random, is_plain: bool = False) -> PlainNet:
    count = random.randint(1, 6)
    marking = [random.randint(0, 1) if is_plain else random.choice((0, 0, 1, 1, 2)) for _ in range(count)]
    return PlainNet(
        tuple(f"p{one}" for one in range(count)),
        tuple(transition(random, f"t{one}", count, is_plain) for one in range(random.randint(1, 6))),
        tuple(marking) if any(marking) else (1, *marking[1:]),
    )


def transition(random: Random, name: str, count: int, is_plain: bool) -> PlainTransition:
    def some(chance: float, weight: int) -> dict[int, int]:
        return {place: random.randint(1, weight) for place in range(count) if random.random() < chance}

    if is_plain:
        return PlainTransition(name, some(0.35, 1), some(0.35, 1))
    takes = some(0.35, 2)
    extra = random.random() < 0.4
    return PlainTransition(
        name,
        takes or {random.randrange(count): 1},
        some(0.3, 2),
        some(0.1, 2) if extra else {},
        some(0.15, 2) if extra else {},
        frozenset(some(0.15, 1)) if extra else frozenset(),
    )


def workflow(random: Random, faults: int) -> PlainNet:
    """Blocks inside one another, with some arcs moved."""
    arcs: list[tuple[set[int], set[int]]] = []
    count = 2

    def block(start: int, end: int, depth: int) -> None:
        nonlocal count
        kind = random.choice(("task", "serial", "choice", "all", "loop")) if depth else "task"
        if kind == "task":
            arcs.append(({start}, {end}))
        elif kind == "serial":
            middle = count
            count += 1
            block(start, middle, depth - 1)
            block(middle, end, depth - 1)
        elif kind == "choice":
            for _ in range(2):
                block(start, end, depth - 1)
        elif kind == "loop":
            first = count
            count += 2
            arcs.append(({start}, {first}))
            block(first, first + 1, depth - 1)
            arcs.append(({first + 1}, {first}))
            arcs.append(({first + 1}, {end}))
        else:
            first = count
            count += 4
            arcs.append(({start}, {first, first + 1}))
            block(first, first + 2, depth - 1)
            block(first + 1, first + 3, depth - 1)
            arcs.append(({first + 2, first + 3}, {end}))

    block(0, 1, random.randint(1, 3))
    for _ in range(faults):
        takes, puts = random.choice(arcs)
        side = random.choice((takes, puts))
        if random.random() < 0.5 and len(side) > 1:
            side.discard(random.choice(sorted(side)))
        else:
            side.add(random.choice([place for place in range(count) if place != (1 if side is takes else 0)]))
    return PlainNet(
        tuple(f"p{place}" for place in range(count)),
        tuple(
            PlainTransition(f"t{number}", dict.fromkeys(sorted(takes), 1), dict.fromkeys(sorted(puts), 1))
            for number, (takes, puts) in enumerate(arcs)
        ),
        tuple(int(place == 0) for place in range(count)),
    )
