"""How activities end (SEMANTICS §3): outcomes, commit guards, cancel and until, marks, rounds, and what comes late."""

import pytest
from msgspec.structs import replace

from tests.kernel.driver import committed, done, ended, everywhere, guarded, task
from weft.kernel import commands, facts
from weft.kernel.refusals import Late
from weft.model.blocks import all_of, any_of, choice, contingency, loop, serial
from weft.model.definition import (
    ABORTED,
    DONE,
    Flow,
    On,
    Outcome,
    Output,
    Quiet,
    Signal,
    Timer,
    When,
    every,
)


def held(name: str, guard: object, kind: str = "transactional", **said: object):  # type: ignore[no-untyped-def]
    """A transactional task whose commit waits for a guard."""
    return task(name, transaction=kind, outcomes=(Outcome("done", "commit", guard), ABORTED), **said)


# Commit guards.


def test_done_work_is_parked_until_its_commit_guard_holds() -> None:
    everywhere(
        Flow(name="p", children=(held("a", On("b", "committed")), task("b")), outcomes=(done(ended("a", "b")),)),
        """
        start     -> Ready p, Started p, Ready a, Ready b
        do a      -> Started a, Parked a
        do b      -> Started b, Committed b, Granted a
        confirm a -> Committed a, Fixed p, Committed p
        """,
    )


def test_commit_guard_that_holds_already_grants_at_once() -> None:
    everywhere(
        Flow(name="p", children=(held("a", On("b", "committed")), task("b")), outcomes=(done(ended("a", "b")),)),
        """
        start                -> Ready p, Started p, Ready a, Ready b
        do b                 -> Started b, Committed b
        do a                 -> Started a, Parked a, Granted a
        fail a task.resource -> Aborted a, Fixed p, Committed p
        """,
    )


def test_commit_guard_false_for_good_aborts_the_parked() -> None:
    everywhere(
        Flow(name="p", children=(held("a", On("b", "committed")), task("b")), outcomes=(done(ended("a", "b")),)),
        """
        start     -> Ready p, Started p, Ready a, Ready b
        do a      -> Started a, Parked a
        break b   -> Started b, Aborted b, Aborted a, Fixed p, Committed p
        confirm a -> refused NotRunning
        """,
    )


def test_commit_guard_false_before_the_work_is_done_aborts_it_then() -> None:
    everywhere(
        Flow(name="p", children=(held("a", On("b", "committed")), task("b")), outcomes=(done(ended("a", "b")),)),
        """
        start      -> Ready p, Started p, Ready a, Ready b
        begin a    -> Started a
        break b    -> Started b, Aborted b
        complete a -> Parked a, Aborted a, Fixed p, Committed p
        """,
    )


def test_condition_in_a_commit_guard_is_asked() -> None:
    flow = Flow(
        name="p",
        children=(held("a", every(On("b", "committed"), When("False"))), task("b")),
        outcomes=(done(ended("a", "b")),),
    )
    everywhere(
        flow,
        """
        start -> Ready p, Started p, Ready a, Ready b
        do a  -> Started a, Parked a
        do b  -> Started b, Committed b, Answered a:no, Aborted a, Fixed p, Committed p
        """,
    )


# Cancel and until.


def test_cancel_withdraws_what_is_waiting_or_ready_and_stops_what_runs() -> None:
    flow = Flow(
        name="p",
        children=(
            task("go"),
            task("ready", cancel=On("go", "committed")),
            guarded(task("waiting", cancel=On("go", "committed")), On("runs", "committed")),
            task("runs", cancel=On("go", "committed")),
            held("parked", On("runs", "committed"), cancel=On("go", "committed")),
            held("granted", On("p", "started"), cancel=On("go", "committed")),
        ),
        outcomes=(done(Quiet()),),
    )
    everywhere(
        flow,
        """
        start           -> Ready p, Started p, Ready go, Ready ready, Ready runs, Ready parked, Ready granted
        begin runs      -> Started runs
        do parked       -> Started parked, Parked parked
        do granted      -> Started granted, Parked granted, Granted granted
        do go           -> Started go, Committed go, Skipped ready, Skipped waiting, Stopping runs,
                        -> Aborted parked, Stopping granted
        confirm granted -> Aborted granted
        complete runs   -> Aborted runs, Fixed p, Committed p
        """,
    )


