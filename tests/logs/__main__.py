"""`python -m tests.logs`: writes logs for the present format until every kind of fact that random runs tell is in one.

Those that are there stay as they are: a release adds logs, and never writes one anew.
"""

import msgspec

from tests.kernel.driver import Driver, process, task, tell
from tests.logs.keeping import FOLDER, Log, end_of, kinds_of, log_of, read, replayed, write
from tests.random.draw import Seeded
from tests.random.driving import Run, drive, made_of
from weft.kernel import facts
from weft.kernel.commands import Change
from weft.kernel.evolve import replay
from weft.kernel.facts import AnyFact
from weft.kernel.plan import plan_of
from weft.model.blocks import serial

FACTS_MAX = 120
SEEDS = 1_000


SAMPLES: dict[type, object] = {str: "x", int: 3, bool: True, float: 2.5, dict: {"v": [1, None, "a"]}}
TUPLES = {"took": (("p", (1, 2)),), "put": (("p", (1, "a")),), "items": (1, "a")}


def fact_of(kind: type[facts.Fact]) -> facts.Fact:
    """With something in every field."""
    said = {
        field.name: TUPLES.get(field.name, ("p",)) if type(field.default) is tuple else SAMPLES[type(field.default)]
        for field in msgspec.structs.fields(kind)
        if field.name != "path" and field.default_factory is msgspec.NODEFAULT
    }
    said |= {
        field.name: SAMPLES[dict]
        for field in msgspec.structs.fields(kind)
        if field.default_factory is not msgspec.NODEFAULT
    }
    return kind("a/b[3]", **said)


def changed() -> Log:
    """A chain that gets longer while it runs."""
    three, four = (serial(*map(task, "abcd"[:count]), name="p") for count in (3, 4))
    live = Driver(plan_of(process(three)))
    for line in ("start", "do a"):
        tell(live, line, {})
    live.send(Change("longer", process(four)))
    for line in ("do b", "do c"):
        tell(live, line, {})
    return log_of(process(three), {"longer": process(four)}, live.decisions, live.plan, live.state)


def main() -> None:
    here = FOLDER / f"format-{facts.FORMAT}"
    here.mkdir(exist_ok=True)
    of_each = FOLDER / f"facts-{facts.FORMAT}.json"
    if not of_each.exists():
        told = [fact_of(kind) for kind in AnyFact.__args__]
        of_each.write_bytes(msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n")
    if not (here / "changed.json").exists():
        write(here / "changed.json", changed())
    known = {kind for path in here.glob("*.json") for kind in kinds_of(read(path))}
    for seed in range(SEEDS):
        run = drive(Run(Seeded(seed + 1_000_000_007), made_of(seed)))
        if sum(len(told) for _, _, told in run.decisions) > FACTS_MAX:
            continue
        half = [(time, told) for time, _, told in run.decisions[: len(run.decisions) * 2 // 3]]
        kinds = {type(fact).__name__ for _, told in half for fact in told}
        if kinds <= known:
            continue
        known |= kinds
        called = {"hash of " + name: one for name, one in run.made.called.items()}
        log = log_of(run.made.process, called, half, run.plan, replay(run.plan, half))
        assert end_of(*replayed(log)) == log.end
        write(here / f"{seed:05}.json", log)
    missing = {kind.__name__ for kind in AnyFact.__args__} - known
    print(f"{len(list(here.glob('*.json')))} logs; no random run tells {', '.join(sorted(missing)) or 'nothing else'}")


if __name__ == "__main__":
    main()
