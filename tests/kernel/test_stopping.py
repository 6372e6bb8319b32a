"""Cancel, drain, suspend and resume (SEMANTICS §4)."""

import pytest

from tests.kernel.driver import Driver, committed, done, everywhere, guarded, process, task
from weft.kernel import commands, effect_types, facts
from weft.kernel.plan import plan_of
from weft.kernel.refusals import NotFound
from weft.model.blocks import all_of, loop, serial
from weft.model.definition import (
    DONE,
    Constant,
    Deadline,
    Each,
    Flow,
    InputSet,
    On,
    Outcome,
    Quiet,
    Rule,
    Signal,
    Timer,
    every,
)


def open_flow(*children):  # type: ignore[no-untyped-def]
    return Flow(name="p", children=children, outcomes=(done(Quiet()),))


# Cancel.


def test_cancel_of_an_instance_stops_and_takes_back_everything() -> None:
    driver = everywhere(
        all_of(serial(task("a", compensation=task("una")), task("b"), name="q"), task("c", idempotent=True), name="p"),
        """
        start               -> Ready p, Started p, Ready q, Started q, Ready c, Ready q/a
        do q/a              -> Started q/a, Committed q/a, Ready q/b
        begin q/b           -> Started q/b
        begin c             -> Started c
        cancel              -> Aborting p, Aborting q, Stopping q/b, Aborted c
        cancel
        fail q/b            -> Aborted q/b, Compensating q/a, Ready q/a/compensation
        do q/a/compensation -> Started q/a/compensation, Committed q/a/compensation, Compensated q/a,
                            -> Aborted q, Aborted p
        cancel              -> refused NotRunning
        """,
    )
    assert driver.last("p", facts.Aborted).error == "engine.cancelled"


def test_cancel_of_one_activity_leaves_the_rest() -> None:
    everywhere(
        open_flow(task("a"), task("b")),
        """
        start      -> Ready p, Started p, Ready a, Ready b
        begin a    -> Started a
        cancel a   -> Stopping a
        cancel a
        complete a -> Aborted a
        do b       -> Started b, Committed b, Fixed p, Committed p
        """,
    )


def test_cancel_before_the_start_is_refused() -> None:
    with pytest.raises(NotFound):
        Driver(plan_of(process(open_flow(task("a"))))).send(commands.Cancel())
    with pytest.raises(NotFound):
        Driver(plan_of(process(open_flow(task("a"))))).send(commands.Continue())


