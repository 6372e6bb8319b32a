"""Paper 001's Tables 2.1, 3.1 and 3.2, and the guards of what the paper does not have."""

from typing import Any

import pytest
from msgspec.structs import replace

from weft.model import blocks
from weft.model.definition import (
    ABORTED,
    DONE,
    Activity,
    ArcIn,
    ArcOut,
    AtLeast,
    Call,
    Constant,
    Declared,
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
    Person,
    Place,
    Process,
    Quiet,
    Rule,
    Task,
    Transition,
    When,
    every,
    some,
)
from weft.model.guard_rules import DEPENDENCIES, EVENT_ATTRIBUTES, activity_type, event_attributes, is_controllable
from weft.model.guard_table import Row, guard_table, render
from weft.model.guard_terms import negated
from weft.model.wellformed import check


def task(name: str, guard: Guard | None = None, **fields: Any) -> Task:
    return Task(name=name, **{"handler": Function(f"m:{name}"), "input_sets": (InputSet(guard=guard),), **fields})


def table(body: Activity) -> dict[str, Row]:
    return {row.name: row for row in guard_table(Process(name=body.name, body=body))}


def guards(body: Activity) -> dict[str, tuple[str, str, str]]:
    return {name: (row.start, row.abort, row.commit) for name, row in table(body).items()}


# Table 2.1.


@pytest.mark.parametrize(
    ("fields", "kind", "start", "abort", "commit"),
    [
        ({"transaction": "transactional"}, "transactional", "triggerable", "immediate", "normal"),
        ({"transaction": "two_phase"}, "2PC_transactional", "triggerable", "normal,immediate", "normal"),
        ({}, "non_transactional", "triggerable", "immediate", "immediate"),
        ({"checkpoint": True}, "non_transactional with checkpoint", "triggerable", "immediate", "immediate"),
        ({"handler": Person()}, "non_transactional", "triggerable", "immediate", "immediate"),
    ],
)
def test_table_2_1_gives_the_attributes_of_events(
    fields: dict[str, Any], kind: str, start: str, abort: str, commit: str
) -> None:
    one = task("a", **fields)
    assert activity_type(one) == kind
    assert event_attributes(one) == (start, abort, commit)
    assert [is_controllable(one) for one in ("triggerable", "normal", "immediate")] == [True, True, False]


def test_table_2_1_is_what_the_check_goes_by() -> None:
    """A commit guard is allowed where the commit is controllable, and nowhere else."""
    for transaction in ("none", "transactional", "two_phase"):
        one = task("b", transaction=transaction, outcomes=(replace(DONE, guard=On("a", "committed")), ABORTED))
        flow = Flow(name="p", children=(task("a"), one), outcomes=(replace(DONE, guard=Quiet()), ABORTED))
        is_allowed = not check(Process(name="p", body=flow))
        assert is_allowed == is_controllable(EVENT_ATTRIBUTES[activity_type(one)].commit)


# Table 3.1.


def test_table_3_1_gives_the_guard_of_each_dependency() -> None:
    """A DEP B: B's event e, A's event f; the guard of f is □e and that of e is TRUE."""
    assert {name: (f"B_{one.cause}", f"A_{one.effect}") for name, one in DEPENDENCIES.items()} == {
        "BD": ("B_st", "A_st"),
        "BCD": ("B_cm", "A_st"),
        "BAD": ("B_ab", "A_st"),
        "CD": ("B_cm", "A_cm"),
        "CAD": ("B_ab", "A_cm"),
        "AD": ("B_ab", "A_ab"),
        "ACD": ("B_cm", "A_ab"),
    }


# Table 3.2.


def check_up() -> Process:
    register = task("register", transaction="transactional", compensation=task("delete", transaction="transactional"))
    body = blocks.serial(
        blocks.choice([("patient_id == 0", register)]),
        task("examine", handler=Person("DOCTOR")),
        blocks.all_of(
            task("blood", handler=Person("LABORANT")),
            blocks.loop("result2 == Null", task("roent", handler=Person("ROENTGENOLOGIST"))),
        ),
        task("check", handler=Person("DOCTOR")),
        blocks.race(task("cash", handler=Person("TELLER")), task("credit", handler=Person("TELLER"))),
        name="check_up",
    )
    variables = {"patient_id": Declared("int"), "result2": Declared("list[str]"), "Null": Declared("null")}
    return Process(name="check_up", body=replace(body, variables=variables))


