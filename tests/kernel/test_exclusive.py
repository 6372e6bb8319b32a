"""Exclusive commit (SEMANTICS §3): one leave at a time, losers are taken back, leave goes on when its holder aborts."""

from msgspec.structs import replace

from tests.kernel.driver import done, everywhere, guarded, process, task
from weft.kernel import facts
from weft.model.blocks import race, serial
from weft.model.definition import ABORTED, DONE, Flow, On, Outcome, When, every


def careful(name: str, guard: object = None, **said: object):  # type: ignore[no-untyped-def]
    return task(name, transaction="transactional", outcomes=(Outcome("done", "commit", guard), ABORTED), **said)


def test_first_to_finish_commits_and_the_others_are_stopped() -> None:
    everywhere(
        race(task("a"), task("b"), task("c", idempotent=True), name="p"),
        """
        start      -> Ready p, Started p, Ready a, Ready b, Ready c
        begin a    -> Started a
        begin c    -> Started c
        do b       -> Started b, Parked b, Granted b, Committed b, Fixed p, Stopping a, Aborted c
        complete a -> Aborted a, Committed p
        """,
    )


def test_one_that_asks_while_the_leave_is_out_is_parked_with_its_results() -> None:
    everywhere(
        race(careful("a"), careful("b"), name="p"),
        """
        start     -> Ready p, Started p, Ready a, Ready b
        do a      -> Started a, Parked a, Granted a
        do b      -> Started b, Parked b
        confirm a -> Committed a, Fixed p, Aborted b, Committed p
        """,
    )


def test_leave_goes_to_the_first_that_asked_when_the_granted_one_aborts() -> None:
    everywhere(
        race(careful("a"), task("b"), careful("c"), name="p"),
        """
        start  -> Ready p, Started p, Ready a, Ready b, Ready c
        do a   -> Started a, Parked a, Granted a
        do b   -> Started b, Parked b
        do c   -> Started c, Parked c
        fail a -> Aborted a, Granted b, Committed b, Fixed p, Aborted c, Committed p
        """,
    )


def test_losers_of_any_kind_are_parked_and_taken_back_when_the_granted_one_has_committed() -> None:
    driver = everywhere(
        race(careful("a"), task("b", compensation=task("unb")), task("c", undo=task("unc")), task("d"), name="p"),
        """
        start             -> Ready p, Started p, Ready a, Ready b, Ready c, Ready d
        do a              -> Started a, Parked a, Granted a
        do b              -> Started b, Parked b
        do c              -> Started c, Parked c
        do d              -> Started d, Parked d
        confirm a         -> Committed a, Fixed p, Stopping b, TakingBack b, Ready b/compensation, Stopping c,
                          -> TakingBack c, Ready c/undo, Stopping d, Aborted d
        do b/compensation -> Started b/compensation, Committed b/compensation, Aborted b
        do c/undo         -> Started c/undo, Committed c/undo, Aborted c, Committed p
        """,
    )
    assert driver.last("d", facts.Aborted).work_done


def test_child_asks_only_when_its_own_commit_guard_holds() -> None:
    everywhere(
        race(careful("a", On("x", "committed")), careful("b"), task("x"), name="p"),
        """
        start     -> Ready p, Started p, Ready a, Ready b, Ready x
        do a      -> Started a, Parked a
        do b      -> Started b, Parked b, Granted b
        confirm b -> Committed b, Fixed p, Aborted a, Skipped x, Committed p
        """,
    )


def test_compound_asks_when_what_it_stopped_has_ended() -> None:
    inner = Flow(
        name="q", children=(task("x", compensation=task("unx")), task("y")), outcomes=(done(On("x", "committed")),)
    )
    everywhere(
        race(inner, careful("b"), name="p"),
        """
        start               -> Ready p, Started p, Ready q, Started q, Ready b, Ready q/x, Ready q/y
        begin q/y           -> Started q/y
        do b                -> Started b, Parked b, Granted b
        do q/x              -> Started q/x, Committed q/x, Fixed q, Stopping q/y
        complete q/y        -> Aborted q/y, Parked q
        confirm b           -> Committed b, Fixed p, Aborting q, Compensating q/x, Ready q/x/compensation
        do q/x/compensation -> Started q/x/compensation, Committed q/x/compensation, Compensated q/x,
                            -> Aborted q, Committed p
        """,
    )


