"""Clocks: what time it is, and how one waits for a later time. The runner is given one; nothing else knows the time."""

import time
from typing import Protocol


class Clock(Protocol):
    @property
    def is_real(self) -> bool:
        """Does time pass while one works?"""
        ...

    def now(self) -> float:
        """Seconds since 1970."""
        ...

    def wait_until(self, seconds: float) -> bool:
        """Lets time pass until then; False when this clock doesn't move by itself."""
        ...


class VirtualClock:
    """Time passes at once when there is nothing to do but wait."""

    is_real = False

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    def wait_until(self, seconds: float) -> bool:
        self._now = max(self._now, seconds)
        return True


class HandClock(VirtualClock):
    """Stands still until it is moved by hand."""

    def wait_until(self, seconds: float) -> bool:
        return seconds <= self._now

    def move(self, seconds: float) -> None:
        self._now += seconds


class RealClock:
    """The time of the machine."""

    is_real = True

    def now(self) -> float:
        return time.time()

    def wait_until(self, seconds: float) -> bool:
        time.sleep(max(0.0, seconds - time.time()))
        return True
