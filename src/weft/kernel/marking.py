"""The marking of a net: which tokens lie where, and which firings hold, await or claim some.

This is state: it is changed only by its methods, and the same calls in the same order give an equal marking. Beside
the state it notes what was touched since a `Choice` last looked; that takes no part in equality.
"""

from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

from weft.kernel.net_plan import Put, Took

FIRST: Final = 1
"""The number of a net's first token."""

NEVER: Final = 1 << 60
SPARE: Final = 64
"""How many numbers of tokens that left a place may keep besides twice those that lie there."""


class Tokens:
    """The tokens of one place, by number.

    From `start` on, `order` ascends and begins with the oldest; it may still hold some that left. `returned` is the
    oldest number that came back since the choice last looked.
    """

    def __init__(self, place: str) -> None:
        self.place: Final = place
        self.values: Final[dict[int, object]] = {}
        self.order: list[int] = []
        self.start = 0
        self.position = -1
        self.is_touched = False
        self.returned = NEVER

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokens) and self.values == other.values

    def __hash__(self) -> int:
        return id(self)

    def oldest(self, count: int) -> list[int]:
        """The numbers of the `count` oldest, or of all."""
        found: list[int] = []
        for index in range(self.start, len(self.order)):
            if len(found) == count:
                break
            if self.order[index] in self.values:
                found.append(self.order[index])
        return found

    def insert(self, number: int, value: object) -> None:
        """Puts a token where its number belongs."""
        index = bisect_left(self.order, number, self.start)
        if index == len(self.order) or self.order[index] != number:
            self.order.insert(index, number)
        self.values[number] = value

    def remove(self, number: int) -> object:
        value = self.values.pop(number)
        order = self.order
        if not self.values:
            order.clear()
            self.start = 0
        elif order[self.start] == number:
            start = self.start + 1
            while order[start] not in self.values:
                start += 1
            if start > SPARE and start * 2 > len(order):
                del order[:start]
                start = 0
            self.start = start
        elif len(order) - self.start > 2 * len(self.values) + SPARE:
            self.order = sorted(self.values)
            self.start = 0
        return value


class Firings:
    """The firings of one transition, by number: those that run, failed ones to be tried again, and standing offers.

    `running` has the values they took. `again` are failed ones, of which those in `released` may be tried now.
    """

    def __init__(self) -> None:
        self.running: Final[dict[int, tuple[Took, list[object]]]] = {}
        self.again: Final[dict[int, Took]] = {}
        self.released: Final[set[int]] = set()
        self.offered: Final[dict[int, Took]] = {}
        self.number_of: Final[dict[Took, int]] = {}

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Firings)
            and self.running == other.running
            and self.again == other.again
            and self.released == other.released
            and self.offered == other.offered
        )

    def __hash__(self) -> int:
        return id(self)

    def is_waiting(self, took: Took) -> bool:
        """Whether these tokens failed together and their backoff is not over."""
        number = self.number_of.get(took, -1)
        return number >= 0 and number not in self.released


