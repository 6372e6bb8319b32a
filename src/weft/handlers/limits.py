"""Which work is late: to begin, to end, to give a sign of life, to stop. Plain bookkeeping; the time is given."""

from heapq import heappop, heappush
from typing import Final, Literal

from msgspec import Struct

from weft.handlers.jobs import About, Answer, Beat, Begun, Done, Failed, Job, Lost, Marked, Saved
from weft.model.definition import TimeLimits

START_LATE: Final = "handler.activate.late"
RUN_LATE: Final = "handler.execute.late"
SILENT: Final = "handler.execute.silent"

Kind = Literal["start", "run", "heartbeat", "stop"]

ERRORS: Final[dict[Kind, str]] = {"start": START_LATE, "run": RUN_LATE, "heartbeat": SILENT}


class Late(Struct, frozen=True):
    """An attempt that is to be stopped, with its error; without one it does not stop either, and is given up."""

    job: Job
    error: str = ""


class _Watched:
    __slots__ = ("begun", "heard_at", "is_stopped", "job", "limits")

    def __init__(self, job: Job, limits: TimeLimits, now: float) -> None:
        self.job = job
        self.limits = limits
        self.heard_at = now
        self.begun = False
        self.is_stopped = False


class Limits:
    """Of the work that has limits of time. Work without them is no concern of it."""

    def __init__(self, stop_seconds: float) -> None:
        self._stop_seconds = stop_seconds
        self._watched: dict[About, _Watched] = {}
        self._due: list[tuple[float, int, About, Kind]] = []
        self._pushed = 0

    @property
    def next_due(self) -> float | None:
        """When to ask next what is late."""
        return self._due[0][0] if self._due else None

    def given(self, job: Job, now: float) -> None:
        limits = job.task.limits
        if limits is not None:
            self._watched[job.about] = _Watched(job, limits, now)
            self._push(limits.start_seconds, now, job.about, "start")

    def hear(self, answer: Answer, now: float) -> bool:
        """Takes an answer into account; False when it comes from work that was given up, and is not to be passed on."""
        about = answer.job.about
        watched = self._watched.get(about)
        if watched is None:
            return False
        match answer:
            case Begun():
                watched.begun, watched.heard_at = True, now
                self._push(watched.limits.run_seconds, now, about, "run")
                self._push(watched.limits.heartbeat_seconds, now, about, "heartbeat")
            case Beat() | Saved() | Marked():
                watched.heard_at = now
            case Done() | Failed() | Lost():
                del self._watched[about]
        return True

    def late(self, now: float) -> list[Late]:
        """What has become late. Each attempt is told to stop once, and given up once."""
        found = []
        while self._due and self._due[0][0] <= now:
            _, _, about, kind = heappop(self._due)
            watched = self._watched.get(about)
            if watched is None or (kind != "stop" and watched.is_stopped) or (kind == "start" and watched.begun):
                continue
            if kind == "heartbeat" and watched.heard_at + watched.limits.heartbeat_seconds > now:
                self._push(watched.limits.heartbeat_seconds, watched.heard_at, about, kind)
                continue
            if kind == "stop":
                del self._watched[about]
                found.append(Late(watched.job))
                continue
            watched.is_stopped = True
            self._push(self._stop_seconds, now, about, "stop")
            found.append(Late(watched.job, ERRORS[kind]))
        return found

    def _push(self, seconds: float, since: float, about: About, kind: Kind) -> None:
        if seconds > 0:
            self._pushed += 1
            heappush(self._due, (since + seconds, self._pushed, about, kind))
