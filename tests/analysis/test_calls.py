"""Calls: a process at hand is looked into, once; others may end in any way that they declare."""

from tests.analysis.planted import committed, graph, process, task
from weft.analysis.checking import check
from weft.analysis.controls import Controls
from weft.model.blocks import serial
from weft.model.definition import Call, Flow, On, Outcome, Process


def never_done() -> Process:
    one = task("only")
    fails = Outcome("aborted", "abort", On("only", "committed"))
    return process(
        Flow(name="inner", children=(one,), outcomes=(Outcome("done", "commit", On("only", "skipped")), fails))
    )


def caller() -> Process:
    return process(serial(Call(name="called", process="inner"), task("after"), name="outer"))


def test_what_a_called_process_can_t_do_its_caller_can_t_count_on() -> None:
    found = {fault.code: fault.activity for fault in check(caller(), {"inner": never_done()}).faults}
    assert found == {"never-runs": "after", "no-end": "outer"}


def test_a_process_that_is_not_at_hand_may_end_in_any_way() -> None:
    assert check(caller()).faults == ()


def test_processes_that_call_each_other_are_looked_into_once() -> None:
    def made(number: int) -> Process:
        after = f"p{(number + 1) % 30}"
        twice = serial(Call(name="one", process=after), Call(name="other", process=after), name=f"p{number}")
        return process(twice)

    called = {one.name: one for one in map(made, range(30))}
    controls = Controls(called["p0"], called=called)
    assert set(controls.known) == set(called) - {"p0"}
    assert controls.ends["p0"].may_commit


def test_a_flow_may_wait_for_a_call_in_a_graph() -> None:
    call = Call(name="called", process="inner")
    assert check(process(graph(call, done=committed("called")))).faults == ()
