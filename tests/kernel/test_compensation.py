"""Taking back what committed (SEMANTICS §4): in reverse order in each compound, at every depth, rounds included."""

from msgspec.structs import replace

from tests.kernel.driver import aborted, done, everywhere, guarded, task
from weft.kernel import facts
from weft.model.blocks import all_of, loop, serial
from weft.model.definition import (
    Constant,
    Declared,
    Flow,
    InputSet,
    On,
    Outcome,
    Quiet,
    Rule,
)


def step(name: str, **said: object):  # type: ignore[no-untyped-def]
    return task(name, compensation=task("un" + name), **said)


def compensated(driver) -> list[str]:  # type: ignore[no-untyped-def]
    return [fact.path for fact in driver.told if isinstance(fact, facts.Compensated)]


def test_committed_children_are_taken_back_one_by_one_in_reverse_order_of_commitment() -> None:
    flow = serial(all_of(step("a"), step("b"), step("c"), name="q"), task("z"), name="p")
    driver = everywhere(
        flow,
        """
        start               -> Ready p, Started p, Ready q, Started q, Ready q/a, Ready q/b, Ready q/c
        do q/b              -> Started q/b, Committed q/b
        do q/c              -> Started q/c, Committed q/c
        do q/a              -> Started q/a, Committed q/a, Fixed q, Committed q, Ready z
        break z             -> Started z, Aborted z, Aborting p, Compensating q/a, Ready q/a/compensation
        do q/a/compensation -> Started q/a/compensation, Committed q/a/compensation, Compensated q/a,
                            -> Compensating q/c, Ready q/c/compensation
        do q/c/compensation -> Started q/c/compensation, Committed q/c/compensation, Compensated q/c,
                            -> Compensating q/b, Ready q/b/compensation
        do q/b/compensation -> Started q/b/compensation, Committed q/b/compensation, Compensated q/b,
                            -> Aborted p
        """,
    )
    assert compensated(driver) == ["q/a", "q/c", "q/b"]


def test_order_is_each_compound_s_own_and_not_that_of_all_commitments() -> None:
    left = serial(step("a"), step("b"), name="left")
    right = serial(step("c"), step("d"), name="right")
    driver = everywhere(
        serial(all_of(left, right, name="both"), task("z"), name="p"),
        """
        start                  -> Ready p, Started p, Ready both, Started both, Ready both/left,
                               -> Started both/left, Ready both/right, Started both/right, Ready both/left/a,
                               -> Ready both/right/c
        do both/left/a         -> Started both/left/a, Committed both/left/a, Ready both/left/b
        do both/right/c        -> Started both/right/c, Committed both/right/c, Ready both/right/d
        do both/right/d        -> Started both/right/d, Committed both/right/d, Fixed both/right,
                               -> Committed both/right
        do both/left/b         -> Started both/left/b, Committed both/left/b, Fixed both/left,
                               -> Committed both/left, Fixed both, Committed both, Ready z
        break z                -> Started z, Aborted z, Aborting p, Compensating both/left/b,
                               -> Ready both/left/b/compensation
        do both/left/b/compensation -> Started both/left/b/compensation, Committed both/left/b/compensation,
                               -> Compensated both/left/b, Compensating both/left/a,
                               -> Ready both/left/a/compensation
        do both/left/a/compensation -> Started both/left/a/compensation, Committed both/left/a/compensation,
                               -> Compensated both/left/a, Compensating both/right/d,
                               -> Ready both/right/d/compensation
        do both/right/d/compensation -> Started both/right/d/compensation, Committed both/right/d/compensation,
                               -> Compensated both/right/d, Compensating both/right/c,
                               -> Ready both/right/c/compensation
        do both/right/c/compensation -> Started both/right/c/compensation, Committed both/right/c/compensation,
                               -> Compensated both/right/c, Aborted p
        """,
    )
    assert compensated(driver) == ["both/left/b", "both/left/a", "both/right/d", "both/right/c"]