def test_until_withdraws_what_has_not_started_and_leaves_running_work_alone() -> None:
    flow = Flow(
        name="p",
        children=(
            task("go"),
            task("ready", until=On("go", "committed")),
            guarded(task("waiting", until=On("go", "committed")), On("runs", "committed")),
            task("runs", until=On("go", "committed")),
        ),
        outcomes=(done(Quiet()),),
    )
    everywhere(
        flow,
        """
        start         -> Ready p, Started p, Ready go, Ready ready, Ready runs
        begin runs    -> Started runs
        do go         -> Started go, Committed go, Skipped ready, Skipped waiting
        complete runs -> Committed runs, Fixed p, Committed p
        """,
    )


def test_cancel_of_a_compound_aborts_it_and_takes_back() -> None:
    inner = replace(serial(task("b", compensation=task("unb")), task("c"), name="q"), cancel=On("a", "committed"))
    everywhere(
        Flow(name="p", children=(task("a"), inner), outcomes=(done(Quiet()),)),
        """
        start               -> Ready p, Started p, Ready a, Ready q, Started q, Ready q/b
        do q/b              -> Started q/b, Committed q/b, Ready q/c
        begin q/c           -> Started q/c
        do a                -> Started a, Committed a, Aborting q, Stopping q/c
        complete q/c        -> Aborted q/c, Compensating q/b, Ready q/b/compensation
        do q/b/compensation -> Started q/b/compensation, Committed q/b/compensation, Compensated q/b,
                            -> Aborted q, Fixed p, Committed p
        """,
    )


def test_condition_in_a_cancel_guard_is_asked() -> None:
    flow = Flow(
        name="p",
        children=(task("a", cancel=every(On("b", "committed"), When("True"))), task("b")),
        outcomes=(done(Quiet()),),
    )
    everywhere(
        flow,
        """
        start -> Ready p, Started p, Ready a, Ready b
        do b  -> Started b, Committed b, Answered a:yes, Skipped a, Fixed p, Committed p
        """,
    )


# Outcomes.


def test_outcomes_are_looked_at_in_their_order() -> None:
    flow = Flow(
        name="p",
        children=(task("a"),),
        outcomes=(Outcome("first", "commit", On("a", "ended")), Outcome("second", "commit", On("a", "committed"))),
    )
    everywhere(
        flow, "start -> Ready p, Started p, Ready a\ndo a -> Started a, Committed a, Fixed p:first, Committed p:first"
    )


def test_outcome_holds_only_when_each_object_has_an_available_source() -> None:
    a = task("a", outcomes=(Outcome("good", types={"v": "any"}), Outcome("poor")))
    flow = Flow(
        name="p",
        children=(a,),
        outcomes=(
            Outcome("rich", "commit", On("a", "committed"), bindings={"v": (Output("a", "good", "v"),)}),
            Outcome("plain", "commit", On("a", "committed")),
        ),
    )
    driver = everywhere(
        flow,
        """
        start     -> Ready p, Started p, Ready a
        do a poor -> Started a, Committed a:poor, Fixed p:plain, Committed p:plain
        """,
    )
    assert driver.last("p", facts.Committed).outcome == "plain"
    driver = everywhere(
        flow,
        """
        start              -> Ready p, Started p, Ready a
        do a good {"v": 3} -> Started a, Committed a:good, Fixed p:rich, Committed p:rich
        """,
    )
    assert driver.last("p", facts.Committed).values == {"v": 3}


def test_outcome_is_fixed_at_once_and_is_news_when_what_it_stopped_has_ended() -> None:
    inner = Flow(name="q", children=(task("a"), task("b"), task("c")), outcomes=(done(On("a", "committed")),))
    everywhere(
        serial(inner, task("d"), name="p"),
        """
        start        -> Ready p, Started p, Ready q, Started q, Ready q/a, Ready q/b, Ready q/c
        begin q/b    -> Started q/b
        do q/a       -> Started q/a, Committed q/a, Fixed q, Stopping q/b, Skipped q/c
        begin d      -> refused NotRunning
        complete q/b -> Aborted q/b, Committed q, Ready d
        do d         -> Started d, Committed d, Fixed p, Committed p
        """,
    )


