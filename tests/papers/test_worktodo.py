"""Paper 004 (WorkToDo), section 4.1 and the example of section 5.4: states of tasks and rules of dependency."""

from tests.kernel.driver import everywhere, guarded, task
from weft.kernel import facts
from weft.model.definition import Flow, Guard, On, Outcome, Person, Quiet, Rule, Task, every, some

ENDED = (Outcome("ended", guard=Quiet()),)
"""A PDL process ends when nothing runs, whatever its tasks came to (section 4.3.4)."""


def work(name: str, guard: Guard | None = None) -> Task:
    one = task(name, handler=Person("Analista_Sistemas"))
    return one if guard is None else guarded(one, guard)  # type: ignore[return-value]


CREATION = Flow(
    name="CriacaoSistemaSoftware",
    children=(
        work("LevantarRequisitos"),
        work("ElaborarEspecificacao", On("LevantarRequisitos", "committed")),
        work("ImplementarClasses", On("ElaborarEspecificacao", "committed")),
    ),
    outcomes=ENDED,
)


def test_figure_5_1_each_task_follows_the_success_of_the_one_before() -> None:
    everywhere(
        CREATION,
        """
        start                    -> Ready CriacaoSistemaSoftware, Started CriacaoSistemaSoftware,
                                 -> Ready LevantarRequisitos
        do LevantarRequisitos    -> Started LevantarRequisitos, Committed LevantarRequisitos,
                                 -> Ready ElaborarEspecificacao
        do ElaborarEspecificacao -> Started ElaborarEspecificacao, Committed ElaborarEspecificacao,
                                 -> Ready ImplementarClasses
        do ImplementarClasses    -> Started ImplementarClasses, Committed ImplementarClasses,
                                 -> Fixed CriacaoSistemaSoftware:ended, Committed CriacaoSistemaSoftware:ended
        """,
    )


def test_figure_4_2_a_task_is_not_ready_ready_running_and_then_succeeded_or_failed() -> None:
    driver = everywhere(
        CREATION,
        """
        start
        do LevantarRequisitos
        break ElaborarEspecificacao -> Started ElaborarEspecificacao, Aborted ElaborarEspecificacao,
                                    -> Skipped ImplementarClasses, Fixed CriacaoSistemaSoftware:ended,
                                    -> Committed CriacaoSistemaSoftware:ended
        """,
    )
    lives: dict[str, list[str]] = {}
    for fact in driver.told:
        lives.setdefault(fact.path, []).append(type(fact).__name__)
    assert lives["LevantarRequisitos"] == ["Ready", "Started", "Committed"]
    assert lives["ElaborarEspecificacao"] == ["Ready", "Started", "Aborted"]
    assert lives["ImplementarClasses"] == ["Skipped"]


RULE = some(every(On("T1", "committed"), On("T2", "aborted")), On("T3", "started"))
"""Section 4.1.3: or (and (T1 → SUCCEEDED, T2 → FAILED), T3 → RUNNING)."""

TREE = Flow(name="p", children=(work("T1"), work("T2"), work("T3"), work("T", RULE)), outcomes=ENDED)


def test_figure_4_3_a_conjunction_waits_for_both_of_its_leaves() -> None:
    everywhere(
        TREE,
        """
        start    -> Ready p, Started p, Ready T1, Ready T2, Ready T3
        do T1    -> Started T1, Committed T1
        break T2 -> Started T2, Aborted T2, Ready T
        do T     -> Started T, Committed T
        do T3    -> Started T3, Committed T3, Fixed p:ended, Committed p:ended
        """,
    )


def test_figure_4_3_a_disjunction_needs_one_leaf_and_a_leaf_may_be_a_start() -> None:
    everywhere(
        TREE,
        """
        start       -> Ready p, Started p, Ready T1, Ready T2, Ready T3
        begin T3    -> Started T3, Ready T
        do T        -> Started T, Committed T
        do T1       -> Started T1, Committed T1
        do T2       -> Started T2, Committed T2
        complete T3 -> Committed T3, Fixed p:ended, Committed p:ended
        """,
    )


def test_figure_4_3_a_task_whose_rule_never_holds_is_never_run_and_the_process_ends() -> None:
    everywhere(
        Flow(name="p", children=(work("T1"), work("T2"), work("T", every(*RULE.guards[:1]))), outcomes=ENDED),  # type: ignore[union-attr]
        """
        start    -> Ready p, Started p, Ready T1, Ready T2
        do T1    -> Started T1, Committed T1
        do T2    -> Started T2, Committed T2, Skipped T, Fixed p:ended, Committed p:ended
        """,
    )


def test_section_4_5_a_cancelled_process_ends_only_what_is_running() -> None:
    everywhere(
        TREE,
        """
        start       -> Ready p, Started p, Ready T1, Ready T2, Ready T3
        begin T1    -> Started T1
        drain p     -> Drained p, Skipped T2, Skipped T3, Skipped T
        complete T1 -> Committed T1, Fixed p:ended, Committed p:ended
        """,
    )


def test_section_4_3_5_an_automatic_task_is_tried_so_many_times_and_then_the_responsible_decides() -> None:
    rules = (Rule("retry", times=2), Rule("ask"))
    driver = everywhere(
        Flow(name="p", children=(task("a", on_error=rules),), outcomes=ENDED),
        """
        start   -> Ready p, Started p, Ready a
        break a -> Started a, Failed a, Ready a#2
        break a -> Started a#2, Failed a#2, Ready a#3
        break a -> Started a#3, Failed a#3, Doubted a#3
        retry a -> Ready a#4
        do a    -> Started a#4, Committed a#4, Fixed p:ended, Committed p:ended
        """,
    )
    assert [fact.attempt for fact in driver.told if isinstance(fact, facts.Failed)] == [1, 2, 3]
