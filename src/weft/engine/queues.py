"""Work that is ready and has no place yet: by lane, the most urgent first, then who came first."""

from collections.abc import Container, Mapping
from heapq import heappop, heappush
from typing import NamedTuple

from weft.handlers.jobs import About
from weft.store.rows import slot_of


class Waiting(NamedTuple):
    urgency: float
    number: int
    about: About


class Queues:
    """Entries may be stale: whoever takes one asks the instance whether it is still ready."""

    def __init__(self) -> None:
        self._lanes: dict[str, list[Waiting]] = {}
        self._members: set[About] = set()
        self._number = 0

    def __len__(self) -> int:
        return len(self._members)

    def add(self, lane: str, about: About, priority: float) -> None:
        if about not in self._members:
            self._members.add(about)
            self._number += 1
            heappush(self._lanes.setdefault(lane, []), Waiting(-priority, self._number, about))

    def has(self, about: About) -> bool:
        return about in self._members

    def discard(self, about: About) -> None:
        """It is no longer ready; its entry is passed over."""
        self._members.discard(about)

    def forget(self, slots: Container[int]) -> None:
        """All work of instances of these slots."""
        self._members = {about for about in self._members if slot_of(about[0]) not in slots}

    def is_first(self, lane: str, priority: float) -> bool:
        """Would work of this priority, coming now, be the next?"""
        waiting = self._lanes.get(lane)
        return not waiting or waiting[0].urgency > -priority

    def has_room(self, rooms: Mapping[str, int]) -> bool:
        """Could something of it begin?"""
        return any(rooms.get(lane, 0) > 0 for lane in self._lanes)

    def take(self, rooms: Mapping[str, int], instance: int = 0) -> list[tuple[str, About]]:
        """As many of each lane as there is room; of one instance only, as far as nobody else's comes before."""
        taken: list[tuple[str, About]] = []
        for lane in [lane for lane in self._lanes if rooms.get(lane, 0) > 0]:
            waiting, room = self._lanes[lane], rooms[lane]
            while waiting and room > 0:
                about = waiting[0].about
                if instance and about[0] != instance and about in self._members:
                    break
                heappop(waiting)
                if about in self._members:
                    self._members.remove(about)
                    taken.append((lane, about))
                    room -= 1
            if not waiting:
                del self._lanes[lane]
        return taken
