"""Flows built from activities by putting guards on them: the blocks of all languages. Nothing below knows of blocks.

A block that nobody named is called after its kind and its first leaf, `serial:reserve`; such a name has a colon. An
unnamed serial, and-, or or-block directly inside an equal one, and with nothing said about it, is flattened into it.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeGuard, TypeVar

from msgspec.structs import replace

from weft.model.definition import (
    Activity,
    AtLeast,
    Each,
    Flow,
    Guard,
    Input,
    InputSet,
    Net,
    On,
    Outcome,
    Output,
    Sources,
    Task,
    When,
    every,
    is_unnamed,
    parts,
    some,
)


def serial(*activities: Activity, name: str = "") -> Flow:
    """One after the other; a skipped one counts as done, an aborted one aborts the block unless it is non-vital."""
    children = _flat("serial", activities)
    return _flow(
        "serial",
        name,
        [*children[:1], *(_guarded(child, _passed(before)) for before, child in pairwise(children))],
        _serial_outcomes(children),
    )


def all_of(*activities: Activity, name: str = "") -> Flow:
    """And: all at once; done when every one has passed."""
    children = _flat("all", activities)
    return _flow("all", name, children, _all_outcomes(children))


def any_of(*activities: Activity, name: str = "") -> Flow:
    """Or: all at once; done when every one has ended and at least one has committed."""
    children = _flat("any", activities)
    return _flow("any", name, children, _any_outcomes(children))


def race(*activities: Activity, name: str = "") -> Flow:
    """Xor: all at once; exactly one commits, the others are stopped and taken back."""
    children = _some_children("race", activities)
    outcomes = (_done(some(*_commits(children))), _aborted(every(*_aborts(children))))
    return _flow("race", name, children, outcomes, exclusive=True)


def contingency(*activities: Activity, name: str = "") -> Flow:
    """The next one is tried when the one before it has aborted."""
    children = _some_children("contingency", activities)
    return _flow(
        "contingency",
        name,
        [*children[:1], *(_guarded(child, On(before.name, "aborted")) for before, child in pairwise(children))],
        (_done(some(*_commits(children))), _aborted(On(children[-1].name, "aborted"))),
    )


def choice(branches: Sequence[tuple[str, Activity]], default: Activity | None = None, *, name: str = "") -> Flow:
    """The first branch whose condition is true; `default` when none is. Done too when nothing was chosen."""
    conditions = [condition for condition, _ in branches]
    chosen = [activity for _, activity in branches]
    children = _some_children("choice", chosen if default is None else [*chosen, default])
    guarded = [
        _guarded(child, _turn(condition, children[:index]))
        for index, (child, condition) in enumerate(zip(children, [*conditions, None], strict=False))
    ]
    nothing_chosen = every(*[On(child.name, "skipped") for child in children])
    outcomes = (_done(some(some(*_commits(children)), nothing_chosen)), _aborted(some(*_aborts(children))))
    return _flow("choice", name, guarded, outcomes, condition=conditions[0] if len(conditions) == 1 else "")


def loop(condition: str, *activities: Activity, name: str = "") -> Flow:
    """One after the other, again and again while the condition is true; asked before each round."""
    children = _some_children("loop", activities)
    first, last = children[0], children[-1]
    again = _worked(first) if last is first else _passed(last)
    return _flow(
        "loop",
        name,
        [
            _guarded(first, When(condition)),
            *(
                _guarded(child, _worked(before) if before is first else _passed(before))
                for before, child in pairwise(children)
            ),
        ],
        (
            _done(On(first.name, "skipped")),
            _aborted(_any_vital_aborted(children)),
            Outcome("again", "repeat", again),
        ),
        condition=condition,
    )


def pick(*activities: Activity, name: str = "") -> Flow:
    """Deferred choice: all are offered, the one that starts first has the work, the others are withdrawn."""
    children = _some_children("pick", activities)
    outcomes = (_done(some(*_commits(children))), _aborted(some(*_aborts(children))))
    return _flow("pick", name, children, outcomes, one_start=True)


def at_least(count: int, *activities: Activity, name: str = "") -> Flow:
    """All at once; done when `count` of them have committed, and the rest is stopped."""
    children = _some_children("at_least", activities)
    if not 1 <= count <= len(children):
        raise ValueError(f"at_least({count}, …) of {len(children)} activities: give a count from 1 to {len(children)}")
    too_many_aborted = AtLeast(len(children) - count + 1, tuple(_aborts(children)))
    outcomes = (_done(AtLeast(count, tuple(_commits(children)))), _aborted(too_many_aborted))
    return _flow("atleast", name, children, outcomes)


Block = TypeVar("Block", bound=Activity)


def named(activity: Block, name: str) -> Block:
    """The activity under another name, with everything that it, its children and its sides say of it."""
    old = activity.name
    return replace(_renamed_inside(activity, old, name), name=name, input_sets=_renamed_sets(activity, old, name))


def generated_name(kind: str, first: Activity) -> str:
    """A name for an unnamed block: `kind:leaf`, or `kind2:leaf` and so on if a block inside has it already."""
    inside: set[str] = set()
    while is_unnamed(first.name) and (below := next(parts(first), None)) is not None:
        inside.add(first.name)
        first = below
    leaf = first.name.rpartition(":")[2]
    name, number = f"{kind}:{leaf}", 1
    while name in inside:
        number += 1
        name = f"{kind}{number}:{leaf}"
    return name


# What guards ask of a child.


def _passed(child: Activity) -> Guard:
    """There is nothing more to do: it committed, was skipped, or aborted and is not vital."""
    return some(*_worked_guards(child), On(child.name, "skipped"))


def _worked(child: Activity) -> Guard:
    return some(*_worked_guards(child))


def _worked_guards(child: Activity) -> list[Guard]:
    committed = On(child.name, "committed")
    return [committed] if child.vital else [committed, On(child.name, "aborted")]


def _commits(children: Sequence[Activity]) -> list[Guard]:
    return [On(child.name, "committed") for child in children]


def _aborts(children: Iterable[Activity]) -> list[Guard]:
    return [On(child.name, "aborted") for child in children]


def _any_vital_aborted(children: Sequence[Activity]) -> Guard:
    """With no vital child the guard never holds; the outcome stays declared."""
    guards = _aborts(child for child in children if child.vital)
    return some(*guards) if guards else AtLeast(1, ())


def _serial_outcomes(children: Sequence[Activity]) -> tuple[Outcome, ...]:
    return _done(_passed(children[-1])), _aborted(_any_vital_aborted(children))


def _all_outcomes(children: Sequence[Activity]) -> tuple[Outcome, ...]:
    return _done(every(*map(_passed, children))), _aborted(_any_vital_aborted(children))


def _any_outcomes(children: Sequence[Activity]) -> tuple[Outcome, ...]:
    ended = every(*[On(child.name, "ended") for child in children])
    return _done(every(some(*_commits(children)), ended)), _aborted(every(*_aborts(children)))


def _turn(condition: str | None, before: Sequence[Activity]) -> Guard:
    """Every branch before was skipped: one that is skipped because an earlier one started is no reason to start."""
    asked = [] if condition is None else [When(condition)]
    return every(*asked, *[On(one.name, "skipped") for one in before])


# How a flow is put together.


def _done(guard: Guard) -> Outcome:
    return Outcome("done", "commit", guard)


def _aborted(guard: Guard) -> Outcome:
    return Outcome("aborted", "abort", guard)


def _flow(
    kind: str,
    name: str,
    children: Sequence[Activity],
    outcomes: tuple[Outcome, ...],
    *,
    condition: str = "",
    exclusive: bool = False,
    one_start: bool = False,
) -> Flow:
    return Flow(
        name=name or generated_name(kind, children[0]),
        children=tuple(children),
        outcomes=outcomes,
        block=kind,
        condition=condition,
        exclusive=exclusive,
        one_start=one_start,
    )


def _some_children(kind: str, activities: Sequence[Activity]) -> Sequence[Activity]:
    if not activities:
        raise ValueError(f"{kind} of nothing: give it at least one activity")
    return activities


def _guarded(child: Activity, guard: Guard) -> Activity:
    """The block's guard on every way to start that the child has."""
    sets = [replace(one, guard=guard if one.guard is None else every(guard, one.guard)) for one in child.input_sets]
    return replace(child, input_sets=tuple(sets))


