"""The travel booking of paper 000, Figure 1: tasks wired by data, with alternative input sets and sources.

Credit check and flights begin when there is a plan. Tickets begin in one of two ways: paid, once the credit is
approved, or by voucher, if it was refused and the traveller has one; their seat comes from a flight, else from a train.

    python examples/travel.py
"""

from dataclasses import dataclass

import weft
from weft import first_of, flow, process, quiet, task, when
from weft.kernel.facts import Ready


@dataclass
class Trip:
    city: str
    cents: int
    voucher: bool = False


@dataclass
class Approved:
    limit: int


@dataclass
class Refused:
    reason: str


@dataclass
class Seat:
    on: str


@dataclass
class NoSeat:
    city: str


@task
def travel_plan(wish: str, voucher: bool) -> Trip:
    return Trip(wish, {"Rome": 20_000, "Venice": 30_000}.get(wish, 900_000), voucher)


@task(outcomes={"ok": Approved, "refused": Refused})
def credit_check(trip: Trip) -> Approved | Refused:
    return Approved(500_000) if trip.cents <= 500_000 else Refused(f"{trip.city} is too expensive")


@task(outcomes={"found": Seat, "full": NoSeat})
def flights(trip: Trip) -> Seat | NoSeat:
    return NoSeat(trip.city) if trip.city == "Venice" else Seat(f"flight to {trip.city}")


@task(outcomes={"found": Seat, "full": NoSeat})
def trains(trip: Trip) -> Seat | NoSeat:
    return Seat(f"train to {trip.city}")


@task
def tickets(seat: Seat) -> str:
    return f"ticket for the {seat.on}"


plan = travel_plan.into("trip")
credit = credit_check.using(trip=plan)
flying = flights.using(trip=plan)
riding = trains.starts("start", flying.on("full"), trip=plan)
seat = first_of(flying.output("result", "found"), riding.output("result", "found"))
selling = tickets.starts("paid", credit.on("ok"), seat=seat).starts(
    "voucher", credit.on("refused") & when("trip.voucher"), seat=seat
)

travel = process("travel", wish=str, voucher=bool)(
    flow(plan, credit, flying, riding, selling)
    .outcome("booked", selling.on("done"), ticket=selling)
    .outcome("no_trip", quiet(), kind="abort")
)


def way_of(result: weft.Result) -> str:
    """The input set in which the tickets started."""
    return next((fact.set for fact in result.facts if isinstance(fact, Ready) and fact.path == "tickets"), "")


def main() -> None:
    for wish, voucher, outcome, ticket, way in [
        ("Rome", False, "booked", "ticket for the flight to Rome", "paid"),
        ("Venice", False, "booked", "ticket for the train to Venice", "paid"),
        ("the Moon", True, "booked", "ticket for the flight to the Moon", "voucher"),
        ("the Moon", False, "no_trip", None, ""),
    ]:
        result = weft.run(travel, wish=wish, voucher=voucher).expect(outcome)
        assert result.values.get("ticket") == ticket
        assert way_of(result) == way
        print(f"{wish}: {result.outcome}, {ticket or 'nothing'} {way and '(' + way + ')'}".rstrip())


if __name__ == "__main__":
    main()
