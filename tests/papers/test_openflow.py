"""Paper 000 (OPENflow): the travel booking of Figure 1, and the task model of Figures 3 to 5."""

from tests.kernel.driver import aborted, done, everywhere, task
from weft.kernel import facts
from weft.model.definition import ABORTED, DONE, Flow, Input, InputSet, On, Outcome, Output, Sources, Task


def gives(name: str, *objects: str) -> Task:
    return task(name, outcomes=(Outcome("done", types=dict.fromkeys(objects, "any")), ABORTED))


def from_each(*names: str) -> Sources:
    return tuple(Output(name, "done", "o") for name in names)


# Figure 1: CreditCheck and Flights run after TravelPlan, Tickets needs Flights' data and only the notification `ok`.

FROM_PLAN = (InputSet(bindings={"plan": (Output("travel_plan", "done", "plan"),)}),)
TRAVEL = Flow(
    name="travel",
    children=(
        gives("travel_plan", "plan"),
        task("credit_check", input_sets=FROM_PLAN, outcomes=(Outcome("ok"), Outcome("refused"))),
        task("flights", input_sets=FROM_PLAN, outcomes=(Outcome("done", types={"flight": "any"}), ABORTED)),
        task(
            "tickets",
            input_sets=(
                InputSet(
                    guard=On("credit_check", "committed:ok"),
                    bindings={"flight": (Output("flights", "done", "flight"),)},
                ),
            ),
        ),
    ),
    outcomes=(done(On("tickets", "committed")), aborted(On("tickets", "skipped"))),
)


def test_figure_1_runs_two_at_once_and_sells_when_both_have_ended_well() -> None:
    everywhere(
        TRAVEL,
        """
        start                            -> Ready travel, Started travel, Ready travel_plan
        do travel_plan {"plan": "Rome"}  -> Started travel_plan, Committed travel_plan,
                                         -> Ready credit_check, Ready flights
        do credit_check ok               -> Started credit_check, Committed credit_check:ok
        do flights {"flight": "AZ 7"}    -> Started flights, Committed flights, Ready tickets
        do tickets                       -> Started tickets, Committed tickets, Fixed travel, Committed travel
        """,
    )


def test_figure_1_sells_nothing_without_the_notification() -> None:
    everywhere(
        TRAVEL,
        """
        start                            -> Ready travel, Started travel, Ready travel_plan
        do travel_plan {"plan": "Rome"}  -> Started travel_plan, Committed travel_plan,
                                         -> Ready credit_check, Ready flights
        do flights {"flight": "AZ 7"}    -> Started flights, Committed flights
        do credit_check refused          -> Started credit_check, Committed credit_check:refused, Skipped tickets,
                                         -> Aborting travel, Aborted travel
        """,
    )


# Figure 3: a task with two input sets and two output sets; i3 has three sources.

FIGURE_3 = Flow(
    name="p",
    children=(
        *(gives(name, "o") for name in "abcd"),
        task("e"),
        task(
            "t",
            input_sets=(
                InputSet("I1", On("e", "committed"), {"i1": from_each("a"), "i2": from_each("b")}),
                InputSet("I2", bindings={"i3": from_each("b", "c", "d")}),
            ),
            outcomes=(Outcome("O1", types={"o1": "any"}), Outcome("O2", types={"o2": "any", "o3": "any"})),
        ),
    ),
    outcomes=(done(On("t", "committed")),),
)


def test_figure_3_when_both_sets_become_available_at_once_the_first_is_taken() -> None:
    driver = everywhere(
        FIGURE_3,
        """
        start                 -> Ready p, Started p, Ready a, Ready b, Ready c, Ready d, Ready e
        do e                  -> Started e, Committed e
        do a {"o": 1}         -> Started a, Committed a
        do b {"o": 2}         -> Started b, Committed b, Ready t
        do t O1 {"o1": 3}     -> Started t, Committed t:O1, Fixed p, Skipped c, Skipped d, Committed p
        """,
    )
    ready = driver.last("t", facts.Ready)
    assert isinstance(ready, facts.Ready)
    assert (ready.set, ready.inputs) == ("I1", {"i1": 1, "i2": 2})


def test_figure_3_one_available_source_is_enough_and_later_sets_trigger_nothing() -> None:
    driver = everywhere(
        FIGURE_3,
        """
        start                         -> Ready p, Started p, Ready a, Ready b, Ready c, Ready d, Ready e
        do d {"o": 4}                 -> Started d, Committed d, Ready t
        do e                          -> Started e, Committed e
        do a {"o": 1}                 -> Started a, Committed a
        do b {"o": 2}                 -> Started b, Committed b
        do t O2 {"o2": 3, "o3": 4}    -> Started t, Committed t:O2, Fixed p, Skipped c, Committed p
        """,
    )
    ready = driver.last("t", facts.Ready)
    assert isinstance(ready, facts.Ready)
    assert (ready.set, ready.inputs) == ("I2", {"i3": 4})