# Flattening.

_OUTCOMES = {"serial": _serial_outcomes, "all": _all_outcomes, "any": _any_outcomes}


def _flat(kind: str, activities: Sequence[Activity]) -> Sequence[Activity]:
    activities = _some_children(kind, activities)
    if not any(_is_plain(one, kind) for one in activities):
        return activities
    children: list[Activity] = []
    for one in activities:
        if _is_plain(one, kind):
            children.extend(_loose(one))
        else:
            children.append(one)
    return children


def _is_plain(activity: Activity, kind: str) -> TypeGuard[Flow]:
    """An unnamed block of this kind of which nothing more was said; nobody can speak of it, so it can go."""
    if not (isinstance(activity, Flow) and activity.block == kind and is_unnamed(activity.name)):
        return False
    outcomes = _OUTCOMES[kind](activity.children)
    return activity == Flow(name=activity.name, children=activity.children, outcomes=outcomes, block=kind)


def _loose(block: Flow) -> list[Activity]:
    """The children of a block without the guards that it gave them."""
    if block.block != "serial":
        return list(block.children)
    rest = (_unguarded(child, _passed(before)) for before, child in pairwise(block.children))
    return [block.children[0], *rest]


def _unguarded(child: Activity, guard: Guard) -> Activity:
    def own(given: Guard | None) -> Guard | None:
        return given.guards[1] if isinstance(given, AtLeast) and given != guard else None

    return replace(child, input_sets=tuple(replace(one, guard=own(one.guard)) for one in child.input_sets))


