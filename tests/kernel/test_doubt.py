"""Workers that die, and deadlines that pass (SEMANTICS §4)."""

import pytest
from msgspec.structs import replace

from tests.kernel.driver import done, everywhere, guarded, task
from weft.kernel import effect_types, facts
from weft.model.blocks import loop, serial
from weft.model.definition import Deadline, Flow, Group, Handler, On, Person, Quiet, Rule


def open_flow(*children):  # type: ignore[no-untyped-def]
    return Flow(name="p", children=children, outcomes=(done(Quiet()),))


# In doubt.


def test_idempotent_task_whose_worker_died_runs_again() -> None:
    everywhere(
        open_flow(task("a", idempotent=True)),
        """
        start   -> Ready p, Started p, Ready a
        begin a -> Started a
        lost a  -> Failed a, Ready a#2
        do a    -> Started a#2, Committed a#2, Fixed p, Committed p
        """,
    )


def test_transaction_of_a_resource_runs_again_since_its_marker_tells_what_the_first_one_did() -> None:
    everywhere(
        open_flow(task("a", transaction="transactional", resource="shop")),
        """
        start   -> Ready p, Started p, Ready a
        begin a -> Started a
        lost a  -> Failed a, Ready a#2
        do a    -> Started a#2, Committed a#2, Fixed p, Committed p
        """,
    )


def test_idempotent_task_with_an_undo_is_undone_before_it_runs_again() -> None:
    everywhere(
        open_flow(task("a", idempotent=True, undo=task("u"))),
        """
        start     -> Ready p, Started p, Ready a
        begin a   -> Started a
        lost a    -> Failed a, Ready a/undo
        do a/undo -> Started a/undo, Committed a/undo, Ready a#2
        do a      -> Started a#2, Committed a#2, Fixed p, Committed p
        """,
    )


def test_other_work_is_never_repeated_silently_a_person_is_asked() -> None:
    driver = everywhere(
        open_flow(task("a")),
        """
        start   -> Ready p, Started p, Ready a
        begin a -> Started a
        lost a  -> Doubted a
        begin a -> refused NotRunning
        """,
    )
    assert driver.outstanding() == [effect_types.Ask("a", why="engine.lost")]


def test_person_says_that_it_was_done() -> None:
    everywhere(
        open_flow(task("a")),
        """
        start      -> Ready p, Started p, Ready a
        begin a    -> Started a
        lost a     -> Doubted a
        complete a -> Committed a, Fixed p, Committed p
        """,
    )


def test_person_says_that_it_failed() -> None:
    driver = everywhere(
        open_flow(task("a", on_error=(Rule("retry", times=9),))),
        """
        start           -> Ready p, Started p, Ready a
        begin a         -> Started a
        lost a          -> Doubted a
        fail a task.bad -> Aborted a, Fixed p, Committed p
        """,
    )
    assert driver.last("a", facts.Aborted).error == "task.bad"


def test_person_says_again() -> None:
    everywhere(
        open_flow(task("a")),
        """
        start   -> Ready p, Started p, Ready a
        begin a -> Started a
        lost a  -> Doubted a
        retry a -> Ready a#2
        do a    -> Started a#2, Committed a#2, Fixed p, Committed p
        """,
    )


def test_doubted_and_stopped_stays_doubted_and_again_is_refused() -> None:
    everywhere(
        open_flow(task("a", compensation=task("una"))),
        """
        start             -> Ready p, Started p, Ready a
        begin a           -> Started a
        lost a            -> Doubted a
        cancel a          -> Stopping a
        retry a           -> refused NotRunning
        complete a        -> TakingBack a, Ready a/compensation
        do a/compensation -> Started a/compensation, Committed a/compensation, Aborted a, Fixed p, Committed p
        """,
    )
    everywhere(
        open_flow(task("a")),
        """
        start    -> Ready p, Started p, Ready a
        begin a  -> Started a
        lost a   -> Doubted a
        cancel a -> Stopping a
        fail a   -> Aborted a, Fixed p, Committed p
        """,
    )


def test_stopped_work_whose_worker_dies() -> None:
    everywhere(
        open_flow(task("a")),
        """
        start    -> Ready p, Started p, Ready a
        begin a  -> Started a
        cancel a -> Stopping a
        lost a   -> Doubted a
        retry a  -> refused NotRunning
        fail a   -> Aborted a, Fixed p, Committed p
        """,
    )
    everywhere(
        open_flow(task("a", idempotent=True, compensation=task("una"))),
        """
        start    -> Ready p, Started p, Ready a
        begin a  -> Started a
        cancel a -> Stopping a
        lost a   -> Aborted a, Fixed p, Committed p
        """,
    )
    everywhere(
        open_flow(task("a", idempotent=True, undo=task("u"))),
        """
        start     -> Ready p, Started p, Ready a
        begin a   -> Started a
        cancel a  -> Stopping a
        lost a    -> Failed a, Ready a/undo
        do a/undo -> Started a/undo, Committed a/undo, Aborted a, Fixed p, Committed p
        """,
    )


def test_lost_worker_in_a_drained_flow_is_a_failure() -> None:
    everywhere(
        open_flow(task("a", idempotent=True)),
        """
        start   -> Ready p, Started p, Ready a
        begin a -> Started a
        drain   -> Drained p
        lost a  -> Failed a, Aborted a, Fixed p, Committed p
        """,
    )


def test_lease_of_what_does_not_run_has_not_ended() -> None:
    everywhere(
        open_flow(task("a")),
        """
        start  -> Ready p, Started p, Ready a
        lost a -> refused NotRunning
        do a   -> Started a, Committed a, Fixed p, Committed p
        lost a -> refused NotRunning
        """,
    )


# Deadlines.


