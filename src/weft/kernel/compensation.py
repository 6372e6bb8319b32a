"""Taking back what committed: in reverse order of each log, prepared executions first, one at a time or as allowed."""

from weft.kernel import facts
from weft.kernel.decision import Decision
from weft.kernel.log import top_of
from weft.kernel.starting import start_compensation
from weft.kernel.state import Entry, Log


def roll_back(d: Decision, log: Log) -> None:
    """Prepared executions inside an aborting compound are rolled back before anything is compensated."""
    for entry in [one for one in d.state.prepared.values() if top_of(one) is log]:
        d.tell_kept(facts.RolledBack(entry.path, entry.round, entry.attempt))


def advance(d: Decision, log: Log) -> None:
    """Starts what is next to be taken back, as far as it does not run already."""
    for entry in due(log):
        d.tell_kept(facts.Compensating(entry.path, entry.round, entry.attempt))
        if not entry.is_away:
            start_compensation(d, entry)


def due(log: Log) -> list[Entry]:
    """From the last, as many as the log allows; inside each that has no compensation of its own, the same again."""
    found: list[Entry] = []
    todo = [log]
    while todo:
        here = todo.pop()
        for entry in here.entries[: -here.parallel - 1 : -1]:
            if entry.inner is not None and not entry.is_own():
                todo.append(entry.inner)
            elif not entry.is_running:
                found.append(entry)
    return found
