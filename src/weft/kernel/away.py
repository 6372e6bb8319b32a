"""What is said between groups of a compound that one owns and another runs, as the kernel of each takes it.

For its owner such a compound is a task that is not idempotent; for the group that runs it, it is the root.
"""

from weft.kernel import commands, facts, status
from weft.kernel.agenda import attend, execution_of
from weft.kernel.committing import finish
from weft.kernel.decision import Decision
from weft.kernel.failing import fail
from weft.kernel.log import top_of
from weft.kernel.places import locate, names
from weft.kernel.plan import Plan
from weft.kernel.refusals import NotFound, NotRunning
from weft.kernel.state import Entry, Frame, State
from weft.kernel.tree import PLACED

# At the owner.


def take_return(plan: Plan, d: Decision, command: commands.Return) -> None:
    """It has ended there. Only what the owner makes of it counts: its rules, its leave, its stop."""
    frame, node = locate(d, command, "Return")
    if frame.plan.kind[node] != PLACED:
        raise NotRunning(f"{command.path} does not run elsewhere")
    is_stopped = frame.status[node] == status.STOPPING
    keeps = command.keeps and command.is_commit and not is_stopped
    prepared = command.is_prepared and command.is_commit and not is_stopped
    d.tell(frame, node, facts.Reported(*names(frame, node), command.variables, keeps, prepared))
    if command.is_commit:
        if not is_stopped:  # else it takes back what is inside, and says so
            finish(d, frame, node, command.outcome, command.values)
    elif is_stopped:
        d.abort(frame, node, "aborted", execution_of(frame, node).error, work_done=command.work_done)
    else:
        fail(d, frame, node, command.error, command.message, command.outcome, command.values)


def restore(plan: Plan, d: Decision, command: commands.Restore) -> None:
    entry = reversing(d.state, command)
    restored(d, entry, facts.Compensated(entry.path, entry.round, entry.attempt, False, command.variables))


def reversing(state: State, command: commands.About) -> Entry:
    """The execution that another group takes back now."""
    for (path, round), entry in state.kept.items():
        if path == command.path and command.round in (None, round) and entry.is_away and entry.is_running:
            return entry
    raise NotRunning(f"{command.path} is not being taken back elsewhere")


def restored(d: Decision, entry: Entry, fact: facts.Compensated) -> None:
    home = top_of(entry)
    d.tell_kept(fact)
    attend(d.state, home.frame, home.node)


def abandon(plan: Plan, d: Decision, command: commands.Abandon) -> None:
    """A person gives up what can't be reached: an execution, or taking one back."""
    for (path, round), entry in d.state.kept.items():
        if path == command.path and command.round in (None, round) and entry.is_away and entry.is_running:
            restored(d, entry, facts.Compensated(entry.path, entry.round, entry.attempt, True))
            return
    frame, node = locate(d, command, "Abandon")
    if frame.plan.kind[node] != PLACED:
        raise NotRunning(f"{command.path} is not placed elsewhere")
    d.tell(frame, node, facts.Abandoned(*names(frame, node)))
    d.abort(frame, node, "aborted", "engine.unreachable")


# In the group that runs it.


def root_of(d: Decision) -> Frame:
    root = d.state.root
    if root is None or d.state.base is None:
        raise NotFound("only a part of an instance is asked this by its owner")
    return root


def take_back(plan: Plan, d: Decision, command: commands.TakeBack) -> None:
    """It has committed for itself, but its owner asks for it back: in reverse order of its log, as in any abort."""
    root = root_of(d)
    if root.status[0] != status.COMMITTED:
        raise NotRunning(f"{root.path(0)} is {status.NAMES[root.status[0]]}: there is nothing to take back")
    key = names(root, 0)
    d.tell(root, 0, facts.Aborting(*key, "aborted", {}, command.error, is_stopped=True))


def roll_back(plan: Plan, d: Decision, command: commands.RollBack) -> None:
    root_of(d)
    for entry in list(d.state.prepared.values()):
        d.tell_kept(facts.RolledBack(entry.path, entry.round, entry.attempt))


def decide(plan: Plan, d: Decision, command: commands.Decide) -> None:
    root = root_of(d)
    if root.status[0] not in status.ENDS:
        raise NotRunning(f"{root.path(0)} has not ended")
    d.tell_kept(facts.Decided(*names(root, 0), command.commit))