class Marking:
    """The tokens of a net.

    >>> marking = Marking(["in", "out"])
    >>> marking.put("in", "a"), marking.put("in", "b")
    (1, 2)
    >>> marking.take("in", (1,))
    ['a']
    >>> marking.count("in"), marking.value("in", 2)
    (1, 'b')

    A claim is an offer or a failed firing that may be tried again; it names tokens that lie in places. When one of them
    leaves, the claim is `lost`, and who keeps the marking must `end` it.
    """

    def __init__(self, places: Iterable[str]) -> None:
        self.places: Final[dict[str, Tokens]] = {}
        self.next = FIRST
        self.firings: Final[dict[str, Firings]] = {}
        self.claims: Final[dict[int, list[tuple[int, str]]]] = {}
        self.lost: Final[set[tuple[int, str]]] = set()
        self.touched: Final[list[Tokens]] = []
        self.stirred: Final[dict[str, int]] = {}
        self.extend(places)

    def extend(self, places: Iterable[str]) -> None:
        """Adds places that are new, empty."""
        for place in places:
            if place not in self.places:
                self.places[place] = Tokens(place)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Marking)
            and self.next == other.next
            and self.places == other.places
            and self.firings == other.firings
            and self.lost == other.lost
        )

    def __hash__(self) -> int:
        return id(self)

    # Tokens.

    def count(self, place: str) -> int:
        return len(self.places[place].values)

    def value(self, place: str, number: int) -> object:
        return self.places[place].values[number]

    def values(self, place: str) -> list[object]:
        """From the oldest."""
        tokens = self.places[place]
        return [tokens.values[number] for number in tokens.oldest(len(tokens.values))]

    def put(self, place: str, value: object) -> int:
        tokens = self.places[place]
        number = self.next
        self.next = number + 1
        tokens.values[number] = value
        tokens.order.append(number)
        if not tokens.is_touched:
            self.touch(tokens)
        return number

    def put_all(self, put: Put) -> None:
        for place, values in put:
            for value in values:
                self.put(place, value)

    def take(self, place: str, numbers: tuple[int, ...]) -> list[object]:
        tokens = self.places[place]
        if not tokens.is_touched:
            self.touch(tokens)
        if self.claims:
            self.lose(numbers)
        return [tokens.remove(number) for number in numbers]

    def take_all(self, took: Took) -> list[object]:
        """The values, arc after arc."""
        found: list[object] = []
        for place, numbers in took:
            found += self.take(place, numbers)
        return found

    def give_back(self, place: str, number: int, value: object) -> None:
        """The token returns under its old number, between the older and the newer ones."""
        tokens = self.places[place]
        tokens.insert(number, value)
        tokens.returned = min(tokens.returned, number)
        self.touch(tokens)

    def clear(self, place: str) -> tuple[int, ...]:
        """Empties the place. The numbers of what lay there, from the oldest."""
        tokens = self.places[place]
        numbers = tuple(tokens.oldest(len(tokens.values)))
        self.take(place, numbers)
        return numbers

    # Firings of transitions with an operation, by the number the caller gave them.

    def begin(self, transition: str, number: int, took: Took) -> None:
        """The tokens leave for a firing: a new one, one that was offered, or one that is tried again."""
        firings = self.of(transition)
        self.disclaim(firings, transition, number)
        firings.running[number] = (took, self.take_all(took))

    def fail(self, transition: str, number: int) -> None:
        """A running firing gives its tokens back and waits until it is released."""
        firings = self.of(transition)
        took, values = firings.running.pop(number)
        index = 0
        for place, numbers in took:
            for token in numbers:
                self.give_back(place, token, values[index])
                index += 1
        firings.again[number] = took
        if took in firings.number_of:
            self.lost.add((number, transition))  # two that took nothing can't be told apart
        else:
            firings.number_of[took] = number
        self.claim(transition, number, took)

    def release(self, transition: str, number: int) -> None:
        """A failed firing may be tried again: while exactly its tokens lie there, they bind as this firing."""
        firings = self.of(transition)
        firings.released.add(number)
        self.stir(transition, newest(firings.again[number]))

    def offer(self, transition: str, number: int, took: Took) -> None:
        """The tokens stay; no other offer of the transition has one of them."""
        firings = self.of(transition)
        self.disclaim(firings, transition, number)
        firings.offered[number] = took
        self.claim(transition, number, took)

    def end(self, transition: str, number: int) -> None:
        """The firing is no more. What it took while running is gone, what it only claimed stays where it lies."""
        firings = self.of(transition)
        if firings.running.pop(number, None) is None:
            self.disclaim(firings, transition, number)
        if not firings.running and not firings.again and not firings.offered:
            del self.firings[transition]

    # What the above is made of.

    def of(self, transition: str) -> Firings:
        self.stir(transition, NEVER)
        found = self.firings.get(transition)
        if found is None:
            found = self.firings[transition] = Firings()
        return found

    def claim(self, transition: str, number: int, took: Took) -> None:
        for _, numbers in took:
            for token in numbers:
                self.claims.setdefault(token, []).append((number, transition))

    def disclaim(self, firings: Firings, transition: str, number: int) -> None:
        """Ends the claim of this number, if there is one; its tokens may be bound anew."""
        took = firings.offered.pop(number, None)
        if took is None:
            took = firings.again.pop(number, None)
            if took is None:
                return
            firings.released.discard(number)
            if firings.number_of.get(took) == number:
                del firings.number_of[took]
        self.lost.discard((number, transition))
        for _, numbers in took:
            for token in numbers:
                claimants = self.claims[token]
                claimants.remove((number, transition))
                if not claimants:
                    del self.claims[token]
        self.stir(transition, oldest(took))

    def lose(self, numbers: tuple[int, ...]) -> None:
        for number in numbers:
            self.lost.update(self.claims.get(number, ()))

    def touch(self, tokens: Tokens) -> None:
        if not tokens.is_touched:
            tokens.is_touched = True
            self.touched.append(tokens)

    def stir(self, transition: str, number: int) -> None:
        """Notes that the transition must be looked at again, from bindings with this token on."""
        self.stirred[transition] = min(number, self.stirred.get(transition, NEVER))


def newest(took: Took) -> int:
    return max((max(numbers) for _, numbers in took if numbers), default=0)


def oldest(took: Took) -> int:
    return min((min(numbers) for _, numbers in took if numbers), default=0)