TABLE_3_2 = """
| 0     | TRUE                                   |                 | $\\square 1_{ab} \\vee \\square 4_{ab} \\vee \\square 5_{ab} \\vee \\square 10_{ab} \\vee \\square 11_{ab}$ | $\\square 11_{cm}$                      |                  |
| 1     | $\\square 0_{st}$                       | patient_id == 0 | $\\square 2_{ab}$   | $\\square 2_{cm}$                       |                  |
| 2     | $\\square 1_{st}$                       |                 | TRUE   | TRUE                                   |                  |
| 3     | $\\square 0_{ab} \\wedge \\square 2_{cm}$ |                 | TRUE   | TRUE                                   |                  |
| 4     | $\\square 1_{cm}$                       |                 | TRUE   | TRUE                                   |                  |
| 5     | $\\square 4_{cm}$                       |                 | $\\square 6_{ab} \\vee \\square 7_{ab}$   | $\\square 6_{cm} \\wedge \\square 7_{cm}$ |                  |
| 6     | $\\square 5_{st}$                       |                 | TRUE   | TRUE                                   |                  |
| 7     | $\\square 5_{st}$                       | result2 == Null | $\\square 8_{ab} \\vee \\square 9_{ab}$   | $\\square 9_{cm}$                       | result2 != Null  |
| 8     | $\\square 7_{st}$                       |                 | TRUE   | TRUE                                   |                  |
| 9     | $\\square 8_{cm}$                       |                 | TRUE   | TRUE                                   |                  |
| 10    | $\\square 5_{cm}$                       |                 | TRUE   | TRUE                                   |                  |
| 11    | $\\square 10_{cm}$                      |                 | $\\square 12_{ab} \\wedge \\square 13_{ab}$   | $\\square 12_{cm} \\vee \\square 13_{cm}$ |                  |
| 12    | $\\square 11_{st}$                      |                 | $\\square 13_{cm}$  | $\\square 13_{ab}$                      |                  |
| 13    | $\\square 11_{st}$                      |                 | $\\square 12_{cm}$  | $\\square 12_{ab}$                      |                  |
"""  # noqa: E501
"""As it is printed in the paper."""


def printed() -> list[list[str]]:
    text = TABLE_3_2
    for theirs, ours in (("$", ""), ("\\square ", "□"), ("\\vee", "∨"), ("\\wedge", "∧"), ("{", ""), ("}", "")):
        text = text.replace(theirs, ours)
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.strip().splitlines()]


def test_table_3_2_is_the_guard_table_of_the_check_up() -> None:
    rows = guard_table(check_up())
    ours = [
        [str(row.label), row.start, row.start_condition, row.abort, row.commit, row.commit_condition] for row in rows
    ]
    assert ours == printed()
    assert [row.name for row in rows] == [
        "check_up", "IF", "register", "delete", "examine", "AND", "blood", "WHILE", "roent", "restart", "check", "XOR",
        "cash", "credit",
    ]  # fmt: skip
    assert [row.name for row in rows if row.granted] == ["cash", "credit"]
    assert {row.kind for row in rows} == {"process", "flow", "task", "compensation", "restart"}


def test_the_check_up_is_well_formed() -> None:
    assert {fault.code for fault in check(check_up())} == {"loser"}


def test_a_table_is_text() -> None:
    body = blocks.serial(task("a"), blocks.race(task("b"), task("c"), name="r"), name="p")
    rows = guard_table(Process(name="p", body=body))
    assert render(rows).splitlines() == [
        "label  name  start  start condition  abort          commit         commit condition",
        "-" * 92,
        "0      p     TRUE                    □1_ab ∨ □2_ab  □2_cm",
        "1      a     □0_st                   TRUE           TRUE",
        "2      r     □1_cm                   □3_ab ∧ □4_ab  □3_cm ∨ □4_cm",
        "3      b     □2_st                   □4_cm          □4_ab                            granted",
        "4      c     □2_st                   □3_cm          □3_ab                            granted",
    ]
    plain = render(rows, only_ascii=True)
    assert plain.isascii()
    assert "[]3_ab and []4_ab" in plain


