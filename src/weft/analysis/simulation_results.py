"""What came of simulated runs: how long they took, how they ended, where they waited, what they never did; a plot."""

from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import Final

from msgspec import Struct

from weft.analysis.simulation import Simulation, activities_of
from weft.model.definition import Task, is_unnamed

PATHS_SHOWN: Final = 10
BARS: Final = 24
WIDTH: Final = 640
HEIGHT: Final = 240
MARGIN: Final = 36


class Times(Struct, frozen=True):
    """Seconds from the start of a run to its end."""

    least: float
    median: float
    p90: float
    p95: float
    most: float
    mean: float


class Use(Struct, frozen=True):
    """Of one activity, over all runs: how often it ran and failed, and for how long it waited and worked on average."""

    activity: str
    started: int
    aborted: int
    wait_seconds: float
    work_seconds: float


class Path(Struct, frozen=True):
    """Tasks in the order in which they began, and how many runs went so."""

    tasks: tuple[str, ...]
    runs: int


class Results(Struct, frozen=True):
    process: str
    runs: int
    seed: int
    ends: dict[str, int]
    times: Times | None
    activities: list[Use]
    roles: dict[str, float]
    """Which part of its time a role was at work."""
    paths: list[Path]
    never: list[str]


def results_of(simulation: Simulation, seed: int) -> Results:
    runs = simulation.runs
    ran = {name for name, tally in simulation.tallies.items() if tally.started}
    tasks = {one.name for one in activities_of(simulation.process) if isinstance(one, Task)}
    span = max([run.ended for run in runs if run.ended >= 0], default=0.0)
    if simulation.figures.every_seconds is None:
        span = sum(run.ended - run.began for run in runs if run.ended >= 0)
    paths = Counter(tuple(name for name in run.ran if name in tasks) for run in runs)
    return Results(
        process=simulation.process.name,
        runs=len(runs),
        seed=seed,
        ends=dict(Counter(run.end or "waits" for run in runs).most_common()),
        times=times_of([run.ended - run.began for run in runs if run.ended >= 0]),
        activities=[use for use in _uses(simulation) if use.activity in tasks],
        roles={
            role: round(simulation.busy_seconds[role] / (span * count), 4) if span and count else 0.0
            for role, count in simulation.figures.roles.items()
        },
        paths=[Path(names, count) for names, count in paths.most_common(PATHS_SHOWN)],
        never=[
            one.name for one in activities_of(simulation.process) if not is_unnamed(one.name) and one.name not in ran
        ],
    )


def times_of(seconds: list[float]) -> Times | None:
    if not seconds:
        return None
    found = sorted(seconds)

    def part(share: float) -> float:
        return round(found[min(len(found) - 1, int(share * len(found)))], 3)

    return Times(part(0), part(0.5), part(0.9), part(0.95), round(found[-1], 3), round(sum(found) / len(found), 3))


def _uses(simulation: Simulation) -> Iterator[Use]:
    for name, one in sorted(simulation.tallies.items(), key=lambda pair: -pair[1].wait_seconds):
        if one.started:
            wait, work = one.wait_seconds / one.started, one.busy_seconds / max(1, one.ended)
            yield Use(name, one.started, one.aborted, round(wait, 3), round(work, 3))


def plot(simulation: Simulation) -> str:
    """A histogram of the times to finish, as SVG."""
    seconds = [run.ended - run.began for run in simulation.runs if run.ended >= 0]
    most = max(seconds, default=0.0) or 1.0
    counts = Counter(min(BARS - 1, int(one / most * BARS)) for one in seconds)
    tallest = max(counts.values(), default=1)
    inner, floor = WIDTH - 2 * MARGIN, HEIGHT - MARGIN
    bar = inner / BARS
    rows = [
        f'<rect x="{MARGIN + number * bar:.1f}" y="{floor - height:.1f}" width="{bar - 2:.1f}" height="{height:.1f}" '
        f'fill="#4477aa"><title>{counts[number]} runs</title></rect>'
        for number in range(BARS)
        for height in [counts[number] / tallest * (floor - MARGIN)]
    ]
    title = escape(f"{simulation.process.name}: {len(seconds)} runs, seconds to finish")
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">',
            f'<text x="{MARGIN}" y="20" font-size="14">{title}</text>',
            *rows,
            f'<line x1="{MARGIN}" y1="{floor}" x2="{WIDTH - MARGIN}" y2="{floor}" stroke="black"/>',
            f'<text x="{MARGIN}" y="{HEIGHT - 12}" font-size="12">0</text>',
            f'<text x="{WIDTH - MARGIN}" y="{HEIGHT - 12}" font-size="12" text-anchor="end">{most:g}</text>',
            f'<text x="{MARGIN - 6}" y="{MARGIN + 4}" font-size="12" text-anchor="end">{tallest}</text>',
            "</svg>",
            "",
        ]
    )
