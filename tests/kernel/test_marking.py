"""What a marking holds, in which order, and who claims what."""

from hypothesis import given
from hypothesis import strategies as st

from weft.kernel.marking import Marking, Tokens


def lying(marking: Marking, place: str) -> list[tuple[int, object]]:
    tokens = marking.places[place]
    return [(number, tokens.values[number]) for number in tokens.oldest(1_000)]


def test_tokens_are_numbered_over_the_net_in_order_of_arrival() -> None:
    marking = Marking(["a", "b"])
    assert [marking.put("a", "x"), marking.put("b", "y"), marking.put("a", "z")] == [1, 2, 3]
    assert lying(marking, "a") == [(1, "x"), (3, "z")]
    assert marking.count("a") == 2
    assert marking.value("b", 2) == "y"


def test_what_is_taken_is_gone() -> None:
    marking = Marking(["a"])
    marking.put_all((("a", ("x", "y", "z")),))
    assert marking.take("a", (1, 3)) == ["x", "z"]
    assert marking.values("a") == ["y"]


def test_a_token_that_comes_back_lies_where_its_number_belongs() -> None:
    marking = Marking(["a"])
    marking.put_all((("a", ("x", "y", "z")),))
    for numbers in ((1,), (2,), (2, 1), (1, 2, 3), (3,)):
        values = marking.take("a", numbers)
        for number, value in zip(numbers, values, strict=True):
            marking.give_back("a", number, value)
        assert lying(marking, "a") == [(1, "x"), (2, "y"), (3, "z")]


def test_an_emptied_place_tells_what_lay_there_and_its_numbers_are_not_given_again() -> None:
    marking = Marking(["a"])
    marking.put_all((("a", ("x", "y")),))
    assert marking.clear("a") == (1, 2)
    assert marking.clear("a") == ()
    assert marking.put("a", "z") == 3


def test_places_that_are_new_can_be_added() -> None:
    marking = Marking(["a"])
    marking.put("a", 1)
    marking.extend(["a", "b"])
    assert (marking.count("a"), marking.count("b")) == (1, 0)


@given(st.lists(st.tuples(st.sampled_from(["put", "take", "back"]), st.integers(0, 300)), max_size=600))
def test_a_place_keeps_its_order_whatever_leaves_and_returns(steps: list[tuple[str, int]]) -> None:
    marking, expected, away = Marking(["a"]), dict[int, object](), dict[int, object]()
    for act, choice in steps:
        if act == "put":
            expected[marking.put("a", choice)] = choice
        elif act == "take" and expected:
            number = sorted(expected)[choice % len(expected)]
            away[number] = expected.pop(number)
            assert marking.take("a", (number,)) == [away[number]]
        elif act == "back" and away:
            number = sorted(away)[choice % len(away)]
            expected[number] = away.pop(number)
            marking.give_back("a", number, expected[number])
        assert lying(marking, "a") == sorted(expected.items())


def test_a_place_does_not_remember_every_token_that_passed() -> None:
    tokens, marking = Tokens("a"), Marking(["a"])
    tokens = marking.places["a"]
    marking.put("a", "stays")
    for _ in range(1_000):
        marking.take("a", (marking.put("a", "passes"),))
    assert len(tokens.order) < 100
    for _ in range(100):
        marking.put("a", "waits")
    for _ in range(1_000):
        marking.put("a", "waits")
        marking.take("a", (tokens.oldest(1)[0],))
    assert len(tokens.order) < 400


# Firings.


def test_the_tokens_of_a_running_firing_lie_in_no_place() -> None:
    marking = Marking(["a"])
    marking.put("a", "x")
    marking.begin("work", 1, (("a", (1,)),))
    assert marking.count("a") == 0
    assert marking.firings["work"].running == {1: ((("a", (1,)),), ["x"])}
    marking.end("work", 1)
    assert marking.firings == {}


def test_a_failed_firing_gives_its_tokens_back_under_their_old_numbers() -> None:
    marking = Marking(["a", "b"])
    marking.put_all((("a", ("x", "y")), ("b", ("z",))))
    took = (("a", (1, 2)), ("b", (3,)))
    marking.begin("work", 1, took)
    marking.put("a", "later")
    marking.fail("work", 1)
    assert lying(marking, "a") == [(1, "x"), (2, "y"), (4, "later")]
    assert lying(marking, "b") == [(3, "z")]
    assert marking.firings["work"].is_waiting(took)
    marking.release("work", 1)
    assert not marking.firings["work"].is_waiting(took)
    marking.begin("work", 1, took)
    assert marking.firings["work"].again == {}
    assert not marking.lost


def test_a_claim_is_lost_when_one_of_its_tokens_leaves() -> None:
    marking = Marking(["a", "b"])
    marking.put_all((("a", ("x",)), ("b", ("y", "z"))))
    marking.offer("ask", 1, (("a", (1,)), ("b", (2,))))
    marking.offer("tell", 2, (("b", (2,)),))
    marking.offer("tell", 3, (("b", (3,)),))
    marking.take("b", (2,))
    assert sorted(marking.lost) == [(1, "ask"), (2, "tell")]
    marking.end("ask", 1)
    marking.end("tell", 2)
    assert not marking.lost
    assert marking.count("a") == 1
    marking.clear("b")
    assert marking.lost == {(3, "tell")}


def test_who_begins_an_offer_loses_only_the_other_claims() -> None:
    marking = Marking(["a"])
    marking.put("a", "x")
    marking.offer("ask", 1, (("a", (1,)),))
    marking.offer("tell", 2, (("a", (1,)),))
    marking.begin("ask", 1, (("a", (1,)),))
    assert marking.lost == {(2, "tell")}


def test_of_two_failed_firings_that_took_nothing_the_second_is_lost() -> None:
    marking = Marking([])
    marking.begin("poll", 1, ())
    marking.begin("poll", 2, ())
    marking.fail("poll", 1)
    marking.fail("poll", 2)
    assert marking.lost == {(2, "poll")}
    marking.end("poll", 2)
    assert marking.firings["poll"].is_waiting(())
    marking.end("poll", 1)
    assert marking.firings == {}


def test_the_same_calls_give_an_equal_marking_whoever_looked() -> None:
    one, other = Marking(["a"]), Marking(["a"])
    for marking in (one, other):
        marking.put("a", 1)
        marking.begin("work", 1, (("a", (1,)),))
    one.touched.clear()
    assert one == other
    assert one != Marking(["a"])
    assert len({one, other, one.places["a"], one.firings["work"], other.firings["work"]}) == 5
    other.end("work", 1)
    assert one != other