# The other blocks.


def test_an_or_block_has_the_papers_letter() -> None:
    body = blocks.any_of(task("a"), task("b"), name="p")
    assert guards(body) == {
        "p": ("TRUE", "□1_ab ∧ □2_ab", "(□1_cm ∨ □2_cm) ∧ (□1_cm ∨ □1_ab) ∧ (□2_cm ∨ □2_ab)"),
        "a": ("□0_st", "TRUE", "TRUE"),
        "b": ("□0_st", "TRUE", "TRUE"),
    }


def test_a_contingency_starts_the_next_on_abort() -> None:
    assert guards(blocks.contingency(task("a"), task("b"), name="p")) == {
        "p": ("TRUE", "□2_ab", "□1_cm ∨ □2_cm"),
        "a": ("□0_st", "TRUE", "TRUE"),
        "b": ("□1_ab", "TRUE", "TRUE"),
    }


def test_branches_have_their_own_conditions() -> None:
    three = table(blocks.choice([("x > 1", task("a")), ("x < 0", task("b"))], task("c"), name="p"))
    assert (three["p"].start_condition, three["p"].abort) == ("", "□1_ab ∨ □2_ab ∨ □3_ab")
    assert [three[name].start_condition for name in "abc"] == ["x > 1", "x < 0", "else"]
    two = table(blocks.choice([("x > 1", task("a"))], task("b"), name="p"))
    assert [two[name].start_condition for name in "pab"] == ["", "x > 1", "x <= 1"]


def test_a_block_of_which_some_are_enough_counts() -> None:
    three = guards(blocks.at_least(2, task("a"), task("b"), task("c"), name="p"))
    assert three["p"][1:] == ("2 of (□1_ab, □2_ab, □3_ab)", "2 of (□1_cm, □2_cm, □3_cm)")
    assert guards(blocks.at_least(1, task("a"), task("b"), name="p"))["p"][1:] == ("□1_ab ∧ □2_ab", "□1_cm ∨ □2_cm")
    nothing = replace(blocks.at_least(1, task("a"), name="p"), outcomes=(replace(DONE, guard=Quiet()), ABORTED))
    assert guards(nothing)["p"][1:] == ("□1_ab", "□1_cm")


def test_the_one_that_is_picked_decides() -> None:
    assert guards(blocks.pick(task("a"), task("b"), name="p"))["p"] == ("TRUE", "□1_ab ∨ □2_ab", "□1_cm ∨ □2_cm")


def test_non_vital_children_may_abort() -> None:
    serial = guards(blocks.serial(task("a", vital=False), task("b"), task("c", vital=False), name="p"))
    assert serial["p"] == ("TRUE", "□2_ab", "□3_cm ∨ □3_ab")
    assert serial["b"][0] == "□1_cm ∨ □1_ab"
    both = guards(blocks.all_of(task("a", vital=False), task("b"), name="p"))
    assert both["p"] == ("TRUE", "□2_ab", "(□1_cm ∨ □1_ab) ∧ □2_cm")
    nobody = guards(blocks.serial(task("a", vital=False), name="p"))
    assert nobody["p"][1] == "FALSE"


def test_what_a_child_asks_besides_its_block_is_shown() -> None:
    body = blocks.all_of(task("a"), task("b", every(On("a", "started"), When("x > 1"))), name="p")
    assert table(body)["b"].start == "□1_st"
    assert table(body)["b"].start_condition == "x > 1"
    body = blocks.serial(task("a"), task("b"), task("c", On("a", "committed")), name="p")
    assert table(body)["c"].start == "(□2_cm ∨ □2_sk) ∧ □1_cm"


