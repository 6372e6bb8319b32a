"""How work fails (SEMANTICS §4): rules by specificity, their counters and backoff, alternates, undo, non-vital work."""

from msgspec.structs import replace

from tests.kernel.driver import done, everywhere, guarded, task
from weft.kernel import effect_types, facts
from weft.model.blocks import all_of, any_of, loop, serial
from weft.model.definition import (
    ABORTED,
    DONE,
    Constant,
    Declared,
    Flow,
    InputSet,
    On,
    Outcome,
    Output,
    Quiet,
    Rule,
)


def flow(*children, **said):  # type: ignore[no-untyped-def]
    return Flow(name="p", children=children, outcomes=(done(Quiet()),), **said)


def tries(*rules: Rule, **said: object):  # type: ignore[no-untyped-def]
    return task("a", on_error=rules, **said)


# Rules.


def test_failure_without_a_rule_aborts_with_its_error() -> None:
    driver = everywhere(
        flow(task("a")),
        """
        start            -> Ready p, Started p, Ready a
        break a task.odd -> Started a, Aborted a, Fixed p, Committed p
        """,
    )
    assert driver.last("a", facts.Aborted).error == "task.odd"


def test_abort_outcome_of_the_work_is_an_error_of_its_name_and_keeps_its_values() -> None:
    a = task("a", outcomes=(DONE, Outcome("full", "abort", types={"at": "any"})))
    driver = everywhere(
        flow(a, guarded(task("b"), On("a", "error:task.full"))),
        """
        start               -> Ready p, Started p, Ready a
        do a full {"at": 9} -> Started a, Aborted a:full, Ready b
        do b                -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    assert driver.last("a", facts.Aborted).values == {"at": 9}


def test_retry_has_its_own_counter_and_then_fails() -> None:
    everywhere(
        flow(tries(Rule("retry", times=2))),
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Failed a, Ready a#2
        break a -> Started a#2, Failed a#2, Ready a#3
        break a -> Started a#3, Aborted a#3, Fixed p, Committed p
        """,
    )


def test_most_specific_rule_counts_and_each_has_a_counter_of_its_own() -> None:
    everywhere(
        flow(
            tries(Rule("retry", "task", times=1), Rule("retry", "task.net", times=1), Rule("ignore", "task.net.gone"))
        ),
        """
        start                 -> Ready p, Started p, Ready a
        break a task.net.slow -> Started a, Failed a, Ready a#2
        break a task.other    -> Started a#2, Failed a#2, Ready a#3
        break a task.net.slow -> Started a#3, Aborted a#3, Fixed p, Committed p
        """,
    )
    everywhere(
        flow(tries(Rule("retry", "task", times=1), Rule("ignore", "task.net.gone"))),
        """
        start                 -> Ready p, Started p, Ready a
        break a task.net.gone -> Started a, Failed a, Committed a, Fixed p, Committed p
        """,
    )


def test_used_up_rule_leaves_the_error_to_the_next_specific_one() -> None:
    everywhere(
        flow(tries(Rule("retry", "task.net", times=1), Rule("ignore", "task"))),
        """
        start            -> Ready p, Started p, Ready a
        break a task.net -> Started a, Failed a, Ready a#2
        break a task.net -> Started a#2, Failed a#2, Committed a#2, Fixed p, Committed p
        """,
    )


def test_backoff_grows_by_its_factor_up_to_its_bound() -> None:
    rule = Rule("retry", times=4, delay_seconds=10, factor=3, delay_seconds_max=50)
    driver = everywhere(
        flow(tries(rule)),
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Failed a
        at 10
        retry a -> Ready a#2
        break a -> Started a#2, Failed a#2
        at 40
        retry a -> Ready a#3
        break a -> Started a#3, Failed a#3
        at 90
        retry a -> Ready a#4
        break a -> Started a#4, Failed a#4
        """,
    )
    assert [fact.delay_seconds for fact in driver.told if isinstance(fact, facts.Failed)] == [10, 30, 50, 50]
    assert driver.outstanding() == [effect_types.Timer("a", 0, 4, "retry", 140.0)]


def test_retry_before_its_backoff_may_be_asked_by_a_person() -> None:
    everywhere(
        flow(tries(Rule("retry", times=1, delay_seconds=100))),
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Failed a
        begin a -> refused NotRunning
        retry a -> Ready a#2
        do a    -> Started a#2, Committed a#2, Fixed p, Committed p
        """,
    )


