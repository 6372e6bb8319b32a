"""What the kept stores were written with: instances in many states, and how each of them goes on.

A kept store names these tasks, so neither their names nor their inputs change. New ones may be added.
"""

from weft import Engine, Start, all_of, assign, call, each, person, process, race, signal, task, timer, var
from weft.engine.settings import Settings
from weft.store.interface import Filter

LONG = 365 * 86_400.0 * 100


@task
def double(number: int) -> int:
    return 2 * number


@task
def fail(number: int) -> int:
    raise ValueError(f"not {number}")


@task
def text(number: int) -> str:
    return "x" * number


inner = process("inner", number=int)(double.into("number") >> signal("inside", gives=str).into("word"))
short = process("short", number=int)(double.into("number"))
broken = process("broken", number=int)(fail.into("number"))
waits = process("waits", number=int, variables={"word": ""}, searchable=["number", "word"])(
    double.into("number") >> signal("go", gives=str).into("word") >> double.named("again").into("number")
)
whole = process("whole", numbers=list[int], variables={"doubled": [], "first": 0})(
    all_of(each("number", var("numbers"), double, into="doubled"), call(inner).using(number=3).named("inner"))
    >> race(signal("go").named("asked"), timer("late").using(seconds=LONG))
    >> assign("sum", first="sum(doubled)")
)
large = process("large", number=int, variables={"long": ""})(
    text.into("long") >> signal("go") >> text.named("more").into("long")
)
asks = process("asks")(person("approve", role="manager", gives=bool).into("approved"))


def write(url: str) -> None:
    """Writes a store in which some instances have ended and the others wait."""
    with Engine(url, settings=Settings(snapshot_bytes_min=1000)) as engine:
        for one in (inner, whole):
            engine.deploy(one)
        engine.run(short, Start(key="ended"), number=1)
        engine.run(broken, number=1)
        for number in range(3):
            engine.start(waits, Start(key=f"order-{number}", priority=number), number=number)
        engine.start(whole, Start(key="whole"), numbers=[1, 2, 3])
        engine.start(large, Start(key="large"), number=600_000)
        engine.start(asks, Start(key="asks"))
        engine.signal(("waits", "to-come"), "go", "early")
        while len(engine.instances(Filter(states=("waiting",)))) < 6:
            pass
        engine.suspend(("waits", "order-2"))
        engine.cancel(("asks", "asks"))
        engine.result(("asks", "asks"))