def test_every_round_is_taken_back_from_the_last() -> None:
    body = replace(
        loop("n < 2", step("a", writes={"n": "n"}, outcomes=(Outcome("done", types={"n": "any"}),)), name="q"),
        variables={"n": Declared("int", 0)},
    )
    driver = everywhere(
        serial(body, task("z"), name="p"),
        """
        start               -> Ready p, Started p, Ready q, Started q, Answered q/a:yes, Ready q/a
        do q/a {"n": 1}     -> Started q/a, Committed q/a, Fixed q:again, Repeated q:again, Answered q/a:yes@1,
                            -> Ready q/a@1
        do q/a {"n": 2}     -> Started q/a@1, Committed q/a@1, Fixed q:again, Repeated q:again,
                            -> Answered q/a:no@2, Skipped q/a@2, Fixed q, Committed q, Ready z
        break z             -> Started z, Aborted z, Aborting p, Compensating q/a@1, Ready q/a/compensation@1
        do q/a/compensation -> Started q/a/compensation@1, Committed q/a/compensation@1, Compensated q/a@1,
                            -> Compensating q/a, Ready q/a/compensation
        do q/a/compensation -> Started q/a/compensation, Committed q/a/compensation, Compensated q/a,
                            -> Aborted p
        """,
    )
    assert [fact.round for fact in driver.told if isinstance(fact, facts.Compensated)] == [1, 0]


def test_rounds_of_a_compound_inside_a_loop_keep_their_own_order() -> None:
    body = replace(
        loop(
            "n < 2",
            serial(step("a"), step("b", writes={"n": "n"}, outcomes=(Outcome("done", types={"n": "any"}),)), name="s"),
            name="q",
        ),
        variables={"n": Declared("int", 0)},
    )
    driver = everywhere(
        serial(body, task("z"), name="p"),
        """
        start                 -> Ready p, Started p, Ready q, Started q, Answered q/s:yes, Ready q/s,
                              -> Started q/s, Ready q/s/a
        do q/s/a              -> Started q/s/a, Committed q/s/a, Ready q/s/b
        do q/s/b {"n": 1}     -> Started q/s/b, Committed q/s/b, Fixed q/s, Committed q/s, Fixed q:again,
                              -> Repeated q:again, Answered q/s:yes@1, Ready q/s@1, Started q/s@1,
                              -> Ready q/s/a@1
        do q/s/a              -> Started q/s/a@1, Committed q/s/a@1, Ready q/s/b@1
        do q/s/b {"n": 2}     -> Started q/s/b@1, Committed q/s/b@1, Fixed q/s@1, Committed q/s@1,
                              -> Fixed q:again, Repeated q:again, Answered q/s:no@2, Skipped q/s@2, Fixed q,
                              -> Committed q, Ready z
        break z               -> Started z, Aborted z, Aborting p, Compensating q/s/b@1,
                              -> Ready q/s/b/compensation@1
        do q/s/b/compensation -> Started q/s/b/compensation@1, Committed q/s/b/compensation@1,
                              -> Compensated q/s/b@1, Compensating q/s/a@1, Ready q/s/a/compensation@1
        do q/s/a/compensation -> Started q/s/a/compensation@1, Committed q/s/a/compensation@1,
                              -> Compensated q/s/a@1, Compensating q/s/b, Ready q/s/b/compensation
        do q/s/b/compensation -> Started q/s/b/compensation, Committed q/s/b/compensation, Compensated q/s/b,
                              -> Compensating q/s/a, Ready q/s/a/compensation
        do q/s/a/compensation -> Started q/s/a/compensation, Committed q/s/a/compensation, Compensated q/s/a,
                              -> Aborted p
        """,
    )
    found = [(fact.path[-1], fact.round) for fact in driver.told if isinstance(fact, facts.Compensated)]
    assert found == [("b", 1), ("a", 1), ("b", 0), ("a", 0)]


def test_own_compensation_of_a_compound_that_committed_replaces_its_children_s() -> None:
    inner = replace(serial(step("a"), step("b"), name="q"), compensation=task("unq"))
    everywhere(
        serial(inner, task("z"), name="p"),
        """
        start             -> Ready p, Started p, Ready q, Started q, Ready q/a
        do q/a            -> Started q/a, Committed q/a, Ready q/b
        do q/b            -> Started q/b, Committed q/b, Fixed q, Committed q, Ready z
        break z           -> Started z, Aborted z, Aborting p, Compensating q, Ready q/compensation
        do q/compensation -> Started q/compensation, Committed q/compensation, Compensated q, Aborted p
        """,
    )


