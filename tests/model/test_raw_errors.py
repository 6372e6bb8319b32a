"""What raw errors mean: keys read, refused, and matched, the nearest first."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.model.raw_errors import Key, KeyFault, Raw, declared_for, read_key

LOCKED = Raw(("OperationalError", "DatabaseError", "Error", "Exception"), message="database is Locked by another")

READ = {
    "OSError": Key("OSError"),
    "shop.orders.Full": Key("Full"),
    "2": Key(codes=(2, 2)),
    "2-9": Key(codes=(2, 9)),
    "4xx": Key(codes=(400, 499)),
    "~disk full": Key(parts=("disk full",)),
    "~ Disk * full * now": Key(parts=("disk", "full", "now")),
    "OSError ~ full": Key("OSError", parts=("full",)),
    "5xx~try later": Key(codes=(500, 599), parts=("try later",)),
}


@pytest.mark.parametrize("text", READ)
def test_a_key_is_read(text: str) -> None:
    assert read_key(text) == READ[text]


@pytest.mark.parametrize("text", ["", "~", "OSError ~", "9-2", "0xx", "a b", "[a-z]+", "-2", "2-", "~ * *"])
def test_what_is_no_key_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(KeyFault, match="write"):
        read_key(text)


MATCHED: dict[str, tuple[dict[str, str], Raw, str | None]] = {
    "its own class": ({"OperationalError": "a", "Error": "b"}, LOCKED, "a"),
    "the nearest class above": ({"Exception": "a", "DatabaseError": "b"}, LOCKED, "b"),
    "words before a class": ({"OperationalError": "a", "~locked": "b"}, LOCKED, "b"),
    "more words before fewer": ({"~locked": "a", "~database is locked": "b"}, LOCKED, "b"),
    "a class with words before words": ({"~locked": "a", "Error ~ locked": "b"}, LOCKED, "b"),
    "words in their order": ({"~database*another": "a"}, LOCKED, "a"),
    "words in another order": ({"~another*database": "a"}, LOCKED, None),
    "a class with other words": ({"OperationalError ~ gone": "a"}, LOCKED, None),
    "nothing": ({"ValueError": "a", "2": "b"}, LOCKED, None),
    "a code": ({"2": "a", "2-9": "b"}, Raw(code=2), "a"),
    "the smallest range": ({"1-99": "a", "2-9": "b"}, Raw(code=7), "b"),
    "a class of statuses": ({"4xx": "a", "5xx": "b"}, Raw(code=503), "b"),
    "beyond a range": ({"2-9": "a"}, Raw(code=10), None),
    "a code and its message": ({"1": "a", "1 ~ no such file": "b"}, Raw(code=1, message="x: No such file"), "b"),
}


@pytest.mark.parametrize("title", MATCHED)
def test_the_most_specific_key_is_taken(title: str) -> None:
    errors, raw, error = MATCHED[title]
    assert declared_for(errors, raw) == error
    assert declared_for(dict(reversed(errors.items())), raw) == error


@given(st.text(max_size=30))
def test_any_text_is_a_key_or_refused(text: str) -> None:
    try:
        key = read_key(text)
    except KeyFault:
        return
    assert key.exception or key.codes or key.parts


def test_a_pattern_full_of_stars_takes_no_longer_than_its_message() -> None:
    started = time.perf_counter()
    assert declared_for({"~" + "a*" * 5_000 + "b": "x"}, Raw(message="a" * 100_000)) is None
    assert time.perf_counter() - started < 1.0
