"""`apply`: decides what a command makes true. Refuses before the first fact, or accepts whole.

Each handler looks at the state, tells facts, and leaves the rest to the looks of the compounds concerned.
"""

from collections.abc import Callable
from typing import cast

from weft.kernel import away, call, commands, each, flow, interventions, net, status, work
from weft.kernel.change import change
from weft.kernel.commands import Command
from weft.kernel.decision import Decision
from weft.kernel.endings import settle, side_ended
from weft.kernel.facts import AnyFact
from weft.kernel.places import is_unfinished
from weft.kernel.plan import Plan
from weft.kernel.starting import start
from weft.kernel.state import Frame, State
from weft.kernel.stopping import begin_abort
from weft.kernel.tree import CALL, EACH, FLOW, NET
from weft.model.expressions import ExpressionError


def apply(plan: Plan, state: State, command: Command) -> list[AnyFact]:
    """Decides and evolves. Raises `Refused`, and then nothing has changed."""
    d = Decision(state)
    if state.freed:
        state.freed.clear()
    HANDLERS[type(command)](plan, d, command)
    if state.looks:
        run_looks(d)
    state.is_short = d.short is not None and is_short(d, d.short)
    state.told, state.nodes = d.facts, d.nodes
    return d.facts


def is_short(d: Decision, short: list[tuple[Frame, int]]) -> bool:
    """Is something left to do now? What stopped short may have ended since."""
    return d.state.paused_at < 0 and any(is_unfinished(d.state, frame, node) for frame, node in short)


def run_looks(d: Decision) -> None:
    looks = d.state.looks
    for frame, node in looks:  # grows meanwhile
        agenda = frame.agenda.get(node)
        if agenda is not None:
            look(d, frame, node, agenda)
    looks.clear()


def look(d: Decision, frame: Frame, node: int, agenda: list[int]) -> None:
    now = frame.status[node]
    if now == status.STARTED:
        try:
            pick(d, frame, node, agenda)
        except ExpressionError as error:
            begin_abort(d, frame, node, "aborted", "engine.expression", str(error))
    del frame.agenda[node]
    if now == status.STARTED or now == status.FIXED or now == status.ABORTING:
        if frame.status[node] != status.STARTED:
            settle(d, frame, node)
    elif now == status.READY:
        start(d, frame, node)
    elif now in SIDES:
        side_ended(d, frame, node)


def pick(d: Decision, frame: Frame, node: int, agenda: list[int]) -> None:
    """What a compound does next is all that its kind decides."""
    kind = frame.plan.kind[node]
    if kind == FLOW:
        flow.look(d, frame, node, agenda)
    elif kind == EACH:
        each.look(d, frame, node)
    elif kind == NET:
        net.look(d, frame, node)
    elif kind == CALL:
        call.look(d, frame, node)


SIDES = frozenset((status.FAILED, status.TAKING_BACK, status.REPLACED))

HANDLERS = cast(
    dict[type, Callable[[Plan, Decision, Command], None]],
    {
        commands.Start: interventions.start_instance,
        commands.Begin: work.begin,
        commands.Complete: work.complete,
        commands.Fail: work.fail_task,
        commands.Mark: work.mark,
        commands.Confirm: work.confirm,
        commands.Settle: work.settle_branch,
        commands.Retry: work.retry,
        commands.LeaseEnded: work.lease_ended,
        commands.Cancel: interventions.cancel,
        commands.Skip: interventions.skip,
        commands.Due: interventions.due,
        commands.Continue: interventions.go_on,
        commands.Suspend: interventions.suspend,
        commands.Resume: interventions.resume,
        commands.Add: interventions.add,
        commands.Finish: interventions.close,
        commands.Bind: interventions.bind,
        commands.Change: change,
        commands.Abandon: away.abandon,
        commands.Return: away.take_return,
        commands.Restore: away.restore,
        commands.TakeBack: away.take_back,
        commands.RollBack: away.roll_back,
        commands.Decide: away.decide,
    },
)