def test_own_compensation_of_a_compound_that_did_not_commit_replaces_nothing() -> None:
    inner = replace(serial(step("a"), task("b"), name="q"), compensation=task("unq"))
    everywhere(
        serial(inner, name="p"),
        """
        start               -> Ready p, Started p, Ready q, Started q, Ready q/a
        do q/a              -> Started q/a, Committed q/a, Ready q/b
        break q/b           -> Started q/b, Aborted q/b, Aborting q, Compensating q/a, Ready q/a/compensation
        do q/a/compensation -> Started q/a/compensation, Committed q/a/compensation, Compensated q/a,
                            -> Aborted q, Aborting p, Aborted p
        """,
    )


def test_compensation_may_be_a_compound() -> None:
    a = task("a", compensation=serial(task("x"), task("y"), name="back"))
    everywhere(
        serial(a, task("z"), name="p"),
        """
        start               -> Ready p, Started p, Ready a
        do a                -> Started a, Committed a, Ready z
        break z             -> Started z, Aborted z, Aborting p, Compensating a, Ready a/compensation,
                            -> Started a/compensation, Ready a/compensation/x
        do a/compensation/x -> Started a/compensation/x, Committed a/compensation/x, Ready a/compensation/y
        do a/compensation/y -> Started a/compensation/y, Committed a/compensation/y, Fixed a/compensation,
                            -> Committed a/compensation, Compensated a, Aborted p
        """,
    )


def test_compensation_sees_inputs_outputs_and_variables_written() -> None:
    a = task(
        "a",
        input_sets=(InputSet(bindings={"n": (Constant(4),)}),),
        outcomes=(Outcome("done", types={"v": "any"}),),
        writes={"total": "v"},
        compensation=task("una", input_sets=(InputSet(types={"n": "any", "v": "any", "total": "any"}),)),
    )
    b = task("b", outcomes=(Outcome("done", types={"v": "any"}),), writes={"total": "v"})
    flow = replace(serial(a, b, task("z"), name="p"), variables={"total": Declared("int", 0)})
    driver = everywhere(
        flow,
        """
        start             -> Ready p, Started p, Ready a
        do a {"v": 5}     -> Started a, Committed a, Ready b
        do b {"v": 6}     -> Started b, Committed b, Ready z
        break z           -> Started z, Aborted z, Aborting p, Compensating a, Ready a/compensation
        do a/compensation -> Started a/compensation, Committed a/compensation, Compensated a, Aborted p
        """,
    )
    assert driver.last("a/compensation", facts.Ready).inputs == {"n": 4, "v": 5, "total": 5}


def test_compensation_of_a_round_has_its_round_and_its_attempts_are_its_own() -> None:
    body = replace(
        loop(
            "n < 2",
            task(
                "a",
                writes={"n": "n"},
                outcomes=(Outcome("done", types={"n": "any"}),),
                on_error=(Rule("retry", times=1),),
                compensation=task("una", on_error=(Rule("retry", times=1),)),
            ),
            name="q",
        ),
        variables={"n": Declared("int", 0)},
    )
    everywhere(
        serial(body, task("z"), name="p"),
        """
        start                  -> Ready p, Started p, Ready q, Started q, Answered q/a:yes, Ready q/a
        break q/a              -> Started q/a, Failed q/a, Ready q/a#2
        do q/a {"n": 1}        -> Started q/a#2, Committed q/a#2, Fixed q:again, Repeated q:again,
                               -> Answered q/a:yes@1, Ready q/a@1

        do q/a {"n": 2}        -> Started q/a@1, Committed q/a@1, Fixed q:again, Repeated q:again,
                               -> Answered q/a:no@2, Skipped q/a@2, Fixed q, Committed q, Ready z

        break z                -> Started z, Aborted z, Aborting p, Compensating q/a@1,
                               -> Ready q/a/compensation@1

        break q/a/compensation -> Started q/a/compensation@1, Failed q/a/compensation@1,
                               -> Ready q/a/compensation@1#2
        do q/a/compensation    -> Started q/a/compensation@1#2, Committed q/a/compensation@1#2,
                               -> Compensated q/a@1, Compensating q/a#2, Ready q/a/compensation
        do q/a/compensation    -> Started q/a/compensation, Committed q/a/compensation, Compensated q/a#2,
                               -> Aborted p
        """,
    )


