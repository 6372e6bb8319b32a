"""A trial: nothing works and no time passes unless the test says so."""

from datetime import timedelta

import pytest

from weft import Context, all_of, call, each, flow, loop, person, process, quiet, race, signal, task, timer, var
from weft.engine.problems import Unexpected
from weft.kernel import commands
from weft.kernel.refusals import NotDeclared, NotFound, NotRunning, Refused
from weft.model.types import ValueFault
from weft.testing import Trial


@task
def pay(cents: int) -> str:
    raise NotImplementedError


@task
def refund(cents: int) -> None:
    raise NotImplementedError


@task
def pack() -> None:
    raise NotImplementedError


def test_work_is_done_when_the_test_says_so() -> None:
    trial = Trial(process("p", cents=int)(pay.into("receipt") >> pack), cents=9)
    assert trial.ready == ["pay"]
    assert trial.inputs("pay") == {"cents": 9}
    assert trial.status == "waiting"
    trial.finish("pay", "R-1")
    assert trial.ready == ["pack"]
    trial.finish("pack")
    assert (trial.outcome, trial.values, trial.status) == ("done", {"receipt": "R-1"}, "ended")
    assert trial.expect().outcome == "done"
    assert type(trial.facts[-1]).__name__ == "Committed"


def test_what_failed_is_taken_back_by_work_that_the_test_does_too() -> None:
    trial = Trial(process("p", cents=int)(pay.compensated_by(refund) >> pack), cents=9)
    trial.finish("pay", "R-1")
    trial.fail("pack", "task.broken", "it fell")
    assert trial.ready == ["pay/compensation"]
    assert trial.inputs("pay/compensation") == {"cents": 9}
    trial.finish("pay/compensation")
    assert (trial.outcome, trial.error) == ("aborted", "task.broken")
    with pytest.raises(Unexpected, match="it fell"):
        trial.expect()


def test_the_one_that_ends_first_wins_and_the_other_must_stop() -> None:
    trial = Trial(process("p", cents=int)(race(pay.compensated_by(refund), pack)), cents=9)
    trial.start("pay")
    trial.start("pack")
    assert trial.started == ["pay", "pack"]
    trial.finish("pack")
    assert (trial.stopping, trial.started) == (["pay"], [])
    trial.finish("pay", "too late")
    assert trial.ready == ["pay/compensation"]
    trial.finish("pay/compensation")
    assert trial.outcome == "done"
    assert trial.standing("pay") == "aborted"


def test_idempotent_work_stops_at_once() -> None:
    @task(idempotent=True)
    def look() -> None:
        raise NotImplementedError

    trial = Trial(process("p")(race(look, pack)))
    trial.start("look")
    trial.finish("pack")
    assert (trial.started, trial.stopping, trial.outcome) == ([], [], "done")


def test_one_that_was_only_offered_is_withdrawn() -> None:
    trial = Trial(process("p", cents=int)(race(pay, pack)), cents=9)
    trial.finish("pack")
    assert (trial.ready, trial.outcome) == ([], "done")


def test_timers_fire_at_their_times_in_order() -> None:
    p = process("p")(timer("first", timedelta(hours=1)) >> timer("second", timedelta(hours=2)) >> pack)
    trial = Trial(p)
    began = trial.now
    trial.advance(timedelta(hours=2))
    assert trial.standing("first") == "committed"
    assert trial.standing("second") == "ready"
    trial.advance(timedelta(hours=5))
    assert trial.ready == ["pack"]
    assert trial.now - began == timedelta(hours=7)


def test_a_timer_of_no_time_has_occurred_at_once() -> None:
    assert Trial(process("p")(timer("now", timedelta()))).outcome == "done"


def test_clocks_stand_still_while_it_is_suspended() -> None:
    trial = Trial(process("p")(timer("hour", timedelta(hours=1))))
    trial.suspend()
    trial.advance(timedelta(days=1))
    trial.resume()
    trial.advance(timedelta(minutes=59))
    assert trial.outcome == ""
    trial.advance(timedelta(minutes=1))
    assert trial.outcome == "done"


def test_a_suspended_one_says_that_it_waits_to_be_resumed() -> None:
    trial = Trial(process("p")(pack))
    trial.suspend()
    assert "resume" in trial.result.waits


def test_signals_are_ready_like_tasks() -> None:
    trial = Trial(process("p")(signal("paid", gives=int).into("sum")))
    assert trial.ready == ["paid"]
    trial.signal("paid", 9)
    assert trial.values == {"sum": 9}


def test_a_signal_during_a_suspension_is_kept() -> None:
    trial = Trial(process("p")(signal("paid", gives=int).into("sum")))
    trial.suspend()
    trial.signal("paid", result=9)
    assert trial.outcome == ""
    trial.resume()
    assert trial.values == {"sum": 9}