# Figure 4: an input may come from what another task was given (s7), and a notification from any of several (s5).


def test_figure_4_an_input_may_come_from_the_input_set_of_another_task() -> None:
    t2 = task("t2", input_sets=(InputSet("I", bindings={"x": from_each("t1")}),))
    t3 = task("t3", input_sets=(InputSet(bindings={"i1": (Input("t2", "I", "x"), Output("t2", "done", "o"))}),))
    driver = everywhere(
        Flow(name="p", children=(gives("t1", "o"), t2, t3), outcomes=(done(On("t3", "committed")),)),
        """
        start            -> Ready p, Started p, Ready t1
        do t1 {"o": 1}   -> Started t1, Committed t1, Ready t2
        begin t2         -> Started t2, Ready t3
        do t3            -> Started t3, Committed t3, Fixed p, Stopping t2
        complete t2      -> Aborted t2, Committed p
        """,
    )
    ready = driver.last("t3", facts.Ready)
    assert isinstance(ready, facts.Ready)
    assert ready.inputs == {"i1": 1}


# Figure 5: a compound task takes an output from the first of its internal sources.

FIGURE_5 = Flow(
    name="t1",
    input_sets=(InputSet(types={"i": "any"}),),
    children=(
        task(
            "t2",
            input_sets=(InputSet(bindings={"x": (Input("t1", "start", "i"),)}),),
            outcomes=(Outcome("good", types={"o": "any"}), Outcome("bad", types={"o": "any"})),
        ),
        task(
            "t3",
            input_sets=(InputSet(bindings={"x": (Output("t2", "good", "o"),)}),),
            outcomes=(Outcome("done", types={"o": "any"}), ABORTED),
        ),
    ),
    outcomes=(
        Outcome("kept", guard=On("t3", "aborted"), bindings={"r": (Output("t2", "good", "o"),)}),
        Outcome("made", bindings={"r": (Output("t3", "done", "o"), Output("t2", "bad", "o"))}),
    ),
)


def test_figure_5_an_output_of_a_compound_has_alternative_sources() -> None:
    driver = everywhere(
        FIGURE_5,
        """
        start {"i": 1}         -> Ready t1, Started t1, Ready t2
        do t2 good {"o": 2}    -> Started t2, Committed t2:good, Ready t3
        do t3 {"o": 3}         -> Started t3, Committed t3, Fixed t1:made, Committed t1:made
        """,
    )
    assert driver.last("t1", facts.Committed).values == {"r": 3}  # type: ignore[attr-defined]
    driver = everywhere(
        FIGURE_5,
        """
        start {"i": 1}         -> Ready t1, Started t1, Ready t2
        do t2 bad {"o": 2}     -> Started t2, Committed t2:bad, Fixed t1:made, Skipped t3, Committed t1:made
        """,
    )
    assert driver.last("t1", facts.Committed).values == {"r": 2}  # type: ignore[attr-defined]


def test_figure_5_a_compound_ends_in_one_of_several_outcomes() -> None:
    everywhere(
        FIGURE_5,
        """
        start {"i": 1}         -> Ready t1, Started t1, Ready t2
        do t2 good {"o": 2}    -> Started t2, Committed t2:good, Ready t3
        break t3               -> Started t3, Aborted t3, Fixed t1:kept, Committed t1:kept
        """,
    )


# Section 4: tasks that make up an application may be atomic; the transfer of money has two outcomes.


def test_section_4_a_transfer_commits_or_aborts_and_each_leads_elsewhere() -> None:
    after = (
        task("receipt", input_sets=(InputSet(guard=On("transfer", "committed")),)),
        task("excuse", input_sets=(InputSet(guard=On("transfer", "aborted")),)),
    )
    p = Flow(
        name="p",
        children=(task("transfer", transaction="transactional", outcomes=(DONE, ABORTED)), *after),
        outcomes=(done(On("receipt", "committed")), Outcome("excused", guard=On("excuse", "committed"))),
    )
    everywhere(
        p,
        """
        start          -> Ready p, Started p, Ready transfer
        break transfer -> Started transfer, Aborted transfer, Ready excuse, Skipped receipt
        do excuse      -> Started excuse, Committed excuse, Fixed p:excused, Committed p:excused
        """,
    )