def test_compensation_whose_retries_are_used_up_asks_a_person_and_the_rest_waits() -> None:
    flow = serial(step("a"), step("b"), task("z"), name="p")
    driver = everywhere(
        flow,
        """
        start                  -> Ready p, Started p, Ready a
        do a                   -> Started a, Committed a, Ready b
        do b                   -> Started b, Committed b, Ready z
        break z                -> Started z, Aborted z, Aborting p, Compensating b, Ready b/compensation
        break b/compensation   -> Started b/compensation, Doubted b/compensation
        complete b/compensation -> Committed b/compensation, Compensated b, Compensating a,
                               -> Ready a/compensation
        do a/compensation      -> Started a/compensation, Committed a/compensation, Compensated a, Aborted p
        """,
    )
    assert "Compensated b" in driver.path


def test_person_may_say_that_it_can_t_be_taken_back() -> None:
    everywhere(
        serial(step("a"), task("z"), name="p"),
        """
        start                -> Ready p, Started p, Ready a
        do a                 -> Started a, Committed a, Ready z
        break z              -> Started z, Aborted z, Aborting p, Compensating a, Ready a/compensation
        break a/compensation -> Started a/compensation, Doubted a/compensation
        fail a/compensation  -> Aborted a/compensation, Compensated a:given-up, Aborted p
        """,
    )


def test_person_may_have_it_tried_again() -> None:
    everywhere(
        serial(step("a"), task("z"), name="p"),
        """
        start                -> Ready p, Started p, Ready a
        do a                 -> Started a, Committed a, Ready z
        break z              -> Started z, Aborted z, Aborting p, Compensating a, Ready a/compensation
        break a/compensation -> Started a/compensation, Doubted a/compensation
        retry a/compensation -> Ready a/compensation#2
        do a/compensation    -> Started a/compensation#2, Committed a/compensation#2, Compensated a, Aborted p
        """,
    )


def test_compensation_can_t_be_cancelled_and_a_second_abort_only_waits() -> None:
    everywhere(
        serial(serial(step("a"), task("y"), name="q"), task("z"), name="p"),
        """
        start                  -> Ready p, Started p, Ready q, Started q, Ready q/a
        do q/a                 -> Started q/a, Committed q/a, Ready q/y
        break q/y              -> Started q/y, Aborted q/y, Aborting q, Compensating q/a,
                               -> Ready q/a/compensation
        cancel q/a/compensation -> refused NotRunning
        drain q                -> refused NotRunning
        cancel                 -> Aborting p, Skipped z
        begin q/a/compensation -> Started q/a/compensation
        cancel
        complete q/a/compensation -> Committed q/a/compensation, Compensated q/a, Aborted q, Aborted p
        """,
    )


def test_abort_first_waits_for_what_it_stopped_then_takes_back() -> None:
    flow = Flow(
        name="p",
        children=(step("a"), task("b"), step("c"), task("d")),
        outcomes=(done(Quiet()), aborted(On("d", "aborted"))),
    )
    everywhere(
        flow,
        """
        start             -> Ready p, Started p, Ready a, Ready b, Ready c, Ready d
        do a              -> Started a, Committed a
        begin b           -> Started b
        begin c           -> Started c
        break d           -> Started d, Aborted d, Aborting p, Stopping b, Stopping c
        complete c        -> TakingBack c, Ready c/compensation
        fail b            -> Aborted b
        do c/compensation -> Started c/compensation, Committed c/compensation, Aborted c, Compensating a,
                          -> Ready a/compensation
        do a/compensation -> Started a/compensation, Committed a/compensation, Compensated a, Aborted p
        """,
    )


def test_aborted_event_of_a_compound_is_the_end_of_taking_back() -> None:
    inner = serial(step("a"), task("b"), name="q")
    everywhere(
        Flow(name="p", children=(inner, guarded(task("n"), On("q", "aborted"))), outcomes=(done(Quiet()),)),
        """
        start               -> Ready p, Started p, Ready q, Started q, Ready q/a
        do q/a              -> Started q/a, Committed q/a, Ready q/b
        break q/b           -> Started q/b, Aborted q/b, Aborting q, Compensating q/a, Ready q/a/compensation
        do q/a/compensation -> Started q/a/compensation, Committed q/a/compensation, Compensated q/a,
                            -> Aborted q, Ready n
        do n                -> Started n, Committed n, Fixed p, Committed p
        """,
    )


