"""One decision: the facts made so far by a command, and the budget that keeps it bounded."""

from weft.kernel import facts
from weft.kernel.evolve import CHANGES, KEPT_CHANGES
from weft.kernel.facts import AnyFact, Values
from weft.kernel.opening import open_frame
from weft.kernel.state import COMPENSATION, Frame, State

ITEMS_AT_MOST = 1_000
"""Items of an each that one decision starts."""

FIRINGS_AT_MOST = 1_000
"""Firings of a net in one decision."""


class Decision:
    """See the module. Every change goes through `tell`, which evolves the state by the fact at once."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.facts: list[AnyFact] = []
        self.nodes: list[int] = []
        """For each fact its node, if it is about the root's frame, else -1."""
        self.repeated: set[tuple[int, int]] | None = None
        self.items_left = ITEMS_AT_MOST
        self.firings_left = FIRINGS_AT_MOST
        self.short: list[tuple[Frame, int]] | None = None
        """Compounds that had more to do than one decision does."""

    def tell(self, frame: Frame, node: int, fact: AnyFact) -> None:
        self.facts.append(fact)
        self.nodes.append(node if frame.parent is None else -1)
        CHANGES[type(fact)](self.state, frame, node, fact)

    def stop_short(self, frame: Frame, node: int) -> None:
        """The compound has more to do than one decision does."""
        if self.short is None:
            self.short = []
        self.short.append((frame, node))

    def open(self, fact: facts.Ready | facts.Fired) -> Frame:
        """The first fact of a frame opens it."""
        self.facts.append(fact)
        self.nodes.append(-1)
        frame = open_frame(self.state, fact.path, fact.round)
        CHANGES[type(fact)](self.state, frame, 0, fact)
        return frame

    def tell_net(self, frame: Frame, node: int, fact: AnyFact) -> None:
        """A fact whose path names a firing, about its net."""
        self.facts.append(fact)
        self.nodes.append(-1)
        CHANGES[type(fact)](self.state, frame, node, fact)

    def tell_kept(self, fact: AnyFact) -> None:
        """A fact about an execution that is kept to be taken back."""
        self.facts.append(fact)
        self.nodes.append(-1)
        KEPT_CHANGES[type(fact)](self.state, fact)

    def commit(self, frame: Frame, node: int, outcome: str, values: Values, error: str = "") -> None:
        execution = frame.execution[node]
        attempt = 1 if execution is None else execution.attempt
        self.tell(frame, node, facts.Committed(frame.path(node), frame.rounds[node], attempt, outcome, values, error))
        if node == 0:
            self.after_end(frame, given_up=False)

    def abort(
        self,
        frame: Frame,
        node: int,
        outcome: str,
        error: str,
        message: str = "",
        values: Values | None = None,
        work_done: bool = False,
    ) -> None:
        fact = facts.Aborted(
            frame.path(node),
            frame.rounds[node],
            attempt_of(frame, node),
            outcome,
            values or {},
            error,
            message,
            work_done,
        )
        self.tell(frame, node, fact)
        if node == 0:
            self.after_end(frame, given_up=True)

    def skip(self, frame: Frame, node: int, by: str = "") -> None:
        self.tell(frame, node, facts.Skipped(frame.path(node), frame.rounds[node], attempt_of(frame, node), by))

    def after_end(self, frame: Frame, given_up: bool) -> None:
        if frame.role == COMPENSATION and frame.entry is not None:
            entry = frame.entry
            self.tell_kept(facts.Compensated(entry.path, entry.round, entry.attempt, given_up))


def attempt_of(frame: Frame, node: int) -> int:
    execution = frame.execution[node]
    return 1 if execution is None else execution.attempt
