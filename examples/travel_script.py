"""The travel booking of paper 000, Figure 1, as an OPENflow script: travel.wfs says how the tasks hang together.

The tasks of this module do the work. The command line runs the script too:

    python examples/travel_script.py
    weft run examples/travel.wfs --tasks examples/travel_script.py --bind airline_search=agency_search \\
        --input traveller=Ana --input city=Rome
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import weft
from weft import task
from weft.languages.openflow.reading import read

SCRIPT = Path(__file__).with_name("travel.wfs")


@dataclass
class Plan:
    traveller: str
    city: str
    days: int


@dataclass
class Flight:
    number: str
    price: float = 0


class Good(NamedTuple): ...


class Poor(NamedTuple): ...


class Full(Exception): ...


@task(name="Planning", outcomes={"planned": Plan})
def plan(traveller: str, city: str) -> Plan:
    return Plan(traveller, city, 300 if city == "the Moon" else 3)


@task(name="Checking", outcomes={"ok": Good, "poor": Poor})
def check(plan: Plan) -> Good | Poor:
    return Good() if plan.days < 100 else Poor()


@task(outcomes={"found": Flight})
def airline_search(plan: Plan) -> Flight:
    if plan.city == "Atlantis":
        raise Full
    return Flight(f"to {plan.city}", 90.0 * plan.days)


@task(outcomes={"found": Flight})
def agency_search(plan: Plan) -> Flight:
    return Flight(f"to {plan.city} by way of Frankfurt", 70.0 * plan.days)


@task(name="Selling", outcomes={"sold": str})
def sell(flight: Flight) -> str:
    return f"ticket {flight.number} for {flight.price:.0f}"


def main() -> None:
    [travel] = read(SCRIPT.read_bytes(), SCRIPT.name).processes
    tasks = (plan, check, airline_search, sell)
    for city, outcome, ticket in [
        ("Rome", "booked", "ticket to Rome for 270"),
        ("the Moon", "refused", None),
        ("Atlantis", "refused", None),
    ]:
        result = weft.run(travel, *tasks, traveller="Ana", city=city)
        assert (result.outcome, result.values.get("ticket")) == (outcome, ticket)
        print(f"{city}: {result.outcome}, {ticket or 'nothing'}")


if __name__ == "__main__":
    main()
