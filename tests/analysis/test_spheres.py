"""Spheres of isolation: the paper's example, and what joins and parts tasks."""

import json
from pathlib import Path

from click.testing import CliRunner
from msgspec.structs import replace

from weft.analysis.spheres import Link, spheres
from weft.cli.main import main
from weft.model.blocks import all_of, serial
from weft.model.definition import (
    ABORTED,
    Activity,
    Assign,
    Declared,
    Flow,
    Function,
    InputSet,
    On,
    Outcome,
    Output,
    Process,
    Task,
    Variable,
)
from weft.model.json_form import pretty


def task(name: str, takes: tuple[str, ...] = (), gives: str = "", **said: object) -> Task:
    sets = (InputSet(bindings={one: (Variable(one),) for one in takes}, types=dict.fromkeys(takes, "int")),)
    writes = {gives: "v"} if gives else {}
    outcomes = (Outcome("done", types={"v": "int"}), ABORTED)
    return Task(name=name, handler=Function(f"bank:{name}"), input_sets=sets, writes=writes, outcomes=outcomes, **said)  # type: ignore[arg-type]


def process(name: str, body: Flow, *variables: str) -> Process:
    return Process(name=name, body=replace(body, name=name, variables={one: Declared("int", 0) for one in variables}))


def transfer() -> Process:
    """Figure 10.1: money leaves one branch and arrives at another, then it is reported."""
    withdraw, deposit = task("withdraw", ("amount",), "taken"), task("deposit", ("taken",), "new_balance")
    return process("transfer", serial(withdraw, deposit, task("report")), "amount", "taken", "new_balance")


def audit() -> Process:
    """Figure 10.1: two balances are checked at once and summed up, then it is reported."""
    checks = all_of(task("check_1", (), "first"), task("check_2", (), "second"))
    total = task("total", ("first", "second"), "all")
    return process("audit", serial(checks, total, task("report")), "first", "second", "all")


def tasks_of(found: Process) -> list[tuple[str, ...]]:
    return [one.tasks for one in spheres(found)]


def test_the_example_of_paper_001_has_its_four_spheres() -> None:
    assert tasks_of(transfer()) == [("withdraw", "deposit"), ("report",)]
    assert tasks_of(audit()) == [("check_1", "check_2", "total"), ("report",)]


def test_what_joins_a_sphere_is_told() -> None:
    assert spheres(audit())[0].links == (Link("check_1", "total"), Link("check_2", "total"))


def test_tasks_that_run_at_once_are_not_joined_by_a_variable() -> None:
    both = all_of(task("one", (), "x"), task("other", ("x",)), name="both")
    assert tasks_of(process("both", both, "x")) == [("one",), ("other",)]


def test_an_output_of_a_sibling_joins_in_a_graph() -> None:
    taken = InputSet(bindings={"p": (Output("first", "done", "v"),)}, types={"p": "int"})
    second: Activity = replace(task("second"), input_sets=(taken,))
    third: Activity = replace(task("third"), input_sets=(InputSet(guard=On("second", "committed")),))
    done = Outcome("done", "commit", On("third", "committed"))
    flow = Flow(name="order", children=(task("first"), second, third), outcomes=(done, ABORTED))
    assert tasks_of(process("order", flow)) == [("first", "second"), ("third",)]


def test_an_assignment_joins_and_is_itself_in_no_sphere() -> None:
    double = replace(task("double", ("x",), "y"), handler=Assign({"v": "x * 2"}))
    chain = serial(task("one", (), "x"), double, task("other", ("y",)), name="chain")
    assert tasks_of(process("chain", chain, "x", "y")) == [("one", "other")]


def test_the_command_prints_spheres_with_their_links(tmp_path: Path) -> None:
    (tmp_path / "transfer.json").write_text(pretty(transfer()))
    result = CliRunner().invoke(main, ["spheres", str(tmp_path / "transfer.json")])
    assert result.output == "1  withdraw, deposit\n     withdraw → deposit\n2  report\n"
    as_json = CliRunner().invoke(main, ["spheres", str(tmp_path / "transfer.json"), "--json"])
    assert [one["tasks"] for one in json.loads(as_json.output)] == [["withdraw", "deposit"], ["report"]]
