"""Simulated runs: figures, times, queues of people, ways never taken; and one run step by step."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from weft.analysis.simulation import Simulation
from weft.analysis.simulation_figures import BadFigures, Figures, TaskFigures, read_figures
from weft.analysis.simulation_results import Results, plot, results_of
from weft.analysis.stepping import Stepping
from weft.cli.main import main
from weft.model.blocks import all_of, choice, contingency, loop, serial
from weft.model.definition import ABORTED, Declared, Flow, Function, Outcome, Person, Process, Task, Timer
from weft.model.json_form import pretty


def task(name: str, **said: object) -> Task:
    return Task(name=name, handler=Function(f"work:{name}"), **said)  # type: ignore[arg-type]


def process(body: Flow, **variables: Declared) -> Process:
    return Process(name=body.name, body=replace(body, variables=variables))


def simulated(found: Process, figures: Figures, runs: int = 200, seed: int = 1) -> Results:
    simulation = Simulation(found, figures, seed, {})
    simulation.run(runs)
    return results_of(simulation, seed)


def order() -> Process:
    size = choice([("cents > 500", task("large"))], task("small"), name="size")
    return process(serial(task("read"), size, name="order"), cents=Declared("int", 0))


def test_times_add_up_along_a_serial_block_and_not_across_branches() -> None:
    figures = Figures(seconds=10.0, tasks={"b": TaskFigures(seconds=30.0)})
    one_by_one = simulated(process(serial(task("a"), task("b"), name="p")), figures, 3)
    at_once = simulated(process(all_of(task("a"), task("b"), name="p")), figures, 3)
    assert one_by_one.times is not None
    assert at_once.times is not None
    assert (one_by_one.times.median, at_once.times.median) == (40.0, 30.0)


def test_a_condition_has_the_likelihood_that_the_figures_give_it() -> None:
    found = simulated(order(), Figures(conditions={"cents > 500": 0.25}), 2_000)
    large = next(use.started for use in found.activities if use.activity == "large")
    assert 400 < large < 600
    assert found.never == []


def test_what_no_run_did_is_told() -> None:
    found = simulated(order(), Figures(), 50)
    assert found.never == ["large"]
    assert [path.tasks for path in found.paths] == [("read", "small")]


def test_outcomes_go_by_their_weights_and_errors_by_the_rules() -> None:
    tried = contingency(task("first"), task("second"), name="p")
    figures = Figures(tasks={"first": TaskFigures(outcomes={"done": 1, "aborted": 1})})
    found = simulated(process(tried), figures, 1_000)
    second = next(use.started for use in found.activities if use.activity == "second")
    assert 400 < second < 600
    assert found.ends == {"done": 1_000}


def test_people_are_a_bound_and_their_queue_is_the_wait() -> None:
    approve = Task(name="approve", handler=Person(role="clerk"))
    figures = Figures(seconds=100.0, roles={"clerk": 1}, every_seconds=50.0)
    found = simulated(process(serial(approve, name="p")), figures, 20)
    assert found.times is not None
    assert found.times.most == pytest.approx(100 * 20 - 50 * 19)
    assert found.roles == {"clerk": pytest.approx(1.0)}
    assert found.activities[0].wait_seconds == pytest.approx(50 * 19 / 2)


def test_a_timer_takes_its_own_time() -> None:
    wait = Task(name="wait", handler=Timer(seconds=3_600.0))
    found = simulated(process(serial(wait, task("after"), name="p")), Figures(seconds=1.0), 2)
    assert found.times is not None
    assert found.times.median == 3_601.0


def test_the_same_seed_plays_the_same_runs() -> None:
    figures = Figures(seconds=(1.0, 9.0), conditions={"cents > 500": 0.5})
    first, second, other = (simulated(order(), figures, 50, seed) for seed in (7, 7, 8))
    assert first == second
    assert first.times != other.times


def test_a_loop_without_end_is_given_up() -> None:
    found = simulated(process(loop("x == 0", task("again"), name="p"), x=Declared("int", 0)), Figures(), 1)
    assert found.ends == {"goes on": 1}


def test_the_plot_has_all_the_runs() -> None:
    simulation = Simulation(order(), Figures(seconds={"mean": 5.0}), 1, {})
    simulation.run(100)
    text = plot(simulation)
    assert text.startswith("<svg")
    assert "order: 100 runs" in text


@pytest.mark.parametrize("content", [b"{", b'{"second": 5}', b'{"tasks": {"a": {"seconds": "long"}}}'])
def test_wrong_figures_are_refused_with_the_reason(content: bytes) -> None:
    with pytest.raises(BadFigures, match=r"figures\.json is no file of figures"):
        read_figures(content, "figures.json")


def test_step_by_step_the_kernel_offers_what_may_come() -> None:
    stepping = Stepping(order(), {}, {})
    words = []
    while not stepping.has_ended:
        step = stepping.steps()[0]
        words.append(step.words)
        stepping.take(step)
    assert words == ["read starts", "read commits as done", "size/small starts", "size/small commits as done"]


def test_objects_given_with_a_step_decide_the_way() -> None:
    read = task("read", writes={"cents": "v"}, outcomes=(Outcome("done", types={"v": "int"}), ABORTED))
    body = serial(read, choice([("cents > 500", task("large"))], task("small"), name="size"), name="order")
    stepping = Stepping(process(body, cents=Declared("int", 0)), {}, {})
    stepping.take(stepping.steps()[0])
    stepping.take(stepping.steps()[0], {"v": 900})
    assert stepping.steps()[0].words == "size/large starts"


def test_the_command_sums_up_runs_and_writes_the_plot(tmp_path: Path) -> None:
    (tmp_path / "order.json").write_text(pretty(order()))
    (tmp_path / "figures.json").write_text('{"seconds": 5, "conditions": {"cents > 500": 0.5}}')
    options = ["--runs", "20", "--figures", str(tmp_path / "figures.json"), "--plot", str(tmp_path / "plot.svg")]
    result = CliRunner().invoke(main, ["simulate", str(tmp_path / "order.json"), *options])
    assert result.exit_code == 0, result.output
    assert "order: 20 runs, seed 1" in result.output
    assert "median 10" in result.output
    assert (tmp_path / "plot.svg").read_text().startswith("<svg")
    as_json = CliRunner().invoke(main, ["simulate", str(tmp_path / "order.json"), *options, "--json"])
    assert json.loads(as_json.output)["runs"] == 20


def test_the_command_plays_one_run_with_a_prompt(tmp_path: Path) -> None:
    (tmp_path / "order.json").write_text(pretty(process(serial(task("only"), name="order"))))
    result = CliRunner().invoke(main, ["simulate", str(tmp_path / "order.json")], input="1\n9\n1 {\n1\n")
    assert result.exit_code == 0, result.output
    assert "  1  only starts" in result.output
    assert "Give a number from 1 to 2, or q." in result.output
    assert "is no JSON" in result.output
    assert "committed" in result.output