def test_stop_from_outside_overrides_an_outcome_that_is_fixed_and_not_yet_news() -> None:
    inner = Flow(
        name="q", children=(task("a", compensation=task("una")), task("b")), outcomes=(done(On("a", "committed")),)
    )
    everywhere(
        serial(inner, task("d"), name="p"),
        """
        start               -> Ready p, Started p, Ready q, Started q, Ready q/a, Ready q/b
        begin q/b           -> Started q/b
        do q/a              -> Started q/a, Committed q/a, Fixed q, Stopping q/b
        cancel q            -> Aborting q
        complete q/b        -> Aborted q/b, Compensating q/a, Ready q/a/compensation
        do q/a/compensation -> Started q/a/compensation, Committed q/a/compensation, Compensated q/a,
                            -> Aborted q, Aborting p, Skipped d, Aborted p
        """,
    )


def test_abort_outcome_has_the_error_of_the_child_that_made_it_true() -> None:
    driver = everywhere(
        serial(task("a"), name="p"),
        """
        start                  -> Ready p, Started p, Ready a
        break a task.payment.refused -> Started a, Aborted a, Aborting p, Aborted p
        """,
    )
    assert driver.last("p", facts.Aborted).error == "task.payment.refused"


def test_outcome_that_the_last_of_several_aborts_made_true_has_the_error_of_that_one() -> None:
    driver = everywhere(
        contingency(task("a"), task("b"), name="p"),
        """
        start            -> Ready p, Started p, Ready a
        break a task.one -> Started a, Aborted a, Ready b
        break b task.two -> Started b, Aborted b, Aborting p, Aborted p
        """,
    )
    assert driver.last("p", facts.Aborted).error == "task.two"


def test_abort_outcome_that_no_error_made_true_is_an_error_of_its_own_name() -> None:
    a = task("a", outcomes=(DONE, Outcome("poor")))
    flow = Flow(
        name="p",
        children=(a,),
        outcomes=(done(On("a", "committed:done")), Outcome("broke", "abort", On("a", "committed:poor"))),
    )
    driver = everywhere(
        flow,
        """
        start     -> Ready p, Started p, Ready a
        do a poor -> Started a, Committed a:poor, Aborting p:broke, Aborted p:broke
        """,
    )
    assert driver.last("p", facts.Aborted).error == "task.broke"


# What ends after its stop.


def test_idempotent_work_without_undo_is_aborted_at_once_and_its_late_result_refused() -> None:
    flow = Flow(name="p", children=(task("a", idempotent=True), task("b")), outcomes=(done(On("b", "committed")),))
    everywhere(
        flow,
        """
        start      -> Ready p, Started p, Ready a, Ready b
        begin a    -> Started a
        do b       -> Started b, Committed b, Fixed p, Aborted a, Committed p
        complete a -> refused NotRunning
        """,
    )


@pytest.mark.parametrize("side", ["undo", "compensation"])
def test_what_finishes_after_its_stop_is_taken_back_and_never_committed(side: str) -> None:
    a = task("a", idempotent=True, **{side: task("back")})
    driver = everywhere(
        Flow(name="p", children=(a, task("b")), outcomes=(done(On("b", "committed")),)),
        f"""
        start           -> Ready p, Started p, Ready a, Ready b
        begin a         -> Started a
        do b            -> Started b, Committed b, Fixed p, Stopping a
        complete a      -> TakingBack a, Ready a/{side}
        do a/{side}     -> Started a/{side}, Committed a/{side}, Aborted a, Committed p
        """,
    )
    assert driver.last("a", facts.Aborted).work_done
    assert "Committed a" not in driver.path


def test_undo_wins_over_compensation_after_a_stop() -> None:
    a = task("a", undo=task("u"), compensation=task("c"))
    everywhere(
        Flow(name="p", children=(a, task("b")), outcomes=(done(On("b", "committed")),)),
        """
        start      -> Ready p, Started p, Ready a, Ready b
        begin a    -> Started a
        do b       -> Started b, Committed b, Fixed p, Stopping a
        complete a -> TakingBack a, Ready a/undo
        do a/undo  -> Started a/undo, Committed a/undo, Aborted a, Committed p
        """,
    )