def test_compound_that_wins_stops_the_others() -> None:
    everywhere(
        race(serial(task("x"), name="q"), task("b"), name="p"),
        """
        start      -> Ready p, Started p, Ready q, Started q, Ready b, Ready q/x
        begin b    -> Started b
        do q/x     -> Started q/x, Committed q/x, Fixed q, Parked q, Granted q, Committed q, Fixed p,
                   -> Stopping b
        complete b -> Aborted b, Committed p
        """,
    )


def test_race_whose_members_all_abort_aborts() -> None:
    everywhere(
        race(careful("a"), task("b"), name="p"),
        """
        start   -> Ready p, Started p, Ready a, Ready b
        do a    -> Started a, Parked a, Granted a
        break b -> Started b, Aborted b
        fail a  -> Aborted a, Aborting p, Aborted p
        """,
    )


def test_parked_loser_can_be_cancelled() -> None:
    everywhere(
        race(careful("a"), task("b", compensation=task("unb")), name="p"),
        """
        start             -> Ready p, Started p, Ready a, Ready b
        do a              -> Started a, Parked a, Granted a
        do b              -> Started b, Parked b
        cancel b          -> Stopping b, TakingBack b, Ready b/compensation
        do b/compensation -> Started b/compensation, Committed b/compensation, Aborted b
        confirm a         -> Committed a, Fixed p, Committed p
        """,
    )


def test_second_round_of_a_race_is_a_race_again() -> None:
    flow = Flow(
        name="p",
        children=(
            race(task("a"), task("b"), name="q"),
            guarded(task("c", outcomes=(DONE, Outcome("more"))), On("q", "committed")),
        ),
        outcomes=(done(On("c", "committed:done")), Outcome("again", "repeat", On("c", "committed:more"))),
    )
    everywhere(
        flow,
        """
        start     -> Ready p, Started p, Ready q, Started q, Ready q/a, Ready q/b
        do q/a    -> Started q/a, Parked q/a, Granted q/a, Committed q/a, Fixed q, Skipped q/b, Committed q,
                  -> Ready c
        do c more -> Started c, Committed c:more, Fixed p:again, Repeated p:again, Ready q@1, Started q@1,
                  -> Ready q/a@1, Ready q/b@1
        do q/b    -> Started q/b@1, Parked q/b@1, Granted q/b@1, Committed q/b@1, Fixed q@1, Skipped q/a@1,
                  -> Committed q@1, Ready c@1
        do c      -> Started c@1, Committed c@1, Fixed p, Committed p
        """,
    )


def test_exclusive_flow_that_goes_on_after_its_winner_lets_no_other_commit() -> None:
    flow = replace(
        Flow(
            name="p",
            children=(task("a"), task("b"), guarded(task("c"), On("a", "committed"))),
            outcomes=(done(every(On("a", "committed"), On("b", "ended"))),),
        ),
        exclusive=True,
    )
    everywhere(
        flow,
        """
        start      -> Ready p, Started p, Ready a, Ready b
        begin b    -> Started b
        do a       -> Started a, Parked a, Granted a, Committed a, Ready c
        complete b -> Parked b, Stopping b, Aborted b, Fixed p, Skipped c, Committed p
        """,
    )


def test_abort_of_a_race_takes_back_what_is_parked_in_it() -> None:
    everywhere(
        race(careful("a"), task("b", compensation=task("unb")), name="p"),
        """
        start             -> Ready p, Started p, Ready a, Ready b
        do a              -> Started a, Parked a, Granted a
        do b              -> Started b, Parked b
        cancel            -> Aborting p, Stopping a, Stopping b, TakingBack b, Ready b/compensation
        fail a            -> Aborted a
        do b/compensation -> Started b/compensation, Committed b/compensation, Aborted b, Aborted p
        """,
    )


def test_condition_in_the_guard_of_a_member_is_asked_first() -> None:
    everywhere(
        process(race(careful("a", When("False")), careful("b"), name="p")),
        """
        start     -> Ready p, Started p, Answered a:no, Ready a, Ready b
        do a      -> Started a, Parked a, Aborted a
        do b      -> Started b, Parked b, Granted b
        confirm b -> Committed b, Fixed p, Committed p
        """,
    )
