"""A saga: three services are booked one after the other; when the last has nothing, the others are given back.

python examples/saga.py
"""

import weft
from weft import process, task


class SoldOut(Exception):
    """The service has nothing left."""


diary: list[str] = []


@task
def book_flight(city: str) -> str:
    diary.append(f"flight to {city} booked")
    return f"flight-{city}"


@task
def cancel_flight(flight: str) -> None:
    diary.append(f"{flight} cancelled")


@task
def book_hotel(city: str) -> str:
    diary.append(f"hotel in {city} booked")
    return f"hotel-{city}"


@task
def cancel_hotel(hotel: str) -> None:
    diary.append(f"{hotel} cancelled")


@task(errors={SoldOut: "task.sold_out"})
def book_car(city: str) -> str:
    if city == "Venice":
        raise SoldOut("there are no cars in Venice")
    diary.append(f"car in {city} booked")
    return f"car-{city}"


trip = process("trip", city=str)(
    book_flight.into("flight").compensated_by(cancel_flight)
    >> book_hotel.into("hotel").compensated_by(cancel_hotel)
    >> book_car.into("car")
)


def main() -> None:
    result = weft.run(trip, city="Rome").expect("done")
    assert result.values == {"flight": "flight-Rome", "hotel": "hotel-Rome", "car": "car-Rome"}
    print("To Rome:", *diary, sep="\n  ")

    diary.clear()
    result = weft.run(trip, city="Venice").expect("aborted")
    assert result.error == "task.sold_out"
    assert diary[2:] == ["hotel-Venice cancelled", "flight-Venice cancelled"]
    print("To Venice:", *diary, sep="\n  ")
    print(f"It {result.outcome}: {result.error} ({result.message})")


if __name__ == "__main__":
    main()
