"""Every test that takes `place` runs at each kind of store."""

from collections.abc import Iterator

import pytest

from tests.store.places import KINDS, Place, PostgresPlace, place_of
from weft.store.interface import Store


@pytest.fixture(params=[*KINDS, "postgres"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    if request.param == "postgres":
        yield PostgresPlace(request.getfixturevalue("postgres_url"))
        return
    with place_of(request.param) as found:
        yield found


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    opened = place.store()
    yield opened
    opened.close()
