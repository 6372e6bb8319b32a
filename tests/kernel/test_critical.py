"""Critical work (SEMANTICS §4): prepared until the root ends, committed by the root's one fact or rolled back."""

from msgspec.structs import replace

from tests.kernel.driver import done, everywhere, process, task
from weft.kernel import effect_types
from weft.model.blocks import all_of, contingency, loop, serial
from weft.model.definition import Call, Declared, Flow, On, Outcome, Quiet


def critical(name: str, **said: object):  # type: ignore[no-untyped-def]
    return task(name, transaction="two_phase", resource="bank", critical=True, **said)


def settled(driver) -> list[tuple[str, int, bool]]:  # type: ignore[no-untyped-def]
    return [
        (one.path, one.round, one.commit) for one in driver.outstanding() if isinstance(one, effect_types.SettleBranch)
    ]


def test_prepared_work_counts_as_committed_and_is_settled_by_the_root_s_fact() -> None:
    driver = everywhere(
        serial(critical("a"), task("b"), name="p"),
        """
        start    -> Ready p, Started p, Ready a
        do a     -> Started a, Committed a, Ready b
        do b     -> Started b, Committed b, Fixed p, Committed p
        settle a -> Settled a
        settle a -> refused NotRunning
        """,
    )
    assert settled(driver) == []
    again = everywhere(
        serial(critical("a"), critical("b"), name="p"),
        """
        start -> Ready p, Started p, Ready a
        do a  -> Started a, Committed a, Ready b
        do b  -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    assert settled(again) == [("a", 0, True), ("b", 0, True)]


def test_prepared_work_is_rolled_back_when_a_compound_around_it_aborts() -> None:
    driver = everywhere(
        serial(critical("a"), task("b"), name="p"),
        """
        start   -> Ready p, Started p, Ready a
        do a    -> Started a, Committed a, Ready b
        break b -> Started b, Aborted b, Aborting p, RolledBack a, Aborted p
        """,
    )
    assert settled(driver) == [("a", 0, False)]


def test_prepared_work_is_rolled_back_first_however_deep() -> None:
    inner = serial(critical("a"), task("b", compensation=task("unb")), name="q")
    everywhere(
        serial(task("x", compensation=task("unx")), inner, task("z"), name="p"),
        """
        start               -> Ready p, Started p, Ready x
        do x                -> Started x, Committed x, Ready q, Started q, Ready q/a
        do q/a              -> Started q/a, Committed q/a, Ready q/b
        do q/b              -> Started q/b, Committed q/b, Fixed q, Committed q, Ready z
        break z             -> Started z, Aborted z, Aborting p, RolledBack q/a, Compensating q/b,
                            -> Ready q/b/compensation
        settle q/a          -> Settled q/a
        do q/b/compensation -> Started q/b/compensation, Committed q/b/compensation, Compensated q/b,
                            -> Compensating x, Ready x/compensation
        do x/compensation   -> Started x/compensation, Committed x/compensation, Compensated x, Aborted p
        """,
    )


def test_every_round_has_its_own_execution() -> None:
    body = replace(
        loop("n < 2", critical("a", outcomes=(Outcome("done", types={"n": "any"}),), writes={"n": "n"}), name="p"),
        variables={"n": Declared("int", 0)},
    )
    driver = everywhere(
        body,
        """
        start         -> Ready p, Started p, Answered a:yes, Ready a
        do a {"n": 1} -> Started a, Committed a, Fixed p:again, Repeated p:again, Answered a:yes@1, Ready a@1
        do a {"n": 2} -> Started a@1, Committed a@1, Fixed p:again, Repeated p:again, Answered a:no@2,
                      -> Skipped a@2, Fixed p, Committed p
        settle a 1    -> Settled a@1
        """,
    )
    assert settled(driver) == [("a", 0, True)]


def test_abort_of_a_part_rolls_back_only_what_lies_in_it() -> None:
    flow = contingency(serial(critical("a"), task("b"), name="q"), critical("c"), name="p")
    driver = everywhere(
        flow,
        """
        start     -> Ready p, Started p, Ready q, Started q, Ready q/a
        do q/a    -> Started q/a, Committed q/a, Ready q/b
        break q/b -> Started q/b, Aborted q/b, Aborting q, RolledBack q/a, Aborted q, Ready c
        do c      -> Started c, Committed c, Fixed p, Committed p
        """,
    )
    assert settled(driver) == [("q/a", 0, False), ("c", 0, True)]


def test_names_are_released_when_it_is_prepared() -> None:
    flow = all_of(critical("a", holds=("x",)), task("b", holds=("x",)), name="p")
    everywhere(
        flow,
        """
        start      -> Ready p, Started p, Ready a, Ready b
        begin a    -> Started a
        begin b    -> refused NotAvailable
        complete a -> Committed a
        begin b    -> Started b
        """,
    )


def test_critical_work_may_be_non_vital() -> None:
    driver = everywhere(
        serial(critical("a", vital=False), task("b"), name="p"),
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Aborted a, Ready b
        do b    -> Started b, Committed b, Fixed p, Committed p
        """,
    )
    assert settled(driver) == []


