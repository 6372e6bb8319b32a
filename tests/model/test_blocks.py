"""Blocks as SEMANTICS §3 tables them: when children start, when the block commits and when it aborts."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from weft.model import blocks
from weft.model.definition import (
    Activity,
    AtLeast,
    Constant,
    Each,
    Flow,
    Function,
    Guard,
    Input,
    InputSet,
    Net,
    On,
    Outcome,
    Output,
    Quiet,
    Rule,
    Task,
    Transition,
    When,
    every,
    some,
)


def task(name: str, *, vital: bool = True) -> Task:
    return Task(name=name, handler=Function("shop:work"), vital=vital)


A, B, C, D = task("a"), task("b"), task("c"), task("d")
SOFT = task("soft", vital=False)
NEVER = AtLeast(1, ())


def shown(guard: Guard | None) -> str:
    """A guard in one line: `a.committed + b.skipped`, `&` for and."""
    match guard:
        case None:
            return ""
        case On(activity=activity, event=event):
            return f"{activity}.{event}"
        case When(text=text):
            return f"[{text}]"
        case AtLeast(count=count, guards=guards):
            inside = [f"({shown(one)})" if isinstance(one, AtLeast) else shown(one) for one in guards]
            if count == 1:
                return " | ".join(inside) or "never"
            return " & ".join(inside) if count == len(guards) else f"{count} of {', '.join(inside)}"
        case Quiet():
            return "quiet"


def starts(flow: Flow) -> list[str]:
    return [shown(child.input_sets[0].guard) for child in flow.children]


def ends(flow: Flow) -> dict[str, str]:
    return {outcome.name: shown(outcome.guard) for outcome in flow.outcomes}


BLOCKS = {
    "serial": (
        blocks.serial(A, B),
        ["", "a.committed | a.skipped"],
        {"done": "b.committed | b.skipped", "aborted": "a.aborted | b.aborted"},
    ),
    "serial after a non-vital child": (
        blocks.serial(SOFT, B),
        ["", "soft.committed | soft.aborted | soft.skipped"],
        {"done": "b.committed | b.skipped", "aborted": "b.aborted"},
    ),
    "serial of non-vital children": (
        blocks.serial(SOFT),
        [""],
        {"done": "soft.committed | soft.aborted | soft.skipped", "aborted": "never"},
    ),
    "all": (
        blocks.all_of(A, SOFT),
        ["", ""],
        {
            "done": "(a.committed | a.skipped) & (soft.committed | soft.aborted | soft.skipped)",
            "aborted": "a.aborted",
        },
    ),
    "any": (
        blocks.any_of(A, SOFT),
        ["", ""],
        {
            "done": "(a.committed | soft.committed) & (a.ended & soft.ended)",
            "aborted": "a.aborted & soft.aborted",
        },
    ),
    "race": (
        blocks.race(A, B),
        ["", ""],
        {"done": "a.committed | b.committed", "aborted": "a.aborted & b.aborted"},
    ),
    "contingency": (
        blocks.contingency(A, B, C),
        ["", "a.aborted", "b.aborted"],
        {"done": "a.committed | b.committed | c.committed", "aborted": "c.aborted"},
    ),
    "one branch": (
        blocks.choice([("x > 1", A)]),
        ["[x > 1]"],
        {"done": "a.committed | a.skipped", "aborted": "a.aborted"},
    ),
    "two-way choice": (
        blocks.choice([("x > 1", A)], B),
        ["[x > 1]", "a.skipped"],
        {"done": "(a.committed | b.committed) | (a.skipped & b.skipped)", "aborted": "a.aborted | b.aborted"},
    ),
    "choice": (
        blocks.choice([("x > 1", A), ("x < 1", B)], C),
        ["[x > 1]", "[x < 1] & a.skipped", "a.skipped & b.skipped"],
        {
            "done": "(a.committed | b.committed | c.committed) | (a.skipped & b.skipped & c.skipped)",
            "aborted": "a.aborted | b.aborted | c.aborted",
        },
    ),
    "loop of one": (
        blocks.loop("n < 3", A),
        ["[n < 3]"],
        {"done": "a.skipped", "aborted": "a.aborted", "again": "a.committed"},
    ),
    "loop of one non-vital": (
        blocks.loop("n < 3", SOFT),
        ["[n < 3]"],
        {"done": "soft.skipped", "aborted": "never", "again": "soft.committed | soft.aborted"},
    ),
    "loop": (
        blocks.loop("n < 3", A, SOFT, C),
        ["[n < 3]", "a.committed", "soft.committed | soft.aborted | soft.skipped"],
        {"done": "a.skipped", "aborted": "a.aborted | c.aborted", "again": "c.committed | c.skipped"},
    ),
    "pick": (
        blocks.pick(A, B),
        ["", ""],
        {"done": "a.committed | b.committed", "aborted": "a.aborted | b.aborted"},
    ),
    "at least": (
        blocks.at_least(2, A, B, C),
        ["", "", ""],
        {
            "done": "2 of a.committed, b.committed, c.committed",
            "aborted": "2 of a.aborted, b.aborted, c.aborted",
        },
    ),
}


@pytest.mark.parametrize("block", BLOCKS)
def test_each_block_puts_these_guards(block: str) -> None:
    flow, begin, end = BLOCKS[block]
    assert (starts(flow), ends(flow)) == (begin, end)


def test_a_block_says_which_it_is_and_what_makes_it_special() -> None:
    assert blocks.race(A, B).exclusive
    assert blocks.pick(A, B).one_start
    loop = blocks.loop("n < 3", A)
    assert (loop.block, loop.condition, loop.outcomes[2].kind) == ("loop", "n < 3", "repeat")
    assert blocks.choice([("x", A)], B).condition == "x"
    assert blocks.choice([("x", A), ("y", B)]).condition == ""


def test_the_guard_of_a_block_is_joined_to_the_childs_own_in_every_way_to_start() -> None:
    two_ways = replace(B, input_sets=(InputSet("normal", On("c", "committed")), InputSet("late")))
    normal, late = blocks.serial(A, two_ways, C).children[1].input_sets
    assert shown(normal.guard) == "(a.committed | a.skipped) & c.committed"
    assert shown(late.guard) == "a.committed | a.skipped"


@pytest.mark.parametrize(
    ("flow", "name"),
    [
        (blocks.serial(A, B), "serial:a"),
        (blocks.all_of(A, B), "all:a"),
        (blocks.any_of(A, B), "any:a"),
        (blocks.race(A, B), "race:a"),
        (blocks.contingency(A, B), "contingency:a"),
        (blocks.choice([("x", A)]), "choice:a"),
        (blocks.loop("x", A), "loop:a"),
        (blocks.pick(A, B), "pick:a"),
        (blocks.at_least(1, A, B), "atleast:a"),
        (blocks.serial(A, B, name="shop"), "shop"),
        (blocks.race(blocks.serial(A, B), C), "race:a"),
        (blocks.serial(blocks.all_of(blocks.serial(A, B), C), D), "serial2:a"),
        (blocks.loop("x", blocks.loop("y", blocks.loop("z", A))), "loop3:a"),
        (blocks.loop("x", blocks.loop("y", A, name="inner")), "loop:inner"),
    ],
)
def test_a_block_that_nobody_named_is_called_after_its_kind_and_first_leaf(flow: Flow, name: str) -> None:
    assert flow.name == name


@pytest.mark.parametrize("block", [blocks.serial, blocks.all_of, blocks.any_of])
def test_equal_unnamed_blocks_flatten(block: Callable[..., Flow]) -> None:
    flat = block(A, B, C, D)
    assert block(block(A, B), block(C, D)) == flat
    assert block(block(block(A, B), C), D) == flat
    assert block(A, block(B, block(C, D))) == flat


def test_flattening_keeps_the_childrens_own_guards() -> None:
    waits = replace(B, input_sets=(InputSet(guard=On("d", "committed")),))
    assert blocks.serial(blocks.serial(A, waits), C) == blocks.serial(A, waits, C)


@pytest.mark.parametrize(
    "inner",
    [
        blocks.serial(B, C, name="inner"),
        replace(blocks.serial(B, C), vital=False),
        replace(blocks.serial(B, C), compensation=D),
        replace(blocks.serial(B, C), holds=("desk",)),
        replace(blocks.serial(B, C), outcomes=(Outcome("done"),)),
        blocks.all_of(B, C),
    ],
)
def test_a_block_of_which_more_was_said_stays(inner: Activity) -> None:
    assert [child.name for child in blocks.serial(A, inner).children] == ["a", inner.name]


def test_renaming_reaches_everything_that_speaks_of_the_activity() -> None:
    old = On("old", "started")
    back = replace(D, input_sets=(InputSet(bindings={"x": (Output("old", "done", "v"), Constant(1))}),))
    child = replace(
        A,
        input_sets=(InputSet(guard=every(old, When("x")), bindings={"x": (Input("old", "start", "x"),)}),),
        outcomes=(Outcome("done", guard=some(old, On("b", "ended"))),),
        cancel=On("old", "mark:stop"),
        until=Quiet(),
    )
    flow = replace(
        blocks.serial(child, name="old"),
        input_sets=(InputSet(bindings={"x": (Output("old", "again", "x"),)}),),
        outcomes=(Outcome("done", guard=old, bindings={"v": (Input("old", "start", "x"),)}),),
        compensation=back,
        undo=back,
        on_error=(Rule("alternate", alternate=back), Rule("fail")),
    )
    new = blocks.named(flow, "new")
    assert new.name == "new"
    assert "'old'" not in repr(new)
    assert repr(new).replace("'new'", "'old'") == repr(flow)


def test_renaming_reaches_the_inside_of_each_and_net() -> None:
    inner = replace(A, input_sets=(InputSet(bindings={"x": (Input("old", "start", "x"),)}),))
    each = Each(name="old", item="item", body=inner)
    net = Net(name="old", places=(), transitions=(Transition(name="t", operation=inner), Transition(name="u")))
    assert "'old'" not in repr(blocks.named(each, "new"))
    assert "'old'" not in repr(blocks.named(net, "new"))
    assert blocks.named(A, "new") == replace(A, name="new")


@pytest.mark.parametrize("block", [blocks.serial, blocks.all_of, blocks.any_of, blocks.race, blocks.contingency])
def test_a_block_of_nothing_is_refused(block: Callable[..., Flow]) -> None:
    with pytest.raises(ValueError, match="of nothing: give it at least one activity"):
        block()


@pytest.mark.parametrize("count", [0, 3])
def test_a_count_that_can_not_be_reached_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match="give a count from 1 to 2"):
        blocks.at_least(count, A, B)