def test_retry_only_while_its_condition_over_data_holds() -> None:
    rule = Rule("retry", times=9, when="tries < 2")
    everywhere(
        flow(
            tries(rule),
            task("b", outcomes=(Outcome("done", types={"n": "any"}),), writes={"tries": "n"}),
            variables={"tries": Declared("int", 0)},
        ),
        """
        start         -> Ready p, Started p, Ready a, Ready b
        break a       -> Started a, Failed a, Ready a#2
        do b {"n": 2} -> Started b, Committed b
        break a       -> Started a#2, Aborted a#2, Fixed p, Committed p
        """,
    )


def test_condition_of_a_rule_that_fails_is_no_reason_to_retry() -> None:
    everywhere(
        flow(tries(Rule("retry", times=9, when="1 / 0"))),
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Aborted a, Fixed p, Committed p
        """,
    )


def test_rule_of_no_class_is_for_errors_of_tasks_and_handlers_not_of_the_engine() -> None:
    everywhere(
        flow(tries(Rule("ignore"))),
        """
        start                 -> Ready p, Started p, Ready a
        break a handler.crash -> Started a, Failed a, Committed a, Fixed p, Committed p
        """,
    )
    everywhere(
        flow(tries(Rule("ignore"))),
        """
        start              -> Ready p, Started p, Ready a
        break a engine.odd -> Started a, Aborted a, Fixed p, Committed p
        """,
    )


def test_ignore_commits_with_the_error_kept() -> None:
    driver = everywhere(
        flow(tries(Rule("ignore")), guarded(task("b"), On("a", "committed"))),
        """
        start            -> Ready p, Started p, Ready a
        break a task.odd -> Started a, Failed a, Committed a, Ready b
        do b             -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    assert driver.last("a", facts.Committed).error == "task.odd"


def test_fail_rule_below_a_retry_rule_fails_at_once() -> None:
    everywhere(
        flow(tries(Rule("retry", "task", times=5), Rule("fail", "task.final"))),
        """
        start              -> Ready p, Started p, Ready a
        break a task.final -> Started a, Aborted a, Fixed p, Committed p
        """,
    )


def test_an_error_of_a_handler_that_stops_the_instance_becomes_one_of_the_engine() -> None:
    driver = everywhere(
        serial(serial(task("a"), task("b"), name="inner"), task("c"), name="p"),
        """
        start                      -> Ready p, Started p, Ready inner, Started inner, Ready inner/a
        begin inner/a              -> Started inner/a
        fail inner/a handler.input -> Aborted inner/a, Aborting inner, Skipped inner/b, Aborted inner, Aborting p,
                                   -> Skipped c, Aborted p
        """,
    )
    assert driver.last("inner", facts.Aborted).error == "handler.input"
    assert (driver.last("p", facts.Aborted).error, driver.last("p", facts.Aborted).message) == (
        "engine.schedule",
        "handler.input",
    )


def test_an_error_of_a_handler_that_a_block_settles_stops_nothing() -> None:
    inner = replace(serial(task("a"), name="inner"), on_error=(Rule("ignore", error="handler"),))
    everywhere(
        serial(inner, name="p"),
        """
        start                    -> Ready p, Started p, Ready inner, Started inner, Ready inner/a
        begin inner/a            -> Started inner/a
        fail inner/a handler.log -> Aborted inner/a, Aborting inner, Failed inner, Committed inner, Fixed p, Committed p
        """,
    )


def test_a_rule_of_the_root_settles_an_error_of_a_handler_before_it_is_one_of_the_engine() -> None:
    everywhere(
        replace(serial(task("a"), name="p"), on_error=(Rule("retry", error="handler", times=1),)),
        """
        start                -> Ready p, Started p, Ready a
        begin a              -> Started a
        fail a handler.input -> Aborted a, Aborting p, Failed p, Ready p#2, Started p#2, Ready a@1
        do a                 -> Started a@1, Committed a@1, Fixed p#2, Committed p#2
        """,
    )


def test_an_error_that_no_flow_can_know_is_asked_about() -> None:
    driver = everywhere(
        flow(task("a")),
        """
        start          -> Ready p, Started p, Ready a
        begin a        -> Started a
        fail a strange -> Failed a, Doubted a
        retry a        -> Ready a#2
        do a           -> Started a#2, Committed a#2, Fixed p, Committed p
        """,
    )
    assert driver.last("a", facts.Doubted).error == "strange"


def test_ask_leaves_it_to_a_person() -> None:
    for answer in ("complete a", "fail a", "retry a\ndo a"):
        driver = everywhere(flow(tries(Rule("ask"))), f"start\nbreak a task.odd\n{answer}")
        assert driver.last("p", facts.Committed)
    everywhere(
        flow(tries(Rule("ask"))),
        """
        start            -> Ready p, Started p, Ready a
        break a task.odd -> Started a, Failed a, Doubted a
        retry a          -> Ready a#2
        do a             -> Started a#2, Committed a#2, Fixed p, Committed p
        """,
    )


# Alternates.


def test_alternate_takes_the_place_and_its_end_is_the_activity_s_own() -> None:
    a = tries(
        Rule("alternate", alternate=task("other", outcomes=(Outcome("done", types={"v": "any"}),))),
        outcomes=(Outcome("done", types={"v": "any"}), ABORTED),
    )
    driver = everywhere(
        flow(a, guarded(task("b"), On("a", "error:task"))),
        """
        start                  -> Ready p, Started p, Ready a
        break a                -> Started a, Failed a, Ready a/alternate
        do a/alternate {"v": 5} -> Started a/alternate, Committed a/alternate, Committed a, Skipped b, Fixed p,
                               -> Committed p
        """,
    )
    assert driver.last("a", facts.Committed).values == {"v": 5}


def test_error_is_an_event_when_the_alternate_fails_too() -> None:
    driver = everywhere(
        flow(tries(Rule("alternate", alternate=task("other"))), guarded(task("b"), On("a", "error:task.two"))),
        """
        start                  -> Ready p, Started p, Ready a
        break a task.one       -> Started a, Failed a, Ready a/alternate
        break a/alternate task.two -> Started a/alternate, Aborted a/alternate, Aborted a, Ready b
        do b                   -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    assert driver.last("a", facts.Aborted).error == "task.two"


def test_alternate_may_be_a_compound_and_is_stopped_with_what_it_replaced() -> None:
    everywhere(
        flow(
            tries(Rule("alternate", alternate=serial(task("x", compensation=task("unx")), task("y"), name="other"))),
            task("b"),
        ),
        """
        start                  -> Ready p, Started p, Ready a, Ready b
        break a                -> Started a, Failed a, Ready a/alternate, Started a/alternate,
                               -> Ready a/alternate/x
        do a/alternate/x       -> Started a/alternate/x, Committed a/alternate/x, Ready a/alternate/y
        cancel a               -> Stopping a, Aborting a/alternate, Skipped a/alternate/y,
                               -> Compensating a/alternate/x, Ready a/alternate/x/compensation
        do a/alternate/x/compensation -> Started a/alternate/x/compensation,
                               -> Committed a/alternate/x/compensation, Compensated a/alternate/x,
                               -> Aborted a/alternate, Aborted a
        """,
    )


def test_alternate_sees_the_inputs_of_the_activity() -> None:
    other = task("other", input_sets=(InputSet(types={"n": "any"}),))
    a = tries(Rule("alternate", alternate=other), input_sets=(InputSet(bindings={"n": (Constant(4),)}),))
    driver = everywhere(
        flow(a),
        """
        start          -> Ready p, Started p, Ready a
        break a        -> Started a, Failed a, Ready a/alternate
        do a/alternate -> Started a/alternate, Committed a/alternate, Committed a, Fixed p, Committed p
        """,
    )
    assert driver.last("a/alternate", facts.Ready).inputs == {"n": 4}


def test_different_errors_have_different_alternates() -> None:
    a = tries(Rule("alternate", "task.x", alternate=task("ax")), Rule("alternate", "task.y", alternate=task("ay")))
    driver = everywhere(
        flow(a),
        """
        start          -> Ready p, Started p, Ready a
        break a task.y -> Started a, Failed a, Ready a/alternate
        do a/alternate -> Started a/alternate, Committed a/alternate, Committed a, Fixed p, Committed p
        """,
    )
    assert "Committed a" in driver.path


# Undo.


def test_undo_runs_after_each_failed_attempt_before_the_retry_and_before_the_failure_is_news() -> None:
    everywhere(
        flow(tries(Rule("retry", times=1), undo=task("u")), guarded(task("b"), On("a", "aborted"))),
        """
        start     -> Ready p, Started p, Ready a
        break a   -> Started a, Failed a, Ready a/undo
        do a/undo -> Started a/undo, Committed a/undo, Ready a#2
        break a   -> Started a#2, Failed a#2, Ready a/undo#2
        do a/undo -> Started a/undo#2, Committed a/undo#2, Aborted a#2, Ready b
        do b      -> Started b, Committed b, Fixed p, Committed p
        """,
    )


def test_undo_sees_inputs_and_an_attempt_of_its_own() -> None:
    undo = task("u", input_sets=(InputSet(types={"n": "any"}),))
    a = tries(undo=undo, input_sets=(InputSet(bindings={"n": (Constant(4),)}),))
    driver = everywhere(
        flow(a),
        """
        start     -> Ready p, Started p, Ready a
        break a   -> Started a, Failed a, Ready a/undo
        do a/undo -> Started a/undo, Committed a/undo, Aborted a, Fixed p, Committed p
        """,
    )
    assert driver.last("a/undo", facts.Ready).inputs == {"n": 4}


def test_undo_whose_retries_are_used_up_asks_a_person() -> None:
    for answer in ("complete a/undo", "fail a/undo"):
        driver = everywhere(
            flow(tries(undo=task("u", on_error=(Rule("retry", times=1),)))),
            f"start\nbreak a\nbreak a/undo\nbreak a/undo\n{answer}",
        )
        assert "Doubted a/undo#2" in driver.path
        assert driver.last("p", facts.Committed)


def test_undo_that_is_told_again_runs_again() -> None:
    everywhere(
        flow(tries(undo=task("u"))),
        """
        start        -> Ready p, Started p, Ready a
        break a      -> Started a, Failed a, Ready a/undo
        break a/undo -> Started a/undo, Doubted a/undo
        retry a/undo -> Ready a/undo#2
        do a/undo    -> Started a/undo#2, Committed a/undo#2, Aborted a, Fixed p, Committed p
        """,
    )


def test_undo_can_t_be_cancelled_and_the_stop_of_its_activity_waits_for_it() -> None:
    everywhere(
        flow(tries(Rule("retry", times=3), undo=task("u"))),
        """
        start         -> Ready p, Started p, Ready a
        break a       -> Started a, Failed a, Ready a/undo
        cancel a/undo -> refused NotRunning
        cancel a      -> Stopping a
        cancel a
        do a/undo     -> Started a/undo, Committed a/undo, Aborted a, Fixed p, Committed p
        """,
    )


# Retry of compounds.


def test_compound_that_is_retried_has_taken_back_what_it_did() -> None:
    inner = replace(
        serial(task("x", compensation=task("unx")), task("y"), name="q"), on_error=(Rule("retry", times=1),)
    )
    everywhere(
        flow(inner),
        """
        start               -> Ready p, Started p, Ready q, Started q, Ready q/x
        do q/x              -> Started q/x, Committed q/x, Ready q/y
        break q/y           -> Started q/y, Aborted q/y, Aborting q, Compensating q/x, Ready q/x/compensation
        do q/x/compensation -> Started q/x/compensation, Committed q/x/compensation, Compensated q/x, Failed q,
                            -> Ready q#2, Started q#2, Ready q/x@1
        do q/x              -> Started q/x@1, Committed q/x@1, Ready q/y@1
        do q/y              -> Started q/y@1, Committed q/y@1, Fixed q#2, Committed q#2, Fixed p, Committed p
        """,
    )


def test_compound_that_is_retried_after_a_backoff() -> None:
    inner = replace(serial(task("x"), name="q"), on_error=(Rule("retry", times=1, delay_seconds=5),))
    everywhere(
        flow(inner),
        """
        start     -> Ready p, Started p, Ready q, Started q, Ready q/x
        break q/x -> Started q/x, Aborted q/x, Aborting q, Failed q
        at 5
        retry q   -> Ready q#2, Started q#2, Ready q/x@1
        do q/x    -> Started q/x@1, Committed q/x@1, Fixed q#2, Committed q#2, Fixed p, Committed p
        """,
    )


def test_compound_in_its_backoff_can_be_cancelled() -> None:
    inner = replace(serial(task("x"), name="q"), on_error=(Rule("retry", times=1, delay_seconds=5),))
    everywhere(
        flow(inner),
        """
        start     -> Ready p, Started p, Ready q, Started q, Ready q/x
        break q/x -> Started q/x, Aborted q/x, Aborting q, Failed q
        cancel q  -> Aborted q, Fixed p, Committed p
        """,
    )


def test_compound_may_be_ignored_asked_about_and_replaced() -> None:
    def inner(rule: Rule):  # type: ignore[no-untyped-def]
        return flow(replace(serial(task("x"), name="q"), on_error=(rule,)))

    everywhere(
        inner(Rule("ignore")),
        """
        start     -> Ready p, Started p, Ready q, Started q, Ready q/x
        break q/x -> Started q/x, Aborted q/x, Aborting q, Failed q, Committed q, Fixed p, Committed p
        """,
    )
    everywhere(
        inner(Rule("ask")),
        """
        start     -> Ready p, Started p, Ready q, Started q, Ready q/x
        break q/x -> Started q/x, Aborted q/x, Aborting q, Failed q, Doubted q
        retry q   -> Ready q#2, Started q#2, Ready q/x@1
        do q/x    -> Started q/x@1, Committed q/x@1, Fixed q#2, Committed q#2, Fixed p, Committed p
        """,
    )
    everywhere(
        inner(Rule("alternate", alternate=task("other"))),
        """
        start          -> Ready p, Started p, Ready q, Started q, Ready q/x
        break q/x      -> Started q/x, Aborted q/x, Aborting q, Failed q, Ready q/alternate
        do q/alternate -> Started q/alternate, Committed q/alternate, Committed q, Fixed p, Committed p
        """,
    )
    for answer in ("complete q", "fail q", "cancel q\nfail q", "cancel q\ncomplete q"):
        assert everywhere(inner(Rule("ask")), f"start\nbreak q/x\n{answer}").last("p", facts.Committed)


def test_compound_with_an_undo_runs_it_after_a_failed_attempt() -> None:
    inner = replace(serial(task("x"), name="q"), undo=task("u"), on_error=(Rule("retry", times=1),))
    everywhere(
        flow(inner),
        """
        start     -> Ready p, Started p, Ready q, Started q, Ready q/x
        break q/x -> Started q/x, Aborted q/x, Aborting q, Failed q, Ready q/undo
        do q/undo -> Started q/undo, Committed q/undo, Ready q#2, Started q#2, Ready q/x@1
        do q/x    -> Started q/x@1, Committed q/x@1, Fixed q#2, Committed q#2, Fixed p, Committed p
        """,
    )


def test_cancelled_compound_is_not_retried() -> None:
    inner = replace(serial(task("x"), name="q"), on_error=(Rule("retry", times=5),))
    everywhere(
        flow(inner),
        """
        start    -> Ready p, Started p, Ready q, Started q, Ready q/x
        cancel q -> Aborting q, Skipped q/x, Aborted q, Fixed p, Committed p
        """,
    )


def test_root_may_be_retried() -> None:
    everywhere(
        replace(serial(task("x"), name="p"), on_error=(Rule("retry", times=1),)),
        """
        start   -> Ready p, Started p, Ready x
        break x -> Started x, Aborted x, Aborting p, Failed p, Ready p#2, Started p#2, Ready x@1
        do x    -> Started x@1, Committed x@1, Fixed p#2, Committed p#2
        """,
    )


# Attempts and rounds.


def test_a_new_round_has_fresh_counters() -> None:
    everywhere(
        loop("True", tries(Rule("retry", times=1)), name="p"),
        """
        start   -> Ready p, Started p, Answered a:yes, Ready a
        break a -> Started a, Failed a, Ready a#2
        do a    -> Started a#2, Committed a#2, Fixed p:again, Repeated p:again, Answered a:yes@1, Ready a@1
        break a -> Started a@1, Failed a@1, Ready a@1#2
        break a -> Started a@1#2, Aborted a@1#2, Aborting p, Aborted p
        """,
    )


def test_ready_again_after_a_failure_is_withdrawn_by_an_abort_not_a_skip() -> None:
    everywhere(
        Flow(name="p", children=(tries(Rule("retry", times=1)), task("b")), outcomes=(done(On("b", "committed")),)),
        """
        start   -> Ready p, Started p, Ready a, Ready b
        break a -> Started a, Failed a, Ready a#2
        do b    -> Started b, Committed b, Fixed p, Aborted a#2, Committed p
        """,
    )


# Non-vital.


def test_non_vital_child_that_aborts_lets_serial_and_and_and_loop_go_on() -> None:
    everywhere(
        serial(task("a", vital=False), task("b"), name="p"),
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Aborted a, Ready b
        do b    -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    everywhere(
        all_of(task("a", vital=False), task("b"), name="p"),
        """
        start   -> Ready p, Started p, Ready a, Ready b
        break a -> Started a, Aborted a
        do b    -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    everywhere(
        replace(
            loop(
                "n < 1",
                task("a", vital=False),
                task("b", writes={"n": "n"}, outcomes=(Outcome("done", types={"n": "any"}),)),
                name="p",
            ),
            variables={"n": Declared("int", 0)},
        ),
        """
        start         -> Ready p, Started p, Answered a:yes, Ready a
        break a       -> Started a, Aborted a, Ready b
        do b {"n": 1} -> Started b, Committed b, Fixed p:again, Repeated p:again, Answered a:no@1, Skipped a@1,
                      -> Fixed p, Skipped b@1, Committed p
        """,
    )


def test_non_vital_changes_nothing_in_an_or() -> None:
    everywhere(
        any_of(task("a", vital=False), task("b", vital=False), name="p"),
        """
        start   -> Ready p, Started p, Ready a, Ready b
        break a -> Started a, Aborted a
        break b -> Started b, Aborted b, Aborting p, Aborted p
        """,
    )


def test_parameter_fed_by_a_non_vital_child_needs_a_second_source() -> None:
    a = task("a", vital=False, outcomes=(Outcome("done", types={"v": "any"}), ABORTED))
    b = task(
        "b", input_sets=(InputSet(guard=On("a", "ended"), bindings={"x": (Output("a", "done", "v"), Constant(0))}),)
    )
    driver = everywhere(
        flow(a, b),
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Aborted a, Ready b
        do b    -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    assert driver.last("b", facts.Ready).inputs == {"x": 0}


# Transactional work.


def test_granted_work_whose_resource_refuses_has_aborted() -> None:
    a = task("a", transaction="transactional", outcomes=(Outcome("done", "commit", On("p", "started")), ABORTED))
    everywhere(
        flow(a),
        """
        start                -> Ready p, Started p, Ready a
        do a                 -> Started a, Parked a, Granted a
        fail a task.conflict -> Aborted a, Fixed p, Committed p
        """,
    )
