"""A deadline that fails, of a task that nobody has begun."""

from weft.kernel import commands, facts
from weft.kernel.decide import apply
from weft.kernel.effect_types import Stop
from weft.kernel.outstanding import effects
from weft.kernel.plan import plan_of
from weft.kernel.state import State
from weft.model.blocks import serial
from weft.model.definition import Deadline, Function, Person, Process, Task


def test_an_approval_that_nobody_gave_in_time_is_not_taken_for_given() -> None:
    approve = Task(name="approve", handler=Person("manager"), deadline=Deadline(60.0, "fail"))
    pay = Task(name="pay", handler=Function("shop:pay"))
    plan = plan_of(Process(name="p", body=serial(approve, pay, name="p")))
    state = State()
    apply(plan, state, commands.Start())
    state.time = 60.0
    told = apply(plan, state, commands.Due("approve"))
    assert facts.Aborted("approve", error="engine.deadline") in told
    assert not any(isinstance(fact, facts.Ready) for fact in told)
    assert Stop("approve") in effects(plan, state, told)
