"""Processes that every simulation starts besides random ones: each has something that a crash could break."""

from weft import all_of, assign, call, each, loop, person, process, race, serial, signal, task, timer
from weft.model.definition import Process


@task
def one(v: int) -> int:
    return v


@task(idempotent=True)
def again(v: int) -> int:
    return v


@task(checkpoint=True, idempotent=True)
def long(v: int) -> int:
    return v


chain = process("chain", v=int)(serial(*[one.named(f"c{n}").into("v") for n in range(6)]))
waits = process("waits", v=int)(one.into("v") >> signal("go") >> again.into("v"))
slow = process("slow", v=int)(timer("first").using(seconds=5) >> one.into("v") >> timer("then").using(seconds=50))
stubborn = process("stubborn", v=int)(again.retry(3).into("v") >> long.into("v"))
saga = process("saga", v=int)(
    one.named("pay").into("v").compensated_by(again.named("refund"))
    >> one.named("book").into("v").compensated_by(one.named("unbook"))
    >> again.named("last").into("v")
)
both = process("both", v=int)(all_of(one.named("left").into("v"), again.named("right"), person("sign")))
first = process("first", v=int)(race(one.named("red").into("v"), again.named("blue").into("v")))
many = process("many", v=int)(each("v", [1, 2, 3, 4], again.named("item"), at_most=2))
rounds = process("rounds", v=int, variables={"n": 0})(
    loop("n < 4", again.named("round").into("v") >> assign("count", n="n + 1"))
)
outer = process("outer", v=int)(call(chain).into("v") >> signal("go"))

SAMPLES: list[Process] = [chain, waits, slow, stubborn, saga, both, first, many, rounds, outer]
