"""Finding what a command is about, and where decisions stopped short."""

from typing import Final

from weft.kernel import each, net, status
from weft.kernel.agenda import body_of
from weft.kernel.commands import About
from weft.kernel.decision import Decision
from weft.kernel.refusals import Late, NotFound, NotRunning
from weft.kernel.state import Frame, State, find
from weft.kernel.tree import CALL, EACH, FLOW, NET, PLACED, TASK

TAKES: Final = {
    TASK: status.TASK_TAKES,
    PLACED: status.PLACED_TAKES,
    **dict.fromkeys((FLOW, EACH, CALL, NET), status.COMPOUND_TAKES),
}
NOWHERE: Final[frozenset[int]] = frozenset()


def locate(d: Decision, command: About, takes: str) -> tuple[Frame, int]:
    """The execution, if it may be asked this."""
    place = find(d.state, command.path)
    if place is None:
        raise NotFound(f"there is no activity {command.path!r} in this instance")
    check_takes(place[0], place[1], command, takes)
    return place


def check_takes(frame: Frame, node: int, command: About, takes: str) -> None:
    execution, attempt = frame.execution[node], command.attempt
    if (command.round is not None and command.round != frame.rounds[node]) or (
        attempt is not None and (execution is None or execution.attempt != attempt)
    ):
        check_current(frame, node, command)
    if frame.status[node] not in TAKES[frame.plan.kind[node]].get(takes, NOWHERE):
        raise NotRunning(f"{command.path} is {status.NAMES[frame.status[node]]}: it takes no {takes}")


def check_current(frame: Frame, node: int, command: About) -> None:
    execution = frame.execution[node]
    if command.round is not None and command.round != frame.rounds[node]:
        raise Late(f"{command.path} is in round {frame.rounds[node]}, the command is for round {command.round}")
    if command.attempt is not None and (execution is None or execution.attempt != command.attempt):
        now = 0 if execution is None else execution.attempt
        raise Late(f"{command.path} is in attempt {now}, the command is for attempt {command.attempt}")


def names(frame: Frame, node: int) -> tuple[str, int, int]:
    execution = frame.execution[node]
    return frame.path(node), frame.rounds[node], 1 if execution is None else execution.attempt


def unfinished(state: State) -> list[tuple[Frame, int]]:
    """The compounds in which a decision stopped short: a round to begin, items to start, firings to make."""
    return [
        (frame, node)
        for frame in frames_of(state)
        for node, now in enumerate(frame.status)
        if now in (status.STARTED, status.FIXED) and is_unfinished(state, frame, node)
    ]


def is_unfinished(state: State, frame: Frame, node: int) -> bool:
    kind, now = frame.plan.kind[node], frame.status[node]
    if now == status.FIXED:
        return body_of(frame, node).busy == 0
    if now != status.STARTED:
        return False
    if kind == EACH:
        return each.wants_more(frame, node)
    return kind == NET and net.wants_more(state, frame, node)


def frames_of(state: State) -> list[Frame]:
    return [] if state.root is None else [state.root, *state.frames.values()]
