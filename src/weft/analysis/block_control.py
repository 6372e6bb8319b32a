"""The control of flows that are nothing but a block: known from the block, without looking at a single state.

A flow is taken for a block only if building the block anew from its children gives the same guards and outcomes.
"""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from weft.analysis.ends import Control, Ends, Prefix, Trace, name_of
from weft.model import blocks
from weft.model.definition import Activity, AtLeast, Flow, Guard, Input, Output, Task, When

DONE: Final = frozenset({"done"})
ABORTED: Final = frozenset({"aborted"})


def block_control(flow: Flow, kids: Sequence[Ends]) -> Control | None:
    """None if the flow is more, or less, than a block."""
    rule = RULES.get(flow.block)
    return rule(flow, kids) if rule is not None and is_plain(flow) else None


# What is a plain block.


def is_plain(flow: Flow) -> bool:
    children = flow.children
    if any(child.cancel or child.until or child.holds or len(child.input_sets) != 1 for child in children):
        return False
    if any(isinstance(child, Task) and any(one.guard for one in child.outcomes) for child in children):
        return False
    if not all(_is_fed(flow, position) for position in range(len(children))):
        return False
    again = _rebuilt(flow)
    return (
        again is not None
        and [one.input_sets[0].guard for one in again.children] == [one.input_sets[0].guard for one in children]
        and again.outcomes == flow.outcomes
        and (again.exclusive, again.one_start) == (flow.exclusive, flow.one_start)
    )


def _is_fed(flow: Flow, position: int) -> bool:
    """Every parameter has a value when the block starts the child: from outside, or from what passed before."""
    for sources in flow.children[position].input_sets[0].bindings.values():
        is_given = any(not isinstance(one, Output | Input) for one in sources)
        if not is_given and not any(_has_passed(flow, one, position) for one in sources):
            return False
    return True


def _has_passed(flow: Flow, source: object, position: int) -> bool:
    """In a serial block an earlier vital child has committed by the one outcome it has."""
    if flow.block != "serial" or not isinstance(source, Output):
        return False
    giver = next((one for one in flow.children[:position] if one.name == source.activity), None)
    commits = [] if giver is None else [one.name for one in giver.outcomes if one.kind == "commit"]
    return giver is not None and giver.vital and commits == [source.outcome]


def _rebuilt(flow: Flow) -> Flow | None:
    loose = [replace(child, input_sets=(replace(child.input_sets[0], guard=None),)) for child in flow.children]
    build = BUILT.get(flow.block)
    try:
        if build is not None:
            return build(*loose, name=flow.name)
        if flow.block == "loop":
            return blocks.loop(flow.condition, *loose, name=flow.name)
        if flow.block == "atleast":
            return blocks.at_least(needed(flow), *loose, name=flow.name)
        conditions = [_condition(child.input_sets[0].guard) for child in flow.children]
        asked = [one for one in conditions if one]
        default = loose[-1] if not conditions[-1] else None
        return blocks.choice(list(zip(asked, loose, strict=False)), default, name=flow.name)
    except ValueError:
        return None


BUILT: Final[dict[str, Callable[..., Flow]]] = {
    "serial": blocks.serial,
    "all": blocks.all_of,
    "any": blocks.any_of,
    "race": blocks.race,
    "contingency": blocks.contingency,
    "pick": blocks.pick,
}


def _condition(guard: Guard | None) -> str:
    terms = guard.guards if isinstance(guard, AtLeast) else (guard,)
    return next((one.text for one in terms if isinstance(one, When)), "")


def conditions_of(flow: Flow) -> list[str]:
    """Of a choice or loop: the condition of each branch; empty for the default."""
    return [_condition(child.input_sets[0].guard) for child in flow.children]


def needed(flow: Flow) -> int:
    guard = flow.outcomes[0].guard
    return guard.count if isinstance(guard, AtLeast) else 1


# What each block does.