def test_stopped_work_that_fails_is_undone_and_needs_no_compensation() -> None:
    flow = Flow(
        name="p",
        children=(task("a", undo=task("u")), task("c", compensation=task("k")), task("b")),
        outcomes=(done(On("b", "committed")),),
    )
    everywhere(
        flow,
        """
        start     -> Ready p, Started p, Ready a, Ready c, Ready b
        begin a   -> Started a
        begin c   -> Started c
        do b      -> Started b, Committed b, Fixed p, Stopping a, Stopping c
        fail a    -> Failed a, Ready a/undo
        fail c    -> Aborted c
        do a/undo -> Started a/undo, Committed a/undo, Aborted a, Committed p
        """,
    )


def test_late_completion_after_a_stop_without_anything_to_take_back_aborts_with_work_done() -> None:
    driver = everywhere(
        Flow(name="p", children=(task("a"), task("b")), outcomes=(done(On("b", "committed")),)),
        """
        start      -> Ready p, Started p, Ready a, Ready b
        begin a    -> Started a
        do b       -> Started b, Committed b, Fixed p, Stopping a
        complete a -> Aborted a, Committed p
        """,
    )
    assert driver.last("a", facts.Aborted).work_done


def test_granted_task_whose_confirmation_comes_after_its_stop_is_taken_back() -> None:
    a = held("a", On("p", "started"), compensation=task("back"))
    driver = everywhere(
        Flow(name="p", children=(a, task("b")), outcomes=(done(On("b", "committed")),)),
        """
        start             -> Ready p, Started p, Ready a, Ready b
        do a              -> Started a, Parked a, Granted a
        do b              -> Started b, Committed b, Fixed p, Stopping a
        confirm a         -> TakingBack a, Ready a/compensation
        do a/compensation -> Started a/compensation, Committed a/compensation, Aborted a, Committed p
        """,
    )
    assert driver.last("a", facts.Aborted).work_done


def test_late_completion_of_a_round_that_is_over_is_refused() -> None:
    driver = everywhere(
        loop("True", task("a"), name="p"),
        """
        start   -> Ready p, Started p, Answered a:yes, Ready a
        do a    -> Started a, Committed a, Fixed p:again, Repeated p:again, Answered a:yes@1, Ready a@1
        begin a -> Started a@1
        """,
    )
    with pytest.raises(Late):
        driver.send(commands.Complete("a", round=0))
    with pytest.raises(Late):
        driver.send(commands.Complete("a", round=1, attempt=2))
    driver.send(commands.Complete("a", round=1, attempt=1))


# Marks.


def test_mark_is_given_at_most_once_a_round_and_is_kept_though_its_activity_aborts() -> None:
    a = task("a", outcomes=(Outcome("half", "mark"), DONE))
    everywhere(
        Flow(name="p", children=(a, guarded(task("b"), On("a", "mark:half"))), outcomes=(done(Quiet()),)),
        """
        start       -> Ready p, Started p, Ready a
        mark a half -> refused NotRunning
        begin a     -> Started a
        mark a none -> refused NotDeclared
        mark a done -> refused NotDeclared
        mark a half -> Marked a:half, Ready b
        mark a half -> refused NotRunning
        fail a      -> Aborted a
        do b        -> Started b, Committed b, Fixed p, Committed p
        """,
    )


def test_mark_of_a_compound_is_given_when_its_guard_holds() -> None:
    inner = Flow(
        name="q",
        children=(task("a"), task("b")),
        outcomes=(Outcome("half", "mark", On("a", "committed")), done(every(*committed("a", "b")))),
    )
    everywhere(
        Flow(name="p", children=(inner, guarded(task("c"), On("q", "mark:half"))), outcomes=(done(Quiet()),)),
        """
        start  -> Ready p, Started p, Ready q, Started q, Ready q/a, Ready q/b
        do q/a -> Started q/a, Committed q/a, Marked q:half, Ready c
        do c   -> Started c, Committed c
        do q/b -> Started q/b, Committed q/b, Fixed q, Committed q, Fixed p, Committed p
        """,
    )