# Renaming: a guard or source that says the old name says the new one.


def _renamed_inside(activity: Block, old: str, new: str) -> Block:
    """The activity with its children's, sides' and outcomes' mentions of `old`, its own name, renamed."""

    def around(inner: Activity) -> Activity:
        return _renamed_around(inner, old, new)

    changed: dict[str, object] = {
        "outcomes": tuple(_renamed_outcome(one, old, new) for one in activity.outcomes),
        "compensation": activity.compensation and around(activity.compensation),
        "undo": activity.undo and around(activity.undo),
        "on_error": tuple(
            replace(rule, alternate=rule.alternate and around(rule.alternate)) for rule in activity.on_error
        ),
    }
    match activity:
        case Flow():
            changed["children"] = tuple(map(around, activity.children))
        case Each():
            changed["body"] = around(activity.body)
        case Net():
            changed["transitions"] = tuple(
                replace(one, operation=one.operation and around(one.operation)) for one in activity.transitions
            )
        case _:
            pass
    return replace(activity, **changed)


def _renamed_around(activity: Activity, old: str, new: str) -> Activity:
    """What an activity says of the compound around it, or a compensation of what it takes back."""
    outcomes = activity.outcomes
    if isinstance(activity, Task):
        outcomes = tuple(_renamed_outcome(one, old, new) for one in outcomes)
    return replace(
        activity,
        input_sets=_renamed_sets(activity, old, new),
        outcomes=outcomes,
        cancel=_renamed_guard(activity.cancel, old, new),
        until=_renamed_guard(activity.until, old, new),
    )


def _renamed_sets(activity: Activity, old: str, new: str) -> tuple[InputSet, ...]:
    return tuple(
        replace(one, guard=_renamed_guard(one.guard, old, new), bindings=_renamed_bindings(one.bindings, old, new))
        for one in activity.input_sets
    )


def _renamed_outcome(outcome: Outcome, old: str, new: str) -> Outcome:
    return replace(
        outcome,
        guard=_renamed_guard(outcome.guard, old, new),
        bindings=_renamed_bindings(outcome.bindings, old, new),
    )


def _renamed_guard(guard: Guard | None, old: str, new: str) -> Guard | None:
    match guard:
        case On(activity=activity, event=event) if activity == old:
            return On(new, event)
        case AtLeast(count=count, guards=guards):
            return AtLeast(count, tuple(_renamed_guard(one, old, new) for one in guards))  # type: ignore[misc]
        case _:
            return guard


def _renamed_bindings(bindings: dict[str, Sources], old: str, new: str) -> dict[str, Sources]:
    return {
        name: tuple(
            replace(one, activity=new) if isinstance(one, Output | Input) and one.activity == old else one
            for one in sources
        )
        for name, sources in bindings.items()
    }
