"""Paper 001 (METUFlow): the check-up of section 2 as it runs, and what blocks save in messages (Figures 5.1 to 5.3)."""

from examples.check_up import check_up
from tests.kernel.driver import everywhere, process, task
from weft.kernel import facts
from weft.kernel.plan import plan_of
from weft.model.blocks import all_of, serial

PAYING = """
    do check        -> Started check, Committed check, Ready race:cash, Started race:cash, Ready cash, Ready credit
    begin cash      -> Started cash
    begin credit    -> Started credit
    complete credit -> Parked credit, Granted credit, Committed credit, Fixed race:cash, Stopping cash
    complete cash   -> Aborted cash, Committed race:cash, Fixed check_up, Committed check_up
"""


def test_a_new_patient_is_registered_and_photographed_until_the_picture_is_clear() -> None:
    driver = everywhere(
        check_up,
        """
        start {"patient_id": 0}       -> Ready check_up, Started check_up, Ready choice:register,
                                      -> Started choice:register, Answered register:yes, Ready register
        do register {"result": 8}     -> Started register, Committed register, Fixed choice:register,
                                      -> Committed choice:register, Ready examine
        do examine {"blood_test_type_list": [1], "roentgen_list": [2]} -> Started examine, Committed examine,
                                      -> Ready all:blood, Started all:blood, Ready blood, Ready loop:roent,
                                      -> Started loop:roent, Answered roent:yes, Ready roent
        do blood {"result": ["ok"]}   -> Started blood, Committed blood
        do roent {"result": null}     -> Started roent, Committed roent, Fixed loop:roent:again,
                                      -> Repeated loop:roent:again, Answered roent:yes@1, Ready roent@1
        do roent {"result": ["ok"]}   -> Started roent@1, Committed roent@1, Fixed loop:roent:again,
                                      -> Repeated loop:roent:again, Answered roent:no@2, Skipped roent@2,
                                      -> Fixed loop:roent, Committed loop:roent, Fixed all:blood, Committed all:blood,
                                      -> Ready check
        """
        + PAYING,
    )
    ready = driver.last("examine", facts.Ready)
    assert isinstance(ready, facts.Ready)
    assert ready.inputs == {"patient_id": 8}


def test_patient_7_is_known_and_not_registered_again() -> None:
    everywhere(
        check_up,
        """
        start {"patient_id": 7}       -> Ready check_up, Started check_up, Ready choice:register,
                                      -> Started choice:register, Answered register:no, Skipped register,
                                      -> Fixed choice:register, Committed choice:register, Ready examine
        do examine {"blood_test_type_list": [1], "roentgen_list": [2]} -> Started examine, Committed examine,
                                      -> Ready all:blood, Started all:blood, Ready blood, Ready loop:roent,
                                      -> Started loop:roent, Answered roent:yes, Ready roent
        do roent {"result": ["ok"]}   -> Started roent, Committed roent, Fixed loop:roent:again,
                                      -> Repeated loop:roent:again, Answered roent:no@1, Skipped roent@1,
                                      -> Fixed loop:roent, Committed loop:roent
        do blood {"result": ["ok"]}   -> Started blood, Committed blood, Fixed all:blood, Committed all:blood,
                                      -> Ready check
        """
        + PAYING,
    )


def test_when_the_check_up_aborts_a_registration_that_was_made_is_deleted() -> None:
    """Node 3 of Table 3.2: delete starts when register has committed and the process is aborted."""
    everywhere(
        check_up,
        """
        start {"patient_id": 0}
        do register {"result": 8}
        break examine            -> Started examine, Aborted examine, Aborting check_up, Skipped all:blood,
                                 -> Skipped check, Skipped race:cash, Compensating register,
                                 -> Ready register/compensation
        do register/compensation -> Started register/compensation, Committed register/compensation,
                                 -> Compensated register, Aborted check_up
        """,
    )


def test_when_the_check_up_of_a_known_patient_aborts_nothing_is_deleted() -> None:
    everywhere(
        check_up,
        """
        start {"patient_id": 7}
        break examine            -> Started examine, Aborted examine, Aborting check_up, Skipped all:blood,
                                 -> Skipped check, Skipped race:cash, Aborted check_up
        """,
    )


def test_blocks_after_one_another_cost_messages_in_the_number_of_tasks_and_not_in_its_square() -> None:
    """Figures 5.2 and 5.3: without blocks n², with blocks linear. A message is an event that some guard hears of."""

    def messages(width: int) -> int:
        stages = [all_of(*[task(f"{letter}{n}") for n in range(width)], name=letter) for letter in "ab"]
        plan = plan_of(process(serial(*stages, name="p")))
        return sum(len(heard or ()) for heard in plan.mentions) + sum(map(len, plan.inner.values()))

    assert messages(200) - messages(100) == messages(300) - messages(200)
    assert messages(100) < 10 * 100