def test_marks_of_a_round_are_new_in_the_next() -> None:
    a = task("a", outcomes=(Outcome("half", "mark"), DONE))
    everywhere(
        loop("True", a, name="p"),
        """
        start       -> Ready p, Started p, Answered a:yes, Ready a
        begin a     -> Started a
        mark a half -> Marked a:half
        complete a  -> Committed a, Fixed p:again, Repeated p:again, Answered a:yes@1, Ready a@1
        begin a     -> Started a@1
        mark a half -> Marked a:half@1
        """,
    )


def test_mark_of_a_repeated_compound_is_given_once_while_it_lives() -> None:
    inner = Flow(
        name="q",
        children=(task("a", outcomes=(DONE, Outcome("more"))),),
        outcomes=(
            Outcome("half", "mark", On("a", "committed")),
            done(On("a", "committed:done")),
            Outcome("again", "repeat", On("a", "committed:more")),
        ),
    )
    everywhere(
        Flow(name="p", children=(inner, guarded(task("c"), On("q", "mark:half"))), outcomes=(done(Quiet()),)),
        """
        start       -> Ready p, Started p, Ready q, Started q, Ready q/a
        do q/a more -> Started q/a, Committed q/a:more, Marked q:half, Fixed q:again, Repeated q:again,
                    -> Ready c, Ready q/a@1
        do c        -> Started c, Committed c
        do q/a      -> Started q/a@1, Committed q/a@1, Fixed q, Committed q, Fixed p, Committed p
        """,
    )


# Rounds.


def test_new_round_waits_until_what_it_stopped_has_ended() -> None:
    flow = Flow(
        name="p",
        children=(task("a", outcomes=(DONE, Outcome("more"))), task("b")),
        outcomes=(done(On("a", "committed:done")), Outcome("again", "repeat", On("a", "committed:more"))),
    )
    everywhere(
        flow,
        """
        start      -> Ready p, Started p, Ready a, Ready b
        begin b    -> Started b
        do a more  -> Started a, Committed a:more, Fixed p:again, Stopping b
        begin a    -> refused NotRunning
        complete b -> Aborted b, Repeated p:again, Ready a@1, Ready b@1
        do a       -> Started a@1, Committed a@1, Fixed p, Skipped b@1, Committed p
        """,
    )


def test_round_of_an_activity_is_how_often_a_repeat_around_it_put_it_back() -> None:
    inner = Flow(
        name="q",
        children=(task("a", outcomes=(DONE, Outcome("more"))),),
        outcomes=(done(On("a", "committed:done")), Outcome("again", "repeat", On("a", "committed:more"))),
    )
    flow = Flow(
        name="p",
        children=(inner, guarded(task("b", outcomes=(DONE, Outcome("more"))), On("q", "committed"))),
        outcomes=(done(On("b", "committed:done")), Outcome("again", "repeat", On("b", "committed:more"))),
    )
    everywhere(
        flow,
        """
        start       -> Ready p, Started p, Ready q, Started q, Ready q/a
        do q/a more -> Started q/a, Committed q/a:more, Fixed q:again, Repeated q:again, Ready q/a@1
        do q/a      -> Started q/a@1, Committed q/a@1, Fixed q, Committed q, Ready b
        do b more   -> Started b, Committed b:more, Fixed p:again, Repeated p:again, Ready q@1, Started q@1,
                    -> Ready q/a@2
        do q/a more -> Started q/a@2, Committed q/a:more@2, Fixed q:again@1, Repeated q:again@1, Ready q/a@3
        do q/a      -> Started q/a@3, Committed q/a@3, Fixed q@1, Committed q@1, Ready b@1
        do b        -> Started b@1, Committed b@1, Fixed p, Committed p
        """,
    )


def test_decision_starts_at_most_one_round_of_a_compound_and_the_next_waits_for_continue() -> None:
    flow = Flow(
        name="p",
        children=(guarded(task("a"), When("False")),),
        outcomes=(Outcome("again", "repeat", On("a", "skipped")),),
    )
    everywhere(
        flow,
        """
        start    -> Ready p, Started p, Answered a:no, Skipped a, Fixed p:again, Repeated p:again,
                 -> Answered a:no@1, Skipped a@1, Fixed p:again
        continue -> Repeated p:again, Answered a:no@2, Skipped a@2, Fixed p:again
        continue -> Repeated p:again, Answered a:no@3, Skipped a@3, Fixed p:again
        cancel   -> Aborting p, Aborted p
        """,
    )


