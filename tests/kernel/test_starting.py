"""How activities start (SEMANTICS §2): input sets and sources, what is fixed when, names held, one start, data."""

from msgspec.structs import replace

from tests.kernel.driver import committed, done, ended, everywhere, guarded, task
from weft.kernel import facts
from weft.model.blocks import all_of, loop, pick, serial
from weft.model.definition import (
    DONE,
    Constant,
    Declared,
    Expression,
    Flow,
    Input,
    InputSet,
    On,
    Outcome,
    Output,
    Rule,
    Variable,
    When,
    every,
    some,
)

ENDS = (done(),)


def gives(name: str, *objects: str, **said: object):  # type: ignore[no-untyped-def]
    return task(name, outcomes=(Outcome("done", types=dict.fromkeys(objects, "any")),), **said)


def takes(name: str, *sets: InputSet, **said: object):  # type: ignore[no-untyped-def]
    return task(name, input_sets=sets, **said)


def inputs_of(driver, path: str) -> object:  # type: ignore[no-untyped-def]
    return driver.last(path, facts.Ready).inputs


# Sets and sources.


def test_first_set_that_holds_in_order_is_taken() -> None:
    b = takes("b", InputSet("left", On("a", "committed")), InputSet("right", On("a", "ended")))
    driver = everywhere(
        Flow(name="p", children=(task("a"), b), outcomes=(done(On("b", "committed")),)),
        """
        start -> Ready p, Started p, Ready a
        do a  -> Started a, Committed a, Ready b
        do b  -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    assert driver.last("b", facts.Ready).set == "left"


def test_later_set_is_taken_when_only_it_holds() -> None:
    b = takes("b", InputSet("left", On("a", "committed")), InputSet("right", On("a", "aborted")))
    driver = everywhere(
        Flow(name="p", children=(task("a"), b), outcomes=(done(On("b", "committed")),)),
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Aborted a, Ready b
        do b    -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    assert driver.last("b", facts.Ready).set == "right"


def test_first_available_source_in_order_of_preference_is_taken() -> None:
    b = takes("b", InputSet(bindings={"x": (Output("c", "done", "v"), Output("a", "done", "v"))}))
    driver = everywhere(
        Flow(name="p", children=(gives("a", "v"), gives("c", "v"), b), outcomes=(done(On("b", "committed")),)),
        """
        start               -> Ready p, Started p, Ready a, Ready c
        do a {"v": 1}       -> Started a, Committed a, Ready b
        begin c             -> Started c
        do b                -> Started b, Committed b, Fixed p, Stopping c
        complete c {"v": 2} -> Aborted c, Committed p
        """,
    )
    assert inputs_of(driver, "b") == {"x": 1}


def test_set_sources_and_values_are_fixed_when_it_is_ready() -> None:
    b = takes("b", InputSet(bindings={"x": (Variable("n"),)}))
    flow = Flow(
        name="p",
        variables={"n": Declared("int", 1)},
        children=(b, gives("a", "v", writes={"n": "v"})),
        outcomes=(done(every(*committed("a", "b"))),),
    )
    driver = everywhere(
        flow,
        """
        start         -> Ready p, Started p, Ready b, Ready a
        do a {"v": 2} -> Started a, Committed a
        do b          -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    assert inputs_of(driver, "b") == {"x": 1}


def test_parameter_with_no_available_source_waits_and_then_skips() -> None:
    b = takes("b", InputSet(bindings={"x": (Output("a", "done", "v"),), "y": (Constant(3),)}))
    everywhere(
        Flow(name="p", children=(gives("a", "v"), b), outcomes=(done(ended("a", "b")),)),
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Aborted a, Skipped b, Fixed p, Committed p
        """,
    )


def test_source_from_an_outcome_not_taken_is_false_for_good() -> None:
    a = task("a", outcomes=(Outcome("good", types={"v": "any"}), Outcome("bad", types={"w": "any"})))
    b = takes("b", InputSet(bindings={"x": (Output("a", "good", "v"),)}))
    c = takes("c", InputSet(bindings={"x": (Output("a", "good", "v"), Output("a", "bad", "w"))}))
    driver = everywhere(
        Flow(name="p", children=(a, b, c), outcomes=(done(ended("b", "c")),)),
        """
        start             -> Ready p, Started p, Ready a
        do a bad {"w": 7} -> Started a, Committed a:bad, Ready c, Skipped b
        do c              -> Started c, Committed c, Fixed p, Committed p
        """,
    )
    assert inputs_of(driver, "c") == {"x": 7}


def test_source_from_an_input_set_not_taken_is_false_for_good() -> None:
    a = takes("a", InputSet("one", On("z", "committed")), InputSet("two", On("z", "aborted")))
    b = takes("b", InputSet(bindings={"x": (Input("a", "one", "v"),)}))
    everywhere(
        Flow(name="p", children=(task("z"), a, b), outcomes=(done(ended("a", "b")),)),
        """
        start      -> Ready p, Started p, Ready z
        break z    -> Started z, Aborted z, Ready a
        begin a    -> Started a, Skipped b
        complete a -> Committed a, Fixed p, Committed p
        """,
    )


def test_input_of_a_sibling_is_there_once_it_has_started() -> None:
    a = takes("a", InputSet(bindings={"v": (Constant(5),)}))
    b = takes("b", InputSet(bindings={"x": (Input("a", "start", "v"),)}))
    driver = everywhere(
        Flow(name="p", children=(a, b), outcomes=(done(ended("a", "b")),)),
        """
        start      -> Ready p, Started p, Ready a
        begin a    -> Started a, Ready b
        begin b    -> Started b
        complete b -> Committed b
        complete a -> Committed a, Fixed p, Committed p
        """,
    )
    assert inputs_of(driver, "b") == {"x": 5}


def test_inputs_of_the_compound_around_are_a_source() -> None:
    a = takes("a", InputSet(bindings={"x": (Input("p", "start", "n"),)}))
    flow = Flow(name="p", input_sets=(InputSet(types={"n": "int"}),), children=(a,), outcomes=(done(ended("a")),))
    driver = everywhere(flow, 'start {"n": 4}\ndo a')
    assert inputs_of(driver, "a") == {"x": 4}


def test_constants_variables_and_expressions_are_always_available() -> None:
    bindings = {"c": (Constant([1]),), "v": (Variable("n"),), "e": (Expression("n + 1"),), "w": (Variable("nothing"),)}
    flow = Flow(
        name="p",
        variables={"n": Declared("int", 1), "nothing": Declared()},
        children=(takes("a", InputSet(bindings=bindings)),),
        outcomes=(done(ended("a")),),
    )
    driver = everywhere(flow, "start\ndo a")
    assert inputs_of(driver, "a") == {"c": [1], "v": 1, "e": 2, "w": None}


def test_expression_that_fails_aborts_the_compound() -> None:
    a = takes("a", InputSet(bindings={"x": (Expression("1 / n"),)}))
    flow = Flow(name="p", variables={"n": Declared("int", 0)}, children=(a, task("b")), outcomes=(done(ended("a")),))
    driver = everywhere(
        flow,
        """
        start -> Ready p, Started p, Aborting p, Skipped a, Skipped b, Aborted p
        """,
    )
    assert driver.last("p", facts.Aborted).error == "engine.expression"


def test_mark_of_a_sibling_that_runs_is_a_source() -> None:
    a = task("a", outcomes=(Outcome("half", "mark", types={"v": "any"}), DONE))
    b = takes("b", InputSet(bindings={"x": (Output("a", "half", "v"),)}))
    driver = everywhere(
        Flow(name="p", children=(a, b), outcomes=(done(ended("a", "b")),)),
        """
        start                -> Ready p, Started p, Ready a
        begin a              -> Started a
        mark a half {"v": 6} -> Marked a:half, Ready b
        do b                 -> Started b, Committed b
        complete a           -> Committed a, Fixed p, Committed p
        """,
    )
    assert inputs_of(driver, "b") == {"x": 6}


def test_activity_that_ends_without_its_mark_never_gives_it() -> None:
    a = task("a", outcomes=(Outcome("half", "mark", types={"v": "any"}), DONE))
    b = takes("b", InputSet(bindings={"x": (Output("a", "half", "v"),)}))
    everywhere(
        Flow(name="p", children=(a, b), outcomes=(done(ended("a", "b")),)),
        """
        start -> Ready p, Started p, Ready a
        do a  -> Started a, Committed a, Skipped b, Fixed p, Committed p
        """,
    )


def test_output_of_a_repeat_feeds_the_next_round_and_is_false_in_the_first() -> None:
    flow = Flow(
        name="p",
        children=(
            Flow(
                name="q",
                input_sets=(InputSet(bindings={"n": (Output("q", "again", "v"), Constant(1)), "m": (Constant(8),)}),),
                children=(
                    takes(
                        "a",
                        InputSet(bindings={"x": (Input("q", "start", "n"),), "y": (Input("q", "start", "m"),)}),
                        outcomes=(DONE, Outcome("more", types={"v": "any"})),
                    ),
                ),
                outcomes=(
                    done(On("a", "committed:done")),
                    Outcome("again", "repeat", On("a", "committed:more"), bindings={"v": (Output("a", "more", "v"),)}),
                ),
            ),
        ),
        outcomes=(done(ended("q")),),
    )
    driver = everywhere(
        flow,
        """
        start                -> Ready p, Started p, Ready q, Started q, Ready q/a
        do q/a more {"v": 2} -> Started q/a, Committed q/a:more, Fixed q:again, Repeated q:again, Ready q/a@1
        do q/a more {"v": 3} -> Started q/a@1, Committed q/a:more@1, Fixed q:again, Repeated q:again,
                             -> Ready q/a@2
        do q/a               -> Started q/a@2, Committed q/a@2, Fixed q, Committed q, Fixed p, Committed p
        """,
    )
    given = [fact.inputs for fact in driver.told if isinstance(fact, facts.Ready) and fact.path == "q/a"]
    assert given == [{"x": 1, "y": 8}, {"x": 2, "y": 8}, {"x": 3, "y": 8}]


# Events.


def test_guards_hear_of_ready_started_set_error_and_outcome() -> None:
    a = takes("a", InputSet("one"), outcomes=(DONE, Outcome("bad", "abort")))
    children = (
        a,
        guarded(task("on_ready"), On("a", "ready")),
        guarded(task("on_set"), On("a", "started:one")),
        guarded(task("on_error"), On("a", "error:task")),
        guarded(task("on_exact"), On("a", "error:task.bad")),
        guarded(task("on_outcome"), On("a", "aborted:bad")),
        guarded(task("on_other"), On("a", "error:handler")),
        guarded(task("on_done"), On("a", "committed:done")),
    )
    everywhere(
        Flow(name="p", children=children, outcomes=(done(ended("on_outcome")),)),
        """
        start          -> Ready p, Started p, Ready a, Ready on_ready
        begin a        -> Started a, Ready on_set
        complete a bad -> Aborted a:bad, Ready on_error, Ready on_exact, Ready on_outcome, Skipped on_other,
                       -> Skipped on_done
        """,
    )


def test_omitted_guard_is_the_start_of_the_compound() -> None:
    everywhere(all_of(task("a"), task("b"), name="p"), "start -> Ready p, Started p, Ready a, Ready b")


# Data conditions.


def test_condition_is_asked_when_all_else_in_its_conjunction_is_true() -> None:
    flow = Flow(
        name="p",
        variables={"n": Declared("int", 1)},
        children=(gives("a", "v", writes={"n": "v"}), guarded(task("b"), every(On("a", "committed"), When("n > 1")))),
        outcomes=(done(ended("b")),),
    )
    everywhere(
        flow,
        """
        start         -> Ready p, Started p, Ready a
        do a {"v": 2} -> Started a, Committed a, Answered b:yes, Ready b
        do b          -> Started b, Committed b, Fixed p, Committed p
        """,
    )


def test_condition_in_no_conjunction_is_asked_when_its_compound_starts() -> None:
    flow = Flow(
        name="p",
        variables={"n": Declared("int", 1)},
        children=(task("a"), guarded(task("b"), some(On("a", "committed"), When("n > 1")))),
        outcomes=(done(ended("b")),),
    )
    everywhere(
        flow,
        """
        start -> Ready p, Started p, Answered b:no, Ready a
        do a  -> Started a, Committed a, Ready b
        do b  -> Started b, Committed b, Fixed p, Committed p
        """,
    )


def test_parameters_do_not_count_for_when_a_condition_is_asked() -> None:
    b = takes("b", InputSet(guard=When("n > 0"), bindings={"x": (Output("a", "done", "v"),)}))
    flow = Flow(
        name="p", variables={"n": Declared("int", 1)}, children=(gives("a", "v"), b), outcomes=(done(ended("b")),)
    )
    everywhere(
        flow,
        """
        start         -> Ready p, Started p, Answered b:yes, Ready a
        do a {"v": 1} -> Started a, Committed a, Ready b
        do b          -> Started b, Committed b, Fixed p, Committed p
        """,
    )


def test_condition_is_asked_once_a_round() -> None:
    flow = replace(loop("n < 2", gives("a", "n", writes={"n": "n"}), name="p"), variables={"n": Declared("int", 0)})
    everywhere(
        flow,
        """
        start         -> Ready p, Started p, Answered a:yes, Ready a
        do a {"n": 1} -> Started a, Committed a, Fixed p:again, Repeated p:again, Answered a:yes@1, Ready a@1
        do a {"n": 5} -> Started a@1, Committed a@1, Fixed p:again, Repeated p:again, Answered a:no@2,
                      -> Skipped a@2, Fixed p, Committed p
        """,
    )


def test_same_condition_twice_in_a_guard_is_two_questions() -> None:
    guard = some(every(On("a", "committed"), When("True")), every(On("a", "aborted"), When("True")))
    driver = everywhere(
        Flow(name="p", children=(task("a"), guarded(task("b"), guard)), outcomes=(done(ended("b")),)),
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Aborted a, Answered b:yes, Ready b
        do b    -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    keys = [fact.key for fact in driver.told if isinstance(fact, facts.Answered)]
    assert keys == ["start start: True #2"]


def test_condition_that_fails_aborts_the_compound() -> None:
    driver = everywhere(
        Flow(name="p", children=(guarded(task("a"), When("1 / 0 > 1")), task("b")), outcomes=(done(ended("a", "b")),)),
        """
        start -> Ready p, Started p, Aborting p, Skipped a, Skipped b, Aborted p
        """,
    )
    assert driver.last("p", facts.Aborted).error == "engine.expression"


def test_condition_of_an_outcome_may_use_variables_and_inputs() -> None:
    flow = Flow(
        name="p",
        input_sets=(InputSet(types={"limit": "int"}),),
        variables={"n": Declared("int", 0)},
        children=(gives("a", "v", writes={"n": "v"}),),
        outcomes=(
            Outcome("much", "commit", every(On("a", "committed"), When("n > limit"))),
            Outcome("little", "commit", On("a", "committed")),
        ),
    )
    assert everywhere(flow, 'start {"limit": 5}\ndo a {"v": 9}').last("p", facts.Committed).outcome == "much"
    assert everywhere(flow, 'start {"limit": 5}\ndo a {"v": 1}').last("p", facts.Committed).outcome == "little"


# Names held.


def test_names_are_taken_together_at_start_and_released_at_the_end() -> None:
    flow = all_of(task("a", holds=("x", "y")), task("b", holds=("y", "z")), task("c", holds=("z",)), name="p")
    everywhere(
        flow,
        """
        start      -> Ready p, Started p, Ready a, Ready b, Ready c
        begin a    -> Started a
        begin b    -> refused NotAvailable
        do c       -> Started c, Committed c
        complete a -> Committed a
        do b       -> Started b, Committed b, Fixed p, Committed p
        """,
    )


def test_names_are_kept_through_retries() -> None:
    flow = all_of(
        task("a", holds=("x",), on_error=(Rule("retry", times=1, delay_seconds=5),)), task("b", holds=("x",)), name="p"
    )
    everywhere(
        flow,
        """
        start   -> Ready p, Started p, Ready a, Ready b
        break a -> Started a, Failed a
        begin b -> refused NotAvailable
        at 5
        retry a -> Ready a#2
        begin b -> refused NotAvailable
        do a    -> Started a#2, Committed a#2
        do b    -> Started b, Committed b, Fixed p, Committed p
        """,
    )


def test_compound_that_holds_starts_at_the_release() -> None:
    section = replace(serial(task("b"), name="q"), holds=("x",))
    everywhere(
        all_of(task("a", holds=("x",)), section, name="p"),
        """
        start  -> Ready p, Started p, Ready a, Ready q, Started q, Ready q/b
        do q/b -> Started q/b, Committed q/b, Fixed q, Committed q
        """,
    )


def test_compound_whose_name_is_taken_waits_for_it() -> None:
    section = replace(serial(task("b"), name="q"), holds=("x",))
    everywhere(
        Flow(
            name="p",
            children=(
                task("a", holds=("x",)),
                guarded(task("s"), On("a", "started")),
                guarded(section, On("s", "committed")),
            ),
            outcomes=(done(ended("a", "q")),),
        ),
        """
        start      -> Ready p, Started p, Ready a
        begin a    -> Started a, Ready s
        do s       -> Started s, Committed s, Ready q
        complete a -> Committed a, Started q, Ready q/b
        do q/b     -> Started q/b, Committed q/b, Fixed q, Committed q, Fixed p, Committed p
        """,
    )


# One start.


def test_one_start_withdraws_the_others_when_one_begins() -> None:
    everywhere(
        pick(task("a"), guarded(task("b"), On("a", "committed")), task("c"), name="p"),
        """
        start      -> Ready p, Started p, Ready a, Ready c
        begin c    -> Started c, Skipped a, Skipped b
        begin a    -> refused NotRunning
        complete c -> Committed c, Fixed p, Committed p
        """,
    )


def test_one_start_lets_the_choice_be_made_by_a_failure_too() -> None:
    everywhere(
        pick(task("a"), task("b"), name="p"),
        """
        start   -> Ready p, Started p, Ready a, Ready b
        break a -> Started a, Skipped b, Aborted a, Aborting p, Aborted p
        """,
    )


# Variables and writes.


def test_writes_are_applied_by_the_compound_that_declares_the_variable() -> None:
    inner = Flow(
        name="q",
        variables={"near": Declared("int", 0)},
        children=(
            gives("a", "v", "w", writes={"near": "v", "far": "w"}),
            takes(
                "b", InputSet(guard=On("a", "committed"), bindings={"x": (Variable("near"),), "y": (Variable("far"),)})
            ),
        ),
        outcomes=(done(ended("b")),),
    )
    flow = Flow(
        name="p",
        variables={"far": Declared("int", 0), "near": Declared("int", 100)},
        children=(
            inner,
            takes(
                "c", InputSet(guard=On("q", "committed"), bindings={"x": (Variable("near"),), "y": (Variable("far"),)})
            ),
        ),
        outcomes=(done(ended("c")),),
    )
    driver = everywhere(
        flow,
        """
        start                  -> Ready p, Started p, Ready q, Started q, Ready q/a
        do q/a {"v": 1, "w": 2} -> Started q/a, Committed q/a, Ready q/b
        do q/b                 -> Started q/b, Committed q/b, Fixed q, Committed q, Ready c
        do c                   -> Started c, Committed c, Fixed p, Committed p
        """,
    )
    assert inputs_of(driver, "q/b") == {"x": 1, "y": 2}
    assert inputs_of(driver, "c") == {"x": 100, "y": 2}


def test_variables_survive_repeats_of_their_compound_and_are_born_at_each_start() -> None:
    body = Flow(
        name="q",
        variables={"n": Declared("int", 0)},
        children=(
            takes(
                "a",
                InputSet(bindings={"x": (Variable("n"),)}),
                outcomes=(Outcome("done", types={"v": "any"}), Outcome("more", types={"v": "any"})),
                writes={"n": "v"},
            ),
        ),
        outcomes=(done(On("a", "committed:done")), Outcome("again", "repeat", On("a", "committed:more"))),
    )
    flow = Flow(
        name="p",
        children=(body, guarded(task("b", outcomes=(DONE, Outcome("more"))), On("q", "committed"))),
        outcomes=(done(On("b", "committed:done")), Outcome("again", "repeat", On("b", "committed:more"))),
    )
    driver = everywhere(
        flow,
        """
        start                -> Ready p, Started p, Ready q, Started q, Ready q/a
        do q/a more {"v": 1} -> Started q/a, Committed q/a:more, Fixed q:again, Repeated q:again, Ready q/a@1
        do q/a {"v": 2}      -> Started q/a@1, Committed q/a@1, Fixed q, Committed q, Ready b
        do b more            -> Started b, Committed b:more, Fixed p:again, Repeated p:again, Ready q@1,
                             -> Started q@1, Ready q/a@2
        do q/a {"v": 9}      -> Started q/a@2, Committed q/a@2, Fixed q@1, Committed q@1, Ready b@1
        do b                 -> Started b@1, Committed b@1, Fixed p, Committed p
        """,
    )
    assert [fact.inputs for fact in driver.told if isinstance(fact, facts.Ready) and fact.path == "q/a"] == [
        {"x": 0},
        {"x": 1},
        {"x": 0},
    ]


def test_parameters_of_the_process_are_born_as_variables_of_the_root() -> None:
    flow = Flow(
        name="p",
        input_sets=(InputSet(types={"n": "int"}),),
        children=(
            gives("a", "v", writes={"n": "v"}),
            takes("b", InputSet(guard=On("a", "committed"), bindings={"x": (Variable("n"),)})),
        ),
        outcomes=(done(ended("b")),),
    )
    driver = everywhere(flow, 'start {"n": 4}\ndo a {"v": 5}\ndo b')
    assert inputs_of(driver, "b") == {"x": 5}


def test_marks_write_nothing() -> None:
    a = task(
        "a",
        outcomes=(Outcome("half", "mark", types={"v": "any"}), Outcome("done", types={"v": "any"})),
        writes={"n": "v"},
    )
    b = takes("b", InputSet(guard=On("a", "mark:half"), bindings={"x": (Variable("n"),)}))
    flow = Flow(name="p", variables={"n": Declared("int", 0)}, children=(a, b), outcomes=(done(ended("a", "b")),))
    driver = everywhere(
        flow,
        """
        start                -> Ready p, Started p, Ready a
        begin a              -> Started a
        mark a half {"v": 3} -> Marked a:half, Ready b
        complete a {"v": 4}  -> Committed a
        do b                 -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    assert inputs_of(driver, "b") == {"x": 0}


# The start of an instance.


def test_process_takes_the_set_whose_parameters_are_given() -> None:
    flow = Flow(
        name="p",
        input_sets=(
            InputSet("one", types={"a": "int"}),
            InputSet("two", types={"b": "int"}),
            InputSet("dear", types={"b": "int", "c": "int"}, bindings={"c": (Constant(3),)}),
        ),
        children=(task("t"),),
        outcomes=(done(ended("t")),),
    )
    assert everywhere(flow, 'start {"b": 1}').last("p", facts.Ready).set == "two"
    assert inputs_of(everywhere(flow, 'start dear {"b": 1}'), "p") == {"b": 1, "c": 3}


def test_start_that_gives_too_little_or_too_much_is_refused() -> None:
    flow = Flow(
        name="p", input_sets=(InputSet(types={"a": "int"}),), children=(task("t"),), outcomes=(done(ended("t")),)
    )
    everywhere(
        flow,
        """
        start                  -> refused NotDeclared
        start {"a": 1, "b": 2} -> refused NotDeclared
        start other {"a": 1}   -> refused NotDeclared
        start {"a": "text"}    -> refused NotFitting
        begin t                -> refused NotFound
        start {"a": 1}         -> Ready p, Started p, Ready t
        start {"a": 1}         -> refused NotRunning
        """,
    )