def test_the_root_may_have_a_condition_and_a_loop_ask_more() -> None:
    assert table(blocks.loop("x", task("a", When("y")), name="p"))["a"].start_condition == "y"
    assert table(blocks.loop("not x", task("a"), name="p"))["p"].commit_condition == "x"


def test_a_race_of_blocks_asks_both() -> None:
    found = guards(blocks.race(blocks.serial(task("a"), name="s"), task("b"), task("c"), name="p"))
    assert found["s"] == ("□0_st", "□2_ab ∨ □3_cm ∨ □4_cm", "□2_cm ∧ □3_ab ∧ □4_ab")


# Sides and abort lists.


@pytest.mark.parametrize(
    ("body", "start"),
    [
        (blocks.serial(task("a", compensation=task("c")), task("b"), name="p"), "□0_ab ∧ □1_cm"),
        (blocks.serial(task("b"), task("a", compensation=task("c")), name="p"), "FALSE"),
        (blocks.serial(task("a", compensation=task("c")), task("b", vital=False), name="p"), "FALSE"),
        (blocks.all_of(task("b"), task("a", compensation=task("c")), name="p"), "□0_ab ∧ □2_cm"),
        (blocks.all_of(task("b", vital=False), task("a", compensation=task("c")), name="p"), "FALSE"),
        (blocks.race(task("b"), task("a", compensation=task("c")), name="p"), "FALSE"),
        (blocks.loop("x", task("a", compensation=task("c")), name="p"), "□0_ab ∧ □1_cm"),
        (
            blocks.serial(blocks.all_of(task("a", compensation=task("c")), task("b"), name="q"), task("d"), name="p"),
            "(□1_ab ∨ □0_ab) ∧ □2_cm",
        ),
        (
            blocks.any_of(blocks.all_of(task("a", compensation=task("c")), task("b"), name="q"), task("d"), name="p"),
            "(□1_ab ∨ □0_ab) ∧ □2_cm",
        ),
        (
            blocks.serial(
                replace(blocks.all_of(task("a", compensation=task("c")), task("b"), name="q"), compensation=task("e")),
                task("d"),
                name="p",
            ),
            "□1_ab ∧ □2_cm",
        ),
        (
            blocks.serial(
                replace(blocks.all_of(task("a", compensation=task("c")), task("b"), name="q"), vital=False), name="p"
            ),
            "□1_ab ∧ □2_cm",
        ),
    ],
)
def test_a_compensation_waits_for_those_that_can_still_abort(body: Activity, start: str) -> None:
    assert guards(body)["c"][0] == start


def test_undo_and_alternates_wait_for_the_abort() -> None:
    body = task("a", undo=task("u"), on_error=(Rule("alternate", alternate=task("b")), Rule("retry")))
    assert guards(body) == {
        "a": ("TRUE", "TRUE", "TRUE"),
        "u": ("□0_ab", "TRUE", "TRUE"),
        "b": ("□0_ab", "TRUE", "TRUE"),
    }
    assert [row.kind for row in table(body).values()] == ["process", "undo", "alternate"]


# What no block built.


