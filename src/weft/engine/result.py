"""What a run came to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from weft.engine.problems import Unexpected
from weft.kernel.facts import AnyFact

RunStatus = Literal["ended", "waiting", "stuck"]


@dataclass(frozen=True, slots=True)
class Result:
    """How an instance stands: it has `ended` in an outcome, is `waiting` for people, signals or time, or is `stuck`.

    >>> weft.run(buy, order=order).expect("done").values
    {'receipt': 'R-17'}
    """

    process: str
    status: RunStatus
    outcome: str = ""
    """Empty until it has ended."""
    values: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
    message: str = ""
    told: Callable[[], tuple[AnyFact, ...]] = field(default=tuple, repr=False)
    """Gives the facts, which are read when they are asked for."""
    waits: tuple[str, ...] = ()
    """What it waits for, or what is in the way, in words."""
    committed: bool = False
    exception: BaseException | None = None
    """The exception behind the error, if a function of this run raised it."""
    instance: int = 0
    """Its id in the store."""

    @property
    def facts(self) -> tuple[AnyFact, ...]:
        """All that became true, in order."""
        return self.told()

    def expect(self, outcome: str = "done") -> Self:
        """The result itself if that is how the run ended; else raises `Unexpected`, which says what happened."""
        if self.outcome == outcome:
            return self
        raise Unexpected(f"{self.described()}; {outcome!r} was expected") from self.exception

    def described(self) -> str:
        """In one sentence, without its full stop."""
        what = f"process {self.process}"
        if self.status == "ended":
            why = f" with the error {self.error}" if self.error else ""
            return f"{what} ended as {self.outcome!r}{why}" + (f" ({self.message})" if self.message else "")
        waits = ", ".join(self.waits) or "nothing that is known"
        return f"{what} waits for {waits}" if self.status == "waiting" else f"{what} is stuck: {waits}"
