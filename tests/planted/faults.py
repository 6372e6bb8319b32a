"""Faults to be planted in the kernel, one at a time: where, what stands there, and what would stand there instead."""

from typing import NamedTuple


class Fault(NamedTuple):
    """One fault; `old` occurs once in the module."""

    name: str
    module: str
    old: str
    new: str


FAULTS = (
    Fault(
        "two children of an exclusive flow commit",
        "committing",
        "    if body.grant >= 0:\n",
        "    if body.grant >= 1 << 30:\n",
    ),
    Fault(
        "compensations run in the order of the commits",
        "compensation",
        "here.entries[: -here.parallel - 1 : -1]",
        "here.entries[: here.parallel]",
    ),
    Fault(
        "an execution is compensated again while its compensation runs",
        "evolve_compound",
        "state.kept[fact.path, fact.round].is_running = True",
        "state.kept[fact.path, fact.round].is_running = False",
    ),
    Fault(
        "what is prepared is not rolled back",
        "compensation",
        "[one for one in d.state.prepared.values() if top_of(one) is log]",
        "[one for one in d.state.prepared.values() if top_of(one) is None]",
    ),
    Fault(
        "a task that runs is begun again",
        "status",
        '"Begin": frozenset((READY,))',
        '"Begin": frozenset((READY, STARTED))',
    ),
    Fault(
        "a result of an earlier attempt is taken",
        "places",
        "attempt is not None and (execution is None or execution.attempt != attempt)",
        "attempt is not None and execution is None",
    ),
    Fault(
        "retries are not counted",
        "evolve_activity",
        "execution.retries.get(fact.rule, 0) + 1",
        "execution.retries.get(fact.rule, 0)",
    ),
    Fault(
        "the undo is left out after a failed attempt",
        "failing",
        "has_undo = frame.plan.activity[node].undo is not None",
        "has_undo = frame.plan.activity[node].undo is None and False",
    ),
    Fault(
        "a guard counts what is false as true",
        "agenda",
        "lack = frame.lack_true if value == 1 else frame.lack_false",
        "lack = frame.lack_true",
    ),
    Fault(
        "children that wait for one another wait for ever",
        "flow",
        "        if not agenda and node in frame.plan.cycles:\n",
        "        if not agenda and node < 0:\n",
    ),
    Fault(
        "a name is kept when its holder has ended",
        "holding",
        "            del state.holders[name]\n",
        "            state.holders[name] = (frame, node)\n",
    ),
    Fault(
        "one item more than allowed runs",
        "each",
        "while items.next < len(items.values) and items.running < limit",
        "while items.next < len(items.values) and items.running <= limit",
    ),
    Fault(
        "the lowest priority fires first",
        "binding",
        "entry = (-one.priority, newest,",
        "entry = (one.priority, newest,",
    ),
    Fault(
        "a snapshot forgets what gates have counted",
        "snapshot_reading",
        "                frame.lack_false[over] -= 1\n",
        "                frame.lack_false[over] -= 0\n",
    ),
)