def test_marks_are_news_and_several_objects_are_given_by_name() -> None:
    @task(outcomes={"done": {"sum": int, "currency": str}}, marks={"seen": str})
    def count(ctx: Context) -> dict[str, object]:
        raise NotImplementedError

    p = process("p")(flow(count.into("sum", "currency"), pack.starts("start", count.on("seen"))))
    trial = Trial(p)
    trial.mark("count", "seen", "one coin")
    assert trial.ready == ["pack"]
    with pytest.raises(NotDeclared):
        trial.mark("count", "lost")
    with pytest.raises(ValueFault, match="gives sum, currency, and not total, currency"):
        trial.finish("count", total=3, currency="EUR")
    with pytest.raises(ValueFault, match="give them by name"):
        trial.finish("count", 3)
    trial.finish("count", sum=3, currency="EUR")
    trial.finish("pack")
    assert trial.values == {"sum": 3, "currency": "EUR"}


def test_several_objects_may_come_as_a_list_in_their_order() -> None:
    @task(outcomes={"done": {"sum": int, "currency": str}})
    def count() -> dict[str, object]:
        raise NotImplementedError

    trial = Trial(process("p")(count.into("sum", "currency")))
    trial.finish("count", [3, "EUR"])
    assert trial.values == {"sum": 3, "currency": "EUR"}


def test_an_outcome_is_chosen_by_its_name() -> None:
    @task(outcomes={"found": str, "full": None})
    def look() -> str | None:
        raise NotImplementedError

    trial = Trial(process("p")(flow(look).outcome("nothing", look.on("full")).outcome("something", look.on("found"))))
    trial.finish("look", outcome="full")
    assert trial.outcome == "nothing"


def test_a_task_is_meant_by_its_last_word_when_only_one_is() -> None:
    trial = Trial(process("p", files=list[int])(each("cents", "files", pay, at_most=1)), files=[1, 2])
    (path,) = trial.ready
    assert path.startswith("each:pay[0]")
    trial.finish(path, "R-1")
    assert trial.status == "waiting"


def test_a_wrong_name_is_refused_with_what_is_meant() -> None:
    trial = Trial(process("p", cents=int)(pay >> pack), cents=9)
    with pytest.raises(NotRunning, match="did you mean 'pay'"):
        trial.finish("pey")
    with pytest.raises(NotRunning, match="'pack' is waiting; ready are pay"):
        trial.finish("pack")
    with pytest.raises(NotFound):
        trial.standing("pock")


def test_what_may_mean_two_things_must_be_said() -> None:
    def inner(name: str) -> object:
        return process(name)(pack)

    a, b = inner("a"), inner("b")
    trial = Trial(process("p")(all_of(call(a), call(b))), a, b)  # type: ignore[arg-type]
    assert len(trial.ready) == 2
    with pytest.raises(NotRunning, match="may mean"):
        trial.finish("pack")
    first, second = trial.ready
    trial.finish(first)
    trial.finish("pack")
    assert trial.outcome == "done"
    assert first != second


def test_a_cancelled_one_takes_back_and_a_drained_one_does_not() -> None:
    p = process("p", cents=int)(all_of(pay.compensated_by(refund), pack))
    trial = Trial(p, cents=9)
    trial.finish("pay", "R")
    trial.cancel()
    assert trial.ready == ["pay/compensation"]
    drained = Trial(p, cents=9)
    drained.start("pay")
    drained.cancel("pack", drain=True)
    drained.finish("pay", "R")
    assert (drained.ready, drained.outcome) == ([], "done")


def test_any_command_of_the_kernel_may_be_given() -> None:
    trial = Trial(process("p")(pack >> person("sign")))
    trial.do(commands.Skip("pack"))
    assert trial.ready == ["sign"]
    with pytest.raises(Refused):
        trial.do(commands.Begin("pack"))


def test_what_a_doubted_or_open_activity_waits_for_is_told() -> None:
    trial = Trial(process("p")(pack.on_error("task.lost", "ask")))
    trial.fail("pack", "task.lost")
    assert trial.result.waits == ("somebody to decide about pack, which failed with task.lost",)
    opened = Trial(process("p", files=list[int])(each("cents", "files", pay, open=True)), files=[])
    assert "more items" in opened.result.waits[0]


def test_backoffs_and_work_that_must_stop_are_told() -> None:
    trial = Trial(process("p")(pack.retry(1, delay=timedelta(hours=1))))
    trial.fail("pack")
    assert trial.result.waits == ("the next attempt of pack",)
    racing = Trial(process("p", cents=int)(race(pay, pack)), cents=1)
    racing.start("pay")
    racing.finish("pack")
    assert "pay to stop" in racing.result.waits


def test_a_loop_goes_round_by_what_the_test_says() -> None:
    shoot = person("shoot", gives=str | None).into("picture")
    trial = Trial(process("p", variables={"picture": None})(loop("picture == None", shoot)))
    trial.finish("shoot", None)
    trial.finish("shoot", "clear")
    assert trial.values == {"picture": "clear"}


def test_the_value_of_an_expression_needs_no_work() -> None:
    p = process("p", cents=int)(flow(pay.using(cents=var("cents"))).outcome("over", quiet()))
    trial = Trial(p, cents=1)
    trial.fail("pay")
    assert trial.outcome == "over"