def timers(driver) -> list[tuple[float, int]]:  # type: ignore[no-untyped-def]
    return [(one.due_seconds, one.warning) for one in driver.outstanding() if isinstance(one, effect_types.Timer)]


@pytest.mark.parametrize("handler", [Person("clerk"), Group(("Ann", "Ben"))])
def test_deadline_of_people_counts_from_ready(handler: Handler) -> None:
    driver = everywhere(
        open_flow(task("a", handler=handler, deadline=Deadline(60, warn_seconds=(10, 20)))),
        """
        at 100
        start   -> Ready p, Started p, Ready a
        at 130
        begin a -> Started a
        """,
    )
    assert timers(driver) == [(150, 0), (140, 1), (160, -1)]


def test_deadline_of_other_work_counts_from_started() -> None:
    driver = everywhere(
        open_flow(task("a", deadline=Deadline(60))),
        """
        at 100
        start   -> Ready p, Started p, Ready a
        at 130
        begin a -> Started a
        """,
    )
    assert timers(driver) == [(190, -1)]


def test_deadline_of_a_compound_counts_from_its_start() -> None:
    section = replace(serial(task("b"), name="q"), holds=("x",), deadline=Deadline(60))
    flow = Flow(
        name="p",
        children=(task("a", holds=("x",)), guarded(section, On("a", "started"))),
        outcomes=(done(Quiet()),),
    )
    driver = everywhere(
        flow,
        """
        start      -> Ready p, Started p, Ready a
        begin a    -> Started a, Ready q
        at 50
        complete a -> Committed a, Started q, Ready q/b
        """,
    )
    assert timers(driver) == [(110, -1)]


def test_overdue_is_told_once_a_round_and_is_no_failure() -> None:
    driver = everywhere(
        open_flow(task("a", handler=Person("clerk"), deadline=Deadline(60, warn_seconds=(10,)))),
        """
        start   -> Ready p, Started p, Ready a
        at 50
        due a 0 -> Overdue a
        due a 0 -> refused NotRunning
        at 60
        due a   -> Overdue a
        due a   -> refused NotRunning
        do a    -> Started a, Committed a, Fixed p, Committed p
        due a   -> refused NotRunning
        """,
    )
    assert timers(driver) == []


def test_overdue_is_not_told_again_after_a_retry_in_the_same_round() -> None:
    driver = everywhere(
        open_flow(task("a", deadline=Deadline(60), on_error=(Rule("retry", times=1),))),
        """
        start   -> Ready p, Started p, Ready a
        begin a -> Started a
        at 60
        due a   -> Overdue a
        fail a  -> Failed a, Ready a#2
        begin a -> Started a#2
        """,
    )
    assert timers(driver) == []


def test_overdue_is_told_again_in_the_next_round() -> None:
    everywhere(
        loop("True", task("a", deadline=Deadline(60)), name="p"),
        """
        start      -> Ready p, Started p, Answered a:yes, Ready a
        begin a    -> Started a
        due a      -> Overdue a
        complete a -> Committed a, Fixed p:again, Repeated p:again, Answered a:yes@1, Ready a@1
        begin a    -> Started a@1
        due a      -> Overdue a@1
        """,
    )


def test_deadline_that_fails_is_a_stop() -> None:
    driver = everywhere(
        open_flow(task("a", deadline=Deadline(60, "fail"), on_error=(Rule("retry", times=5),))),
        """
        start      -> Ready p, Started p, Ready a
        begin a    -> Started a
        due a      -> Overdue a, Stopping a
        complete a -> Aborted a, Fixed p, Committed p
        """,
    )
    assert driver.last("a", facts.Aborted).error == "engine.deadline"


def test_deadline_that_fails_is_an_error_that_guards_hear() -> None:
    everywhere(
        open_flow(
            task("a", idempotent=True, deadline=Deadline(60, "fail")),
            guarded(task("b"), On("a", "error:engine.deadline")),
        ),
        """
        start   -> Ready p, Started p, Ready a
        begin a -> Started a
        due a   -> Overdue a, Aborted a, Ready b
        do b    -> Started b, Committed b, Fixed p, Committed p
        """,
    )


def test_deadline_of_a_compound_that_fails_aborts_and_takes_back() -> None:
    inner = replace(serial(task("a", compensation=task("una")), task("b"), name="q"), deadline=Deadline(60, "fail"))
    driver = everywhere(
        open_flow(inner),
        """
        start               -> Ready p, Started p, Ready q, Started q, Ready q/a
        do q/a              -> Started q/a, Committed q/a, Ready q/b
        due q               -> Overdue q, Aborting q, Skipped q/b, Compensating q/a, Ready q/a/compensation
        do q/a/compensation -> Started q/a/compensation, Committed q/a/compensation, Compensated q/a,
                            -> Aborted q, Fixed p, Committed p
        """,
    )
    assert driver.last("q", facts.Aborted).error == "engine.deadline"


def test_person_s_work_that_nobody_took_by_its_deadline_has_aborted() -> None:
    everywhere(
        open_flow(task("a", handler=Person("clerk"), deadline=Deadline(60, "fail"))),
        """
        start -> Ready p, Started p, Ready a
        due a -> Overdue a, Aborted a, Fixed p, Committed p
        """,
    )


def test_early_warning_fails_nothing() -> None:
    everywhere(
        open_flow(task("a", deadline=Deadline(60, "fail", warn_seconds=(5,)))),
        """
        start      -> Ready p, Started p, Ready a
        begin a    -> Started a
        due a 0    -> Overdue a
        complete a -> Committed a, Fixed p, Committed p
        """,
    )


def test_due_of_what_has_no_deadline_is_refused() -> None:
    everywhere(
        open_flow(task("a")),
        """
        start -> Ready p, Started p, Ready a
        due a -> refused NotDeclared
        """,
    )