def test_committed_part_of_a_compound_that_commits_is_kept_for_the_one_around() -> None:
    flow = serial(serial(serial(step("a"), name="r"), name="q"), task("z"), name="p")
    everywhere(
        flow,
        """
        start                 -> Ready p, Started p, Ready q, Started q, Ready q/r, Started q/r, Ready q/r/a
        do q/r/a              -> Started q/r/a, Committed q/r/a, Fixed q/r, Committed q/r, Fixed q,
                              -> Committed q, Ready z
        break z               -> Started z, Aborted z, Aborting p, Compensating q/r/a,
                              -> Ready q/r/a/compensation
        do q/r/a/compensation -> Started q/r/a/compensation, Committed q/r/a/compensation, Compensated q/r/a,
                              -> Aborted p
        """,
    )


def test_variables_written_stay_unless_a_compensation_changes_them() -> None:
    a = task(
        "a",
        outcomes=(Outcome("done", types={"v": "any"}),),
        writes={"x": "v", "y": "v"},
        compensation=task("una", outcomes=(Outcome("done", types={"v": "any"}),), writes={"x": "v"}),
    )
    inner = serial(a, task("b"), name="q")
    flow = Flow(
        name="p",
        variables={"x": Declared("int", 0), "y": Declared("int", 0)},
        children=(
            inner,
            guarded(task("n", input_sets=(InputSet(types={"x": "any", "y": "any"}, bindings={}),)), On("q", "aborted")),
        ),
        outcomes=(done(Quiet()),),
    )
    driver = everywhere(
        flow,
        """
        start                  -> Ready p, Started p, Ready q, Started q, Ready q/a
        do q/a {"v": 7}        -> Started q/a, Committed q/a, Ready q/b
        break q/b              -> Started q/b, Aborted q/b, Aborting q, Compensating q/a,
                               -> Ready q/a/compensation
        do q/a/compensation {"v": 1} -> Started q/a/compensation, Committed q/a/compensation, Compensated q/a,
                               -> Aborted q, Ready n
        do n                   -> Started n, Committed n, Fixed p, Committed p
        """,
    )
    variables = driver.state.root.execution[0].body.variables
    assert variables == {"x": 1, "y": 7}


def test_what_was_taken_back_by_a_retried_compound_is_not_taken_back_again() -> None:
    inner = replace(serial(step("a"), task("b"), name="q"), on_error=(Rule("retry", times=1),))
    driver = everywhere(
        serial(inner, task("z"), name="p"),
        """
        start               -> Ready p, Started p, Ready q, Started q, Ready q/a
        do q/a              -> Started q/a, Committed q/a, Ready q/b
        break q/b           -> Started q/b, Aborted q/b, Aborting q, Compensating q/a, Ready q/a/compensation
        do q/a/compensation -> Started q/a/compensation, Committed q/a/compensation, Compensated q/a, Failed q,
                            -> Ready q#2, Started q#2, Ready q/a@1
        do q/a              -> Started q/a@1, Committed q/a@1, Ready q/b@1
        do q/b              -> Started q/b@1, Committed q/b@1, Fixed q#2, Committed q#2, Ready z
        break z             -> Started z, Aborted z, Aborting p, Compensating q/a@1, Ready q/a/compensation@1
        do q/a/compensation -> Started q/a/compensation@1, Committed q/a/compensation@1, Compensated q/a@1,
                            -> Aborted p
        """,
    )
    assert compensated(driver) == ["q/a", "q/a"]


def test_alternate_that_committed_is_taken_back_by_the_activity_s_own_compensation() -> None:
    a = task("a", on_error=(Rule("alternate", alternate=task("other")),), compensation=task("una"))
    everywhere(
        serial(a, task("z"), name="p"),
        """
        start             -> Ready p, Started p, Ready a
        break a           -> Started a, Failed a, Ready a/alternate
        do a/alternate    -> Started a/alternate, Committed a/alternate, Committed a, Ready z
        break z           -> Started z, Aborted z, Aborting p, Compensating a, Ready a/compensation
        do a/compensation -> Started a/compensation, Committed a/compensation, Compensated a, Aborted p
        """,
    )