def test_root_of_a_called_process_is_the_outermost() -> None:
    called = process(serial(critical("a"), name="inner"))
    driver = everywhere(
        serial(Call(name="c", process="inner"), task("z"), name="p"),
        """
        start        -> Ready p, Started p, Ready c, Started c
        bind c inner -> Bound c, Ready c/inner, Started c/inner, Ready c/a
        do c/a       -> Started c/a, Committed c/a, Fixed c/inner, Committed c/inner, Fixed c, Committed c,
                     -> Ready z
        do z         -> Started z, Committed z, Fixed p, Committed p
        """,
        processes={"inner": called},
    )
    assert settled(driver) == [("c/a", 0, True)]
    driver = everywhere(
        serial(Call(name="c", process="inner"), task("z"), name="p"),
        """
        start        -> Ready p, Started p, Ready c, Started c
        bind c inner -> Bound c, Ready c/inner, Started c/inner, Ready c/a
        do c/a       -> Started c/a, Committed c/a, Fixed c/inner, Committed c/inner, Fixed c, Committed c,
                     -> Ready z
        break z      -> Started z, Aborted z, Aborting p, RolledBack c/a, Aborted p
        """,
        processes={"inner": called},
    )
    assert settled(driver) == [("c/a", 0, False)]


def test_compound_with_its_own_compensation_still_rolls_back_what_is_prepared_in_it() -> None:
    inner = replace(serial(critical("a"), task("b", compensation=task("unb")), name="q"), compensation=task("unq"))
    driver = everywhere(
        serial(inner, task("z"), name="p"),
        """
        start             -> Ready p, Started p, Ready q, Started q, Ready q/a
        do q/a            -> Started q/a, Committed q/a, Ready q/b
        do q/b            -> Started q/b, Committed q/b, Fixed q, Committed q, Ready z
        break z           -> Started z, Aborted z, Aborting p, RolledBack q/a, Compensating q,
                          -> Ready q/compensation
        do q/compensation -> Started q/compensation, Committed q/compensation, Compensated q, Aborted p
        """,
    )
    assert settled(driver) == [("q/a", 0, False)]


def test_drained_part_keeps_its_prepared_work_for_the_root() -> None:
    inner = serial(critical("a"), task("b"), name="q")
    flow = Flow(name="p", children=(inner, task("z")), outcomes=(done(Quiet()),))
    driver = everywhere(
        flow,
        """
        start        -> Ready p, Started p, Ready q, Started q, Ready z, Ready q/a
        do q/a       -> Started q/a, Committed q/a, Ready q/b
        begin q/b    -> Started q/b
        drain q      -> Drained q
        complete q/b -> Committed q/b, Fixed q, Committed q
        do z         -> Started z, Committed z, Fixed p, Committed p
        """,
    )
    assert settled(driver) == [("q/a", 0, True)]


def test_guard_of_a_critical_task_parks_it_before_it_is_prepared() -> None:
    a = critical("a", outcomes=(Outcome("done", "commit", On("b", "committed")),))
    everywhere(
        Flow(name="p", children=(a, task("b")), outcomes=(done(Quiet()),)),
        """
        start     -> Ready p, Started p, Ready a, Ready b
        do a      -> Started a, Parked a
        do b      -> Started b, Committed b, Granted a
        confirm a -> Committed a, Fixed p, Committed p
        settle a  -> Settled a
        """,
    )