# Blocks.


def test_skipped_child_counts_as_done_in_serial_and_and() -> None:
    everywhere(
        serial(task("a"), guarded(task("b"), When("False")), task("c"), name="p"),
        """
        start -> Ready p, Started p, Ready a
        do a  -> Started a, Committed a, Answered b:no, Skipped b, Ready c
        do c  -> Started c, Committed c, Fixed p, Committed p
        """,
    )
    everywhere(
        all_of(task("a"), guarded(task("b"), When("False")), name="p"),
        """
        start -> Ready p, Started p, Answered b:no, Ready a, Skipped b
        do a  -> Started a, Committed a, Fixed p, Committed p
        """,
    )


def test_or_commits_when_all_have_ended_and_one_committed() -> None:
    everywhere(
        any_of(task("a"), task("b"), name="p"),
        """
        start   -> Ready p, Started p, Ready a, Ready b
        break a -> Started a, Aborted a
        do b    -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    everywhere(
        any_of(task("a"), task("b"), name="p"),
        """
        start   -> Ready p, Started p, Ready a, Ready b
        break a -> Started a, Aborted a
        break b -> Started b, Aborted b, Aborting p, Aborted p
        """,
    )


def test_contingency_tries_the_next_when_the_one_before_has_aborted() -> None:
    everywhere(
        contingency(task("a"), task("b"), task("c"), name="p"),
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Aborted a, Ready b
        do b    -> Started b, Committed b, Fixed p, Skipped c, Committed p
        """,
    )
    everywhere(
        contingency(task("a"), task("b"), name="p"),
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Aborted a, Ready b
        break b -> Started b, Aborted b, Aborting p, Aborted p
        """,
    )


def test_conditional_that_chose_nothing_commits() -> None:
    everywhere(
        choice([("False", task("a"))], name="p"),
        """
        start -> Ready p, Started p, Answered a:no, Skipped a, Fixed p, Committed p
        """,
    )


def test_conditional_aborts_with_its_choice() -> None:
    everywhere(
        choice([("True", task("a"))], task("b"), name="p"),
        """
        start   -> Ready p, Started p, Answered a:yes, Ready a
        break a -> Started a, Skipped b, Aborted a, Aborting p, Aborted p
        """,
    )


def test_loop_aborts_with_any_of_its_activities() -> None:
    everywhere(
        loop("True", task("a"), task("b"), name="p"),
        """
        start   -> Ready p, Started p, Answered a:yes, Ready a
        do a    -> Started a, Committed a, Ready b
        break b -> Started b, Aborted b, Aborting p, Aborted p
        """,
    )


# Timers and signals.


def test_timer_is_started_and_committed_by_its_occurrence() -> None:
    everywhere(
        serial(task("t", handler=Timer(5)), task("a"), name="p"),
        """
        start      -> Ready p, Started p, Ready t
        complete t -> Started t, Committed t, Ready a
        do a       -> Started a, Committed a, Fixed p, Committed p
        """,
    )


def test_timer_is_withdrawn_once_nothing_undecided_but_ended_depends_on_it() -> None:
    flow = Flow(
        name="p",
        children=(
            task("t", handler=Timer(5)),
            task("a", cancel=On("t", "committed")),
            task("b"),
        ),
        outcomes=(done(Quiet()),),
    )
    everywhere(
        flow,
        """
        start -> Ready p, Started p, Ready t, Ready a, Ready b
        do a  -> Started a, Committed a, Skipped t
        do b  -> Started b, Committed b, Fixed p, Committed p
        """,
    )


def test_signal_stays_awaited_while_something_undecided_depends_on_it() -> None:
    flow = Flow(
        name="p",
        children=(
            task("s", handler=Signal("stop")),
            task("a", cancel=On("s", "committed")),
            guarded(task("b"), On("s", "committed")),
        ),
        outcomes=(done(Quiet()),),
    )
    everywhere(
        flow,
        """
        start      -> Ready p, Started p, Ready s, Ready a
        do a       -> Started a, Committed a
        complete s -> Started s, Committed s, Ready b
        do b       -> Started b, Committed b, Fixed p, Committed p
        """,
    )
