"""An approval with a deadline: a manager has a day, then it goes to the director.

python examples/approval.py
"""

from datetime import timedelta

import weft
from weft import Answers, choice, person, process, task
from weft.testing import Trial

DAY = timedelta(hours=24)


@task
def pay(sum: int) -> str:
    return f"paid {sum}"


approve = person("approve", role="manager", gives=bool).into("approved")
approve_late = person("approve_late", role="director", gives=bool).into("approved")

expense = process("expense", sum=int)(
    approve.within(DAY, fail=True).otherwise(approve_late) >> choice({"approved": pay.into("receipt")})
)


def main() -> None:
    result = weft.run(expense, Answers(approve=True), sum=90).expect("done")
    assert result.values["receipt"] == "paid 90"
    print("The manager agreed:", result.values["receipt"])

    trial = Trial(expense, sum=90)
    trial.advance(DAY - timedelta(minutes=1))
    assert trial.ready == ["approve"]
    trial.advance(timedelta(minutes=1))
    assert trial.ready == ["approve_late"]
    print("A day went by, so now it is for the director:", *trial.ready)
    trial.finish("approve_late", False)
    result = trial.expect("done")
    assert result.values["approved"] is False
    assert "pay" not in [fact.path for fact in result.facts if type(fact).__name__ == "Started"]
    print("The director said no, and nothing was paid.")


if __name__ == "__main__":
    main()