def test_cancel_of_what_is_parked_granted_failed_undoing_or_replaced() -> None:
    parked = task("a", transaction="transactional", outcomes=(Outcome("done", "commit", On("b", "committed")),))
    everywhere(
        open_flow(parked, task("b")),
        """
        start    -> Ready p, Started p, Ready a, Ready b
        do a     -> Started a, Parked a
        cancel a -> Aborted a
        do b     -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    everywhere(
        open_flow(parked, task("b")),
        """
        start    -> Ready p, Started p, Ready a, Ready b
        do a     -> Started a, Parked a
        do b     -> Started b, Committed b, Granted a
        cancel a -> Stopping a
        fail a   -> Aborted a, Fixed p, Committed p
        """,
    )
    everywhere(
        open_flow(task("a", on_error=(Rule("retry", times=1, delay_seconds=5),))),
        """
        start    -> Ready p, Started p, Ready a
        break a  -> Started a, Failed a
        cancel a -> Aborted a, Fixed p, Committed p
        """,
    )
    everywhere(
        open_flow(task("a", on_error=(Rule("alternate", alternate=task("other")),))),
        """
        start                -> Ready p, Started p, Ready a
        break a              -> Started a, Failed a, Ready a/alternate
        begin a/alternate    -> Started a/alternate
        cancel a             -> Stopping a, Stopping a/alternate
        complete a/alternate -> Aborted a/alternate, Aborted a, Fixed p, Committed p
        """,
    )


def test_cancel_of_what_is_not_waiting_in_a_running_flow_is_refused() -> None:
    everywhere(
        open_flow(task("a"), guarded(serial(task("b"), name="q"), On("a", "committed"))),
        """
        start      -> Ready p, Started p, Ready a
        cancel q/b -> refused NotRunning
        cancel q   -> Skipped q
        cancel q   -> refused NotRunning
        """,
    )


# Drain.


def test_drain_skips_what_waits_or_is_ready_and_lets_what_runs_end() -> None:
    driver = everywhere(
        open_flow(task("a", compensation=task("una")), task("b"), guarded(task("c"), On("a", "committed"))),
        """
        start      -> Ready p, Started p, Ready a, Ready b
        begin a    -> Started a
        drain      -> Drained p, Skipped b, Skipped c
        complete a -> Committed a, Fixed p, Committed p
        """,
    )
    assert driver.last("p", facts.Committed)


def test_drained_flow_none_of_whose_outcomes_holds_aborts_with_cancelled_and_takes_nothing_back() -> None:
    driver = everywhere(
        Flow(
            name="p",
            children=(task("x", compensation=task("unx")), task("a"), guarded(task("b"), On("a", "committed"))),
            outcomes=(done(On("b", "committed")),),
        ),
        """
        start      -> Ready p, Started p, Ready x, Ready a
        do x       -> Started x, Committed x
        begin a    -> Started a
        drain p    -> Drained p, Skipped b
        complete a -> Committed a, Aborting p, Aborted p
        """,
    )
    assert driver.last("p", facts.Aborted).error == "engine.cancelled"


def test_what_was_drained_is_not_compensated_by_an_outer_abort_later() -> None:
    inner = Flow(name="q", children=(task("a", compensation=task("una")), task("b")), outcomes=(done(Quiet()),))
    everywhere(
        serial(inner, task("z"), name="p"),
        """
        start        -> Ready p, Started p, Ready q, Started q, Ready q/a, Ready q/b
        do q/a       -> Started q/a, Committed q/a
        begin q/b    -> Started q/b
        drain q      -> Drained q
        complete q/b -> Committed q/b, Fixed q, Committed q, Ready z
        break z      -> Started z, Aborted z, Aborting p, Aborted p
        """,
    )


def test_retries_stop_in_what_is_drained() -> None:
    everywhere(
        open_flow(
            task("a", on_error=(Rule("retry", times=3),)),
            task("b", on_error=(Rule("retry", times=3, delay_seconds=9),)),
        ),
        """
        start   -> Ready p, Started p, Ready a, Ready b
        begin a -> Started a
        break b -> Started b, Failed b
        drain   -> Drained p, Aborted b
        fail a  -> Aborted a, Fixed p, Committed p
        """,
    )


def test_retries_of_a_single_task_stop_when_it_is_drained() -> None:
    everywhere(
        open_flow(task("a", on_error=(Rule("retry", times=3),)), task("b")),
        """
        start   -> Ready p, Started p, Ready a, Ready b
        begin a -> Started a
        drain a -> Drained a
        fail a  -> Aborted a
        do b    -> Started b, Committed b, Fixed p, Committed p
        """,
    )


def test_drain_of_what_is_ready_or_waits_is_a_skip() -> None:
    everywhere(
        open_flow(task("a"), guarded(task("b"), On("a", "committed"))),
        """
        start   -> Ready p, Started p, Ready a
        drain b -> Skipped b
        drain a -> Skipped a, Fixed p, Committed p
        """,
    )


def test_no_new_round_begins_in_what_is_drained() -> None:
    everywhere(
        loop("True", task("a"), name="p"),
        """
        start      -> Ready p, Started p, Answered a:yes, Ready a
        begin a    -> Started a
        drain      -> Drained p
        complete a -> Committed a, Aborting p, Aborted p
        """,
    )


def test_abort_may_follow_a_drain_while_it_runs() -> None:
    everywhere(
        open_flow(task("x", compensation=task("unx")), task("a")),
        """
        start   -> Ready p, Started p, Ready x, Ready a
        do x    -> Started x, Committed x
        begin a -> Started a
        drain   -> Drained p
        cancel  -> Aborting p, Stopping a
        fail a  -> Aborted a, Aborted p
        """,
    )


def test_drained_each_starts_no_more_items() -> None:
    each = Each(
        name="p", item="x", body=task("a"), at_most=1, input_sets=(InputSet(bindings={"items": (Constant([1, 2]),)}),)
    )
    everywhere(
        each,
        """
        start         -> Ready p, Started p, Added p, Ready p[0]
        begin p[0]    -> Started p[0]
        drain         -> Drained p
        complete p[0] -> Committed p[0], Aborting p, Aborted p
        """,
    )


def test_drain_reaches_all_the_way_down() -> None:
    lower = Flow(name="r", children=(task("a"), guarded(task("b"), On("a", "committed"))), outcomes=(done(Quiet()),))
    inner = Flow(name="q", children=(lower, guarded(task("c"), On("r", "committed"))), outcomes=(done(Quiet()),))
    everywhere(
        open_flow(inner, task("z")),
        """
        start          -> Ready p, Started p, Ready q, Started q, Ready z, Ready q/r, Started q/r, Ready q/r/a
        begin q/r/a    -> Started q/r/a
        drain          -> Drained p, Skipped z, Skipped q/c, Skipped q/r/b

        complete q/r/a -> Committed q/r/a, Fixed q/r, Committed q/r, Fixed q, Committed q, Fixed p,
                       -> Committed p
        """,
    )


# Suspend and resume.


def test_suspended_instance_starts_nothing_but_takes_ends_and_marks() -> None:
    a = task("a", outcomes=(Outcome("half", "mark"), DONE))
    flow = open_flow(
        a, guarded(task("b"), On("a", "mark:half")), guarded(serial(task("c"), name="q"), On("a", "committed"))
    )
    everywhere(
        flow,
        """
        start       -> Ready p, Started p, Ready a
        begin a     -> Started a
        suspend     -> Suspended p
        suspend     -> refused NotRunning
        mark a half -> Marked a:half, Ready b
        begin b     -> refused NotAvailable
        complete a  -> Committed a, Ready q
        resume      -> Resumed p, Started q, Ready q/c
        resume      -> refused NotRunning
        do b        -> Started b, Committed b
        do q/c      -> Started q/c, Committed q/c, Fixed q, Committed q, Fixed p, Committed p
        """,
    )


def test_what_was_offered_is_not_offered_while_suspended() -> None:
    driver = everywhere(
        open_flow(task("a")),
        """
        start   -> Ready p, Started p, Ready a
        suspend -> Suspended p
        """,
    )
    assert driver.outstanding() == []
    driver.send(commands.Resume())
    assert driver.effects == [effect_types.Dispatch("a")]


def test_timer_and_signal_do_not_occur_while_suspended() -> None:
    everywhere(
        open_flow(
            task("t", handler=Timer(5)), task("s", handler=Signal("s")), guarded(task("a"), every(*committed("t", "s")))
        ),
        """
        start      -> Ready p, Started p, Ready t, Ready s
        suspend    -> Suspended p
        complete t -> refused NotAvailable
        complete s -> refused NotAvailable
        resume     -> Resumed p
        complete t -> Started t, Committed t
        complete s -> Started s, Committed s, Ready a
        do a       -> Started a, Committed a, Fixed p, Committed p
        """,
    )


def test_taking_back_goes_on_while_suspended() -> None:
    everywhere(
        serial(task("a", compensation=task("una")), task("b"), name="p"),
        """
        start             -> Ready p, Started p, Ready a
        do a              -> Started a, Committed a, Ready b
        begin b           -> Started b
        suspend           -> Suspended p
        fail b            -> Aborted b, Aborting p, Compensating a, Ready a/compensation
        resume            -> Resumed p
        do a/compensation -> Started a/compensation, Committed a/compensation, Compensated a, Aborted p
        """,
    )


def test_new_round_waits_for_resume() -> None:
    everywhere(
        loop("True", task("a"), name="p"),
        """
        start      -> Ready p, Started p, Answered a:yes, Ready a
        begin a    -> Started a
        suspend    -> Suspended p
        complete a -> Committed a, Fixed p:again
        continue
        resume     -> Resumed p, Repeated p:again, Answered a:yes@1, Ready a@1
        do a       -> Started a@1, Committed a@1, Fixed p:again, Repeated p:again, Answered a:yes@2, Ready a@2
        """,
    )


def test_retry_waits_for_resume() -> None:
    everywhere(
        open_flow(task("a", on_error=(Rule("retry", times=2),))),
        """
        start   -> Ready p, Started p, Ready a
        begin a -> Started a
        suspend -> Suspended p
        fail a  -> Failed a
        retry a -> refused NotAvailable
        resume  -> Resumed p, Ready a#2
        do a    -> Started a#2, Committed a#2, Fixed p, Committed p
        """,
    )


def test_items_start_when_resumed() -> None:
    each = Each(
        name="p", item="x", body=task("a"), at_most=1, input_sets=(InputSet(bindings={"items": (Constant([1, 2]),)}),)
    )
    everywhere(
        each,
        """
        start         -> Ready p, Started p, Added p, Ready p[0]
        begin p[0]    -> Started p[0]
        suspend       -> Suspended p
        complete p[0] -> Committed p[0]
        resume        -> Resumed p, Ready p[1]
        do p[1]       -> Started p[1], Committed p[1], Fixed p, Committed p
        """,
    )


def test_clocks_stand_still_while_suspended_and_are_shifted_by_the_pause() -> None:
    rule = Rule("retry", times=2, delay_seconds=10)
    driver = everywhere(
        open_flow(task("a", on_error=(rule,)), task("b", deadline=Deadline(30))),
        """
        start   -> Ready p, Started p, Ready a, Ready b
        begin b -> Started b
        at 100
        break a -> Started a, Failed a
        suspend -> Suspended p
        at 1000
        resume  -> Resumed p
        """,
    )
    assert driver.state.clock == 100
    assert {one.path: one.due_seconds for one in driver.effects if isinstance(one, effect_types.Timer)} == {
        "a": 110,
        "b": 30,
    }


def test_suspend_of_an_instance_that_has_ended_or_not_begun_is_refused() -> None:
    everywhere(
        open_flow(task("a")),
        """
        suspend -> refused NotRunning
        resume  -> refused NotRunning
        start   -> Ready p, Started p, Ready a
        resume  -> refused NotRunning
        do a    -> Started a, Committed a, Fixed p, Committed p
        suspend -> refused NotRunning
        """,
    )


def test_compound_that_became_ready_while_suspended_can_be_cancelled() -> None:
    everywhere(
        serial(task("a"), serial(task("b"), name="q"), name="p"),
        """
        start      -> Ready p, Started p, Ready a
        begin a    -> Started a
        suspend    -> Suspended p
        complete a -> Committed a, Ready q
        cancel     -> Aborting p, Skipped q, Aborted p
        resume     -> refused NotRunning
        """,
    )


def test_cancel_while_suspended_stops_and_takes_back() -> None:
    everywhere(
        serial(task("a", compensation=task("una")), task("b", idempotent=True), name="p"),
        """
        start             -> Ready p, Started p, Ready a
        do a              -> Started a, Committed a, Ready b
        begin b           -> Started b
        suspend           -> Suspended p
        cancel            -> Aborting p, Aborted b, Compensating a, Ready a/compensation
        resume            -> Resumed p
        do a/compensation -> Started a/compensation, Committed a/compensation, Compensated a, Aborted p
        """,
    )
