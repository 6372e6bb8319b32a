"""A test of a process without doing its work: the test says what happens, and moves the clock itself.

python examples/trial_test.py        or: pytest examples/trial_test.py
"""

from datetime import timedelta

from weft import person, process, task
from weft.testing import Trial

WEEK = timedelta(days=7)


class Offline(Exception):
    """The bank can't be reached."""


@task(errors={Offline: "task.offline"})
def charge(cents: int) -> str:
    raise NotImplementedError("a trial never calls it")


sign = person("sign", role="customer", gives=bool).into("signed")
order = process("order", cents=int)(
    sign.within(WEEK, warn=[timedelta(days=1)], fail=True)
    >> charge.into("receipt").retry(2, error="task.offline", delay=timedelta(minutes=5), factor=2)
)


def test_the_bank_is_asked_again_after_five_and_ten_minutes() -> None:
    trial = Trial(order, cents=900)
    trial.finish("sign", True)
    trial.fail("charge", "task.offline")
    assert trial.ready == []
    trial.advance(timedelta(minutes=5))
    trial.fail("charge", "task.offline")
    trial.advance(timedelta(minutes=9, seconds=59))
    assert trial.ready == []
    trial.advance(timedelta(seconds=1))
    trial.finish("charge", "R-17")
    assert trial.outcome == "done"
    assert trial.values == {"signed": True, "receipt": "R-17"}


def test_who_does_not_sign_in_a_week_gets_nothing() -> None:
    trial = Trial(order, cents=900)
    trial.advance(timedelta(days=6))
    assert [type(fact).__name__ for fact in trial.facts if fact.path == "sign"] == ["Ready", "Overdue"]
    assert trial.ready == ["sign"]
    trial.advance(timedelta(days=1))
    assert trial.outcome == "aborted"
    assert trial.error == "engine.deadline"


def main() -> None:
    test_the_bank_is_asked_again_after_five_and_ten_minutes()
    test_who_does_not_sign_in_a_week_gets_nothing()
    print("Two weeks were tested, and no time was lost.")


if __name__ == "__main__":
    main()