def passes(child: Activity, ends: Ends) -> bool:
    return ends.may_commit or (not child.vital and ends.may_abort)


def _passing(child: Activity, ends: Ends) -> str:
    """The words of a trace for a child that passes."""
    return f"{name_of(child)} commits" if ends.may_commit else f"{name_of(child)} aborts"


def _aborting(flow: Flow, kids: Sequence[Ends], runs: dict[int, Trace]) -> bool:
    return any(kids[number].may_abort and flow.children[number].vital for number in runs)


def _control(runs: dict[int, Trace], done: bool, aborted: bool) -> Control:
    return Control(Ends(DONE if done else frozenset(), ABORTED if aborted else frozenset()), runs)


def _serial(flow: Flow, kids: Sequence[Ends]) -> Control:
    runs: dict[int, Trace] = {}
    steps: list[str] = []
    head = (f"`{flow.condition}` is true",) if flow.block == "loop" else ()
    for number, child in enumerate(flow.children):
        runs[number] = Prefix(steps, number, head)
        if not passes(child, kids[number]):
            return _control(runs, False, _aborting(flow, kids, runs))
        steps.append(_passing(child, kids[number]))
    return _control(runs, True, _aborting(flow, kids, runs))


def _at_once(flow: Flow) -> dict[int, Trace]:
    return dict.fromkeys(range(len(flow.children)), ())


def _all(flow: Flow, kids: Sequence[Ends]) -> Control:
    runs = _at_once(flow)
    return _control(runs, all(map(passes, flow.children, kids)), _aborting(flow, kids, runs))


def _any(flow: Flow, kids: Sequence[Ends]) -> Control:
    can_end = all(one.may_commit or one.may_abort for one in kids)
    done = can_end and any(one.may_commit for one in kids)
    return _control(_at_once(flow), done, all(one.may_abort for one in kids))


def _race(flow: Flow, kids: Sequence[Ends]) -> Control:
    return _control(_at_once(flow), any(one.may_commit for one in kids), all(one.may_abort for one in kids))


def _pick(flow: Flow, kids: Sequence[Ends]) -> Control:
    return _control(_at_once(flow), any(one.may_commit for one in kids), any(one.may_abort for one in kids))


def _at_least(flow: Flow, kids: Sequence[Ends]) -> Control:
    need, count = needed(flow), len(kids)
    done = sum(one.may_commit for one in kids) >= need
    return _control(_at_once(flow), done, sum(one.may_abort for one in kids) > count - need)


def _contingency(flow: Flow, kids: Sequence[Ends]) -> Control:
    runs: dict[int, Trace] = {}
    steps: list[str] = []
    for number, child in enumerate(flow.children):
        runs[number] = Prefix(steps, number)
        if not kids[number].may_abort:
            break
        steps.append(f"{name_of(child)} aborts")
    last = len(kids) - 1
    return _control(runs, any(kids[number].may_commit for number in runs), last in runs and kids[last].may_abort)


def _choice(flow: Flow, kids: Sequence[Ends]) -> Control:
    runs: dict[int, Trace] = {}
    steps: list[str] = []
    conditions = conditions_of(flow)
    for number, text in enumerate(conditions):
        runs[number] = (*steps, f"`{text}` is true") if text else tuple(steps)
        steps.append(f"`{text}` is false")
    done = any(one.may_commit for one in kids) or all(conditions)
    return _control(runs, done, any(one.may_abort for one in kids))


def _loop(flow: Flow, kids: Sequence[Ends]) -> Control:
    found = _serial(flow, kids)
    found.ends = Ends(DONE, found.ends.aborts)
    return found


RULES: Final[dict[str, Callable[[Flow, Sequence[Ends]], Control]]] = {
    "serial": _serial,
    "all": _all,
    "any": _any,
    "race": _race,
    "pick": _pick,
    "atleast": _at_least,
    "contingency": _contingency,
    "choice": _choice,
    "loop": _loop,
}
