"""What users write, as mypy --strict and pyright strict see it; `test_typed_sample` has both look."""

# pyright: strict

from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple, assert_type

from weft import (
    Activity,
    Context,
    Guard,
    Net,
    Process,
    Source,
    Start,
    Task,
    all_of,
    assign,
    at_least,
    call,
    choice,
    each,
    expr,
    first_of,
    flow,
    given,
    http,
    loop,
    person,
    process,
    task,
    timer,
    var,
    when,
)


@dataclass
class Order:
    name: str
    cents: int


class Receipt(NamedTuple):
    number: str
    cents: int


@dataclass
class Found:
    seat: str


@dataclass
class Full:
    waiting: int


class GatewayDown(Exception):
    pass


@task
def reserve(order: Order) -> str:
    return order.name


@task
def release(seat: str) -> None: ...


@task(errors={GatewayDown: "task.gateway"}, idempotent=True)
def charge(order: Order, ctx: Context, method: str = "card") -> Receipt:
    ctx.heartbeat()
    ctx.mark("charged", order.cents)
    return Receipt(f"{method} {ctx.key} {ctx.attempt}", order.cents)


@task(outcomes={"found": Found, "full": Full}, marks={"searching": int})
async def search(order: Order) -> Found | Full:
    return Found(order.name)


class Desk:
    def stamp(self, seat: str) -> bool:
        return bool(seat)


assert_type(reserve(Order("a", 1)), str)
assert_type(reserve.into("seat").non_vital()(Order("a", 1)), str)
named: Task[[Order], str] = reserve.named("again")
stamp = task(Desk().stamp, name="stamp")
assert_type(stamp("A1"), bool)

tell = person("tell", role="clerk").using(order=var("order"))
approve = person("approve", role="manager", gives=bool).into("approved").within(timedelta(hours=24))
guard: Guard = approve.on("done") & (tell.on("done") | when("order.cents > 500")) | at_least(1, tell.on("done"))
source: Source = first_of(charge.output("number"), var("cached"), expr("order.name"), "none")

buy: Process = process("buy", order=Order, note=given(str, ""), variables={"cached": None})(
    approve
    >> choice(
        {
            "approved": all_of(
                reserve.into("seat").compensated_by(release),
                charge.into("number", "paid").retry(3, error="task.gateway", delay=timedelta(seconds=1)),
            )
        },
        default=tell,
    )
    >> stamp
)

wait = timer("wait", timedelta(seconds=5))
graph: Activity = flow(
    search,
    wait,
    reserve.starts("normal", search.on("found")).starts("late", wait.on("done")),
    http("ask", "bank", gives={"rate": float}).using(order=var("order")).cancelled_when(wait.on("done")),
).outcome("done", reserve.on("done") | search.on("full"), kind="commit")

rounds = loop("tries < 3", assign("count", tries="tries + 1"), (reserve & release.using(seat="x")).named("pair"))
files = each("order", "orders", reserve ^ search, at_most=8, enough=5, into="seats")
nested = call(buy).using(order=Order("a", 1)).into(paid="paid")
either = reserve.otherwise(tell) >> (reserve | tell)

net = Net("pipeline")
raw, done = net.place("raw", int, tokens=[1, 2]), net.place("done", int, output="all")
net.transition("double", take={"x": raw.arc(2)}, read={"y": done}, put={"z": [done]}, assigns={"z": "y"}, guard="y > 1")
start = Start(key="order-17", priority=3)
