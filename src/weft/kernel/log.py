"""Which executions are kept to be taken back: a log for each compound, nested as the compounds were.

Called by `weft.kernel.evolve` only. An execution is kept if it has a compensation, is prepared, or holds such inside.
"""

from weft.kernel.state import CALLED, Entry, Execution, Frame, Log, State
from weft.kernel.tree import EACH, PLACED
from weft.model.definition import Each

UNBOUNDED = 1 << 30


def keep(state: State, frame: Frame, node: int, execution: Execution) -> None:
    """Called when an execution commits."""
    activity = frame.plan.activity[node]
    if frame.plan.kind[node] == PLACED:
        keep_away(state, frame, node, execution)
        return
    is_drained = is_drained_around(frame, node)
    inner = execution.log
    if inner is not None and (is_drained or activity.compensation is not None):
        drop(state, inner)
    if inner is not None and not inner.entries:
        inner = None
    has_own = activity.compensation is not None and not is_drained
    home = home_of(frame, node) if has_own or activity.critical or inner is not None else None
    if home is None:
        return
    entry = entry_for(frame, node, execution, home)
    entry.is_prepared = activity.critical
    entry.is_forgotten = is_drained
    entry.inner = inner
    if inner is not None:
        inner.entry = entry
    if has_own:
        state.kept[entry.path, entry.round] = entry
    if activity.critical:
        state.prepared[entry.path, entry.round] = entry


def entry_for(frame: Frame, node: int, execution: Execution, home: Log) -> Entry:
    entry = Entry(frame.path(node), frame.rounds[node], execution.attempt)
    entry.plan, entry.node, entry.frame, entry.place = frame.plan, node, frame, node
    entry.inputs, entry.values, entry.outcome = execution.inputs, execution.values, execution.outcome
    entry.home = home
    home.entries.append(entry)
    return entry


def keep_away(state: State, frame: Frame, node: int, execution: Execution) -> None:
    """Another group ran it, and keeps what is inside; what that group has prepared is an entry inside this one."""
    activity = frame.plan.activity[node]
    keeps, is_prepared = state.reports.pop((frame.path(node), frame.rounds[node]), (False, False))
    is_drained = is_drained_around(frame, node)
    keeps, has_own = keeps and not is_drained, activity.compensation is not None and not is_drained
    home = home_of(frame, node) if keeps or has_own else None
    inner = None
    if home is not None:
        entry = entry_for(frame, node, execution, home)
        entry.is_away = not has_own
        state.kept[entry.path, entry.round] = entry
        inner = Log(home.frame, home.node, 1)
        inner.entry = entry
    if is_prepared:
        if inner is None:
            inner = home_of(frame, node)
        elif inner.entry is not None:
            inner.entry.inner = inner
        if inner is not None:
            inside = entry_for(frame, node, execution, inner)
            inside.plan, inside.is_prepared = None, True
            state.prepared[inside.path, inside.round] = inside


def over(frame: Frame, node: int) -> tuple[Frame, int] | None:
    """Whose log it goes into: the compound around, or what an alternate works for; None where nothing is taken back."""
    if node:
        return frame, frame.plan.parent[node]
    if frame.parent is None or frame.role > CALLED + 1:
        return None
    return frame.parent, frame.parent_node


def is_drained_around(frame: Frame, node: int) -> bool:
    """Nothing is compensated in what is drained; what is prepared still is decided with the instance."""
    place = over(frame, node)
    execution = None if place is None else place[0].execution[place[1]]
    return execution is not None and execution.body is not None and execution.body.is_drained


def home_of(frame: Frame, node: int) -> Log | None:
    """The log of what is around; None where nothing is taken back later."""
    place = over(frame, node)
    if place is None:
        return None
    here, above = place
    execution = here.execution[above]
    assert execution is not None
    if execution.log is None:
        parallel = 1
        activity = here.plan.activity[above]
        if here.plan.kind[above] == EACH and isinstance(activity, Each):
            parallel = activity.at_most or UNBOUNDED
        execution.log = Log(here, above, parallel)
    return execution.log


def release(entry: Entry) -> None:
    """The entry is done with, and so is what held nothing else."""
    here: Entry | None = entry
    while here is not None:
        home = here.home
        if home is None or (here.inner is not None and here.inner.entries):
            return
        entries = home.entries
        for position in range(len(entries) - 1, -1, -1):
            if entries[position] is here:
                del entries[position]
                break
        above = home.entry
        if entries or above is None or above.is_prepared or above.is_own():
            return
        here = above


def drop(state: State, log: Log) -> None:
    """Forgets what is in the log, but for what is prepared."""
    left: list[Entry] = []
    for entry in log.entries:
        if entry.inner is not None:
            drop(state, entry.inner)
            if not entry.inner.entries:
                entry.inner = None
        if not entry.is_prepared:
            state.kept.pop((entry.path, entry.round), None)
            entry.is_away, entry.is_forgotten = False, True
        if entry.is_prepared or entry.inner is not None:
            left.append(entry)
    log.entries = left


def top_of(entry: Entry) -> Log:
    """The log of the live compound in which the entry lies, however deep."""
    home = entry.home
    assert home is not None
    while home.entry is not None:
        assert home.entry.home is not None
        home = home.entry.home
    return home


def unsettle(state: State, commit: bool) -> None:
    """The root has decided: what is prepared is to be settled so."""
    for entry in state.prepared.values():
        if entry.plan is None:  # another group settles it, when it is told how the instance ended
            continue
        state.unsettled[entry.path, entry.round, entry.attempt] = commit
    state.prepared.clear()