def test_a_graph_shows_the_guards_that_it_has() -> None:
    value = (replace(DONE, types={"v": "int"}), Outcome("late"), Outcome("half", "mark"), ABORTED)
    body = Flow(
        name="p",
        children=(
            task("a", outcomes=value, input_sets=(InputSet("x"), InputSet("y", On("p", "started")))),
            task("b", every(On("a", "committed"), When("x > 1"))),
            task("c", input_sets=(InputSet(bindings={"v": (Output("a", "done", "v"), Input("b", "start", "w"))}),)),
            task("d", input_sets=(InputSet(bindings={"v": (Constant(1),)}),), cancel=On("c", "skipped")),
            task("e", input_sets=(
                InputSet("one", some(On("a", "committed:late"), When("y"))), InputSet("two", On("a", "mark:half")))),
            task("f", AtLeast(0, ())),
            task("g", AtLeast(1, ())),
            task("h", some(On("a", "started:y"), On("b", "started:start"), On("b", "error:task.io"), On("x", "ended"))),
            task("i", On("b", "aborted:aborted"), transaction="transactional", outcomes=(
                replace(DONE, guard=On("a", "ended")), ABORTED)),
            task("j", When("z")),
        ),
        outcomes=(
            Outcome("done", "commit", Quiet()), Outcome("again", "repeat", On("a", "ready")),
            Outcome("bad", "abort", AtLeast(2, (On("a", "aborted"), On("b", "aborted"), On("c", "aborted")))),
        ),
    )  # fmt: skip
    assert guards(body) == {
        "p": ("TRUE", "2 of (□1_ab, □2_ab, □3_ab)", "quiet"),
        "a": ("□0_st", "TRUE", "TRUE"),
        "b": ("□1_cm", "TRUE", "TRUE"),
        "c": ("□1_cm:done ∨ □2_st", "TRUE", "TRUE"),
        "d": ("□0_st", "□3_sk", "TRUE"),
        "e": ("□1_cm:late ∨ [y] ∨ □1_mark:half", "TRUE", "TRUE"),
        "f": ("□0_st", "TRUE", "TRUE"),
        "g": ("FALSE", "TRUE", "TRUE"),
        "h": ("□1_st:y ∨ □2_st ∨ □2_error:task.io ∨ □x_en", "TRUE", "TRUE"),
        "i": ("□2_ab", "TRUE", "□1_en"),
        "j": ("□0_st", "TRUE", "TRUE"),
        "again": ("□1_rd", "TRUE", "TRUE"),
    }
    assert (table(body)["b"].start_condition, table(body)["j"].start_condition) == ("x > 1", "z")
    assert guards(Flow(name="q", children=(), outcomes=(DONE, ABORTED)))["q"] == ("TRUE", "TRUE", "quiet")


def test_eaches_calls_and_nets_have_rows() -> None:
    net = Net(
        name="n",
        places=(Place("in"),),
        transitions=(
            Transition(name="t", inputs=(ArcIn("in"),), operation=task("op")),
            Transition(name="u", outputs=(ArcOut("in"),)),
        ),
    )
    body = blocks.serial(Each(name="e", item="i", body=task("b")), Call(name="c", process="q"), net, name="p")
    assert guards(body) == {
        "p": ("TRUE", "□1_ab ∨ □3_ab ∨ □4_ab", "□4_cm"),
        "e": ("□0_st", "□2_ab", "□2_cm"),
        "b": ("□1_st", "TRUE", "TRUE"),
        "c": ("□1_cm", "TRUE", "TRUE"),
        "n": ("□3_cm", "TRUE", "quiet"),
        "op": ("arcs", "TRUE", "TRUE"),
    }
    assert [row.kind for row in table(body).values()] == ["process", "each", "task", "call", "net", "task"]


@pytest.mark.parametrize(
    ("condition", "opposite"),
    [
        ("result2 == Null", "result2 != Null"),
        ("a != 'x y'", "a == 'x y'"),
        (" a < b + 1 ", "a >= b + 1"),
        ("a >= b", "a < b"),
        ("a > b", "a <= b"),
        ("a <= b", "a > b"),
        ("a in [1, 2]", "a not in [1, 2]"),
        ("a not in b", "a in b"),
        ("not a", "a"),
        ("a", "not a"),
        ("a.b", "not a.b"),
        ("1 < a < 2", "not (1 < a < 2)"),
        ("a and b", "not (a and b)"),
        ("a ! b", "not (a ! b)"),
        ("a\0", "not (a\0)"),
    ],
)
def test_a_condition_has_its_opposite(condition: str, opposite: str) -> None:
    assert negated(condition) == opposite


def test_the_table_of_a_long_process_is_quick() -> None:
    """Twenty thousand rows; were a row to look at its siblings, it would take minutes."""
    tasks = [task(f"t{i}", compensation=task(f"c{i}")) for i in range(10_000)]
    rows = guard_table(Process(name="p", body=blocks.serial(*tasks, name="p")))
    assert len(rows) == 20_001
    assert rows[-4].start == "□19995_cm"
