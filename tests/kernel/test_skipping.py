"""What never starts is skipped, circles of guards included, and nothing hangs without a person asked (SEMANTICS §2)."""

from tests.kernel.driver import aborted, committed, done, ended, everywhere, guarded, task
from weft.kernel import effect_types, facts
from weft.model.blocks import all_of, serial
from weft.model.definition import ABORTED, AtLeast, Flow, On, Outcome, Quiet, When, every, some


def parked_until(name: str, guard: object, *holds: str):  # type: ignore[no-untyped-def]
    return task(name, transaction="transactional", holds=holds, outcomes=(Outcome("done", "commit", guard), ABORTED))


def test_child_none_of_whose_sets_can_hold_is_skipped_and_so_is_what_follows() -> None:
    flow = Flow(
        name="p",
        children=(
            task("a"),
            guarded(task("b"), On("a", "committed")),
            guarded(task("c"), On("b", "committed")),
            guarded(task("d"), On("c", "skipped")),
        ),
        outcomes=(done(Quiet()),),
    )
    everywhere(
        flow,
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Aborted a, Skipped b, Skipped c, Ready d
        do d    -> Started d, Committed d, Fixed p, Committed p
        """,
    )


def test_skip_of_a_child_makes_skipped_and_ended_true_and_all_else_false() -> None:
    children = [guarded(task("a"), When("False"))]
    for event in ("ready", "started", "committed", "aborted", "error:task", "skipped", "ended"):
        children.append(guarded(task("on_" + event.partition(":")[0]), On("a", event)))
    everywhere(
        Flow(name="p", children=tuple(children), outcomes=(done(Quiet()),)),
        """
        start -> Ready p, Started p, Answered a:no, Skipped a, Ready on_skipped, Ready on_ended,
              -> Skipped on_ready, Skipped on_started, Skipped on_committed, Skipped on_aborted,
              -> Skipped on_error
        """,
    )


def test_circle_that_nothing_feeds_is_skipped_together() -> None:
    flow = Flow(
        name="p",
        children=(guarded(task("a"), On("b", "committed")), guarded(task("b"), On("a", "committed")), task("c")),
        outcomes=(done(Quiet()),),
    )
    everywhere(
        flow,
        """
        start -> Ready p, Started p, Ready c, Skipped a, Skipped b
        do c  -> Started c, Committed c, Fixed p, Committed p
        """,
    )


def test_circle_lives_as_long_as_something_outside_may_feed_it() -> None:
    flow = Flow(
        name="p",
        children=(
            guarded(task("a"), some(On("b", "committed"), On("c", "committed"))),
            guarded(task("b"), On("a", "committed")),
            task("c"),
        ),
        outcomes=(done(Quiet()),),
    )
    everywhere(
        flow,
        """
        start -> Ready p, Started p, Ready c
        do c  -> Started c, Committed c, Ready a
        do a  -> Started a, Committed a, Ready b
        do b  -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    everywhere(
        flow,
        """
        start   -> Ready p, Started p, Ready c
        break c -> Started c, Aborted c, Skipped a, Skipped b, Fixed p, Committed p
        """,
    )


def test_circle_is_looked_at_again_when_a_member_ends() -> None:
    flow = Flow(
        name="p",
        children=(
            guarded(task("a"), some(On("p", "started"), On("c", "committed"))),
            guarded(task("b"), On("a", "committed")),
            guarded(task("c"), On("b", "committed")),
        ),
        outcomes=(done(Quiet()),),
    )
    everywhere(
        flow,
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Aborted a, Skipped b, Skipped c, Fixed p, Committed p
        """,
    )


def test_parked_ones_that_wait_for_each_other_abort_one_at_a_time() -> None:
    flow = Flow(
        name="p",
        children=(parked_until("a", On("b", "ended")), parked_until("b", On("a", "committed"))),
        outcomes=(done(Quiet()),),
    )
    everywhere(
        flow,
        """
        start -> Ready p, Started p, Ready a, Ready b
        do a  -> Started a, Parked a
        do b  -> Started b, Parked b, Aborted a, Aborted b, Fixed p, Committed p
        """,
    )


def test_abort_of_one_parked_can_wake_the_other() -> None:
    flow = Flow(
        name="p",
        children=(
            parked_until("a", On("b", "committed")),
            parked_until("b", some(On("a", "committed"), On("a", "aborted"))),
        ),
        outcomes=(done(Quiet()),),
    )
    everywhere(
        flow,
        """
        start     -> Ready p, Started p, Ready a, Ready b
        do b      -> Started b, Parked b
        do a      -> Started a, Parked a, Aborted a, Granted b
        confirm b -> Committed b, Fixed p, Committed p
        """,
    )


def test_ready_one_whose_names_only_dead_ones_keep_is_not_live() -> None:
    flow = Flow(
        name="p",
        children=(parked_until("a", On("b", "committed"), "x"), task("b", holds=("x",))),
        outcomes=(done(Quiet()),),
    )
    everywhere(
        flow,
        """
        start -> Ready p, Started p, Ready a, Ready b
        do a  -> Started a, Parked a, Aborted a
        do b  -> Started b, Committed b, Fixed p, Committed p
        """,
    )


def test_flow_whose_outcomes_are_all_lost_aborts_with_the_error_of_the_first_vital_child() -> None:
    flow = Flow(
        name="p",
        children=(task("n", vital=False), task("a"), task("b"), guarded(task("c"), On("x", "committed")), task("x")),
        outcomes=(done(every(*committed("a", "b"))),),
    )
    driver = everywhere(
        flow,
        """
        start            -> Ready p, Started p, Ready n, Ready a, Ready b, Ready x
        break n task.n   -> Started n, Aborted n
        break a task.one -> Started a, Aborted a, Aborting p, Skipped b, Skipped c, Skipped x, Aborted p
        """,
    )
    assert driver.last("p", facts.Aborted).error == "task.one"


def test_flow_in_which_nothing_runs_and_no_outcome_holds_aborts_with_its_cause() -> None:
    flow = Flow(
        name="p",
        children=(task("a"), guarded(task("b"), On("a", "committed"))),
        outcomes=(done(On("b", "committed")), aborted(On("b", "aborted"))),
    )
    driver = everywhere(
        flow,
        """
        start            -> Ready p, Started p, Ready a
        break a task.one -> Started a, Aborted a, Skipped b, Aborting p, Aborted p
        """,
    )
    assert driver.last("p", facts.Aborted).error == "task.one"


def test_flow_without_a_cause_is_stuck_and_names_the_guards_in_the_way() -> None:
    flow = Flow(
        name="p",
        children=(task("a", vital=False), guarded(task("b"), On("a", "committed"))),
        outcomes=(done(On("b", "committed")),),
    )
    driver = everywhere(
        flow,
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Aborted a, Skipped b, Stuck p
        """,
    )
    assert driver.last("p", facts.Stuck).guards == ("outcome done",)
    assert driver.outstanding() == [effect_types.Ask("p", why="engine.stuck")]


def test_stuck_flow_can_be_cancelled() -> None:
    flow = Flow(
        name="p",
        children=(task("a", compensation=task("c")), task("b", vital=False)),
        outcomes=(done(On("b", "committed")),),
    )
    everywhere(
        flow,
        """
        start             -> Ready p, Started p, Ready a, Ready b
        do a              -> Started a, Committed a
        break b           -> Started b, Aborted b, Stuck p
        cancel            -> Aborting p, Compensating a, Ready a/compensation
        do a/compensation -> Started a/compensation, Committed a/compensation, Compensated a, Aborted p
        """,
    )


def test_stuck_ends_with_any_fact_of_that_compound() -> None:
    flow = Flow(
        name="p",
        children=(
            task("a"),
            guarded(task("b"), When("False")),
            guarded(task("c"), On("a", "committed")),
        ),
        outcomes=(done(every(*committed("b", "c"))),),
    )
    everywhere(
        flow,
        """
        start -> Ready p, Started p, Answered b:no, Ready a, Skipped b, Stuck p
        do a  -> Started a, Committed a, Ready c
        """,
    )


def test_person_may_skip_what_waits_or_is_ready() -> None:
    everywhere(
        serial(task("a"), task("b"), task("c"), name="p"),
        """
        start  -> Ready p, Started p, Ready a
        skip b -> Skipped b, Ready c
        skip a -> Skipped a
        skip a -> refused NotRunning
        do c   -> Started c, Committed c, Fixed p, Committed p
        skip p -> refused NotRunning
        """,
    )


def test_stuck_inside_a_running_flow_is_asked_while_the_rest_goes_on() -> None:
    inner = Flow(name="q", children=(task("a", vital=False),), outcomes=(done(On("a", "committed")),))
    everywhere(
        all_of(inner, task("b"), name="p"),
        """
        start     -> Ready p, Started p, Ready q, Started q, Ready b, Ready q/a
        break q/a -> Started q/a, Aborted q/a, Stuck q
        do b      -> Started b, Committed b
        cancel q  -> Aborting q, Aborted q, Aborting p, Aborted p
        """,
    )


def test_abort_outcome_that_never_holds_is_no_way_out() -> None:
    flow = Flow(name="p", children=(task("a"),), outcomes=(done(On("a", "committed")), aborted(AtLeast(1, ()))))
    everywhere(
        flow,
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Aborted a, Aborting p, Aborted p
        """,
    )


def test_ended_is_never_false() -> None:
    flow = Flow(name="p", children=(task("a"), guarded(task("b"), ended("a"))), outcomes=(done(Quiet()),))
    for way in ("do a", "break a", "skip a"):
        everywhere(flow, f"start\n{way}\ndo b")
