"""No text, however broken or deep, breaks a reader; `python -m tests.languages.fuzz LANGUAGE SECONDS` looks longer."""

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.languages import fuzz
from weft.languages.registry import LANGUAGES, Language

EACH = pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda one: one.name)
SHORT = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(autouse=True)
def _warm(request: pytest.FixtureRequest) -> None:
    if "language" in request.fixturenames:
        fuzz.warm(request.getfixturevalue("language"))


@EACH
@SHORT
@given(seed=st.integers(0, 2**32))
def test_a_broken_text_has_faults_and_nothing_else_happens(language: Language, seed: int) -> None:
    fuzz.try_text(language, fuzz.mutated(random.Random(seed), fuzz.seeds(language)))


@EACH
@SHORT
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_what_is_no_text_at_all_has_faults(language: Language, content: bytes) -> None:
    fuzz.try_text(language, content)


@EACH
def test_what_nests_without_end_has_faults(language: Language) -> None:
    for content in fuzz.deep(language):
        fuzz.try_text(language, content)


def test_the_watch_sees_what_is_opened() -> None:
    with fuzz.watched(), pytest.raises(fuzz.Broke, match="it did open"):
        Path(__file__).read_bytes()