def test_ignored_failure_counts_as_committed_and_is_taken_back_too() -> None:
    a = step("a", on_error=(Rule("ignore"),))
    everywhere(
        serial(a, task("z"), name="p"),
        """
        start             -> Ready p, Started p, Ready a
        break a           -> Started a, Failed a, Committed a, Ready z
        break z           -> Started z, Aborted z, Aborting p, Compensating a, Ready a/compensation
        do a/compensation -> Started a/compensation, Committed a/compensation, Compensated a, Aborted p
        """,
    )


def test_compensation_holds_names_of_its_own() -> None:
    a = task("a", holds=("x",), compensation=task("una", holds=("x",)))
    flow = Flow(name="p", children=(serial(a, task("z"), name="q"), task("b", holds=("x",))), outcomes=(done(Quiet()),))
    everywhere(
        flow,
        """
        start                  -> Ready p, Started p, Ready q, Started q, Ready b, Ready q/a
        do q/a                 -> Started q/a, Committed q/a, Ready q/z
        break q/z              -> Started q/z, Aborted q/z, Aborting q, Compensating q/a,
                               -> Ready q/a/compensation
        begin q/a/compensation -> Started q/a/compensation
        begin b                -> refused NotAvailable
        complete q/a/compensation -> Committed q/a/compensation, Compensated q/a, Aborted q
        do b                   -> Started b, Committed b, Fixed p, Committed p
        """,
    )


def test_names_are_kept_while_the_activity_itself_is_taken_back_which_may_hold_them_too() -> None:
    a = task("a", holds=("x",), undo=task("una", holds=("x",)), on_error=(Rule("retry", times=1),))
    flow = Flow(name="p", children=(a, task("b", holds=("x",))), outcomes=(done(Quiet()),))
    everywhere(
        flow,
        """
        start           -> Ready p, Started p, Ready a, Ready b
        break a         -> Started a, Failed a, Ready a/undo
        begin b         -> refused NotAvailable
        begin a/undo    -> Started a/undo
        begin b         -> refused NotAvailable
        complete a/undo -> Committed a/undo, Ready a#2
        begin b         -> refused NotAvailable
        break a         -> Started a#2, Failed a#2, Ready a/undo#2
        do a/undo       -> Started a/undo#2, Committed a/undo#2, Aborted a#2
        do b            -> Started b, Committed b, Fixed p, Committed p
        """,
    )


def test_what_a_compound_holds_it_holds_for_what_is_in_it() -> None:
    inner = replace(serial(task("a", holds=("x",)), task("b", holds=("x",)), name="q"), holds=("x",))
    flow = Flow(name="p", children=(inner, task("c", holds=("x",))), outcomes=(done(Quiet()),))
    everywhere(
        flow,
        """
        start   -> Ready p, Started p, Ready q, Started q, Ready c, Ready q/a
        do q/a  -> Started q/a, Committed q/a, Ready q/b
        begin c -> refused NotAvailable
        do q/b  -> Started q/b, Committed q/b, Fixed q, Committed q
        do c    -> Started c, Committed c, Fixed p, Committed p
        """,
    )


def test_compensation_that_is_a_compound_starts_when_its_name_is_free() -> None:
    a = task("a", compensation=replace(serial(task("u"), name="back"), holds=("x",)))
    flow = Flow(name="p", children=(serial(a, task("z"), name="q"), task("b", holds=("x",))), outcomes=(done(Quiet()),))
    everywhere(
        flow,
        """
        start                 -> Ready p, Started p, Ready q, Started q, Ready b, Ready q/a
        do q/a                -> Started q/a, Committed q/a, Ready q/z
        begin b               -> Started b
        break q/z             -> Started q/z, Aborted q/z, Aborting q, Compensating q/a,
                              -> Ready q/a/compensation
        complete b            -> Committed b, Started q/a/compensation, Ready q/a/compensation/u
        do q/a/compensation/u -> Started q/a/compensation/u, Committed q/a/compensation/u,
                              -> Fixed q/a/compensation, Committed q/a/compensation, Compensated q/a,
                              -> Aborted q, Fixed p, Committed p
        """,
    )


def test_root_with_a_compensation_is_never_taken_back_by_itself() -> None:
    flow = replace(serial(task("a"), name="p"), compensation=task("unp"))
    everywhere(
        flow,
        """
        start -> Ready p, Started p, Ready a
        do a  -> Started a, Committed a, Fixed p, Committed p
        """,
    )
